"""The recurrent unit and the attention over its states: PyTorch's cell, loops, and invalid inputs."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.by_hand.checks import seeds
from tests.by_hand.checks import very_close as close
from tests.refused import refused
from utils.by_hand.seq2seq import Gates, additive_scores, attend, dot_scores, encode, gru_step

sizes = st.integers(1, 9)


def gates_of(random, d_x, d_h, size=1.0):
    shapes = ((d_x, 3 * d_h), (d_h, 3 * d_h), 3 * d_h, 3 * d_h)
    return Gates(*(size * random.normal(size=shape) for shape in shapes))


@settings(max_examples=60)
@given(sizes, sizes, seeds, st.sampled_from([1e-3, 1.0, 50.0]))
def test_gru_step_agrees_with_pytorchs_cell(d_x, d_h, seed, size):
    random = np.random.default_rng(seed)
    gates, x, h = gates_of(random, d_x, d_h, size), size * random.normal(size=d_x), random.normal(size=d_h)
    cell = torch.nn.GRUCell(d_x, d_h).double()
    with torch.no_grad():
        cell.weight_ih.copy_(torch.tensor(gates.W.T))
        cell.weight_hh.copy_(torch.tensor(gates.U.T))
        cell.bias_ih.copy_(torch.tensor(gates.b_W))
        cell.bias_hh.copy_(torch.tensor(gates.b_U))
        expected = cell(torch.tensor(x)[None], torch.tensor(h)[None])[0].numpy()
    close(gru_step(x, h, gates), expected, 1e-10)


def test_reading_takes_a_step_per_word_from_a_zero_state():
    random = np.random.default_rng(0)
    gates, X = gates_of(random, 4, 3), random.normal(size=(5, 4))
    h = np.zeros(3)
    for x, state in zip(X, encode(X, gates), strict=True):
        h = gru_step(x, h, gates)
        np.testing.assert_array_equal(state, h)


@settings(max_examples=60)
@given(sizes, sizes, sizes, sizes, seeds)
def test_scores_and_context_agree_with_loops(n, d_s, d_h, d_a, seed):
    random = np.random.default_rng(seed)
    shapes = ((d_s,), (n, d_h), (d_s, d_a), (d_h, d_a), (d_a,), (d_h,))
    s, H, W_s, W_h, v, same = (random.normal(size=shape) for shape in shapes)
    scores = [
        sum(
            v[a] * math.tanh(sum(s[i] * W_s[i, a] for i in range(d_s)) + sum(h[i] * W_h[i, a] for i in range(d_h)))
            for a in range(d_a)
        )
        for h in H
    ]
    close(additive_scores(s, H, W_s, W_h, v), scores, 1e-10)
    close(dot_scores(same, H), [sum(same[i] * h[i] for i in range(d_h)) for h in H], 1e-10)
    shares = [math.exp(score) / sum(map(math.exp, scores)) for score in scores]
    close(attend(H, scores).context, sum(share * h for share, h in zip(shares, H, strict=True)), 1e-10)


NONSENSE = [
    ("s must have shape", lambda: dot_scores([1, 2], np.ones((4, 3)))),
    ("W must have shape", lambda: Gates(np.ones((2, 5)), np.ones((2, 6)), np.ones(6), np.ones(6))),
]


@pytest.mark.parametrize(("sentence", "call"), NONSENSE)
def test_seq2seq_refuses_bad_input(call, sentence):
    assert sentence in refused(call)
