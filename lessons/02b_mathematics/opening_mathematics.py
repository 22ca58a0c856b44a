"""The opening figure of lesson 02b: straight lines through two points of a curve, which turn into its tangent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

from utils.show.colours import ROLES
from utils.show.drawing import FONT, INK
from utils.show.figures import with_alt

_GREY = "#767676"


def secants(f: Callable[[float], float], x: float, steps: Sequence[float]) -> Figure:
    """Draw the curve f, a line through its points at x and x + h for each h of `steps`, and the tangent at x.

    The tangent's slope is found by a small step to both sides. Raise ValueError unless the steps are above 0 and fall.
    """
    if not steps or steps[-1] <= 0 or any(h <= smaller for h, smaller in pairwise(steps)):
        raise ValueError(f"the steps must be above 0, each smaller than the one before, but are {list(steps)}.")
    slopes = [(f(x + h) - f(x)) / h for h in steps]
    tangent = (f(x + 1e-5) - f(x - 1e-5)) / 2e-5
    figure = Figure(figsize=(6.0, 2.7))
    axes = figure.add_axes((0, 0, 1, 1))
    left, right = x - 0.8 * steps[0], x + 1.15 * steps[0]
    along = np.linspace(left, right, 101)
    axes.plot(along, [f(at) for at in along], color=INK, linewidth=2.5)
    named = [(f"h = {h:g}: slope {slope:.3g}", slope, _GREY, 1.5) for h, slope in zip(steps, slopes, strict=True)]
    named.append((f"tangent: slope {tangent:.3g}", tangent, ROLES["query"], 3.0))
    for text, slope, colour, width in named:
        end = f(x) + slope * (right - x)
        axes.plot([left, right], [f(x) + slope * (left - x), end], color=colour, linewidth=width)
        axes.text(right, end, f"  {text}", fontsize=FONT, color=colour, va="center")
    for h, slope in zip(steps, slopes, strict=True):
        axes.plot(x + h, f(x) + slope * h, "o", color=_GREY, zorder=3)
    axes.plot(x, f(x), "o", color=ROLES["query"], markersize=9, zorder=4)
    axes.text(x, f(x) + 0.09 * np.ptp(axes.get_ylim()), f"x = {x:g}", fontsize=FONT, ha="center")
    axes.set_xlim(left, right + 0.85 * (right - left))  # room for the names
    axes.set_axis_off()
    told = ", ".join(f"{slope:.3g} for h = {h:g}" for h, slope in zip(steps, slopes, strict=True))
    return with_alt(
        figure,
        f"Drawing: a curve and straight lines through its point at x = {x:g} and another one, a step h to the right. "
        f"The slopes of the lines: {told}. As h gets smaller, they turn into the tangent, with slope {tangent:.3g}.",
    )
