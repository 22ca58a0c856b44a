"""What every function by hand does first: read what was typed as float64, or say why it is none."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from utils.by_hand.arrays import as_count, as_matrix, as_numbers, finite, product

any_floats = st.floats(allow_nan=True, allow_infinity=True)
matrices = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.floats(-1e300, 1e300))


@given(arrays(np.float64, array_shapes(max_dims=3, max_side=4), elements=any_floats))
def test_numbers_are_kept_as_they_are_or_the_first_that_is_none_is_named(values):
    if np.isfinite(values).all():
        np.testing.assert_array_equal(as_numbers("A", values.tolist()), values)
        return
    first = next(place for place, value in np.ndenumerate(values) if not np.isfinite(value))
    with pytest.raises(ValueError) as caught:
        as_numbers("A", values.tolist())
    assert str(caught.value).startswith(f"A[{', '.join(map(str, first))}] is {values[first]}")


@given(st.lists(st.lists(st.integers(-9, 9), min_size=1, max_size=4), min_size=1, max_size=4))
def test_rows_of_one_length_are_a_matrix_and_others_are_refused(rows):
    if len({len(row) for row in rows}) == 1:
        assert as_matrix("A", rows).tolist() == rows
    else:
        with pytest.raises(ValueError, match="A is ragged"):
            as_matrix("A", rows)


@given(array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3))
def test_a_matrix_has_two_axes_and_something_in_it(shape):
    if len(shape) == 2 and 0 not in shape:
        assert as_matrix("A", np.zeros(shape)).shape == shape
    else:
        with pytest.raises(ValueError) as caught:
            as_matrix("A", np.zeros(shape))
        assert str(shape) in str(caught.value)


@given(st.one_of(st.integers(-5, 5), st.floats(-5, 5), st.text(max_size=3), st.booleans()))
def test_a_count_is_a_whole_number_from_1_on(value):
    if isinstance(value, int) and value >= 1:
        assert as_count("n", value) == value
    else:
        with pytest.raises((ValueError, TypeError), match=r"^n must be "):
            as_count("n", value)


@settings(deadline=None)
@given(matrices, st.integers(1, 6), st.integers(0, 2**32 - 1), st.sampled_from([1.0, 1e150, 1e300]))
def test_a_product_is_pytorchs_or_refused_when_it_overflows(left, columns, seed, size):
    right = np.random.default_rng(seed).normal(size=(left.shape[1], columns)) * size
    expected = (torch.from_numpy(left) @ torch.from_numpy(right)).numpy()
    try:
        result = product("A B", left, right)
    except ValueError as refusal:
        assert str(refusal).startswith("A B overflows: ")
        assert not np.isfinite(expected).all()
    else:
        np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-9 * np.abs(left).max() * np.abs(right).max())


@given(arrays(np.float64, 3, elements=any_floats))
def test_what_is_finite_passes_unchanged(values):
    if np.isfinite(values).all():
        assert finite("it", values) is values
    else:
        with pytest.raises(ValueError, match=r"^it overflows"):
            finite("it", values)
