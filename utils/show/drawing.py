"""What the course's drawings are made of: boxes, arrows and rows of tokens on an empty sheet."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

# Okabe and Ito's colours, pale enough for black text.
BLUE, ORANGE, GREEN, YELLOW, GREY, WHITE = "#CFE5F3", "#FBE0CC", "#CDEBE1", "#FAECC8", "#ECECEC", "#FFFFFF"
INK, RED = "#333333", "#B04A00"
FONT = 14  # points: still readable on a projector

Point = tuple[float, float]


def sheet(width: float, height: float) -> tuple[Figure, Axes]:
    """An empty figure of so many inches, and axes without ticks that measure it in inches from the lower left."""
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
    font: float = FONT,
    bold: bool = False,
    edge: str = INK,
) -> None:
    """A box with rounded corners around `middle`, and `text` in it."""
    corner = (middle[0] - width / 2, middle[1] - height / 2)
    shape = "round,pad=0,rounding_size=0.08"
    axes.add_patch(FancyBboxPatch(corner, width, height, shape, facecolor=colour, edgecolor=edge, zorder=3))
    label(axes, middle, text, font, bold)


def label(
    axes: Axes, at: Point, text: str, font: float = FONT, bold: bool = False, colour: str = "black", ha: str = "center"
) -> None:
    """Text at a point, centred on it unless `ha` says "left" or "right"."""
    weight = "bold" if bold else "normal"
    axes.text(*at, text, fontsize=font, fontweight=weight, color=colour, ha=ha, va="center", zorder=4)


def arrow(
    axes: Axes,
    start: Point,
    end: Point,
    colour: str = INK,
    width: float = 1.4,
    bend: float = 0.0,
    dashed: bool = False,
) -> None:
    """An arrow from `start` to `end`, `width` points thick; `bend` curves it (0.3 is a clear bow to the right)."""
    line = {
        "arrowstyle": "-|>",
        "color": colour,
        "linewidth": width,
        "linestyle": "--" if dashed else "-",
        "shrinkA": 0,
        "shrinkB": 0,
        "connectionstyle": f"arc3,rad={bend}",
    }
    axes.annotate("", end, start, arrowprops=line, zorder=2)


def row_of_boxes(
    axes: Axes, left: Point, texts: Sequence[str], width: float = 1.2, gap: float = 0.2, **style: object
) -> list[Point]:
    """Boxes side by side, the first with its middle at `left`; returns their middles."""
    middles = [(left[0] + i * (width + gap), left[1]) for i in range(len(texts))]
    for middle, text in zip(middles, texts, strict=True):
        box(axes, middle, text, width, **style)
    return middles
