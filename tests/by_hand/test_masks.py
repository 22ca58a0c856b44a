"""The masks of lesson 08: the notes' matrices, PyTorch's causal mask, brute force, and nonsense refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.by_hand.checks import seeds
from tests.refused import refused
from utils.by_hand.attention import scaled_dot_product_attention
from utils.by_hand.masks import additive_mask, decoder_mask, look_ahead_mask, padding_mask

few = st.integers(1, 9)


def test_padding_mask_matches_n4():
    ids = np.array([1, 8, 7, 17, 170, 170, 170, 170, 170, 170])
    np.testing.assert_array_equal(padding_mask([4], 10), [ids != 170])


@given(st.lists(st.integers(0, 8), min_size=1, max_size=5), st.integers(0, 3))
def test_padding_and_combined_masks_match_their_definition(lengths, more):
    N = max(1, max(lengths)) + more
    expected = [[j < length for j in range(N)] for length in lengths]
    np.testing.assert_array_equal(padding_mask(lengths, N), expected)
    both = [[[j <= i and j < length for j in range(N)] for i in range(N)] for length in lengths]
    np.testing.assert_array_equal(decoder_mask(lengths, N), both)


@given(few, few, seeds)
def test_masked_attention_agrees_with_pytorchs_causal_attention(N, d_k, seed):
    Q, K, V = np.random.default_rng(seed).normal(size=(3, N, d_k))
    output, _ = scaled_dot_product_attention(Q, K, V, look_ahead_mask(N))
    tensors = (torch.from_numpy(t)[None] for t in (Q, K, V))
    expected = torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=True)[0].numpy()
    np.testing.assert_allclose(output, expected, rtol=0, atol=1e-10)
    square = torch.nn.Transformer.generate_square_subsequent_mask(N, dtype=torch.float64).numpy()
    np.testing.assert_array_equal(additive_mask(look_ahead_mask(N)), square)
    np.testing.assert_array_equal(additive_mask(look_ahead_mask(N), -1e4), np.maximum(square, -1e4))


@given(st.integers(2, 8), st.floats(-1e100, 1e100), seeds)
def test_look_ahead_mask_hides_the_future(N, loud, seed):
    random = np.random.default_rng(seed)
    Q, K, V = random.normal(size=(3, N, 3))
    other_K, other_V = K.copy(), V.copy()
    other_K[-1], other_V[-1] = loud, -loud
    before, after = (scaled_dot_product_attention(Q, *kv, look_ahead_mask(N))[0] for kv in ((K, V), (other_K, other_V)))
    np.testing.assert_array_equal(before[:-1], after[:-1])


NONSENSE = [
    ("n_tokens must be a whole number of at least", lambda: look_ahead_mask(-1)),
    ("lengths[1] must be at least 0", lambda: padding_mask([1, -2])),
    ("lengths must be whole numbers", lambda: padding_mask([1.5])),
    ("lengths[1] is 5", lambda: padding_mask([3, 5], 4)),
    ("lengths must hold a length for each sentence", lambda: padding_mask([])),
    ("allowed must be boolean", lambda: additive_mask([[1, 0]])),
]


@pytest.mark.parametrize(("sentence", "call"), NONSENSE)
def test_masks_refuse_bad_input(call, sentence):
    assert sentence in refused(call)
