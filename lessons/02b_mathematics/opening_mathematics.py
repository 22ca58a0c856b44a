"""The opening figure of lesson 02b: a straight line through two points of a curve, which turns into its tangent."""

from __future__ import annotations

import numpy as np

from utils.by_hand.slopes import one_sided, two_sided
from utils.show.live import Drawing, LiveControl, Note, Panel, Slider
from utils.show.numbers import number_text
from utils.show.shapes import curve, dots, paths, words

STEPS = (0.1, 0.2, 0.5, 1.0, 1.5, 2.0)  # from one point of the curve to the other
_X, _END = 1, 3.1  # where the tangent touches, and where the curve ends
_LEFT, _WIDE, _ZERO, _HIGH = 34, 100, 184, 17.5  # pixels: where x is 0, a unit of it, where x² is 0, a unit of it


def secant_to_tangent() -> LiveControl:
    """Return the figure: the reader chooses how far apart the two points are."""
    knobs = [Slider("h", STEPS[0], STEPS[-1], STEPS[-1], label="step h", steps=STEPS)]
    return LiveControl(secant, knobs, alt="A curve, a line through two of its points, and the tangent at one of them.")


def secant(h: float) -> list[Panel]:
    """Return the curve x², the line through its points at x = 1 and a step h further, the tangent, and a sentence."""
    low, there = _at(_X), _at(_X + h)
    rise, slope = (round(float(number), 6) for number in (np.square(_X + h) - _X**2, one_sided(np.square, _X, h)))
    tangent = round(two_sided(np.square, _X, 1e-5), 6)
    made = curve("i", [_at(x)[1] for x in np.linspace(-0.2, _END, 34)], _at(-0.2)[0], _at(_END)[0], 2.5)
    made += words("i", _at(2.6)[0], 26, "the curve x²", 14, at="end")
    made += paths("l", [f"M{low[0]:g} {low[1]:g}H{there[0]:g}V{there[1]:g}"], 2)
    made += words("s", low[0] + 6, low[1] + 15, f"h = {h:g}", 14, at="start")
    if h >= 1:  # else there is no room
        made += words("s", there[0] - 6, (low[1] + _at(_X + h / 2)[1]) / 2, number_text(rise), 14, at="end")
    made += paths("s", [_line(slope)], 2.5) + paths("q", [_line(tangent)], 3)
    made += dots("s", [there], 5) + dots("q", [low], 7)
    made += words("i", low[0] - 10, low[1] - 8, f"x = {_X}", 14, at="end")
    for y, hue, name, text in (
        (222, "s", "line", f"{number_text(rise)} / {h:g} = slope {number_text(slope)}"),
        (245, "q", "tangent", f"slope {number_text(tangent)}"),
    ):
        made += words(hue, 2, y, name, 15, True, at="start") + words("i", 84, y, text, 15, at="start")
    note = Note("In a step of {} the curve rises by {}, so the line has slope {}.", values=[h, rise, slope])
    return [Drawing(made, (360, 252), f"{note.text()} The tangent has slope {number_text(tangent)}."), note]


def _at(x: float) -> tuple[float, float]:
    """Return the pixels of the curve's point at x."""
    return _LEFT + _WIDE * x, _ZERO - _HIGH * x * x


def _line(slope: float) -> str:
    """Return the path of a line through the curve's point at x = 1, as far as it is in the picture."""
    ends = max(0.1, _X - 1.6 / slope), min(_END, _X + 8.8 / slope)
    return "M" + "L".join(f"{_LEFT + _WIDE * x:.1f} {_ZERO - _HIGH * (_X + slope * (x - _X)):.1f}" for x in ends)
