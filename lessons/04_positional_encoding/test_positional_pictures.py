"""The pictures of lesson 04 show the encodings that the course computes, and say their numbers in words."""

from __future__ import annotations

import numpy as np
import pytest

from lessons.positional_pictures import picture, position_map, waves
from utils.by_hand.positional import positional_encoding


def test_alternative_texts_have_numbers_of_each_curve_and_some_rows():
    assert "cosine of pair 0: 1.000, 0.540, -0.416, -0.990" in waves(4, 100, 63).alt
    alt = position_map(positional_encoding(64, 64), "all").alt
    assert "64 positions by 64 columns" in alt and "row 1: 0.84, 1.00, 0.00" in alt


def test_sine_without_cosine_is_refused():
    with pytest.raises(ValueError, match="d_model must be even"):
        waves(3, 100, 63)


@pytest.mark.parametrize(
    ("position", "d_model", "base", "unit", "rows"), [(0, 2, 100, "degrees", 4), (63, 3, 10000, "radians", 64)]
)
def test_control_shows_encodings_and_zero_distance_to_itself(position, d_model, base, unit, rows):
    note, encodings, distances = picture(position, d_model, base, unit, rows)
    PE = positional_encoding(64, d_model, base, unit == "degrees")
    np.testing.assert_allclose(encodings.values, PE[:rows])
    ((far,),) = distances.series.values()
    np.testing.assert_allclose(far, np.linalg.norm(PE[:rows] - PE[position], axis=1), atol=1e-12)
    assert distances.marks == ({"here": position} if position < rows else {})
    assert ("…" in note.sentence) == (d_model > 4)
