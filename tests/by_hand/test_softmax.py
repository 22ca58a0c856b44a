"""What lesson 06 says of the softmax: how spread its weights are, and how they answer to the scores."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.by_hand.checks import very_close as close
from tests.refused import refused
from utils.by_hand.attention import entropy, softmax, softmax_jacobian

scores = arrays(np.float64, st.integers(1, 9), elements=st.floats(-1e300, 1e300))
ordinary_scores = arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 9)), elements=st.floats(-30, 30))


# --- entropy ------------------------------------------------------------------------------------------------------


def test_entropy_matches_worked_examples():
    close(entropy([1, 0, 0]), 0)
    close(entropy([0.25] * 4), np.log(4))
    close(entropy([0, 0.5, 0.5]), np.log(2))
    close(entropy(softmax([2, 4, 4])), 0.885382, 5e-7)
    assert not np.signbit(entropy([1, 0]))


@given(ordinary_scores)
def test_entropy_agrees_with_pytorch(z):
    close(entropy(softmax(z)), torch.distributions.Categorical(logits=torch.from_numpy(z)).entropy().numpy(), 1e-10)


# --- the softmax's gradient -----------------------------------------------------------------------------------------


def test_tiny_gradient_keeps_its_digits():
    """1 − p would be 0 in float64 for a weight this near to 1."""
    tiny = 1e-30
    np.testing.assert_allclose(softmax_jacobian([1.0, tiny]), [[tiny, -tiny], [-tiny, tiny]], rtol=1e-12)


@settings(max_examples=50)
@given(ordinary_scores)
def test_softmax_gradient_agrees_with_pytorch(z):
    def of_one_row(row):
        return torch.softmax(row, dim=0)

    expected = torch.autograd.functional.jacobian(of_one_row, torch.from_numpy(z[0])).numpy()
    close(softmax_jacobian(softmax(z[0])), expected)


# --- one sentence for every kind of nonsense --------------------------------------------------------------------


NONSENSE = [
    ("weights[1] is negative", [0.5, -0.5, 1]),
    ("weights must sum to 1 along axis -1", [0.5, 0.4]),
]


@pytest.mark.parametrize("function", [entropy, softmax_jacobian])
@pytest.mark.parametrize(("sentence", "weights"), NONSENSE)
def test_softmax_refuses_bad_input(function, weights, sentence):
    assert sentence in refused(function, weights)
