"""Slopes by formula beside finite differences, lines that touch and cut, and gradients of whole matrices."""

from __future__ import annotations

import numpy as np
import pytest

from utils.by_hand.slopes import CURVES, bowl_cuts, gradient_by_nudges, one_sided, two_sided


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
def test_slope_formula_matches_numerical_slope(curve):
    for x in (0.3, 1.0, 2.0, 3.0):
        assert two_sided(curve.height, x, 1e-5) == pytest.approx(float(curve.slope(x)), abs=1e-7)
        assert one_sided(curve.height, x, 1e-6) == pytest.approx(float(curve.slope(x)), abs=1e-4)


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
def test_tangents_touch_the_curve_and_are_straight(curve):
    at, h = 1.0, 0.5
    assert curve.tangent(at, [at])[0] == pytest.approx(float(curve.height(at)))
    both = curve.secant(at, h, [at, at + h])
    np.testing.assert_allclose(both, [curve.height(at), curve.height(at + h)])
    for line in (curve.tangent(3, curve.grid()), curve.secant(3, 1, curve.grid())):
        np.testing.assert_allclose(np.diff(line, n=2), 0, atol=1e-9)


def test_errors_shrink_with_h_and_with_its_square():
    cube = lambda x: x**3  # noqa: E731
    assert one_sided(cube, 2.0, 0.01) - 12 == pytest.approx(6 * 0.01 + 0.01**2)
    assert two_sided(cube, 2.0, 0.01) - 12 == pytest.approx(0.01**2)


def test_ln_says_where_it_is_undefined():
    for x, told in ((-0.5, r"-0\.5"), (0, "0"), ([2, -1, 0], "-1")):
        with pytest.raises(ValueError, match=f"no value at {told}:"):
            CURVES["ln x"].height(x)


def test_gradient_by_nudges_matches_formula_of_a_product():
    random = np.random.default_rng(0)
    X, W, G = random.normal(size=(2, 3)), random.normal(size=(3, 4)), random.normal(size=(2, 4))
    before = X.copy()
    np.testing.assert_allclose(gradient_by_nudges(lambda X: (G * (X @ W)).sum(), X), G @ W.T, atol=1e-8)
    np.testing.assert_allclose(gradient_by_nudges(lambda W: (G * (X @ W)).sum(), W), X.T @ G, atol=1e-8)
    np.testing.assert_array_equal(X, before)
    assert gradient_by_nudges(lambda x: x * x, 3.0) == pytest.approx(6)


def test_sections_of_the_bowl_have_partial_derivatives_as_slopes():
    cuts = bowl_cuts(1.5, -1.0)
    assert [float(cut.height(at)) for cut, at in cuts.values()] == [5.25, 5.25]
    assert [float(cut.slope(at)) for cut, at in cuts.values()] == [3, -6]
    for x, y in ((3, 3), (-3, 3), (0, 0)):
        for cut, at in bowl_cuts(x, y).values():
            assert two_sided(cut.height, at, 1e-5) == pytest.approx(float(cut.slope(at)), abs=1e-6)
            assert cut.y_range[0] < cut.height(cut.grid()).min() < cut.height(cut.grid()).max() <= cut.y_range[1]
