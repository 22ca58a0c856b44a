"""Speculative decoding writes what the large model alone would write."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessons.language import learn_pieces, n_gram_bits_per_byte
from lessons.speculative import dice, every_draw, pair_shares, speculative, written

TEXT = "the model writes a word, and the model reads the word that it has written. the word is a word."


@st.composite
def distributions(draw, rows, size):
    """(rows, size): each row sums to 1, some of its shares may be 0."""
    weights = draw(st.lists(st.integers(0, 9), min_size=rows * size, max_size=rows * size))
    table = np.array(weights, dtype=float).reshape(rows, size)
    table[table.sum(axis=1) == 0, draw(st.integers(0, size - 1))] = 1
    return table / table.sum(axis=1, keepdims=True)


@given(distributions(rows=2, size=5))
def test_token_averaged_over_drafts_has_large_models_probability(pair):
    p, q = pair
    drafted = np.flatnonzero(q)
    assert np.allclose(sum(q[w] * speculative(p, q, w) for w in drafted), p)
    assert all(speculative(p, q, w)[w] == pytest.approx(min(1, p[w] / q[w])) for w in drafted)


@settings(deadline=None, max_examples=25)
@given(distributions(rows=3, size=3), distributions(rows=3, size=3), st.integers(0, 3))
def test_whole_text_keeps_large_models_probability(p, q, k):
    found = every_draw(
        lambda choose: tuple(written(lambda text: p[list(text)], lambda text: q[text[-1]], [0], 2, k, choose)[0])
    )
    assert math.isclose(sum(found.values()), 1)
    for a, b in itertools.product(range(3), repeat=2):
        assert math.isclose(found.get((a, b), 0.0), p[0, a] * p[a, b], abs_tol=1e-12)


@pytest.mark.parametrize(("drafted", "k", "passes"), [(1, 0, 6), (1, 1, 3), (1, 2, 2), (1, 8, 1), (2, 2, 6)])
def test_passes_are_counted(drafted, k, passes):
    ones = np.eye(3)[[1] * 16]
    found = written(lambda text: ones[: len(text)], lambda text: np.eye(3)[drafted], [0], 6, k, dice(0))
    assert found == ([1] * 6, passes)


def test_pairs_match_those_of_lesson_16():
    pieces = learn_pieces(TEXT, 270)
    ids, rest = (pieces.encode(text).ids for text in (TEXT, "a model has a word that ends."))
    shares = pair_shares(ids, 270)
    assert np.allclose(shares.sum(axis=1), 1)
    bits = -np.log2(shares[rest[:-1], rest[1:]]).sum() / len(pieces.decode(rest).encode())
    assert bits == pytest.approx(n_gram_bits_per_byte(pieces, TEXT, pieces.decode(rest), 2))


def test_draft_is_no_longer_than_the_missing_text():
    drafted = []
    ones = np.eye(3)[[1] * 16]
    written(lambda text: ones[: len(text)], lambda text: drafted.append(1) or np.eye(3)[1], [0], 6, 4, dice(0))
    assert len(drafted) == 4 + 1, "a pass of 4 + 1 tokens, then one of the last"
