"""What every function by hand does first: read what was typed as float64, or say why it is none."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from tests.by_hand.checks import any_floats
from tests.refused import refused
from utils.by_hand.arrays import product, require_matrix, require_numbers, require_wholes
from utils.by_hand.attention import attention_steps
from utils.by_hand.backward import BLOCK
from utils.by_hand.chunked import chunked_attention
from utils.by_hand.encoder import EncoderWeights, encoder_block
from utils.by_hand.multi_head import multi_head_attention
from utils.by_hand.normalization import batch_norm, layer_norm, layer_norm_backward, min_max
from utils.by_hand.positional import add_positions, encode_positions

matrices = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.floats(-1e300, 1e300))


@given(arrays(np.float64, array_shapes(max_dims=3, max_side=4), elements=any_floats))
def test_array_keeps_numbers_and_names_the_first_invalid_entry(values):
    if np.isfinite(values).all():
        np.testing.assert_array_equal(require_numbers("A", values.tolist()), values)
        return
    first = next(place for place, value in np.ndenumerate(values) if not np.isfinite(value))
    said = refused(require_numbers, "A", values.tolist())
    assert said.startswith(f"A[{', '.join(map(str, first))}] is {values[first]}")


@given(st.lists(st.lists(st.integers(-9, 9), min_size=1, max_size=4), min_size=1, max_size=4))
def test_rows_of_equal_length_form_a_matrix_and_others_are_refused(rows):
    if len({len(row) for row in rows}) == 1:
        assert require_matrix("A", rows).tolist() == rows
    else:
        with pytest.raises(ValueError, match="A is ragged"):
            require_matrix("A", rows)


@given(array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3))
def test_matrix_must_have_two_axes_and_an_entry(shape):
    if len(shape) == 2 and 0 not in shape:
        assert require_matrix("A", np.zeros(shape)).shape == shape
    else:
        assert str(shape) in refused(require_matrix, "A", np.zeros(shape))


NO_WHOLE_NUMBERS = [
    ("n[0, 1] must be from 0 to 2", ([[0, 3]], {"most": 2})),
    ("n must have shape (any, 2)", ([1, 2], {"shape": (None, 2)})),
]


@pytest.mark.parametrize(("sentence", "given"), NO_WHOLE_NUMBERS)
def test_whole_numbers_are_accepted_in_arrays(given, sentence):
    value, options = given
    assert sentence in refused(require_wholes, "n", value, **options)
    assert require_wholes("n", [[0, 2]], (None, 2), most=2).tolist() == [[0, 2]]
    assert require_wholes("n", [], (None,)).dtype == np.int64


@given(matrices, st.integers(1, 6), st.integers(0, 2**32 - 1), st.sampled_from([1.0, 1e150, 1e300]))
def test_product_agrees_with_pytorch_or_is_refused_on_overflow(left, columns, seed, size):
    right = np.random.default_rng(seed).normal(size=(left.shape[1], columns)) * size
    expected = (torch.from_numpy(left) @ torch.from_numpy(right)).numpy()
    try:
        result = product(A=left, B=right)
    except ValueError as refusal:
        assert str(refusal).startswith("A B overflows: ")
        assert not np.isfinite(expected).all()
    else:
        np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-9 * np.abs(left).max() * np.abs(right).max())


def test_tensor_with_gradient_is_refused_with_the_remedy():
    with pytest.raises(TypeError, match="this tensor requires a gradient"):
        require_matrix("Q", torch.ones(2, 2, requires_grad=True))
    assert require_matrix("Q", torch.ones(2, 2, requires_grad=True).detach()).shape == (2, 2)


VECTORS = {name: np.ones(4) for name in BLOCK if name[0] in "bg"}


def frozen(*shape):
    numbers = np.random.default_rng(0).normal(size=shape)
    numbers.setflags(write=False)
    return numbers


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: attention_steps(x, x, x, x),
        lambda x: chunked_attention(x, x, x, chunk=2),
        lambda x: multi_head_attention(x, x, x, x, x, n_heads=2),
        lambda x: encoder_block(x, EncoderWeights(**dict.fromkeys(BLOCK, x) | VECTORS), n_heads=2),
        lambda x: [layer_norm(x), batch_norm(x), min_max(x), layer_norm_backward(x, x)],
        lambda x: [add_positions(x), encode_positions(x[0], 4)],
    ],
)
def test_arguments_are_never_modified(compute):
    compute(frozen(4, 4))
