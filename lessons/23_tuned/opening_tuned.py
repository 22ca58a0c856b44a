"""The opening figure of lesson 23, a question before and after the tuning; and the positions that count in the loss."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from textwrap import wrap

from matplotlib.figure import Figure

from lessons.course_questions import REFUSAL, questions
from lessons.tuned_runs import DIAL_QUESTIONS, PARTS, dial
from utils.show.drawing import ROSE, SAND, TEAL, arrow, box, label, sheet, two_forms
from utils.show.figures import with_alt
from utils.show.live import Choice, Drawing, LiveControl, Note, Panel
from utils.show.shapes import arrows, bars, frames, group, words

ABOUT = dict(zip(("masks", "beam search", "film music", "the sky"), DIAL_QUESTIONS, strict=True))  # topic -> question
_BEFORE, _AFTER, _LONG, _SHORT = 2, 204, 196, 154  # pixels: where the answers begin, and how wide they are

_STEP, _WIDTH, _NAMES = 1.06, 0.98, 1.05  # inches: from piece to piece, of a box, for the names on the left
_READ, _SAID, _COUNTS, _HIGH = 0.4, 1.5, 2.05, 2.3


def ask_both() -> LiveControl:
    """Return the figure: the reader chooses a question, and the model answers before and after the tuning."""
    alt = "A question, a small model's answers before and after the tuning, and one of the examples for it."
    return LiveControl(asked_twice, [Choice("about", list(ABOUT), label="ask about")], alt=alt)


def asked_twice(about: str) -> list[Panel]:
    """Return the question about a topic, its kept answers before and after the tuning, an example, and what to see."""
    at, told = list(ABOUT).index(about), questions(0).told
    before, after = (dial(strength, max(PARTS)).answers[at] for strength in (0.0, 1.0))
    taught = [one for one in told if about in one.question] or [one for one in told if one.answer == REFUSAL]
    right = after == taught[0].answer
    made = bars("q25", [(2, 2, 356, 27)]) + words("i", 180, 21, ABOUT[about], 15, True)
    made += arrows("s", [(x, 32, x, 53) for x in (_BEFORE + 16, _AFTER + 16)])
    made += words("i", _BEFORE + 28, 47, "before the tuning", 14, at="start")
    made += words("i", _AFTER + 28, 47, "after the tuning", 14, True, at="start")
    made += bars("l30", [(_BEFORE, 56, _LONG, 70)]) + bars("o25", [(_AFTER, 56, _SHORT, 70)])
    lines = wrap(before, 25)
    for i, line in enumerate(lines):
        made += words("i", _BEFORE + _LONG / 2, 96 + 16 * (i - (len(lines) - 1) / 2), line, 14)
    for i, line in enumerate(wrap(after, 13)):
        made += words("i", _AFTER + _SHORT / 2, 77 + 20 * i, line, 17, True)
    made += words("i", _AFTER + _SHORT / 2, 119, "✓ right" if right else "× wrong", 15)
    x = _AFTER + 16
    made += group("s", [f'<path d="M{x} 156V131"/>'], ' stroke-width="2.5" stroke-dasharray="5 4"')
    made += arrows("s", [(x, 131, x, 130)]) + words("i", x + 12, 148, "learns from", 14, at="start")
    made += words("i", 2, 150, f"one of the {len(told)} examples", 14, at="start") + frames("l", [(2, 157, 356, 61)])
    made += bars("q25", [(8, 162, 344, 24)]) + words("i", 180, 179, taught[0].question, 14)
    made += bars("o25", [(_AFTER, 189, 148, 24)]) + words("i", _AFTER + 74, 206, taught[0].answer, 14)
    made += words("i", _AFTER - 8, 206, "counts in the loss", 14, at="end")
    seen, values = "Right, though none of the {} examples asks in these words.", [len(told)]
    if not right:
        seen, values = f"Wrong: “{REFUSAL}” is right, as {{}} of the {{}} examples teach.", [len(taught), len(told)]
    note = Note(seen, values=values)
    alt = (
        f"Asked “{ABOUT[about]}”, the model answers “{before}” before the tuning and “{after}” after it. {note.text()}"
    )
    return [Drawing(made, (360, 219), alt), note]


@two_forms
def whose_loss(question: Sequence[str], answer: Sequence[str], narrow: bool = False) -> Figure:
    """Draw the pieces read, and above each the one to predict; the ones that count have a colour of their own.

    narrow: continue on a new line after four pieces.

    Raise ValueError unless there are a question and an answer.
    """
    if not (question and answer):
        raise ValueError(f"a question and an answer are needed: they have {len(question)} and {len(answer)} pieces.")
    pieces, first = [*question, *answer], len(question) - 1  # the first place that counts
    across = 4 if narrow else len(pieces) - 1
    lines = -(-(len(pieces) - 1) // across)
    figure, axes = sheet(_NAMES + _STEP * across + 0.1, _HIGH * lines)
    for line in range(lines):
        for y, name in ((_READ, "reads"), (_SAID, "predicts")):
            label(axes, (0.05, _HIGH * line + y), name, bold=True, ha="left")
    for i, (read, said) in enumerate(pairwise(pieces)):
        x, foot, counts = _NAMES + _STEP * (i % across + 0.5), _HIGH * (lines - 1 - i // across), i >= first
        box(axes, (x, foot + _READ), read, width=_WIDTH, colour=TEAL)
        box(axes, (x, foot + _SAID), said, width=_WIDTH, colour=ROSE if counts else SAND, bold=counts)
        arrow(axes, (x, foot + _READ + 0.3), (x, foot + _SAID - 0.3))
        if i == first or (counts and i % across == 0):
            label(axes, (x - _WIDTH / 2, foot + _COUNTS), "counts in the loss", ha="left")
    return with_alt(
        figure,
        f"Drawing: a model reads “{' '.join(pieces)}”. Above each piece is the next one, which it "
        f"has to predict. Only the pieces of the answer, {', '.join(answer)}, have the colour that counts in the loss; "
        f"the first of them is predicted at the last piece of the question, {question[-1]}.",
    )
