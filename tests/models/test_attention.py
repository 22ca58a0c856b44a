"""Attention and its heads, beside test_parity.py: fewer keys, masks, and what is refused."""

from __future__ import annotations

import pytest
import torch

from tests.refused import refused
from utils.models.attention import MultiHeadAttention, attention_weights
from utils.models.cache import LayerCache


def queries_keys_values(batch, n_heads, n, m, d_k):
    return (torch.randn(batch, n_heads, length, d_k, dtype=torch.float64) for length in (n, m, m))


def test_fewer_keys_shrink_the_weights_and_the_cache():
    attention, cache = MultiHeadAttention(12, 6, n_key_value_heads=2), LayerCache()
    assert attention.project_in.weight.shape == (12 + 2 * 4, 12)
    with torch.no_grad():
        attention(torch.randn(3, 5, 12), cache=cache)
    assert cache.key.shape == cache.value.shape == (3, 2, 5, 2)
    for W in attention.project_in.weight.split([12, 4, 4]):  # each of Glorot's size by itself
        assert 0.8 * (6 / (12 + len(W))) ** 0.5 < W.abs().max().item() <= (6 / (12 + len(W))) ** 0.5


# --- masks, zeros and NaN ---------------------------------------------------------------------------------------


def test_row_that_allows_nothing_yields_zeros_and_finite_gradients():
    torch.manual_seed(0)
    query, key, value = (x.requires_grad_() for x in queries_keys_values(2, 3, 4, 5, 6))
    mask = torch.ones(2, 1, 4, 5, dtype=torch.bool)
    mask[1, :, 2] = False
    weights = attention_weights(query, key, mask)
    assert (weights[1, :, 2] == 0).all() and (weights[0] != 0).all()
    (weights @ value).square().sum().backward()
    assert all(torch.isfinite(x.grad).all() for x in (query, key, value))
    assert (query.grad[1, :, 2] == 0).all() and (query.grad[0] != 0).any()


def test_masked_nan_does_not_affect_the_weights():
    query, key, _ = queries_keys_values(2, 3, 4, 5, 6)
    key[..., 4, :] = torch.nan
    mask = torch.arange(5) < 4
    assert torch.equal(attention_weights(query, key, mask)[..., :4], attention_weights(query, key[..., :4, :]))


# --- refused ----------------------------------------------------------------------------------------------------


def test_attention_refuses_masks_that_do_not_fit():
    query, key, _ = queries_keys_values(2, 3, 4, 5, 6)
    for shape in ((5, 4), (3, 1, 1, 5)):
        assert "the mask must fit the scores" in refused(
            attention_weights, query, key, torch.ones(shape, dtype=torch.bool)
        )
    assert "the mask must be boolean" in refused(attention_weights, query, key, torch.zeros(4, 5))


@pytest.mark.parametrize("shapes", [[(2, 4, 6), (2, 5, 3)], [(2, 4, 6), (3, 5, 6)]])
def test_attention_refuses_queries_and_keys_that_do_not_fit(shapes):
    assert "query (…, N, d_k) and key" in refused(attention_weights, *map(torch.ones, shapes))
