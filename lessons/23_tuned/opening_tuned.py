"""The opening figure of lesson 23: a question, its answer, and the positions that count in the loss."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from matplotlib.figure import Figure

from utils.show.drawing import ROSE, SAND, TEAL, arrow, box, label, sheet, two_forms
from utils.show.figures import with_alt

_STEP, _WIDTH, _NAMES = 1.06, 0.98, 1.05  # inches: from piece to piece, of a box, for the names on the left
_READ, _SAID, _COUNTS, _HIGH = 0.4, 1.5, 2.05, 2.3


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
