"""The opening figure of lesson 24: a sum, answers that a model draws for it, their rewards, and what a step does."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from torch import Tensor

from lessons.one_step import eight_answers, numbers, one_step
from lessons.rewarded_adder import QUESTION, text_of
from utils.show.colours import AMBER
from utils.show.drawing import GREY, OLIVE, QUERY, WHITE, arrow, box, label, sheet, two_forms
from utils.show.figures import with_alt

_NAMES, _STEP, _WIDE_STEP, _WORD = 0.85, 0.57, 1.05, 0.52  # inches: for the names, from answer to answer, of an answer
_ASKED, _DRAWN, _REWARD, _BEFORE, _AFTER = 2.66, 1.92, 1.22, 0.64, 0.22  # inches: how high each line is


def drawn_for(asked: Tensor) -> Figure:
    """Draw the half adder's answers to the sum `asked` (9,), their rewards, and what one step on them does."""
    ids, (right,) = tuple(asked.tolist()), numbers(asked[None])
    answers = numbers(eight_answers(ids))
    step = one_step(ids, tuple(int(answer == right) for answer in answers), baseline=True)
    question = text_of(asked[: QUESTION - 1]).replace("+", " + ")
    return drawn_and_rewarded(question, answers, right, step.right_before, step.right_after)


@two_forms
def drawn_and_rewarded(
    question: str, answers: Sequence[str], right: str, before: float, after: float, narrow: bool = False
) -> Figure:
    """Draw a question and its answers, below each its reward: 1 if it is right, else 0; and what one step makes of it.

    before, after: the probability of the right answer before and after a step. narrow: put the answers closer together.
    Raise ValueError unless there is an answer.
    """
    if not answers:
        raise ValueError("the drawing needs at least one answer, but there is none.")
    step = _STEP if narrow else _WIDE_STEP
    figure, axes = sheet(_NAMES + step * len(answers) + 0.05, 2.92)
    for y, name in ((_ASKED, "asked"), (_DRAWN, "drawn"), (_REWARD, "reward")):
        label(axes, (0.05, y), name, bold=True, ha="left")
    middle = _NAMES + step * len(answers) / 2
    box(axes, (middle, _ASKED), question, width=1.5, height=0.45, colour=QUERY)
    for i, answer in enumerate(answers):
        x, reward = _NAMES + step * (i + 0.5), int(answer == right)
        arrow(axes, (middle, _ASKED - 0.25), (x, _DRAWN + 0.26))
        box(axes, (x, _DRAWN), answer, width=_WORD, height=0.45, colour=OLIVE if reward else GREY)
        arrow(axes, (x, _DRAWN - 0.25), (x, _REWARD + 0.25))
        box(
            axes,
            (x, _REWARD),
            str(reward),
            width=0.4,
            height=0.42,
            colour=OLIVE if reward else WHITE,
            bold=bool(reward),
        )
    full = (step * len(answers) - 0.8) / max(before, after)  # inches: a bar of 1; beside it there is room for a number
    for y, name, chance in ((_BEFORE, "before", before), (_AFTER, "after", after)):
        label(axes, (0.05, y), name, bold=True, ha="left")
        box(
            axes,
            (_NAMES + full * chance / 2, y),
            f"probability of {right}",
            width=full * chance,
            height=0.36,
            colour=AMBER,
        )
        label(axes, (_NAMES + full * chance + 0.08, y), f"{chance:.3f}", ha="left")
    told = ", ".join(f"{answer} {int(answer == right)}" for answer in answers)
    return with_alt(
        figure,
        f"Drawing: for {question} a model draws {len(answers)} answers. Their rewards: {told}. One step changes the "
        f"probability of {right} from {before:.3f} to {after:.3f}.",
    )
