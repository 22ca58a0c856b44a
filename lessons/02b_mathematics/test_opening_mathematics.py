"""The opening figure of lesson 02b has lines through the curve's points, with the slopes that it prints."""

from __future__ import annotations

import re

import numpy as np
import pytest

from lessons.opening_mathematics import STEPS, secant


@pytest.mark.parametrize("h", STEPS)
def test_line_goes_through_both_points_and_has_the_printed_slope(h: float) -> None:
    drawing, note = secant(h)
    (line,), (tangent,), (curve,) = (
        re.findall(rf'<g class="{hue}"[^>]*><path d="M([^"HV]+)"', drawing.shapes) for hue in "sqi"
    )
    line, tangent, curve = (
        np.array([point.split() for point in path.split("L")], dtype=float).T for path in (line, tangent, curve)
    )
    (there,), (here,) = (
        [[float(at) for at in dot] for dot in re.findall(rf'cx="([^"]+)" cy="([^"]+)" r="{radius}"', drawing.shapes)]
        for radius in (5, 7)
    )
    for x, y in (there, here):
        assert y == pytest.approx(np.interp(x, *line), abs=0.3) == pytest.approx(np.interp(x, *curve), abs=0.3)
    assert here[1] == pytest.approx(np.interp(here[0], *tangent), abs=0.3)
    steep, level = (np.diff(path[1])[0] / np.diff(path[0])[0] for path in (line, tangent))
    step, rise, slope = note.values
    at_once = float(drawing.alt.split()[-1].rstrip("."))
    assert steep / level == pytest.approx(slope / at_once, rel=0.02)
    assert (step, rise / h, slope, at_once) == pytest.approx((h, slope, 2 + h, 2))
    texts = re.findall(">([^<>]+)<", drawing.shapes)
    assert f"{rise:g} / {h:g} = slope {slope:g}" in texts
