"""One block of the encoder: by definition, and nonsense refused; beside PyTorch it stands in test_backward.py."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.by_hand.checks import close, finite_or_refused, seeds
from tests.refused import refused
from utils.by_hand.encoder import (
    encoder_block,
    encoder_stack,
    random_encoder_weights,
    walk,
)
from utils.by_hand.normalization import layer_norm

few = st.integers(1, 5)


def trained(d_model, d_ff, seed):
    """Weights of which none is 0 or 1, with all biases."""
    random = np.random.default_rng(seed)
    start = random_encoder_weights(d_model, d_ff, seed)
    names = [f.name for f in fields(start) if getattr(start, f.name) is None]
    return replace(start, **{name: random.normal(1 if name.startswith("g") else 0, 0.3, d_model) for name in names})


# --- the block ---


@given(few, few, few, st.booleans(), seeds)
def test_every_step_follows_from_the_steps_before(N, n_heads, d_k, norm_first, seed):
    d_model, d_ff = n_heads * d_k, 7
    X, w = np.random.default_rng(seed).normal(size=(N, d_model)), trained(d_model, d_ff, seed)
    s = encoder_block(X, w, n_heads, norm_first=norm_first)

    def norm(x, number):
        return layer_norm(x, getattr(w, f"gamma_{number}"), getattr(w, f"beta_{number}"))

    close(s.X, X)
    close(s.attention_in, norm(X, 1) if norm_first else X)
    for made, W, b in ((s.Q, w.W_Q, w.b_Q), (s.K, w.W_K, w.b_K), (s.V, w.W_V, w.b_V)):
        close(made, s.attention_in @ W + b)
    for n in range(n_heads):
        own = slice(n * d_k, (n + 1) * d_k)
        close(s.scores[n], s.Q[:, own] @ s.K[:, own].T / np.sqrt(d_k))
        e = np.exp(s.scores[n])
        close(s.weights[n], e / e.sum(axis=1, keepdims=True))
        close(s.heads[n], s.weights[n] @ s.V[:, own])
    close(s.joined, np.hstack(list(s.heads)))
    close(s.attention, s.joined @ w.W_O + w.b_O)
    close(s.added_1, X + s.attention)
    close(s.feed_in, norm(s.added_1, 2 if norm_first else 1))
    close(s.hidden, s.feed_in @ w.W_1 + w.b_1)
    close(s.active, np.maximum(0, s.hidden))
    close(s.fed, s.active @ w.W_2 + w.b_2)
    close(s.added_2, (s.added_1 if norm_first else s.feed_in) + s.fed)
    close(s.output, s.added_2 if norm_first else norm(s.added_2, 2))


# --- the walk ---

POST = ["X", "queries", "keys", "values", "scores, head 2", "weights, head 2", "output, head 2", "concatenated"]
POST += ["attention", "add", "norm", "widened", "ReLU", "fed forward", "add", "norm"]


def test_walk_names_every_array_in_order_of_computation():
    X, w = np.random.default_rng(0).normal(size=(3, 4)), trained(4, 6, 0)
    post = encoder_block(X, w, 2)
    order = [post.X, post.Q, post.K, post.V, post.scores[1], post.weights[1], post.heads[1], post.joined]
    order += [post.attention, post.added_1, post.feed_in, post.hidden, post.active, post.fed, post.added_2, post.output]
    stages = walk(post, head=2)
    assert [stage.name for stage in stages] == POST
    for stage, values in zip(stages, order, strict=True):
        np.testing.assert_array_equal(stage.values, values)
    assert stages[14].formula == "a + fed forward"


# --- the stack ---


def test_block_output_is_input_of_the_next_block():
    X, blocks = np.random.default_rng(2).normal(size=(3, 4)), [random_encoder_weights(4, 5, seed) for seed in range(3)]
    steps = encoder_stack(X, iter(blocks), 2)
    assert len(steps) == 3
    for step, w in zip(steps, blocks, strict=True):
        np.testing.assert_array_equal(step.X, X)
        X = encoder_block(X, w, 2).output
        np.testing.assert_array_equal(step.output, X)


# --- nonsense ---

SMALL = random_encoder_weights(4, 6)
X_3 = np.ones((3, 4)) * np.arange(4)


NONSENSE = [
    ("d_model = 4 can't be shared evenly by 3", lambda: encoder_block(X_3, SMALL, 3)),
    (
        "mask must have a row per query and a column",
        lambda: encoder_block(X_3, SMALL, 2, mask=np.ones((2, 3), dtype=bool)),
    ),
    ("head must be at most 2", lambda: walk(encoder_block(X_3, SMALL, 2), 3)),
]


@pytest.mark.parametrize(("sentence", "call"), NONSENSE)
def test_encoder_refuses_bad_input(call, sentence):
    assert sentence in refused(call)


@settings(max_examples=60)
@given(st.lists(st.sampled_from([0.0, 1.0, -3.0, 1e-310, 1e150, -1e300, 1.7e308]), min_size=4, max_size=4), seeds)
def test_encoder_never_returns_silent_nan(row, seed):
    w = trained(4, 5, seed)
    for norm_first in (False, True):
        finite_or_refused(lambda: vars(encoder_block([row, row[::-1]], w, 2, norm_first=norm_first)).values())  # noqa: B023
