"""The line chart of `utils.show.figures`: its numbers in words, its points above its lines, its refusals."""

from __future__ import annotations

import numpy as np
import pytest

from utils.show.colours import AMBER
from utils.show.figures import lines


def test_alternative_text_gives_the_numbers_of_the_curves():
    figure = lines([1, 2], {"measured": [1.5, 2.25], "law": [1, 2]}, "Growth", "N", "times")
    assert figure.alt == "Curves, Growth. Across: N; up: times. measured: 1 1.5, 2 2.25; law: 1 1, 2 2."
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.texts] == ["measured", "law"]
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), [1.5, 2.25])


def test_name_of_a_curve_is_beside_its_end():
    axes = lines([1, 2, 3], {"high": [0, 50, 100], "low": [0, 2, 4]}, "Growth", "N", "times").figure.axes[0]
    ends = [axes.transAxes.inverted().transform(axes.transData.transform((3, y)))[1] for y in (100, 4)]
    assert [text.get_position()[1] for text in axes.texts] == pytest.approx(ends, abs=0.05)


def test_shares_are_amber_and_differ_in_their_dashes():
    curves = (
        lines([1, 2], {"one": [0, 1], "other": [1, 0]}, "Right", "N", "share", shares=True).figure.axes[0].lines[:2]
    )
    assert {curve.get_color() for curve in curves} == {AMBER} and len({curve.get_linestyle() for curve in curves}) == 2
