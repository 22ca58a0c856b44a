"""The opening figure of lesson 09: one token's features, with a layer's output added, and brought back to size."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from utils.by_hand.normalization import layer_norm
from utils.show.drawing import GREY, INK, OUTPUT, VALUE, arrow, label, sheet
from utils.show.figures import with_alt

_BAR, _GAP, _GROUP = 0.3, 0.12, 0.6  # inches: the width of a bar, between two bars, between two groups
_BASE, _ROOM = 1.15, 1.05  # where 0 is, and how high the largest bar reaches above it


def add_and_norm(x: ArrayLike, added: ArrayLike) -> Figure:
    """Draw one token's features as bars: x (d_model,), x + `added`, and the layer norm of the sum.

    Raise ValueError unless both are vectors of the same width, with at least two features.
    """
    x, added = np.asarray(x, dtype=float), np.asarray(added, dtype=float)
    if x.ndim != 1 or x.shape != added.shape or x.size < 2:
        raise ValueError(f"x and added must be vectors of one width, at least 2, but have {x.shape} and {added.shape}.")
    total = x + added
    groups = {"x": (x, GREY), "x + F(x)": (total, VALUE), "after LayerNorm": (layer_norm(total), OUTPUT)}
    wide = x.size * _BAR + (x.size - 1) * _GAP
    figure, axes = sheet(3 * wide + 2 * _GROUP + 0.8, 3.2)
    scale = _ROOM / max(np.abs(values).max() for values, _ in groups.values())
    for n, (name, (values, colour)) in enumerate(groups.items()):
        left = 0.4 + n * (wide + _GROUP)
        axes.plot([left - 0.08, left + wide + 0.08], [_BASE, _BASE], color=INK, linewidth=1.2, zorder=4)
        for i, value in enumerate(values):
            corner = (left + i * (_BAR + _GAP), _BASE)
            axes.add_patch(Rectangle(corner, _BAR, scale * value, facecolor=colour, edgecolor=INK, zorder=3))
            beyond = scale * value + (0.15 if value >= 0 else -0.15)
            text = f"{value:.1f}".replace("-", "−")
            label(axes, (corner[0] + _BAR / 2, _BASE + beyond), text)
        label(axes, (left + wide / 2, 3.02), name, bold=True)
        if n:
            middle = left - _GROUP / 2
            arrow(axes, (middle - 0.22, 2.56), (middle + 0.22, 2.56))
            label(axes, (middle, 2.75), ("+ F(x)", "norm")[n - 1])
    told = "; ".join(f"{name}: {', '.join(f'{v:.1f}' for v in values)}" for name, (values, _) in groups.items())
    return with_alt(
        figure,
        f"Bars: the {x.size} features of one token, before a layer, after its output F(x) is added, after the layer "
        f"norm. {told}.".replace("-", "−"),
    )
