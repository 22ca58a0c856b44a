"""The opening figure of lesson 09b goes down the loss that it draws, and away from it if the rate is too large."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from lessons.opening_pytorch import MOST, RATES, descent, downhill


@pytest.mark.parametrize("rate", RATES)
def test_descent_finds_the_slopes_of_the_chain_rule_and_steps_against_them(rate: float) -> None:
    way = descent(MOST + 2, rate)
    assert way[0] == (2, 9, 18)
    for (w, loss, slope), (after, _, _) in itertools.pairwise(way):
        assert (loss, slope) == pytest.approx(((3 * w - 3) ** 2, 2 * 3 * (3 * w - 3)), abs=1e-12)
        assert after == pytest.approx(w - rate * slope, abs=1e-12)


def test_loss_grows_only_at_the_largest_rate() -> None:
    for rate in RATES:
        said = [downhill(steps, rate)[1].text() for steps in range(MOST + 1)]
        assert all("raises" in sentence for sentence in said) == (rate == RATES[-1])
        assert any("raises" in sentence for sentence in said) == (rate == RATES[-1])


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("steps", range(MOST + 1))
def test_printed_sums_hold_with_the_printed_numbers(steps: int, rate: float) -> None:
    drawing, note = downhill(steps, rate)
    texts = [
        text.replace("−", "-").replace("·", "*").replace("²", "**2")
        for text in re.findall(">([^<>]+)<", drawing.shapes)
    ]
    sums = [re.split(" ([=≈]) ", text.removeprefix("w ← ")) for text in texts if "*" in text]
    assert len(sums) == 2
    for made, sign, printed in sums:
        assert f"{eval(made):.3g}" == f"{float(printed):.3g}"
        assert (sign == "=") == (abs(eval(made) - float(printed)) < 1e-12)
    told = note.text().replace("−", "-")
    assert f"w = {sums[1][0].split()[0]} the" in told and f"the loss is {sums[0][2]}." in told, "one rounding"


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("steps", range(MOST + 1))
def test_tangent_touches_the_drawn_loss_at_the_weight_and_ends_at_the_axis(steps: int, rate: float) -> None:
    shapes = downhill(steps, rate)[0].shapes
    (curve,), (tangent,) = (re.findall(rf'<g class="{hue}"[^>]*><path d="M([^"]+)"', shapes) for hue in "si")
    xs, ys = np.array([point.split() for point in curve.split("L")], dtype=float).T
    axis = ys.max()
    (u, v), (s, t) = ((float(number) for number in point.split()) for point in tangent.split("L"))
    x, y = map(float, re.search(r'cx="([^"]+)" cy="([^"]+)" r="7"', shapes).groups())
    assert y == pytest.approx(np.interp(x, xs, ys), abs=1)
    assert y == pytest.approx(v + (t - v) * (x - u) / (s - u), abs=0.2)
    assert v > np.interp(u, xs, ys) - 1 and t > np.interp(s, xs, ys) - 1, "it is nowhere inside the bowl"
    assert max(v, t) < axis + 0.2
