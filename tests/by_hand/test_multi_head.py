"""Multi-head attention: agreement with PyTorch's module with the same weights, and invalid inputs."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.by_hand.checks import any_floats, finite_or_refused, seeds
from tests.by_hand.checks import very_close as close
from tests.refused import refused
from utils.by_hand.multi_head import head_width, multi_head_attention

few = st.integers(1, 6)


def matrices(random, N, d_model, n_heads, d_k, d_v):
    wide_k, wide_v = n_heads * d_k, n_heads * d_v
    shapes = ((N, d_model), (d_model, wide_k), (d_model, wide_k), (d_model, wide_v), (wide_v, d_model))
    return [random.normal(size=shape) for shape in shapes]


@given(st.integers(1, 9), few, few, st.booleans(), seeds)
def test_multi_head_agrees_with_pytorch_on_same_weights(N, n_heads, d_k, masked, seed):
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


@given(arrays(np.float64, (5, 2, 2), elements=any_floats))
def test_multi_head_never_returns_silent_nan(matrices):
    finite_or_refused(lambda: vars(multi_head_attention(*matrices, n_heads=2)).values())


I4 = np.eye(4)


NONSENSE = [
    ("d_model = 512 can't be shared evenly by 7", lambda: head_width(512, 7)),
    (
        "mask must have a row per query and a column",
        lambda: multi_head_attention(I4, I4, I4, I4, I4, 2, mask=np.ones((3, 4), dtype=bool)),
    ),
]


@pytest.mark.parametrize(("sentence", "call"), NONSENSE)
def test_multi_head_refuses_bad_input(call, sentence):
    assert sentence in refused(call)
