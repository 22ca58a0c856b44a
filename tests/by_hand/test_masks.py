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


NONSENSE = [
    ("lengths[1] is 5", lambda: padding_mask([3, 5], 4)),
    ("allowed must be boolean", lambda: additive_mask([[1, 0]])),
]


@pytest.mark.parametrize(("sentence", "call"), NONSENSE)
def test_masks_refuse_bad_input(call, sentence):
    assert sentence in refused(call)
