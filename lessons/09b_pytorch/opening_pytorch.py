"""The opening figure of lesson 09b: one step of training as a loop, from the weight to the loss, the slope and back."""

from __future__ import annotations

import math

from matplotlib.figure import Figure

from utils.show.drawing import INK, QUERY, ROSE, SAND, TEAL, arrow, box, label, sheet
from utils.show.figures import with_alt

_LEFT, _RIGHT, _TOP, _BOTTOM = 1.3, 4.7, 2.05, 0.5
_WIDTH, _HEIGHT = 2.5, 0.8


def one_step(w: float, x: float, y: float, rate: float) -> Figure:
    """Draw one step of gradient descent for the model w · x, whose answer should be y, as a loop of four boxes.

    rate: the step is this many times the slope. Raise ValueError unless all are finite and the rate is above 0.
    """
    if not all(map(math.isfinite, (w, x, y, rate))) or rate <= 0:
        raise ValueError(f"w, x, y and rate must be finite, and rate above 0, but they are {w}, {x}, {y}, {rate}.")
    loss, slope = (w * x - y) ** 2, 2 * x * (w * x - y)
    after = w - rate * slope
    figure, axes = sheet(6.0, 2.55)
    texts = {
        (_LEFT, _TOP): (f"weight\nw = {w:g}", QUERY),
        (_RIGHT, _TOP): (f"loss\n({w:g} · {x:g} − {y:g})² = {loss:g}", ROSE),
        (_RIGHT, _BOTTOM): (f"slope\n{slope:g}", SAND),
        (_LEFT, _BOTTOM): (f"step\n{w:g} − {rate:g} · {slope:g} = {after:g}", TEAL),
    }
    for place, (text, colour) in texts.items():
        box(axes, place, text, width=_WIDTH, height=_HEIGHT, colour=colour)
    across, down = _WIDTH / 2 + 0.06, _HEIGHT / 2 + 0.06
    arrow(axes, (_LEFT + across, _TOP), (_RIGHT - across, _TOP), width=2)
    arrow(axes, (_RIGHT, _TOP - down), (_RIGHT, _BOTTOM + down), width=2)
    arrow(axes, (_RIGHT - across, _BOTTOM), (_LEFT + across, _BOTTOM), width=2)
    arrow(axes, (_LEFT, _BOTTOM + down), (_LEFT, _TOP - down), width=2)
    middle = ((_LEFT + _RIGHT) / 2, (_TOP + _BOTTOM) / 2)
    label(axes, middle, "again and\nagain", colour=INK)
    return with_alt(
        figure,
        f"Drawing: one step of training as a loop. With the weight w = {w:g}, the model says {w:g} times {x:g}, and it "
        f"should say {y:g}, so the loss is {loss:g}. Its slope at w is {slope:g}. The step takes {rate:g} times the "
        f"slope away, so w becomes {after:g}. Then the loop begins again.",
    )
