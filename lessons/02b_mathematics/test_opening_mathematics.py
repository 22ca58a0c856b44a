"""The opening figure of lesson 02b has the slopes of its lines, and lines through the curve's points."""

from __future__ import annotations

import numpy as np
import pytest

from lessons.opening_mathematics import secants


def test_lines_have_their_slopes_and_cross_the_curve():
    figure = secants(lambda x: x * x, 1, [2, 0.5])
    curve, wide, narrow, tangent, *points = figure.axes[0].lines
    fitted = [np.polyfit(*line.get_data(), deg=1) for line in (wide, narrow, tangent)]
    assert np.array(fitted) == pytest.approx(np.array([(4, -3), (2.5, -1.5), (2, -1)]), abs=1e-6)
    assert curve.get_ydata() == pytest.approx(curve.get_xdata() ** 2)
    assert np.hstack([point.get_data() for point in points]) == pytest.approx(np.array([[3, 1.5, 1], [9, 2.25, 1]]))
    assert "4 for h = 2, 2.5 for h = 0.5" in figure.alt and "slope 2." in figure.alt


@pytest.mark.parametrize("steps", [[], [1, 2], [1, 1], [1, 0]])
def test_steps_that_do_not_fall_are_refused(steps):
    with pytest.raises(ValueError, match="smaller than the one before"):
        secants(lambda x: x * x, 1, steps)
