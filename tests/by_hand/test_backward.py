"""The way back by hand: beside PyTorch's autograd and finite differences, and through whole trainings."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.by_hand.checks import close, seeds
from tests.by_hand.test_encoder import few, trained
from tests.refused import refused
from utils.by_hand.backward import (
    block_backward,
    block_of,
    cross_entropy_backward,
    look_up_backward,
    random_writer,
    softmax_backward,
    writer,
    writer_gradients,
)
from utils.by_hand.encoder import encoder_block
from utils.by_hand.masks import look_ahead_mask

READ, RIGHT = [0, 1, 2, 3, 4, 0, 5, 2], [1, 2, 3, 4, 0, 5, 2, 6]


def by_torch(X, w, n_heads, norm_first, mask):
    """The block of lesson 10 in PyTorch's own words, (N, d_model)."""

    def norm(x, n):
        return torch.nn.functional.layer_norm(x, x.shape[-1:], w[f"gamma_{n}"], w[f"beta_{n}"])

    def attention(x):
        q, k, v = ((x @ w[f"W_{n}"] + w[f"b_{n}"]).unflatten(-1, (n_heads, -1)).transpose(0, 1) for n in "QKV")
        heads = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask)
        return heads.transpose(0, 1).flatten(1) @ w["W_O"] + w["b_O"]

    def feed(x):
        return (x @ w["W_1"] + w["b_1"]).relu() @ w["W_2"] + w["b_2"]

    if norm_first:
        X = X + attention(norm(X, 1))
        return X + feed(norm(X, 2))
    X = norm(X + attention(X), 1)
    return norm(X + feed(X), 2)


def asking(p):
    return {name: torch.tensor(x, requires_grad=True) for name, x in p.items()}


@settings(max_examples=30)
@given(few, few, few, few, st.booleans(), st.booleans(), seeds)
def test_block_gradients_agree_with_autograd(N, n_heads, d_k, d_ff, norm_first, masked, seed):
    d_model = 2 * n_heads * d_k  # of two features a norm keeps the signs alone
    weights = trained(d_model, d_ff, seed)
    random = np.random.default_rng([seed, N])
    X, G = random.normal(size=(2, N, d_model))
    mask = (random.random((N, N)) < 0.6) | (np.arange(N) == 0) if masked else None  # PyTorch wants a True in each row
    steps = encoder_block(X, weights, n_heads, mask, norm_first)
    at_X, at_weights = block_backward(G, steps, weights)
    theirs, X_t = asking(asdict(weights)), torch.tensor(X, requires_grad=True)
    out = by_torch(X_t, theirs, n_heads, norm_first, None if mask is None else torch.tensor(mask))
    close(steps.output, out.detach(), 1e-9)
    out.backward(torch.tensor(G))
    close(at_X, X_t.grad, 1e-8)
    for name, x in theirs.items():
        close(getattr(at_weights, name), x.grad, 1e-8)


def torch_loss(p):
    X = by_torch(p["E"][READ], {**p, **dict.fromkeys(("b_Q", "b_K", "b_V", "b_O"), 0.0)}, 1, True,
                 torch.tensor(look_ahead_mask(len(READ))))  # fmt: skip
    return torch.nn.functional.cross_entropy(X @ p["W_U"], torch.tensor(RIGHT))


def test_training_curve_agrees_with_pytorch_to_the_end():
    ours = random_writer(7, 8, 16, seed=3)
    theirs = asking(ours)
    optimizer = torch.optim.SGD(theirs.values(), lr=0.3)
    for _ in range(60):
        loss = torch_loss(theirs)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        by_hand, at = writer_gradients(ours, READ, RIGHT)
        ours = {name: x - 0.3 * at[name] for name, x in ours.items()}
        assert abs(by_hand - loss.item()) < 1e-8
    assert by_hand < 0.05
    for name, x in theirs.items():
        close(ours[name], x.detach(), 1e-8)


def test_stopped_shortcut_passes_no_gradient_back():
    p = random_writer(7, 6, 5)
    steps, G = writer(p, READ, RIGHT).steps, np.random.default_rng(0).normal(size=(8, 6))
    whole, first, both = (block_backward(G, steps, block_of(p), by)[0] for by in ((1, 1), (0, 1), (0, 0)))
    after = whole - first  # what came past the attention
    assert np.abs(after - G).max() > 0.01 and np.abs(first - both).max() > 0.01
    close(block_backward(G, steps, replace(block_of(p), W_O=np.zeros((6, 6)), W_2=np.zeros((5, 6))))[0], G)


NONSENSE = [
    ("G must have shape", lambda: softmax_backward([1, 2], [[1.0]])),
    ("ids[0] must be from 0 to 1", lambda: look_up_backward([[1.0]], [3], 2)),
    ("words[0] must be from 0 to 1", lambda: cross_entropy_backward([[0.0, 1]], [2])),
]


@pytest.mark.parametrize(("sentence", "call"), NONSENSE)
def test_backward_refuses_bad_input(call, sentence):
    assert sentence in refused(call)
