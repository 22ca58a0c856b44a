"""The pictures of lesson 04 show the encodings that the course computes, and say their numbers in words."""

from __future__ import annotations

import numpy as np
import pytest

from lessons.positional_pictures import clock_hands, picture, position_map, waves
from utils.by_hand.positional import positional_encoding


def test_wave_marks_match_rows_of_table():
    PE = positional_encoding(4, 4, base=100)
    lines = [line for axes in waves(4, 100, 63).axes for line in axes.lines]
    curves, marks = lines[::2], lines[1::2]
    np.testing.assert_allclose(np.array([mark.get_ydata() for mark in marks]).T, PE)
    for curve, column in zip(curves, PE.T, strict=True):
        np.testing.assert_allclose(np.interp(np.arange(4), curve.get_xdata(), curve.get_ydata()), column)


def test_alternative_texts_have_numbers_of_each_curve_and_some_rows():
    assert "cosine of pair 0: 1.000, 0.540, -0.416, -0.990" in waves(4, 100, 63).alt
    alt = position_map(positional_encoding(64, 64), "all").alt
    assert "64 positions by 64 columns" in alt and "row 1: 0.84, 1.00, 0.00" in alt


def test_sine_without_cosine_is_refused():
    with pytest.raises(ValueError, match="d_model must be even"):
        waves(3, 100, 63)


@pytest.mark.parametrize("position", [0, 63])
@pytest.mark.parametrize("d_model", [2, 3, 64])
@pytest.mark.parametrize("base", [100, 10000])
@pytest.mark.parametrize("unit", ["radians", "degrees"])
@pytest.mark.parametrize("rows", [4, 64])
def test_control_shows_encodings_and_zero_distance_to_itself(position, d_model, base, unit, rows):
    note, encodings, distances = picture(position, d_model, base, unit, rows)
    PE = positional_encoding(64, d_model, base, unit == "degrees")
    np.testing.assert_allclose(encodings.values, PE[:rows])
    ((far,),) = distances.series.values()
    np.testing.assert_allclose(far, np.linalg.norm(PE[:rows] - PE[position], axis=1), atol=1e-12)
    assert distances.marks == ({"here": position} if position < rows else {})
    assert ("…" in note.sentence) == (d_model > 4)


def test_clock_hands_point_to_sine_and_cosine():
    figure = clock_hands(3, base=100)
    ends = [np.diff(np.array([line.get_xdata(), line.get_ydata()]))[:, 0] for line in figure.axes[0].lines[::2]]
    tips = np.array(ends).reshape(2, 3, 2)
    PE = positional_encoding(3, 4, base=100)
    lengths = np.linalg.norm(tips, axis=-1, keepdims=True)
    np.testing.assert_allclose(tips / lengths, np.stack([PE[:, :2], PE[:, 2:]]), atol=1e-12)
    with pytest.raises(ValueError, match="1 to 8"):
        clock_hands(9, base=100)
