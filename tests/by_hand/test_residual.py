"""The stacks of lesson 09: by hand beside PyTorch's autograd, what the lesson measures, and nonsense."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.by_hand.checks import seeds
from tests.refused import refused
from utils.by_hand.residual import ARRANGEMENTS, random_stack, run_stack, stack_gradients


def size(a):
    return np.sqrt((a**2).mean())


def torch_layer(x, W, arrangement):
    def norm(y):
        return torch.nn.functional.layer_norm(y, y.shape[-1:])

    return {
        "plain": lambda: torch.tanh(x @ W),
        "residual": lambda: x + torch.tanh(x @ W),
        "post-norm": lambda: norm(x + torch.tanh(x @ W)),
        "pre-norm": lambda: x + torch.tanh(norm(x) @ W),
    }[arrangement]()


@settings(max_examples=80)
@given(
    st.sampled_from(ARRANGEMENTS),
    st.integers(1, 6),
    st.integers(1, 5),
    st.integers(2, 8),
    st.floats(0.1, 2),
    seeds,
)
def test_residual_gradients_agree_with_autograd(arrangement, depth, n, d, gain, seed):
    random = np.random.default_rng(seed)
    X, G = random.normal(size=(n, d)), random.normal(size=(n, d))
    weights = random_stack(depth, d, gain, seed)
    W_t = torch.from_numpy(weights).requires_grad_()
    states = [torch.from_numpy(X).requires_grad_()]
    for W in W_t:
        states.append(torch_layer(states[-1], W, arrangement))
        states[-1].retain_grad()
    states[-1].backward(torch.from_numpy(G))
    by_hand = stack_gradients(X, weights, arrangement, G)
    for ours, theirs in zip(run_stack(X, weights, arrangement), states, strict=True):
        np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=1e-7, atol=1e-9)
    for ours, theirs in zip(by_hand.states, states, strict=True):
        np.testing.assert_allclose(ours, theirs.grad.numpy(), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(by_hand.weights, W_t.grad.numpy(), rtol=1e-6, atol=1e-7)


def test_first_layers_are_the_same_at_every_depth():
    np.testing.assert_array_equal(random_stack(2, 5), random_stack(7, 5)[:2])
    assert random_stack(200, 16).std() == pytest.approx(1 / np.sqrt(3 * 16), rel=0.02)


X2, W2 = np.eye(2), np.ones((3, 2, 2))


NONSENSE = [
    ("the arrangement must be one of plain", lambda: run_stack(X2, W2, "skip")),
    ("xW overflows", lambda: run_stack([[1e300, 1]], 1e300 * W2, "plain")),
]


@pytest.mark.parametrize(("sentence", "call"), NONSENSE)
def test_residual_refuses_bad_input(call, sentence):
    assert sentence in refused(call)
