"""The opening figure of lesson 10: a row on its way through an encoder block, which adds to it twice."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from numpy.typing import ArrayLike

from utils.by_hand.encoder import EncoderSteps
from utils.show.colours import SIGNED
from utils.show.drawing import (
    ACCENT,
    ATTENTION,
    EDGE,
    INK,
    NARROW,
    SAND,
    TEAL,
    Point,
    arrow,
    box,
    in_words,
    label,
    sheet,
    thickness,
    two_forms,
)
from utils.show.figures import with_alt
from utils.show.numbers import table_text

_SHOWN, _WIDE, _HIGH = 3, 0.66, 0.34  # how many numbers of a row are shown, and the size of each


@two_forms
def one_block(words: Sequence[str], steps: EncoderSteps, at: int, blocks: int, narrow: bool = False) -> Figure:
    """Draw the way of the row `at` through one block: what attention and feed-forward add to it, and the two norms.

    steps: one post-norm block for these words; the arrows into attention are as thick as the mean weight of its heads.
    blocks: how many blocks there are in all. narrow: let the way lead down, for a phone.
    """
    weights = steps.weights.mean(axis=0)[at]
    figure, axes = sheet(NARROW, 6.95) if narrow else sheet(9.75, 3.5)

    def place(along: float, beside: float = 0.0) -> Point:
        return (1.4 + beside, 6.5 - 0.7 * along) if narrow else (0.5 + along, 0.95 + beside)

    ends = (0.0, 4.35, 8.7)
    passed = [steps.X[at], steps.feed_in[at], steps.output[at]]
    arrow(axes, place(ends[0]), place(ends[-1]), EDGE, 3)
    label(axes, (1.4, 6.82) if narrow else place(0.0, 0.68), words[at], bold=True)
    for along, row in zip(ends, passed, strict=True):
        _row(axes, place(along), row, narrow)
    added = (
        ("attention\nover all words", ATTENTION, steps.attention[at]),
        ("feed-forward\nthis row only", TEAL, steps.fed[at]),
    )
    for start, (name, colour, row) in zip(ends, added, strict=False):
        x, y = place(start + 2.2)
        middle = place(start + 1.05, 2.7) if narrow else (x - 0.2, 2.6)
        fork = (x, middle[1]) if narrow else (x - 1.2, y)
        arrow(axes, fork, (middle[0] - 1.2, middle[1]) if narrow else (fork[0], middle[1] - 0.32))
        box(axes, middle, name, 2.4, 0.64, colour)
        if start == 0:
            for word, weight, shift in zip(words, weights, (-1.15, -0.45, 0.3, 0.9), strict=True):
                top = (middle[0] + shift, middle[1] + (0.89 if narrow else 0.77))
                label(axes, top, word, bold=word == words[at])
                arrow(axes, (top[0], top[1] - 0.12), (top[0], middle[1] + 0.34), ACCENT, thickness(weight))
        said = (middle[0], y) if narrow else (x + 0.5, y + 0.77)
        _row(axes, said, row, narrow)
        if narrow:
            arrow(axes, (middle[0], middle[1] - 0.32), (middle[0], y + 0.2))
        arrow(
            axes, (said[0] - 1.02, y) if narrow else (x, middle[1] - 0.32), (x + 0.22, y) if narrow else (x, y + 0.22)
        )
        axes.add_patch(Circle((x, y), 0.2, facecolor="white", edgecolor=INK, zorder=3))
        label(axes, (x, y), "+", bold=True)
        box(axes, place(start + 3.2), "norm", 0.8, 0.42, SAND)
    _again(axes, place(ends[0]), place(ends[-1]), blocks, narrow)
    rows = [
        ", ".join(line)
        for line in table_text([row[:_SHOWN] for row in (passed[0], added[0][2], passed[1], added[1][2], passed[2])], 1)
    ]
    return with_alt(
        figure,
        f"Drawing: the row of “{words[at]}” on its way through one block; its first numbers are {rows[0]}. Attention, "
        f"which takes {in_words(words, weights)}, adds {rows[1]}; after a norm the row is {rows[2]}. Feed-forward, "
        f"which sees only this row, adds {rows[3]}; after a norm it is {rows[4]}. This happens {blocks} times.",
    )


def _row(axes: Axes, middle: Point, row: ArrayLike, narrow: bool) -> None:
    """Draw the first numbers of a row around a point: beside each other if narrow, else below each other."""
    for i, text in enumerate(table_text([row[:_SHOWN]], 1)[0]):
        x = middle[0] + (i - 1) * _WIDE * narrow
        box(axes, (x, middle[1] + (1 - i) * _HIGH * (not narrow)), text, _WIDE, _HIGH, SIGNED(0.5 + row[i] / 14))


def _again(axes: Axes, start: Point, end: Point, blocks: int, narrow: bool) -> None:
    """Draw the way back from the end of a block to the start of the next."""
    if narrow:
        edge = start[0] - 1.5 * _WIDE
        path = [(edge, end[1]), (0.1, end[1]), (0.1, start[1])]
        axes.plot(*zip(*path, strict=True), color=INK, linewidth=1.4, linestyle="--", zorder=2)
        arrow(axes, path[-1], (edge, start[1]), dashed=True)
        label(axes, (start[0] + 1.2, end[1]), f"into the next block,\n{blocks} in all", ha="left")
    else:
        low = start[1] - 1.5 * _HIGH
        path = [(end[0], low), (end[0], 0.1), (start[0], 0.1)]
        axes.plot(*zip(*path, strict=True), color=INK, linewidth=1.4, linestyle="--", zorder=2)
        arrow(axes, path[-1], (start[0], low), dashed=True)
        between = 0.75 * start[0] + 0.25 * end[0]  # left of the row in the middle
        label(axes, (between, 0.32), f"into the next block, {blocks} in all")
