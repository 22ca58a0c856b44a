"""The opening figure of lesson 23: a question, its answer, and the positions that count in the loss."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from matplotlib.figure import Figure

from utils.show.drawing import ROSE, SAND, TEAL, arrow, box, label, sheet
from utils.show.figures import with_alt

_STEP, _WIDTH, _NAMES = 1.25, 1.12, 1.3  # inches: from piece to piece, of a box, for the names on the left
_READ, _SAID, _COUNTS, _HIGH = 0.6, 1.9, 2.45, 2.8


def whose_loss(question: Sequence[str], answer: Sequence[str]) -> Figure:
    """Draw the pieces read, and above each the one to predict; the ones that count have a colour of their own.

    Raise ValueError unless there are a question and an answer.
    """
    if not (question and answer):
        raise ValueError(f"a question and an answer are needed: they have {len(question)} and {len(answer)} pieces.")
    pieces, first = [*question, *answer], len(question) - 1  # the first place that counts
    figure, axes = sheet(_NAMES + _STEP * (len(pieces) - 1) + 0.2, _HIGH)
    label(axes, (0.1, _READ), "reads", bold=True, ha="left")
    label(axes, (0.1, _SAID), "predicts", bold=True, ha="left")
    for i, (read, said) in enumerate(pairwise(pieces)):
        x, counts = _NAMES + _STEP * (i + 0.5), i >= first
        box(axes, (x, _READ), read, width=_WIDTH, colour=TEAL)
        box(axes, (x, _SAID), said, width=_WIDTH, colour=ROSE if counts else SAND)
        arrow(axes, (x, _READ + 0.3), (x, _SAID - 0.3), width=2.2 if counts else 1.2)
    label(axes, (_NAMES + _STEP * (first + len(answer) / 2), _COUNTS), "counts in the loss")
    return with_alt(
        figure,
        f"Drawing: a model reads “{' '.join(pieces)}”. Above each piece is the next one, which it "
        f"has to predict. Only the pieces of the answer, {', '.join(answer)}, have the colour that counts in the loss; "
        f"the first of them is predicted at the last piece of the question, {question[-1]}.",
    )
