"""Attention in chunks gives what the plain formula gives, and holds little at once."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.by_hand.checks import seeds
from tests.by_hand.checks import very_close as close
from utils.by_hand.attention import attend, scaled_dot_product_attention
from utils.by_hand.chunked import chunked_attention

MASKS = ("none", "some", "rows without any", "causal")


def inputs(n, m, d_k, d_v, seed, leading=()):
    random = np.random.default_rng(seed)
    shapes = ((n, d_k), (m, d_k), (m, d_v))
    return random, [random.normal(size=(*leading, *shape)) for shape in shapes]


def masked(kind, random, shape):
    if kind == "none":
        return None
    if kind == "causal":
        return np.tri(*shape[-2:], dtype=bool)
    mask = random.random(shape) < 0.4
    if kind == "rows without any":
        mask[..., ::2, :] = False
    return mask


@settings(max_examples=100)
@given(
    st.lists(st.integers(1, 3), max_size=2),
    *(st.integers(1, 9) for _ in range(5)),
    st.sampled_from(MASKS),
    st.booleans(),
    st.floats(-3, 3),
    seeds,
)
def test_chunked_attention_accepts_leading_axes(leading, n, m, d_k, d_v, chunk, kind, one_mask, scale, seed):
    random, (Q, K, V) = inputs(n, m, d_k, d_v, seed, leading)
    mask = masked(kind, random, (n, m) if one_mask else (*leading, n, m))
    expected = attend(Q, K, V, True if mask is None else mask, scale).output
    close(chunked_attention(Q, K, V, mask, scale, chunk), expected)


@pytest.mark.parametrize("chunk", [1, 3])
@pytest.mark.parametrize("far", [800.0, -800.0])
def test_chunked_attention_handles_scores_far_apart(chunk, far):
    """Where the maximum moves by more than an exponential can hold, what was before counts for nothing."""
    K = far * np.arange(7.0)[:, np.newaxis]
    V = np.random.default_rng(0).normal(size=(7, 2))
    for keys, values in ((K, V), (K[::-1], V[::-1])):
        expected = scaled_dot_product_attention([[1.0], [-1.0]], keys, values)[0]
        close(chunked_attention([[1.0], [-1.0]], keys, values, chunk=chunk), expected)


def most_held(compute):
    tracemalloc.start()
    compute()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_chunked_attention_uses_less_than_a_twentieth_of_the_plain_memory():
    """Measure at N = 4096, and plain attention at a quarter of it, where it holds N × N numbers several times over."""
    _, (Q, K, V) = inputs(4096, 4096, 64, 64, 0)
    quarter = most_held(lambda: scaled_dot_product_attention(Q[:1024], K[:1024], V[:1024]))
    assert quarter > 3 * 1024 * 1024 * 8
    assert most_held(lambda: chunked_attention(Q, K, V)) < 0.05 * 16 * quarter


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"chunk": 0}, "chunk must be a whole number of at least 1: it is 0"),
        ({"Q": np.full((3, 2), 1e200), "K": np.full((4, 2), 1e200)}, "QKᵀ overflows"),
    ],
)  # fmt: skip
def test_chunked_attention_refuses_what_does_not_fit(arguments, sentence):
    fitting = {"Q": np.ones((3, 2)), "K": np.ones((4, 2)), "V": np.ones((4, 1))}
    with pytest.raises(ValueError, match=sentence):
        chunked_attention(**{**fitting, **arguments})
