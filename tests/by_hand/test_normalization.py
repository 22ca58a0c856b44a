"""The norms of lesson 09: note N4's digits, PyTorch's functions, the extremes, and nonsense."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.by_hand.checks import close, finite_or_refused, seeds
from tests.refused import refused
from utils.by_hand.normalization import batch_norm, layer_norm, layer_norm_backward, min_max, z_score

N4 = [[0.1, 0.2, 0.3], [0.4, 0.2, 0.3]]
SIGNS = np.array([[-1, 0, 1], [1, -1, 0]])


# --- the notes' numbers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "largest"),
    [
        ({"eps": 0}, 1.224745),
        ({"eps": 1e-5, "eps_inside": False}, 1.224595),
        ({"eps": 1e-5, "eps_inside": True}, 1.223827),
    ],
)
def test_four_variants_match_n4(options, largest):
    close(layer_norm(N4, **options), largest * SIGNS, 5e-7)


def test_unbiased_z_score_gives_ones():
    close(z_score(N4, unbiased=True), SIGNS)


# --- beside PyTorch ---------------------------------------------------------------------------------------------

sizes = st.integers(1, 24)
epsilons = st.sampled_from([1e-12, 1e-5, 1e-2, 1.0])


@settings(max_examples=100)
@given(sizes, sizes, epsilons, st.floats(-6, 6), seeds)
def test_normalization_agrees_with_pytorch(n, m, eps, power, seed):
    random = np.random.default_rng(seed)
    x = 10**power * (random.normal(size=(n, m)) + random.normal(size=(n, 1)))
    gamma, beta = random.normal(size=m), random.normal(size=m)
    x_t, gamma_t, beta_t = map(torch.from_numpy, (x, gamma, beta))
    expected = torch.nn.functional.layer_norm(x_t, (m,), gamma_t, beta_t, eps).numpy()
    close(layer_norm(x, gamma, beta, eps), expected, 1e-7)
    if n > 1:
        expected = torch.nn.functional.batch_norm(x_t, None, None, gamma_t, beta_t, training=True, eps=eps).numpy()
        close(batch_norm(x, gamma, beta, eps), expected, 1e-7)


@settings(max_examples=60)
@given(sizes, st.integers(2, 24), epsilons, seeds)
def test_normalization_gradient_agrees_with_autograd(n, m, eps, seed):
    random = np.random.default_rng(seed)
    x, g = random.normal(size=(n, m)), random.normal(size=(n, m))
    x_t = torch.from_numpy(x).requires_grad_()
    torch.nn.functional.layer_norm(x_t, (m,), eps=eps).backward(torch.from_numpy(g))
    close(layer_norm_backward(g, x, eps), x_t.grad.numpy(), 1e-8)


def test_leading_axes_are_treated_as_a_batch():
    x, g = np.random.default_rng(0).normal(size=(2, 2, 3, 5))
    gain_and_bias = np.arange(5), np.ones(5)
    close(layer_norm(x, *gain_and_bias), [[layer_norm(row, *gain_and_bias) for row in rows] for rows in x])
    flat = layer_norm_backward(g.reshape(6, 5), x.reshape(6, 5))
    close(layer_norm_backward(g, x), flat.reshape(2, 3, 5))


# --- at the extremes -------------------------------------------------------------------------------------------


@given(arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 5)), elements=st.floats()), epsilons)
def test_normalization_never_returns_silent_nan(x, eps):
    for function in (layer_norm, batch_norm, min_max, z_score, lambda x: layer_norm_backward(np.ones_like(x), x, eps)):
        finite_or_refused(lambda: function(x))  # noqa: B023


def test_equal_numbers_have_no_spread_despite_rounding():
    np.testing.assert_array_equal(layer_norm([0.1, 0.1, 0.1]), [0, 0, 0])
    np.testing.assert_array_equal(layer_norm([[1e300] * 3, [5e-324] * 3]), np.zeros((2, 3)))


# --- one sentence for every kind of nonsense --------------------------------------------------------------------


NONSENSE = [
    ("eps must be at least 0", lambda: layer_norm(N4, eps=-1e-5)),
    ("x[1, :] has no spread", lambda: layer_norm([[1, 2], [4, 4]], eps=0)),
    ("the unbiased deviation needs two numbers or", lambda: z_score([[1], [2]], unbiased=True)),
]


@pytest.mark.parametrize(("sentence", "call"), NONSENSE)
def test_normalization_refuses_bad_input(call, sentence):
    assert sentence in refused(call)
