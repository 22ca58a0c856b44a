"""The opening figure of lesson 02b: straight lines through two points of a curve, which turn into its tangent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

from utils.show.colours import ROLES
from utils.show.drawing import FONT, INK, NARROW, two_forms
from utils.show.figures import with_alt

_GREY, _PALE = "#696969", "#9A9A9A"
_NAMES = 2.15  # inches: room for the names on the right


@two_forms
def secants(f: Callable[[float], float], x: float, steps: Sequence[float], narrow: bool = False) -> Figure:
    """Draw the curve f, a line through its points at x and x + h for each h of `steps`, and the tangent at x.

    Dotted lines show each step and the rise, whose quotient is the slope. The tangent's slope is found by a small step
    to both sides. Raise ValueError unless the steps are above 0 and fall.
    """
    if not steps or steps[-1] <= 0 or any(h <= smaller for h, smaller in pairwise(steps)):
        raise ValueError(f"the steps must be above 0, each smaller than the one before, but are {list(steps)}.")
    rises = [f(x + h) - f(x) for h in steps]
    tangent = (f(x + 1e-5) - f(x - 1e-5)) / 2e-5
    figure = Figure(figsize=(NARROW, 3.3) if narrow else (9.4, 3.0))
    axes = figure.add_axes((0, 0, 1, 1))
    left, end, right = x - 0.45 * steps[0], x + 1.02 * steps[0], x + 1.2 * steps[0]
    aside = 0.012 * (right - left)  # between a line and its name
    along = np.linspace(left, end, 101)
    axes.plot(along, [f(at) for at in along], color=INK, linewidth=2.5)
    named = [
        (f"slope {rise:.3g} / {h:g} = {rise / h:.3g}", rise / h, _GREY, 1.5)
        for h, rise in zip(steps, rises, strict=True)
    ]
    named.append((f"tangent: slope {tangent:.3g}", tangent, ROLES["query"], 3.0))
    for text, slope, colour, width in named:
        high = f(x) + slope * (right - x)
        axes.plot([left, right], [f(x) + slope * (left - x), high], color=colour, linewidth=width)
        axes.text(right + aside, high, text, fontsize=FONT, color=colour, va="center")
    low, top = axes.get_ylim()
    space = 0.075 * (top - low)
    for h, rise in zip(steps, rises, strict=True):
        axes.hlines(f(x), x, x + h, color=_PALE, linestyle=":", linewidth=1.5)
        axes.vlines(x + h, f(x), f(x) + rise, color=_PALE, linestyle=":", linewidth=1.5)
        axes.text(x + h, f(x) - space, f"h = {h:g}", fontsize=FONT, color=_GREY, ha="center", va="center")
        axes.text(x + h + aside, f(x) + 0.35 * rise, f"{rise:.3g}", fontsize=FONT, color=_GREY, va="center")
        axes.plot(x + h, f(x) + rise, "o", color=_GREY, zorder=3)
    axes.plot(x, f(x), "o", color=ROLES["query"], markersize=9, zorder=4)
    axes.text(x, f(x) + space, f"x = {x:g}", fontsize=FONT, ha="right")
    wide = figure.get_figwidth()
    axes.set_xlim(left, left + (right - left) * wide / (wide - _NAMES))
    axes.set_axis_off()
    told = ", ".join(f"{rise / h:.3g} for h = {h:g}" for h, rise in zip(steps, rises, strict=True))
    return with_alt(
        figure,
        f"Drawing: a curve and straight lines through its point at x = {x:g} and another one, a step h to the right. "
        f"The slopes of the lines: {told}. As h gets smaller, they turn into the tangent, with slope {tangent:.3g}.",
    )
