"""The opening figure of lesson 18b: all scores at once, then one chunk at a time with what is carried along."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from utils.show.colours import ROLES
from utils.show.drawing import ATTENTION, GREY, INK, VALUE, WHITE, Point, arrow, box, label, sheet, two_forms
from utils.show.figures import with_alt

_SIDE = 1.7  # inches of a grid of all scores
_BELOW = 0.6  # the height of the line below the grids
_BOTTOM, _LEFT, _RIGHT = 0.95, 0.6, 3.45


@two_forms
def in_chunks(n_tokens: int, chunk: int, at: tuple[int, int], narrow: bool = False) -> Figure:
    """Draw all scores of `n_tokens` at once, and the same in chunks, with the one at `at` (row, column) in progress.

    narrow: draw what is carried along below the grids.
    Raise ValueError if the chunks don't divide the tokens, or if there is no such chunk.
    """
    if chunk < 1 or n_tokens % chunk:
        raise ValueError(f"the chunks must divide the tokens: {n_tokens} tokens do not fall into chunks of {chunk}.")
    chunks = n_tokens // chunk
    if not all(0 <= place < chunks for place in at):
        raise ValueError(f"there are {chunks} × {chunks} chunks, counted from 0: there is none at {at}.")
    foot = 3.15 if narrow else 0.0
    figure, axes = sheet(5.5 if narrow else 10.4, foot + _BOTTOM + _SIDE + 0.75)
    bottom = foot + _BOTTOM
    top = bottom + _SIDE
    cell = _SIDE / n_tokens
    for left, name in ((_LEFT, "all at once"), (_RIGHT, "in chunks")):
        label(axes, (left + _SIDE / 2, top + 0.52), name, bold=True)
        label(axes, (left + _SIDE / 2, top + 0.2), "keys", colour=ROLES["key"])
        axes.text(
            left - 0.28,
            bottom + _SIDE / 2,
            "queries",
            rotation=90,
            fontsize=14,
            ha="center",
            va="center",
            zorder=4,
            color=ROLES["query"],
        )
    for i in range(n_tokens):
        for j in range(n_tokens):
            tile = (i // chunk, j // chunk)
            _cell(axes, (_LEFT, top), i, j, cell, ATTENTION)
            _cell(axes, (_RIGHT, top), i, j, cell, ATTENTION if tile == at else GREY if tile < at else WHITE)
    label(axes, (_LEFT + _SIDE / 2, foot + _BELOW), f"{n_tokens} × {n_tokens} scores are held")
    label(axes, (_RIGHT + _SIDE / 2, foot + _BELOW), f"{chunk} × {chunk} scores are held")
    for shift, text, colour in ((-0.3, "done", GREY), (0.75, "to come", WHITE)):
        _square(axes, (_RIGHT + shift, foot + 0.1), 0.26, colour)
        label(axes, (_RIGHT + shift + 0.33, foot + 0.23), text, ha="left")
    middle = top - (at[0] + 0.5) * chunk * cell
    x, high = (_RIGHT - 0.4, 2.45) if narrow else (8.6, top)
    label(
        axes,
        (x - 1.35, high + 0.3) if narrow else (x, top + 0.52),
        "carried along",
        bold=True,
        ha="left" if narrow else "center",
    )
    parts = (("largest score", ATTENTION), ("sum of e^(score − largest)", ATTENTION), ("sum with the values", VALUE))
    for number, (text, colour) in enumerate(parts):
        box(axes, (x, high - 0.25 - 0.75 * number), text, width=2.9, height=0.6, colour=colour)
    held = (_RIGHT + (at[1] + 1) * chunk * cell, middle)
    if narrow:  # around the grid, on its right
        edge = _RIGHT + _SIDE + 0.2
        axes.plot([held[0], edge, edge], [middle, middle, high - 1.0], color=INK, linewidth=1.4, zorder=4)
        arrow(axes, (edge, high - 1.0), (x + 1.47, high - 1.0))
    else:
        arrow(axes, held, (x - 1.47, top - 1.0))
        axes.texts[-1].set_zorder(4)  # over the squares
    label(axes, (x, 0.15 if narrow else 0.23), "per query: 2 + d_v numbers")
    return with_alt(
        figure,
        f"Drawing: two grids of scores, a row for each of {n_tokens} queries and a column for each of {n_tokens} keys. "
        f"Left, all at once: all {n_tokens**2} scores are held. Right, in chunks: only {chunk} × {chunk} scores are "
        "held; earlier ones are done and forgotten, later ones don't exist yet. From chunk to chunk three things "
        "are carried along for each query: the largest score, the sum of e to the power of score minus largest, and "
        "the same sum with the values, 2 + d_v numbers in all.",
    )


def _cell(axes: Axes, corner: Point, i: int, j: int, side: float, colour: str) -> None:
    """Draw the square of a grid in row i and column j, counted from its upper left corner."""
    _square(axes, (corner[0] + j * side, corner[1] - (i + 1) * side), side, colour)


def _square(axes: Axes, corner: Point, side: float, colour: str) -> None:
    axes.add_patch(Rectangle(corner, side, side, facecolor=colour, edgecolor=INK, linewidth=0.6, zorder=3))
