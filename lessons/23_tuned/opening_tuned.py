"""The drawings of lesson 23: one question before and after the tuning, and the positions that count in the loss."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from textwrap import wrap

from matplotlib.figure import Figure

from utils.show.drawing import NARROW, ROSE, SAND, TEAL, arrow, box, label, sheet, two_forms
from utils.show.figures import with_alt

_STEP, _WIDTH, _NAMES = 1.06, 0.98, 1.05  # inches: from piece to piece, of a box, for the names on the left
_READ, _SAID, _COUNTS, _HIGH = 0.4, 1.5, 2.05, 2.3


@two_forms
def before_and_after(
    question: str, before: str, after: str, example: Sequence[str], told: int, narrow: bool = False
) -> Figure:
    """Draw what a model answers to a question before and after the tuning, and an example of what it is tuned on.

    example: the text before an answer, and the answer. told: how many such examples there are.
    narrow: put what is too wide for a phone below each other.
    """
    figure, axes = sheet(NARROW, 4.5) if narrow else sheet(9.75, 3.3)
    (left, right), width, top = ((1.42, 4.08), 2.56, 4.15) if narrow else ((2.5, 7.25), 4.5, 2.98)
    whole = right - left + width
    box(axes, ((left + right) / 2, top), question, whole, 0.5, TEAL)
    answers = ((left, "before the tuning", before, SAND), (right, "after the tuning", after, ROSE))
    for x, name, said, colour in answers:
        arrow(axes, (x - 0.45 * width, top - 0.25), (x - 0.45 * width, top - 0.75))
        label(axes, (x - 0.45 * width + 0.15, top - 0.5), name, bold=True, ha="left")
        text = "\n".join(wrap(said, 24)) if narrow else said
        box(axes, (x, top - 1.08), text, width, 0.64, colour, bold=colour == ROSE)
    foot = 1.5 if narrow else 0.35
    label(axes, (left - width / 2, foot + 0.45), f"one of the {told} examples for the tuning", bold=True, ha="left")
    prompt, answer = ((left + right) / 2, foot), ((left + right) / 2, foot - 0.58)
    if not narrow:
        prompt, answer = (left, foot), (right, foot)
    box(axes, prompt, example[0], whole if narrow else width, 0.5, TEAL)
    box(axes, answer, example[1], whole if narrow else width, 0.5, ROSE, bold=True)
    counts = (right + width / 2, foot - 1.05 if narrow else foot + 0.45)
    label(axes, counts, "only the answer counts in the loss", bold=True, ha="right")
    along = right + (0.4 if narrow else -0.45) * width  # beside the labels
    arrow(axes, (along, foot + 0.25), (along, top - 1.4), dashed=True)
    return with_alt(
        figure,
        f"Drawing: asked “{question}”, the model writes “{before}” before the tuning and “{after}” after it. It is "
        f"tuned on {told} examples such as “{' '.join(example)}”, where only the answer counts in the loss.",
    )


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
