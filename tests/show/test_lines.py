"""The line chart of `utils.show.figures`: its numbers in words, its points above its lines, its refusals."""

from __future__ import annotations

import numpy as np

from utils.show.figures import lines


def test_alternative_text_gives_the_numbers_of_the_curves():
    figure = lines([1, 2], {"measured": [1.5, 2.25], "law": [1, 2]}, "Growth", "N", "times")
    assert figure.alt == "Curves, Growth. Across: N; up: times. measured: 1 1.5, 2 2.25; law: 1 1, 2 2."
    axes = figure.axes[0]
    assert [line.get_label() for line in axes.lines] == ["measured", "law"]
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), [1.5, 2.25])
