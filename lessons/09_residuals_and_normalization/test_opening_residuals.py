"""The opening figure of lesson 09 has bars of the right heights."""

from __future__ import annotations

import numpy as np
import pytest

from lessons.opening_residuals import add_and_norm


def test_bars_are_x_then_the_sum_then_its_norm():
    axes = add_and_norm([1.0, 2.0], [3.0, 0.0]).axes[0]
    heights = [patch.get_height() for patch in axes.patches]
    assert np.array(heights) / heights[0] == pytest.approx([1, 2, 4, 2, 1, -1], abs=1e-4)
    numbers = [text.get_text() for text in axes.texts if text.get_text().endswith(".0")]
    assert numbers == ["1.0", "2.0", "4.0", "2.0", "1.0", "−1.0"]


@pytest.mark.parametrize(("x", "added"), [([1.0], [1.0]), ([1.0, 2.0], [1.0]), ([[1.0, 2.0]], [[1.0, 2.0]])])
def test_features_that_do_not_fit_are_refused(x, added):
    with pytest.raises(ValueError, match="vectors of one width"):
        add_and_norm(x, added)
