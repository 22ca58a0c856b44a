"""Multi-head attention: the notes' shapes, PyTorch's module with the same weights, and nonsense refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from utils.by_hand.attention import attention_steps
from utils.by_hand.multi_head import head_width, join_heads, multi_head_attention, split_heads

seeds = st.integers(0, 2**32 - 1)
few = st.integers(1, 6)


def close(a, b, tolerance=1e-12):
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance)


def matrices(random, N, d_model, n_heads, d_k, d_v):
    wide_k, wide_v = n_heads * d_k, n_heads * d_v
    shapes = ((N, d_model), (d_model, wide_k), (d_model, wide_k), (d_model, wide_v), (wide_v, d_model))
    return [random.normal(size=shape) for shape in shapes]


def test_the_dimensions_of_n1():
    assert head_width(512, 8) == 64
    steps = multi_head_attention(*matrices(np.random.default_rng(0), 3, 512, 8, 64, 64), n_heads=8)
    assert steps.weights.shape == (8, 3, 3)
    assert steps.heads.shape == (8, 3, 64)
    assert steps.joined.shape == (3, 8 * 64)
    assert steps.output.shape == (3, 512)


def test_head_1_gets_the_first_columns_of_every_token():
    heads = split_heads([[11, 12, 13, 14], [21, 22, 23, 24], [31, 32, 33, 34]], 2)
    np.testing.assert_array_equal(heads, [[[11, 12], [21, 22], [31, 32]], [[13, 14], [23, 24], [33, 34]]])


@given(few, few, few, seeds)
def test_join_undoes_split(N, n_heads, d_k, seed):
    Q = np.random.default_rng(seed).normal(size=(N, n_heads * d_k))
    heads = split_heads(Q, n_heads)
    by_loop = [Q[:, n * d_k : (n + 1) * d_k] for n in range(n_heads)]
    np.testing.assert_array_equal(heads, by_loop)
    np.testing.assert_array_equal(join_heads(heads), Q)


@settings(deadline=None)
@given(few, few, few, few, few, seeds)
def test_the_heads_are_attentions_of_their_own(N, d_model, n_heads, d_k, d_v, seed):
    X, W_Q, W_K, W_V, W_O = matrices(np.random.default_rng(seed), N, d_model, n_heads, d_k, d_v)
    steps = multi_head_attention(X, W_Q, W_K, W_V, W_O, n_heads)
    for n in range(n_heads):
        own = slice(n * d_k, (n + 1) * d_k)
        alone = attention_steps(X, W_Q[:, own], W_K[:, own], W_V[:, n * d_v : (n + 1) * d_v])
        close(steps.heads[n], alone.output)
        close(steps.weights[n], alone.weights)
    close(steps.output, sum(steps.heads[n] @ W_O[n * d_v : (n + 1) * d_v] for n in range(n_heads)), 1e-10)


@settings(deadline=None)
@given(few, few, few, few, few, seeds)
def test_the_loop_over_heads_equals_one_batched_product(N, d_model, n_heads, d_k, d_v, seed):
    X, W_Q, W_K, W_V, W_O = matrices(np.random.default_rng(seed), N, d_model, n_heads, d_k, d_v)
    q, k, v = (split_heads(X @ W, n_heads) for W in (W_Q, W_K, W_V))
    e = np.exp(q @ k.swapaxes(1, 2) / np.sqrt(d_k))
    batched = join_heads(e / e.sum(axis=2, keepdims=True) @ v)
    close(multi_head_attention(X, W_Q, W_K, W_V, W_O, n_heads).joined, batched)


@settings(deadline=None)
@given(st.integers(1, 9), few, few, st.booleans(), seeds)
def test_agrees_with_pytorch_with_the_same_weights(N, n_heads, d_k, masked, seed):
    random = np.random.default_rng(seed)
    d_model = n_heads * d_k
    X, W_Q, W_K, W_V, W_O = matrices(random, N, d_model, n_heads, d_k, d_k)
    mask = random.random((N, N)) < 0.6 if masked else None
    if masked:
        mask[:, 0] = True  # PyTorch answers a row without any True with NaN
    module = torch.nn.MultiheadAttention(d_model, n_heads, bias=False, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.from_numpy(np.hstack([W_Q, W_K, W_V]).T))
        module.out_proj.weight.copy_(torch.from_numpy(W_O.T))
        x = torch.from_numpy(X)[None]
        forbidden = None if mask is None else torch.from_numpy(~mask)
        output, weights = module(x, x, x, attn_mask=forbidden, average_attn_weights=False)
    steps = multi_head_attention(X, W_Q, W_K, W_V, W_O, n_heads, mask)
    close(steps.output, output[0].numpy(), 1e-9)
    close(steps.weights, weights[0].numpy(), 1e-9)


@given(st.integers(2, 6), few, few, seeds)
@settings(deadline=None)
def test_shuffled_tokens_give_the_shuffled_outputs(N, n_heads, d_k, seed):
    random = np.random.default_rng(seed)
    X, *weights = matrices(random, N, 4, n_heads, d_k, d_k)
    order = random.permutation(N)
    before, after = (multi_head_attention(x, *weights, n_heads).output for x in (X, X[order]))
    close(after, before[order], 1e-9)


def test_as_many_parameters_whatever_the_number_of_heads():
    counts = {
        sum(W.size for W in matrices(np.random.default_rng(0), 1, 12, h, 12 // h, 12 // h)[1:]) for h in (1, 2, 6)
    }
    assert counts == {4 * 12**2}


def test_nothing_that_is_passed_in_is_changed():
    given_ = matrices(np.random.default_rng(0), 3, 4, 2, 2, 2)
    copies = [m.copy() for m in given_]
    multi_head_attention(*given_, n_heads=2)
    for before, after in zip(copies, given_, strict=True):
        np.testing.assert_array_equal(before, after)


def test_a_token_that_may_look_at_nobody_gets_zeros():
    steps = multi_head_attention(np.eye(2), *[np.eye(2)] * 4, n_heads=2, mask=[[False, False], [True, True]])
    np.testing.assert_array_equal(steps.output[0], [0, 0])
    assert np.isfinite(steps.output).all()


@settings(deadline=None)
@given(*[arrays(np.float64, (2, 2), elements=st.floats(allow_nan=True, allow_infinity=True)) for _ in range(5)])
def test_never_a_silent_nan(X, W_Q, W_K, W_V, W_O):
    try:
        steps = multi_head_attention(X, W_Q, W_K, W_V, W_O, n_heads=2)
    except ValueError as error:
        assert str(error).endswith(".")
    else:
        assert np.isfinite(steps.output).all() and np.isfinite(steps.weights).all()


I4 = np.eye(4)


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (
            lambda: head_width(512, 7),
            ValueError,
            "d_model = 512 can't be shared evenly by 7 heads: 512/7 is not a whole number.",
        ),
        (lambda: head_width(4, 0), ValueError, "n_heads must be a whole number of at least 1: it is 0."),
        (lambda: head_width(4, 2.0), TypeError, "n_heads must be a whole number of at least 1: it is 2.0."),
        (
            lambda: split_heads(np.eye(4), 3),
            ValueError,
            "the width of Q = 4 can't be shared evenly by 3 heads: 4/3 is not a whole number.",
        ),
        (
            lambda: join_heads(I4),
            ValueError,
            "heads must be (heads, tokens, width), none of them 0: the shape is (4, 4).",
        ),
        (
            lambda: join_heads(np.zeros((2, 0, 2))),
            ValueError,
            "heads must be (heads, tokens, width), none of them 0: the shape is (2, 0, 2).",
        ),
        (
            lambda: multi_head_attention(I4, I4[:3], I4, I4, I4, 2),
            ValueError,
            "X W_Q needs as many columns in X as rows in W_Q: X has shape (4, 4), W_Q has shape (3, 4).",
        ),
        (
            lambda: multi_head_attention(I4, I4, I4, I4[:, :3], I4, 2),
            ValueError,
            "the width of X W_V = 3 can't be shared evenly by 2 heads: 3/2 is not a whole number.",
        ),
        (
            lambda: multi_head_attention(I4, I4, I4[:, :2], I4, I4, 2),
            ValueError,
            "queries and keys must be equally wide: Q has shape (2, 4, 2), K has shape (2, 4, 1).",
        ),
        (
            lambda: multi_head_attention(I4, I4, I4, I4[:, :2], I4, 2),
            ValueError,
            "C W_O needs as many columns in C as rows in W_O: C has shape (4, 2), W_O has shape (4, 4).",
        ),
        (
            lambda: multi_head_attention(1e200 * I4, 1e200 * I4, I4, I4, I4, 2),
            ValueError,
            "X W_Q overflows: some entry is beyond 1.8e308, the largest number that float64 holds.",
        ),
        (
            lambda: multi_head_attention(I4, I4, I4, I4, I4, 2, mask=np.ones((3, 4), dtype=bool)),
            ValueError,
            "mask must have a row per query and a column per key, (4, 4): its shape is (3, 4).",
        ),
    ],
)
def test_nonsense_is_refused_in_one_sentence(call, error, sentence):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == sentence


NAMES = ("X", "W_Q", "W_K", "W_V", "W_O")


def test_lists_are_welcome_everywhere():
    lists = [[[i, 1, 2, 3 - i] for i in range(4)] for _ in NAMES]
    by_lists, by_arrays = (multi_head_attention(*map(kind, lists), 2) for kind in (list, np.array))
    for name in ("weights", "heads", "joined", "output"):
        np.testing.assert_array_equal(getattr(by_lists, name), getattr(by_arrays, name))
    np.testing.assert_array_equal(split_heads(lists[0], 2), split_heads(np.array(lists[0]), 2))
    np.testing.assert_array_equal(join_heads([[[1, 2]], [[3, 4]]]), [[1, 2, 3, 4]])


@pytest.mark.parametrize("which", range(5))
def test_nan_is_named_where_it_stands(which):
    arrays = [I4.copy() for _ in NAMES]
    arrays[which][1, 2] = np.nan
    with pytest.raises(ValueError) as caught:
        multi_head_attention(*arrays, 2)
    assert str(caught.value) == f"{NAMES[which]}[1, 2] is nan: every entry must be a finite number."


@given(st.integers(-2, 40), st.integers(-2, 12))
def test_a_head_gets_its_whole_share_or_the_sentence_says_why_not(d_model, n_heads):
    if d_model >= 1 and n_heads >= 1 and d_model % n_heads == 0:
        assert head_width(d_model, n_heads) * n_heads == d_model
    else:
        with pytest.raises(ValueError, match=rf"{d_model}|{n_heads}"):
            head_width(d_model, n_heads)
