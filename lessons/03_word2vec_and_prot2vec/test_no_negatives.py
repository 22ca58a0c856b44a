"""Lesson 03's saved trainings: reproducible, and texts with a shared word."""

from __future__ import annotations

import numpy as np

from lessons.no_negatives import (
    EVERY,
    PLANS,
    SEEDS,
    SHARED,
    outcome,
    stored_outcome,
    three_mers,
    with_shared_word,
)
from lessons.protein_neighbours import STARTS, letters_apart, neighbours, stored_neighbours
from lessons.proteins import proteins


def test_shared_word_precedes_every_fourth_word():
    assert with_shared_word([list("abcde"), ["f"], []]) == [[SHARED, *"abcd", SHARED, "e"], [SHARED, "f"], []]
    shared = with_shared_word(three_mers())
    assert [[word for word in sentence if word != SHARED] for sentence in shared] == three_mers()
    assert max(len(run) for s in shared for run in "".join("." if w == SHARED else "x" for w in s).split(".")) == EVERY


def test_stored_outcome_matches_training():
    name = "words"
    now, stored = outcome(PLANS[name], seeds=SEEDS[-1:]), stored_outcome(name)
    np.testing.assert_allclose(now["loss"][0], stored.loss[-1], atol=2e-3)
    np.testing.assert_allclose(now["cosine"][0], stored.cosine[-1], atol=2e-2)
    np.testing.assert_allclose(now["error"][0], stored.error[-1], atol=2e-3)


def test_stored_neighbours_match_training():
    stored = stored_neighbours()
    assert len(stored) == STARTS and all(len(found) == 10 for found in stored)
    now = neighbours(0)
    assert now[:5] == stored[0][:5]
    assert all(found[i] != i for found in stored for i in range(10))


def test_distance_of_letters_is_counted_within_a_protein():
    alpha, beta = (protein.sequence for protein in proteins()[:2])
    words = [alpha[:3], alpha[3:6], alpha[7:10], beta[:3], "GKV", "XXX"]
    apart = letters_apart(words)
    assert "".join(protein.sequence for protein in proteins()).count("GKV") > 1
    assert apart[0, [1, 2]].tolist() == [3, 7] and apart[2, [0, 1]].tolist() == [-7, -4]
    assert np.isinf(apart[3, :3]).all() and np.isinf(apart[:3, 3]).all()
    assert np.isnan(apart[4:]).all() and np.isnan(apart[:, 4:]).all() and np.isnan(np.diag(apart)).all()
