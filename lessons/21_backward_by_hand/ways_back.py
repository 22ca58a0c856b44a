"""The drawings of lesson 21: one step with what flows back through it, and the whole block."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from matplotlib.figure import Figure

from utils.show.drawing import GREY, NARROW, SAND, TEAL, Point, arrow, box, label, sheet, two_forms
from utils.show.figures import with_alt

BACK = "#C1500E"  # what flows back; the dashes say the same without colour
_HIGH = 1.25  # inches from row to row


@two_forms
def step_back(step: str, given: Mapping[str, str], handed_on: Mapping[str, str], narrow: bool = False) -> Figure:
    """Draw one step: its inputs on the left, its outputs on the right, and below each arrow what flows back.

    given, handed_on: name -> the gradient there, in a few letters. narrow: write the inputs' gradients below them.
    """
    rows = max(len(given), len(handed_on))
    left, x, right = (0.6, 2.7, 4.75) if narrow else (0.9, 5.4, 8.9)
    figure, axes = sheet(NARROW if narrow else 9.8, rows * _HIGH + 0.1)
    middle = rows * _HIGH / 2 + 0.1
    box(axes, (x, middle), step, width=1.5, height=0.8 if narrow else 1.1 * rows - 0.3, colour=TEAL)
    for column, values in ((left, given), (right, handed_on)):
        side = 1 if column == left else -1
        for n, (name, gradient) in enumerate(values.items()):
            y = middle + (len(values) - 1) * _HIGH / 2 - n * _HIGH
            box(axes, (column, y), name, width=1.1)
            at_box, at_step = column + side * 0.6, x - side * 0.8
            near = middle + (y - middle) * (0.3 if narrow else 0.8)
            ends = ((at_box, y + 0.12), (at_step, near + 0.12))
            _there_and_back(axes, *(ends if column == left else ends[::-1]))
            aside = narrow and column == left
            apart = 0.55 if y > middle else -0.55  # from the box, on the side where no arrow is
            at = (0.05, y + apart) if aside else ((at_box + at_step) / 2, (y + near) / 2 - 0.42)
            label(axes, at, gradient, colour=BACK, ha="left" if aside else "center")
    told = ["; ".join(f"to {name}: {gradient}" for name, gradient in values.items()) for values in (given, handed_on)]
    return with_alt(
        figure,
        f"Drawing of the step “{step}”. From {', '.join(given)} it computes {', '.join(handed_on)}. "
        f"Gradients flow back, first {told[1]}; from there, {told[0]}.",
    )


@two_forms
def whole_way(narrow: bool = False) -> Figure:
    """Draw a pre-norm block with the table before it and the loss after it: forward in black, back in dashes."""
    stops = {"table E": 0.0, "X": 1.6, "+ ": 4.3, "+": 7.2, "logits": 8.6, "loss": 10.1}  # inches along the way

    def at(along: float, beside: float = 0.0) -> Point:
        return (1.1 + 1.35 * beside, 0.62 * (10.6 - along)) if narrow else (0.6 + along, 0.75 + beside)

    figure, axes = sheet(NARROW, 6.95) if narrow else sheet(11.3, 3.3)
    for name, x in stops.items():
        wide = 0.5 if name.strip() == "+" else 1.1
        box(axes, at(x), name.strip(), width=wide, colour=SAND if wide == 0.5 else GREY)
    for (a, start), (b, end) in pairwise(stops.items()):
        room = [0.4 if narrow else 0.3 if name.strip() == "+" else 0.6 for name in (a, b)]
        _there_and_back(axes, at(start + room[0]), at(end - room[1]), sideways=narrow)
    near = 0.2 if narrow else 0.35  # of the way that goes straight on
    for x, name in ((2.95, "norm, then\nattention"), (5.75, "norm, then\nfeed-forward")):
        box(axes, at(x, 1.75), name, width=1.5, height=0.8, colour=TEAL)
        for ends in (
            (at(x - (0.9 if narrow else 1.15), near), at(x - (0.2 if narrow else 0.6), 1.15 if narrow else 1.3)),
            (at(x + (0.3 if narrow else 0.6), 1.15 if narrow else 1.3), at(x + (1.2 if narrow else 1.1), near)),
        ):
            _there_and_back(axes, *ends, sideways=not narrow)
    for x, beside, text in ((1.55, 0.85, "adds"), (4.35, 1.0, "splits"), (4.75, -0.4, "adds"), (7.25, 0.85, "splits")):
        label(axes, at(x, beside), text, colour=BACK)
    return with_alt(
        figure,
        "Drawing: the table E gives X; a block adds attention of the norm of X, then feed-forward of the norm of "
        "the sum; the logits and the loss follow. Dashed arrows lead back along every arrow. At each plus the gradient "
        "splits into two paths, and where a path forked in the forward pass, the two gradients are added.",
    )


def _there_and_back(axes: object, start: Point, end: Point, sideways: bool = False) -> None:
    """An arrow from `start` to `end`, and beside it a dashed one back."""
    dx, dy = (0.2, 0.0) if sideways else (0.0, -0.24)
    arrow(axes, start, end)
    arrow(axes, (end[0] + dx, end[1] + dy), (start[0] + dx, start[1] + dy), colour=BACK, dashed=True)
