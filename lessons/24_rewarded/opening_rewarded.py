"""The opening figure of lesson 24: a sum, the answers that a model draws for it, and a reward for each."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from utils.show.drawing import GREY, OLIVE, QUERY, WHITE, arrow, box, label, sheet, two_forms
from utils.show.figures import with_alt

_NAMES, _STEP, _WIDE_STEP, _WORD = 0.85, 0.57, 1.05, 0.52  # inches: for the names, from answer to answer, of an answer
_ASKED, _DRAWN, _REWARD = 2.1, 1.15, 0.3


@two_forms
def drawn_and_rewarded(question: str, answers: Sequence[str], right: str, narrow: bool = False) -> Figure:
    """Draw a question and its answers, and below each answer its reward: 1 if it is right, else 0.

    narrow: put the answers closer together. Raise ValueError unless there is an answer.
    """
    if not answers:
        raise ValueError("the drawing needs at least one answer, but there is none.")
    step = _STEP if narrow else _WIDE_STEP
    figure, axes = sheet(_NAMES + step * len(answers) + 0.05, 2.4)
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
    told = ", ".join(f"{answer} {int(answer == right)}" for answer in answers)
    return with_alt(figure, f"Drawing: for {question} a model draws {len(answers)} answers. Their rewards: {told}.")
