"""The line chart of `utils.show.figures`: its numbers in words, its points above its lines, its refusals."""

from __future__ import annotations

import numpy as np
import pytest

from utils.show.figures import lines


def test_curves_say_their_numbers():
    figure = lines([1, 2], {"measured": [1.5, 2.25], "law": [1, 2]}, "Growth", "N", "times")
    assert figure.alt == "Curves, Growth. Across: N; up: times. measured: 1 1.5, 2 2.25; law: 1 1, 2 2."
    axes = figure.axes[0]
    assert [line.get_label() for line in axes.lines] == ["measured", "law"]
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), [1.5, 2.25])


def test_no_two_curves_look_alike_even_in_grey():
    drawn = lines([1, 2], {name: [1, 2] for name in "abcdef"}, "t", "x", "y").axes[0].lines
    assert len({(line.get_linestyle(), line.get_marker()) for line in drawn}) == 6


def test_what_was_measured_is_points_above_the_line_of_the_law():
    points, law = lines([1, 2], {"seen": [1, 2], "law": [1, 2]}, "t", "x", "y", measured=["seen"]).axes[0].lines
    assert points.get_linestyle() == "None" and points.get_marker() == "o"
    assert law.get_linestyle() == "--" and law.get_marker() in ("", "None")
    assert points.get_zorder() > law.get_zorder()


@pytest.mark.parametrize(
    ("asked", "scales"),
    [({}, ("linear", "linear")), ({"log_x": True}, ("log", "linear")), ({"log": True}, ("log", "log"))],
)
def test_logarithmic_axes_where_asked(asked, scales):
    axes = lines([1, 2, 4], {"a": [1, 4, 16]}, "t", "x", "y", **asked).axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == scales


@pytest.mark.parametrize(
    ("x", "across"), [([16, 64, 512], ["16", "512"]), ([1, 10, 1000], ["$\\mathdefault{10^{0}}$"])]
)
def test_a_logarithmic_axis_counts_in_tens_or_where_x_doubles_in_twos(x, across):
    figure = lines(x, {"a": [1e-5, 1e-2, 10]}, "t", "x", "y", log=True)
    figure.canvas.draw()
    assert set(across) <= {label.get_text() for label in figure.axes[0].get_xticklabels()}
    assert "$\\mathdefault{10^{-5}}$" in {label.get_text() for label in figure.axes[0].get_yticklabels()}


def test_a_curve_of_another_length_and_too_many_curves_are_refused():
    with pytest.raises(ValueError, match=r"x has shape \(2,\), but the curve a has shape \(3,\)\."):
        lines([1, 2], {"a": [1, 2, 3]}, "t", "x", "y")
    with pytest.raises(ValueError, match=r"lines has colours for 6 curves: 7 are given\."):
        lines([1], {name: [1] for name in "abcdefg"}, "t", "x", "y")
