"""The opening figure of lesson 09: one token's numbers, with a layer's output added, and brought back to size."""

from __future__ import annotations

import numpy as np

from utils.by_hand.normalization import layer_norm
from utils.show.live import Drawing, Note, Panel
from utils.show.shapes import arrows, bars, paths, words

_X, _ADDED = np.array([0.4, -0.3, 0.8]), np.array([2.1, 0.6, -0.9])  # three numbers of a token, the output of a layer
_LEFT, _BAR, _STEP = (8, 134, 260), 26, 32  # pixels: where each group begins, the width of a bar, from bar to bar
_ZERO, _UNIT = 154, 22  # pixels: the height of 0, from the top, and of 1


def add_and_norm(times: float) -> list[Panel]:
    """Return the bars of x, of x + `times` F(x), and of the layer norm of this sum, and a sentence about them."""
    total = _X + times * _ADDED
    after = layer_norm(total)
    made = paths("l", [f"M4 {_ZERO}H356"], 1.5) + arrows("s", [(100, 84, 122, 84), (226, 84, 248, 84)])
    names = "x", f"x + {times:g} F(x)".replace(" 1 ", " "), "after the norm"
    for left, hue, name, values in zip(_LEFT, "svo", names, (_X, total, after), strict=True):
        made += words("i" if hue == "s" else hue, left + 45, 16, name, 14, True)
        for i, value in enumerate(values):
            x, tall = left + i * _STEP, max(1.5, _UNIT * abs(value))
            made += bars(hue, [(x, _ZERO - tall if value > 0 else _ZERO, _BAR, tall)], 3)
            made += words("i", x + 13, _ZERO - tall - 5 if value > 0 else _ZERO + tall + 15, _one(value), 14)
    told = (
        f"The sum has a mean of {_one(total.mean())} and a standard deviation of {_one(total.std())}; "
        "after the norm they are 0 and 1."
    )
    return [Drawing(made, (360, 200), told), Note(told)]


def _one(value: float) -> str:
    return f"{value:.1f}".replace("-0.0", "0.0").replace("-", "−")
