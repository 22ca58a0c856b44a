"""The opening figure of lesson 09b: a weight goes down its loss step by step, and PyTorch finds the slopes."""

from __future__ import annotations

import itertools
import math

import torch

from utils.show.live import Drawing, LiveControl, Note, Panel, Slider
from utils.show.numbers import number_text
from utils.show.shapes import arrows, curve, dots, group, paths, words

RATES, MOST = (0.01, 0.02, 0.04, 0.08, 0.1, 0.11, 0.12), 4  # learning rates, and steps
_MIDDLE, _WIDE, _ZERO, _HIGH = 180, 80, 150, 4.6  # pixels: where w is 1, a unit of w, where the loss is 0, a unit of it
_EDGE = 1.85  # how far on both sides of w = 1 the loss is drawn
_ROWS = (191, 214, 237)  # pixels from the top: the lines of numbers
_DIGITS = 3  # of a result
_NUMBERS = 84  # pixels from the left: where they begin


def steps_downhill() -> LiveControl:
    """Return the figure: the reader takes steps, and chooses the learning rate."""
    knobs = [Slider("steps", 0, MOST, label="steps taken")]
    knobs += [Slider("rate", RATES[0], RATES[-1], 0.04, label="learning rate", steps=RATES)]
    return LiveControl(downhill, knobs, alt="A loss over its weight, with the slope at the weight and the next step.")


def downhill(steps: int, rate: float) -> list[Panel]:
    """Return the loss (3w − 3)² with the slope and the next step after so many, their numbers, and a sentence."""
    *way, (after, next_loss, _) = descent(steps + 2, rate)
    w, loss, slope = way[-1]
    trail = [(_across(at), _ZERO - _HIGH * high) for at, high, _ in way]
    (x, y), to = trail[-1], _across(after)
    made = paths("l", [f"M8 {_ZERO}H352M20 {_ZERO}V8", *(f"M{_across(tick)} {_ZERO}v5" for tick in (0, 1, 2))], 1.5)
    made += group("o", [words("o", 13, 80, "loss", 14)], ' transform="rotate(-90 13 80)"')
    made += "".join(words("s", _across(tick), _ZERO + 19, str(tick), 14) for tick in (0, 1, 2))
    made += words("q", 346, _ZERO + 19, "w", 15, True)
    heights = [_ZERO - _HIGH * 9 * (_EDGE * i / 20) ** 2 for i in range(-20, 21)]
    made += curve("s", heights, _across(1 - _EDGE), _across(1 + _EDGE), 2.5)
    made += paths("q30", ["M" + "L".join(f"{u:.1f} {v:.1f}" for u, v in trail)], 2) + dots("q45", trail[:-1], 5)
    made += paths("o", [f"M{x:.1f} {_ZERO}V{y:.1f}"], 4)
    made += paths("i", [_tangent(x, y, -slope * _HIGH / _WIDE)], 3)
    made += arrows("q", [(x, _ZERO, to, _ZERO)], 4) if abs(to - x) > 12 else ""
    made += dots("q", [(x, y)], 7)
    shown, found = _enough_digits(w, slope, rate)
    w_text, slope_text = number_text(shown, 9), number_text(found, 9)
    lines = {
        "loss": f"({w_text} · 3 − 3)² {_result((shown * 3 - 3) ** 2)}",
        "backward": f"the slope is {slope_text}",
        "step": f"w ← {w_text} − {rate:g} · {f'({slope_text})' if slope < 0 else slope_text} "
        + _result(shown - rate * found),
    }
    for base, hue, (name, text) in zip(_ROWS, "oiq", lines.items(), strict=True):
        made += words(hue, 2, base, name, 15, True, at="start") + words("i", _NUMBERS, base, text, 15, at="start")
    tiny = next_loss < 1e-4  # which would be written as a power of ten
    change = "lowers it below 0.0001" if tiny else "lowers it to {}" if next_loss < loss else "raises it to {}"
    told = "At w = {} the model predicts {} instead of 3, so the loss is {}. The next step " + change + "."
    results = [_rounded(result) for result in (3 * w, loss, *[next_loss] * (not tiny))]
    note = Note(told, values=[shown, *results], digits=9)
    return [Drawing(made, (360, 244), note.text()), note]


def descent(count: int, rate: float) -> list[tuple[float, float, float]]:
    """Return `count` times w, its loss and its slope, each a step after the one before, as PyTorch computes them."""
    w = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    optimizer, way = torch.optim.SGD([w], lr=rate), []
    for _ in range(count):
        loss = (w * 3 - 3) ** 2
        optimizer.zero_grad()
        loss.backward()
        way.append((w.item(), loss.item(), w.grad.item()))
        optimizer.step()
    return way


def _enough_digits(w: float, slope: float, rate: float) -> tuple[float, float]:
    """Return w and its slope rounded, but not so much that what follows from them is another number when rounded."""
    for digits in itertools.count(_DIGITS):
        shown, found = _rounded(w, digits), _rounded(slope, digits)
        if all(
            _rounded(one) == _rounded(other)
            for one, other in zip(_follows(w, slope, rate), _follows(shown, found, rate), strict=True)
        ):
            return shown, found


def _follows(w: float, slope: float, rate: float) -> list[float]:
    """Return the prediction, the loss and the next w."""
    return [3 * w, (3 * w - 3) ** 2, w - rate * slope]


def _rounded(number: float, digits: int = _DIGITS) -> float:
    return float(f"{number:.{digits}g}")


def _result(number: float) -> str:
    """Return a number rounded, after the sign that says whether it is exact."""
    return f"{'=' if math.isclose(number, _rounded(number)) else '≈'} {number_text(_rounded(number), 9)}"


def _across(w: float) -> float:
    return _MIDDLE + _WIDE * (w - 1)


def _tangent(x: float, y: float, steep: float) -> str:
    """Return the path of a tangent to a point, which ends at the axis or before it, and at the top or before it."""
    half = 46 / math.hypot(1, steep)
    down, up = min(half, (_ZERO - y) / abs(steep)), min(half, (y - 8) / abs(steep))
    ends = (-up, down) if steep > 0 else (-down, up)
    return "M" + "L".join(f"{x + side:.1f} {y + steep * side:.1f}" for side in ends)
