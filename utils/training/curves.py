"""Draw the curves of a training as one widget that is redrawn in place: loss above, validation score below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

import ipywidgets

_WIDTH, _HEIGHT = 330, 90  # of one panel's frame
_LEFT, _TOP, _GAP, _BOTTOM, _RIGHT = 40, 22, 36, 36, 20
_WIDEST, _LETTERS = 520, 14  # pixels of the whole on a laptop, and its letters: 11 px on a phone
_MOST_POINTS = 200  # of a curve: each is then the mean of several steps
_LOSS, _SCORE = "#0072B2", "#E69F00"  # a share is amber

Points = Sequence[tuple[float, float]]


class Curves(ipywidgets.HTML):
    """Curves over the steps 0 to `steps`; `draw(history)` shows what a `History` holds."""

    def __init__(self, steps: int, score_name: str = "exact match"):
        super().__init__()
        self._steps = steps
        self._score_name = score_name

    def draw(self, history: Any) -> None:
        self.value = curves_svg(history.losses, history.scores, self._steps, self._score_name)

    def __repr__(self) -> str:
        return f"Curves(loss and {self._score_name} over {self._steps} steps)"


def recent(losses: Sequence[float]) -> float:
    """Return the mean of the last 20 losses, or of all if there are fewer: a single batch says little."""
    return sum(losses[-20:]) / len(losses[-20:])


def curves_svg(losses: Sequence[float], scores: Points, steps: int, score_name: str = "exact match") -> str:
    """Draw two panels in one SVG: losses of step 1, 2, … and scores (step, score) from 0 to 1, over 0 … `steps`.

    Its description has the last numbers in words, for screen readers.
    """
    loss_points = _thinned(losses)
    top = _round_up(max((loss for _, loss in loss_points), default=1.0))
    said = [f"after step {len(losses)} of {steps}"]
    if losses:
        said.append(f"the loss is {recent(losses):.2f}")
    if scores:
        said.append(f"{score_name} {scores[-1][1]:.2f}")
    height = _TOP + 2 * _HEIGHT + _GAP + _BOTTOM
    panels = [
        _panel(_TOP, "loss", loss_points, steps, top, _LOSS, False),
        _panel(_TOP + _HEIGHT + _GAP, f"{score_name} on held-out examples", scores, steps, 1.0, _SCORE, True),
        *(
            _text(_x(step, steps), height - _BOTTOM + 16, f"{step}", "middle")
            for step in sorted({0, steps // 2, steps})
        ),
        _text(_LEFT + _WIDTH / 2, height - 4, "steps", "middle"),
    ]
    label = escape(f"Curves of the training: {', '.join(said)}.", quote=True)
    return (
        f'<svg role="img" aria-label="{label}" viewBox="0 0 {_LEFT + _WIDTH + _RIGHT} {height}" '
        f'style="width:100%;max-width:{_WIDEST}px;color:var(--jp-content-font-color0,#222);'
        f'font:{_LETTERS}px sans-serif">{"".join(panels)}</svg>'
    )


def _panel(y: float, title: str, points: Points, steps: int, top: float, colour: str, dots: bool) -> str:
    at = [(_x(step, steps), y + _HEIGHT * (1 - min(max(value / top, 0.0), 1.0))) for step, value in points]
    frame = (
        f'<rect x="{_LEFT}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="currentColor" '
        'stroke-opacity="0.35"/>'
    )
    ticks = _text(_LEFT - 6, y + 10, f"{top:g}", "end") + _text(_LEFT - 6, y + _HEIGHT, "0", "end")
    line = " ".join(f"{x:.1f},{height:.1f}" for x, height in at)
    curve = f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>' if at else ""
    marks = "".join(f'<circle cx="{x:.1f}" cy="{h:.1f}" r="3.5" fill="{colour}"/>' for x, h in at) if dots else ""
    return frame + ticks + _text(_LEFT, y - 6, title, "start") + curve + marks


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor">{escape(text)}</text>'


def _x(step: float, steps: int) -> float:
    return _LEFT + _WIDTH * step / steps


def _thinned(losses: Sequence[float]) -> list[tuple[float, float]]:
    """Average over as many neighbouring steps as it takes to have at most 200 points, each at its last step."""
    many = max(1, math.ceil(len(losses) / _MOST_POINTS))
    parts = [losses[start : start + many] for start in range(0, len(losses), many)]
    return [(min((i + 1) * many, len(losses)), sum(part) / len(part)) for i, part in enumerate(parts)]


def _round_up(value: float) -> float:
    """Return 1, 2 or 5 times a power of ten, not below `value`."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= value)
