"""One block of the encoder: its walk, and invalid inputs. test_backward.py compares it with PyTorch."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.by_hand.checks import finite_or_refused, seeds
from tests.refused import refused
from utils.by_hand.encoder import (
    encoder_block,
    random_encoder_weights,
    walk,
)

few = st.integers(1, 5)


def trained(d_model, d_ff, seed):
    """Weights of which none is 0 or 1, with all biases."""
    random = np.random.default_rng(seed)
    start = random_encoder_weights(d_model, d_ff, seed)
    names = [f.name for f in fields(start) if getattr(start, f.name) is None]
    return replace(start, **{name: random.normal(1 if name.startswith("g") else 0, 0.3, d_model) for name in names})


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
