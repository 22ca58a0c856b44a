"""The reviews say what their labels say, the held-out ones are new, and a reader that learns from them looks right."""

from __future__ import annotations

import numpy as np
import pytest

from lessons import reviews as reviews_module
from lessons.review_reader import train_reader
from lessons.reviews import (
    BAD,
    GOOD,
    NOT_MENTIONED,
    SLIDE,
    TASKS,
    held_out_reviews,
    is_held_out,
    training_reviews,
    vocabulary,
    words_of,
)

THINGS = {word: subject for subject, words in reviews_module._THINGS.items() for word in words}
GOOD_WORDS = {w for good, _ in (*reviews_module._OWN.values(), reviews_module._GENERAL) for w in good}
GOOD_WORDS |= set(reviews_module._BEST.values())
BAD_WORDS = {w for _, bad in (*reviews_module._OWN.values(), reviews_module._GENERAL) for w in bad}


@pytest.fixture(scope="module")
def trained():
    """Reviews to train on, of which a part is as good as fewer drawn by themselves."""
    return training_reviews(4000)


def pairs_of(review):
    """(thing, judgement) of each clause."""
    for places in review.clauses.values():
        clause = [review.words[i] for i in places]
        thing = next(word for word in clause if word in THINGS)
        yield thing, next(word for word in clause if word in {*GOOD_WORDS, *BAD_WORDS, "beaten"})


def test_each_clause_matches_its_label(trained):
    for review in (*trained[:300], *held_out_reviews(100)):
        assert [task in review.clauses for task in TASKS] == [label != NOT_MENTIONED for label in review.labels]
        for subject, places in review.clauses.items():
            clause = [review.words[i] for i in places]
            assert {THINGS[word] for word in clause if word in THINGS} == {subject}
            good = bool(GOOD_WORDS & set(clause)) != ("not" in clause) or "can't" in clause
            if subject in TASKS:
                assert review.labels[TASKS.index(subject)] == (GOOD if good else BAD), clause


def test_held_out_pairs_are_not_in_training(trained):
    pairs = {pair for review in trained for pair in pairs_of(review)}
    held_out = {pair for review in held_out_reviews(300) for pair in pairs_of(review)}
    assert held_out and not pairs & held_out
    words = {word for pair in pairs for word in pair}
    assert {word for pair in held_out for word in pair} <= words, "each word by itself has been trained"
    share = np.mean([is_held_out(thing, word) for thing in THINGS for word in GOOD_WORDS | BAD_WORDS])
    assert 0.1 < share < 0.3


def test_vocabulary_knows_every_word_including_the_slides(trained):
    known = vocabulary()
    for review in (*trained[:1000], *held_out_reviews(300)):
        assert all(word in known for word in review.words)
    assert all(word in known for word in words_of(SLIDE))
    assert words_of(SLIDE) not in [list(review.words) for review in trained]


# --- the reader ---


@pytest.fixture(scope="module")
def reader():
    """Hardly trained: what training comes to, the lesson's claims say."""
    return train_reader(seed=1, steps=20)


def test_reader_reads_unknown_words_and_refuses_empty_or_long_reviews(reader):
    reading = reader.read("Zebra quixotic staff were rude", "service")
    assert reading.words == ("zebra", "quixotic", "staff", "were", "rude")
    assert reading.weights.sum() == pytest.approx(1) and reading.shares.sum() == pytest.approx(1)
    for review, sentence in (("  ", "no word to read"), ("a " * 401, "400 words")):
        with pytest.raises(ValueError, match=sentence):
            reader.read(review, "service")


def test_short_training_reproduces_recorded_result():
    shares, weights = train_reader(seed=3, steps=3).read_all([["the", "staff", "was", "rude", ".", "zebra"]])
    np.testing.assert_allclose(shares[0, 2], [0.3635, 0.34116, 0.29534], atol=1e-3)
    np.testing.assert_allclose(weights[0, 2], [0.2417, 0.169, 0.17789, 0.14455, 0.1069, 0.15997], atol=1e-3)
