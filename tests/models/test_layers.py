"""Masks, positions, embeddings, feed-forward and whole blocks, beside what lessons 04 to 10 compute by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.refused import refused
from utils.by_hand import masks as masks_by_hand
from utils.by_hand.positional import positional_encoding
from utils.models.config import BlockConfig, TransformerConfig
from utils.models.layers import (
    FeedForward,
    LearntPositions,
    SinusoidalPositions,
    TokenEmbedding,
)
from utils.models.masks import causal_mask, padding_mask
from utils.models.transformer import Transformer

seeds = st.integers(0, 2**32 - 1)


# --- by hand ----------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 6), min_size=1, max_size=5), st.integers(1, 6), st.integers(0, 5))
def test_masks_agree_with_those_by_hand(lengths, n, pad_id):
    n = max(n, *lengths, 1)
    ids = torch.full((len(lengths), n), pad_id)
    for row, length in enumerate(lengths):
        ids[row, :length] = pad_id + 1 + torch.arange(length)
    real = padding_mask(ids, pad_id)
    assert real.shape == (len(lengths), 1, 1, n)
    np.testing.assert_array_equal(real[:, 0, 0], masks_by_hand.padding_mask(lengths, n))
    np.testing.assert_array_equal(causal_mask(n), masks_by_hand.look_ahead_mask(n))
    np.testing.assert_array_equal((real & causal_mask(n))[:, 0], masks_by_hand.decoder_mask(lengths, n))


@given(st.integers(1, 6), st.integers(0, 6))
def test_new_tokens_see_the_old_ones(n, offset):
    np.testing.assert_array_equal(causal_mask(n, offset), masks_by_hand.look_ahead_mask(offset + n)[offset:])


def test_float32_positions_are_as_exact_as_float32_allows():
    np.testing.assert_allclose(SinusoidalPositions(5000, 64)(5000), positional_encoding(5000, 64), rtol=0, atol=6e-8)


# --- what came after 2017 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["relu", "swiglu"])
def test_each_network_matrix_starts_at_glorots_size(activation):
    torch.manual_seed(0)
    layer = FeedForward(BlockConfig(d_model=40, n_heads=1, d_ff=160, activation=activation))
    matrices = [parameter for parameter in layer.parameters() if parameter.ndim == 2]
    assert len(matrices) == {"relu": 2, "swiglu": 3}[activation]
    for W in matrices:
        assert W.abs().max().item() == pytest.approx((6 / 200) ** 0.5, rel=0.02)


# --- each by itself ---------------------------------------------------------------------------------------------


def test_embedding_starts_as_large_as_the_positions():
    """A deviation of d_model to the power of −½, which √d_model makes 1; positions that are learnt start smaller."""
    torch.manual_seed(0)
    d_model, ids = 256, torch.arange(400)[None]
    assert TokenEmbedding(400, d_model)(ids).std().item() == pytest.approx(1, rel=0.05)
    assert LearntPositions(400, d_model)(400).std().item() == pytest.approx(0.02, rel=0.05)
    sizes = {"n_heads": 1, "d_ff": 1, "n_encoder_layers": 1, "n_decoder_layers": 1}
    for tied in ("all", "output", "none"):
        model = Transformer(
            TransformerConfig(d_model=d_model, source_vocabulary=400, target_vocabulary=400, tied=tied, **sizes)
        )
        assert model.output.weight.std().item() == pytest.approx(d_model**-0.5, rel=0.05)


# --- refused ----------------------------------------------------------------------------------------------------


NO_IDS = [
    ("ids must be from 0 to 6", torch.tensor([[0, 7], [3, 1]])),
    ("ids must be a batch of sequences", torch.tensor([1, 2])),
]


@pytest.mark.parametrize(("sentence", "ids"), NO_IDS)
def test_embedding_refuses_invalid_ids(ids, sentence):
    assert sentence in refused(TokenEmbedding(7, 4), ids)


@pytest.mark.parametrize("kind", [SinusoidalPositions, LearntPositions])
def test_positions_past_the_maximum_are_refused(kind):
    positions = kind(6, 4)
    assert positions(4, 2).shape == (4, 4)
    assert "the sequence has 7 tokens" in refused(positions, 4, 3)
    assert positions(0).shape == positions(0, 6).shape == (0, 4)
    for n, offset in ((-1, 3), (2, -1)):
        assert "positions are counted from 0" in refused(positions, n, offset)
