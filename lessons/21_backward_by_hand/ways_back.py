"""The drawings of lesson 21: one step with what flows back through it, and the whole block."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from utils.show.drawing import GREY, SAND, TEAL, Point, arrow, box, label, sheet
from utils.show.figures import with_alt

BACK = "#C1500E"  # what flows back; the dashes say the same without colour
_IN, _STEP, _OUT, _HIGH = 1.0, 6.7, 10.6, 1.25  # inches: the middles of the columns, and from row to row


def step_back(step: str, given: Mapping[str, str], handed_on: Mapping[str, str]) -> Figure:
    """Draw one step: its inputs on the left, its outputs on the right, and below each arrow what flows back.

    given, handed_on: name -> the gradient there, in a few letters.
    """
    rows = max(len(given), len(handed_on))
    figure, axes = sheet(11.6, rows * _HIGH + 0.1)
    middle = rows * _HIGH / 2
    box(axes, (_STEP, middle), step, width=2.4, height=1.1 * rows - 0.3, colour=TEAL)
    for column, values in ((_IN, given), (_OUT, handed_on)):
        for n, (name, gradient) in enumerate(values.items()):
            y = middle + (len(values) - 1) * _HIGH / 2 - n * _HIGH
            box(axes, (column, y), name, width=1.7)
            side = 1.2 if column == _IN else -1.2
            at_box, at_step = column + side * 0.72, _STEP - side
            near = middle + (y - middle) * 0.8
            ends = ((at_box, y + 0.12), (at_step, near + 0.12))
            _there_and_back(axes, *(ends if column == _IN else ends[::-1]))
            label(axes, ((at_box + at_step) / 2, (y + near) / 2 - 0.42), gradient, colour=BACK)
    told = ["; ".join(f"to {name}: {gradient}" for name, gradient in values.items()) for values in (given, handed_on)]
    return with_alt(
        figure,
        f"Drawing of the step “{step}”. From {', '.join(given)} it computes {', '.join(handed_on)}. "
        f"Gradients flow back, first {told[1]}; from there, {told[0]}.",
    )


def whole_way() -> Figure:
    """Draw a pre-norm block with the table before it and the loss after it: forward in grey, back in dashes."""
    figure, axes = sheet(12.6, 3.3)
    y, high = 0.75, 2.5
    stops = {"E": 0.7, "X": 2.5, "+ ": 5.6, "+": 8.9, "W_U": 10.3, "loss": 11.9}
    shown = {"E": "table E", "W_U": "$W_U$"}
    for name, x in stops.items():
        wide = 0.5 if name.strip() == "+" else 1.1
        box(axes, (x, y), shown.get(name, name.strip()), width=wide, colour=SAND if wide == 0.5 else GREY)
    for (a, at), (b, to) in zip(list(stops.items())[:-1], list(stops.items())[1:], strict=True):
        start, end = at + (0.3 if a.strip() == "+" else 0.6), to - (0.3 if b.strip() == "+" else 0.6)
        _there_and_back(axes, (start, y + 0.1), (end, y + 0.1))
    for x, name in ((4.05, "norm, then\nattention"), (7.25, "norm, then\nfeed-forward")):
        box(axes, (x, high), name, width=1.7, height=0.8, colour=TEAL)
        for start, end in (
            ((x - 1.33, y + 0.32), (x - 0.6, high - 0.45)),
            ((x + 0.6, high - 0.45), (x + 1.15, y + 0.32)),
        ):
            _there_and_back(axes, start, end, sideways=True)
    label(axes, (2.4, 1.6), "adds", colour=BACK)
    label(axes, (5.62, 1.75), "splits", colour=BACK)
    label(axes, (6.2, 0.35), "adds", colour=BACK)
    label(axes, (8.95, 1.6), "splits", colour=BACK)
    return with_alt(
        figure,
        "Drawing: the table E gives X; a block adds attention of the norm of X, then feed-forward of the norm of "
        "the sum; W_U and the loss follow. Dashed arrows lead back along every arrow. At each plus the gradient "
        "splits into two paths, and where a path forked in the forward pass, the two gradients are added.",
    )


def _there_and_back(axes: object, start: Point, end: Point, sideways: bool = False) -> None:
    """An arrow from `start` to `end`, and beside it a dashed one back."""
    dx, dy = (0.2, 0.0) if sideways else (0.0, -0.24)
    arrow(axes, start, end)
    arrow(axes, (end[0] + dx, end[1] + dy), (start[0] + dx, start[1] + dy), colour=BACK, dashed=True, width=1.8)
