"""Draw boxes, labels and arrows on an empty sheet, for all drawings of the course."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import ParamSpec

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from numpy.typing import ArrayLike, NDArray

from utils.show.colours import AMBER, ROLES, tint

# All are pale enough for black text. The first five mean the same everywhere; the others only distinguish boxes.
QUERY, KEY, VALUE, OUTPUT = (tint(colour) for colour in ROLES.values())
ATTENTION = tint(AMBER, 0.3)
TEAL, ROSE, OLIVE, SAND, GREY, WHITE = "#CBE7E9", "#F7DADF", "#E3E8C4", "#E6DFD3", "#ECECEC", "#FFFFFF"
INK, ACCENT = "#333333", "#8F6400"  # the accent is amber, dark enough for text: attention, and remarks
EDGE = "#80868E"  # of boxes, as in the interactive figures
FONT = 14  # points: still readable on a projector
LETTER, LINE = 0.118, 0.235  # inches: the mean width of a letter of FONT points, and from line to line
NARROW = 5.5  # inches: a drawing this wide has letters of 11 px in a phone's column of 322 px

_P = ParamSpec("_P")
Point = tuple[float, float]


def two_forms(draw: Callable[_P, Figure]) -> Callable[_P, Figure]:
    """Let a function that draws a figure too wide for a phone draw a second one, `narrow=True`, for small screens."""

    @wraps(draw)
    def drawn(*given: _P.args, **named: _P.kwargs) -> Figure:
        figure = draw(*given, **named)
        if figure.get_figwidth() > NARROW + 0.1:
            figure.narrow = draw(*given, **named, narrow=True)
        return figure

    return drawn


def sheet(width: float, height: float) -> tuple[Figure, Axes]:
    """Return an empty figure, size in inches, and axes without ticks that measure inches from the lower left."""
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    axes.set_axis_off()
    return figure, axes


def box(
    axes: Axes,
    middle: Point,
    text: str,
    width: float = 1.2,
    height: float = 0.55,
    colour: str = GREY,
    bold: bool = False,
    edge: str = EDGE,
) -> None:
    """Draw a box with rounded corners around `middle`, with `text` in it."""
    corner = (middle[0] - width / 2, middle[1] - height / 2)
    shape = "round,pad=0,rounding_size=0.08"
    axes.add_patch(FancyBboxPatch(corner, width, height, shape, facecolor=colour, edgecolor=edge, zorder=3))
    label(axes, middle, text, bold)


def label(axes: Axes, at: Point, text: str, bold: bool = False, colour: str = "black", ha: str = "center") -> None:
    """Write `text` around a point, line by line, each centred unless `ha` is "left" or "right"."""
    style = {"fontweight": "bold" if bold else "normal", "color": colour, "ha": ha, "va": "center", "zorder": 4}
    lines = text.split("\n")
    for i, line in enumerate(lines):
        axes.text(at[0], at[1] + LINE * ((len(lines) - 1) / 2 - i), line, fontsize=FONT, **style)


def arrow(axes: Axes, start: Point, end: Point, colour: str = INK, width: float = 1.4, dashed: bool = False) -> None:
    """Draw an arrow from `start` to `end`, `width` points thick."""
    line = {
        "arrowstyle": "-|>",
        "color": colour,
        "linewidth": width,
        "linestyle": "--" if dashed else "-",
        "shrinkA": 0,
        "shrinkB": 0,
    }
    axes.annotate("", end, start, arrowprops=line, zorder=2)


def shares(words: Sequence[str], weights: ArrayLike) -> NDArray[np.float64]:
    """Return the weights as an array (N,). Raise ValueError unless there is one for each word and they are shares."""
    weights = np.asarray(weights, dtype=float)
    if weights.shape != (len(words),):
        raise ValueError(f"there are {len(words)} words, but weights has shape {weights.shape}.")
    if (weights < 0).any() or abs(weights.sum() - 1) > 1e-6:
        raise ValueError(f"weights must be at least 0 and sum to 1, but {weights} sum to {weights.sum():.6g}.")
    return weights


def thickness(weight: float) -> float:
    """Return the thickness in points of the arrow for a weight between 0 and 1."""
    return 0.8 + 8.2 * weight


def in_words(words: Sequence[str], weights: ArrayLike) -> str:
    """Return the words with their weights, as text for an alternative text."""
    return ", ".join(f"{word} {weight:.2f}" for word, weight in zip(words, weights, strict=True))
