"""The decoder's own steps by hand, beside PyTorch and beside their definitions."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.refused import refused
from utils.by_hand.attention import softmax
from utils.by_hand.decoder import cross_attention, cross_entropy, log_softmax, next_word, shift_right

FEW = settings(max_examples=60)
NUMBERS = st.floats(-50, 50)


def _matrix(rows: int, columns: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, columns))


# --- cross-attention ---


@FEW
@given(st.integers(1, 5), st.integers(1, 6), st.integers(1, 4), st.integers(1, 4), st.integers(0, 99))
def test_cross_attention_matches_its_definition(M, N, d_model, d_k, seed):
    Y, E = _matrix(M, d_model, seed), _matrix(N, d_model, seed + 1)
    W_Q, W_K, W_V = _matrix(d_model, d_k, seed + 2), _matrix(d_model, d_k, seed + 3), _matrix(d_model, 3, seed + 4)
    output, weights = cross_attention(Y, E, W_Q, W_K, W_V)
    for i in range(M):
        e = np.array([np.exp((Y[i] @ W_Q) @ (E[j] @ W_K) / np.sqrt(d_k)) for j in range(N)])
        assert np.allclose(weights[i], e / e.sum(), rtol=0, atol=1e-12)
        assert np.allclose(output[i], sum(e[j] / e.sum() * (E[j] @ W_V) for j in range(N)), rtol=0, atol=1e-12)
    assert weights.shape == (M, N)


# --- the last step ---


@FEW
@given(arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 6)), elements=st.floats(-800, 800)))
def test_log_softmax_agrees_with_pytorch(z):
    for axis in (0, 1):
        expected = torch.log_softmax(torch.from_numpy(z), dim=axis).numpy()
        assert np.allclose(log_softmax(z, axis), expected, rtol=1e-12, atol=1e-12)


def test_next_word_is_read_at_the_last_position():
    H = np.array([[9.0, 0.0], [0.0, 1.0]])
    W = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 5.0]])
    step = next_word(H, W)
    assert step.logits.tolist() == [0.0, 2.0, 5.0]
    assert np.array_equal(step.probabilities, softmax(step.logits))
    assert np.array_equal(step.log_probabilities, log_softmax(step.logits))
    assert step.index == 2
    assert next_word(H[:1], W).index == 0
    assert next_word(np.ones((1, 1)), np.ones((1, 3))).index == 0  # of equals the first


# --- the loss ---


@FEW
@given(st.data(), st.integers(1, 6), st.integers(2, 7))
def test_cross_entropy_agrees_with_pytorch(data, M, V):
    logits = data.draw(arrays(np.float64, (M, V), elements=NUMBERS))
    words = data.draw(arrays(np.int64, M, elements=st.integers(0, V - 1)).filter(lambda w: (w != 0).any()))
    expected = torch.nn.functional.cross_entropy(torch.from_numpy(logits), torch.from_numpy(words), ignore_index=0)
    assert np.isclose(cross_entropy(logits, words), float(expected), rtol=1e-12, atol=1e-12)


# --- refused ---

NONSENSE = [
    ("words are the words alone", lambda: shift_right([4, 1])),
    ("words[1] must be from 0 to 2", lambda: cross_entropy(np.zeros((2, 3)), [1, 3])),
]


@pytest.mark.parametrize(("sentence", "call"), NONSENSE)
def test_decoder_refuses_bad_input(sentence, call):
    assert sentence in refused(call)
