"""The opening figure of lesson 18b: all scores at once, then one chunk at a time with what is carried along."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from utils.show.colours import ROLES
from utils.show.drawing import ATTENTION, GREY, INK, VALUE, WHITE, arrow, box, label, sheet
from utils.show.figures import with_alt

_SIDE = 1.95  # inches of a grid of all scores
_BELOW = 0.73  # the height of the line below the grids
_BOTTOM, _LEFT, _RIGHT = 1.1, 0.75, 5.6


def in_chunks(n_tokens: int, chunk: int, at: tuple[int, int]) -> Figure:
    """Draw all scores of `n_tokens` at once, and the same in chunks, with the one at `at` (row, column) in progress.

    Raise ValueError if the chunks don't divide the tokens, or if there is no such chunk.
    """
    if chunk < 1 or n_tokens % chunk:
        raise ValueError(f"the chunks must divide the tokens: {n_tokens} tokens do not fall into chunks of {chunk}.")
    chunks = n_tokens // chunk
    if not all(0 <= place < chunks for place in at):
        raise ValueError(f"there are {chunks} × {chunks} chunks, counted from 0: there is none at {at}.")
    figure, axes = sheet(12.6, _BOTTOM + _SIDE + 0.95)
    top = _BOTTOM + _SIDE
    cell = _SIDE / n_tokens
    for left, name in ((_LEFT, "all at once"), (_RIGHT, "in chunks")):
        label(axes, (left + _SIDE / 2, top + 0.62), name, bold=True)
        label(axes, (left + _SIDE / 2, top + 0.24), "keys", colour=ROLES["key"])
        axes.text(
            left - 0.28,
            _BOTTOM + _SIDE / 2,
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
            _cell(axes, _LEFT, i, j, cell, ATTENTION)
            _cell(axes, _RIGHT, i, j, cell, ATTENTION if tile == at else GREY if tile < at else WHITE)
    label(axes, (_LEFT + _SIDE / 2, _BELOW), f"{n_tokens} × {n_tokens} scores are held")
    label(axes, (_RIGHT + _SIDE / 2, _BELOW), f"{chunk} × {chunk} scores are held")
    for shift, text, colour in ((0.1, "done", GREY), (1.75, "to come", WHITE)):
        _square(axes, (_RIGHT + shift, 0.18), 0.26, colour)
        label(axes, (_RIGHT + shift + 0.4, 0.31), text, ha="left")
    x, middle = 10.9, _BOTTOM + _SIDE - (at[0] + 0.5) * chunk * cell
    label(axes, (x, top + 0.62), "carried along", bold=True)
    parts = (("largest score", ATTENTION), ("sum of e^(score − largest)", ATTENTION), ("sum with the values", VALUE))
    for number, (text, colour) in enumerate(parts):
        box(axes, (x, top - 0.25 - 0.75 * number), text, width=2.9, height=0.6, colour=colour)
    arrow(axes, (_RIGHT + (at[1] + 0.5) * chunk * cell, middle), (x - 1.5, top - 1.0))
    axes.texts[-1].set_zorder(4)  # over the squares: it leaves from the middle of the one that is held
    label(axes, (x, _BELOW), "per query: 2 + d_v numbers")
    return with_alt(
        figure,
        f"Drawing: two grids of scores, a row for each of {n_tokens} queries and a column for each of {n_tokens} keys. "
        f"Left, all at once: all {n_tokens**2} scores are held. Right, in chunks: only {chunk} × {chunk} scores are "
        "held; earlier ones are done and forgotten, later ones don't exist yet. From chunk to chunk three things "
        "are carried along for each query: the largest score, the sum of e to the power of score minus largest, and "
        "the same sum with the values, 2 + d_v numbers in all.",
    )


def _cell(axes: Axes, left: float, i: int, j: int, side: float, colour: str) -> None:
    _square(axes, (left + j * side, _BOTTOM + _SIDE - (i + 1) * side), side, colour)


def _square(axes: Axes, corner: tuple[float, float], side: float, colour: str) -> None:
    axes.add_patch(Rectangle(corner, side, side, facecolor=colour, edgecolor=INK, linewidth=0.6, zorder=3))
