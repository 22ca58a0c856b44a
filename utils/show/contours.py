"""Draw a function of two numbers as a map with lines of equal height and arrows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from utils.show.drawing import FONT
from utils.show.figures import with_alt

Surface = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]


def contours(
    height: Surface,
    levels: Sequence[float],
    arrows: Sequence[tuple[ArrayLike, ArrayLike]],
    title: str,
) -> Figure:
    """Return a map with lines where `height(x, y)` is one of `levels`, x and y from −2.5 to 2.5, and `arrows`.

    Each arrow is a pair (start, step). The alternative text names the levels and the two ends of each arrow.
    """
    across = np.linspace(-2.5, 2.5, 201)
    x, y = np.meshgrid(across, across)
    figure = Figure(figsize=(5.4, 5.0))
    axes = figure.add_subplot()
    drawn = axes.contour(x, y, height(x, y), levels=levels, colors="#444444", linewidths=1.2)
    axes.clabel(drawn, fmt="%g", fontsize=FONT)
    told = []
    for start, step in arrows:
        end = np.add(start, step)
        properties = {"arrowstyle": "-|>", "color": "#D55E00", "lw": 2.5, "mutation_scale": 20}
        axes.annotate("", end, xytext=start, arrowprops=properties)
        axes.plot(*start, "o", color="#D55E00")
        told.append(f"an arrow from ({start[0]:g}, {start[1]:g}) to ({end[0]:g}, {end[1]:g})")
    axes.set_title(title)
    axes.set_xlabel("x")
    axes.set_ylabel("y")
    axes.set_aspect("equal")
    heights = ", ".join(f"{level:g}" for level in levels)
    return with_alt(figure, f"Map, {title}. Lines of the heights {heights}; {'; '.join(told)}.")
