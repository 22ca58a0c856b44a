"""Lesson 03's saved trainings: kept as they come out now, texts tied and untied, steps between words."""

from __future__ import annotations

import numpy as np
import pytest

from lessons.no_negatives import (
    EVERY,
    PLANS,
    SEEDS,
    SHARED,
    outcome,
    steps_apart,
    stored_outcome,
    three_mers,
    trained,
    with_shared_word,
)
from lessons.protein_neighbours import STARTS, letters_apart, neighbours, stored_neighbours
from lessons.proteins import proteins
from utils.data.small_text import small_text, small_text_apart


def test_shared_word_precedes_every_fourth_word():
    assert with_shared_word([list("abcde"), ["f"], []]) == [[SHARED, *"abcd", SHARED, "e"], [SHARED, "f"], []]
    shared = with_shared_word(three_mers())
    assert [[word for word in sentence if word != SHARED] for sentence in shared] == three_mers()
    assert max(len(run) for s in shared for run in "".join("." if w == SHARED else "x" for w in s).split(".")) == EVERY


def test_separate_words_have_same_sentences_and_share_nothing():
    together, apart = small_text(), small_text_apart()
    assert [[word[:-1] for word in sentence] for sentence in apart] == together
    assert {word[-1] for sentence in apart for word in sentence} == set("12345678")
    assert all(len({word[-1] for word in sentence}) == 1 for sentence in apart)


def test_steps_are_counted_between_neighbours():
    steps = steps_apart(np.array([[0, 1], [1, 2], [4, 3]]), 6)
    assert steps[0].tolist() == [0, 1, 2, -1, -1, -1]
    assert steps[3].tolist() == [-1, -1, -1, 0, 1, -1] and steps[5].tolist() == [-1] * 5 + [0]
    np.testing.assert_array_equal(steps, steps.T)


def test_shuffled_contexts_keep_number_of_pairs_per_word():
    plan = PLANS["3-mers, contexts shuffled"]
    shuffled, _ = trained(plan.__class__("3-mers", 1, contexts_shuffled=True), 0)
    plain, _ = trained(plan.__class__("3-mers", 1), 0)
    np.testing.assert_array_equal(shuffled[:, 0], plain[:, 0])
    np.testing.assert_array_equal(np.sort(shuffled[:, 1]), np.sort(plain[:, 1]))
    assert (shuffled[:, 1] != plain[:, 1]).mean() > 0.9


@pytest.mark.parametrize("name", ["words", "3-mers"])
def test_stored_outcome_matches_training(name):
    now, stored = outcome(PLANS[name], seeds=SEEDS[-1:]), stored_outcome(name)
    np.testing.assert_allclose(now.loss[0], stored.loss[-1], atol=2e-3)
    np.testing.assert_allclose(now.cosine[0], stored.cosine[-1], atol=2e-2)
    np.testing.assert_allclose(now.error[0], stored.error[-1], atol=2e-3)
    for numbers, digits in ((now.loss, 4), (now.cosine, 3), (now.error, 4)):
        assert numbers == [round(numbers[0], digits)]


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
