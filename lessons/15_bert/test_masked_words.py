"""The word guesser of lesson 15: what is hidden, who may look where, what is kept, and that it can be done again."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from lessons import masked_words
from lessons.masked_words import (
    NOT_COUNTED,
    SEEDS,
    WAYS,
    WordGuesser,
    hide,
    mask_id,
    right_by_frequency,
    saved_shares,
    train_filled_in,
    unseen_sentences,
    words,
)
from utils.data.corpora import english_persian
from utils.data.vocabulary import END, PAD, START

IDS = torch.tensor([[START, 8, 9, 10, 11, END], [START, 12, END, PAD, PAD, PAD]])


@pytest.fixture(scope="module")
def filled_in():
    return train_filled_in(steps=3)


def test_words_alone_are_hidden_and_at_least_one_in_each_sentence():
    is_word = (IDS > END) & (IDS != PAD)
    for chance in range(50):
        read, hidden = hide(IDS, np.random.default_rng(chance))
        chosen = hidden != NOT_COUNTED
        assert chosen.any(dim=1).all() and not (chosen & ~is_word).any()
        assert torch.equal(hidden[chosen], IDS[chosen]) and torch.equal(read[~chosen], IDS[~chosen])


def test_of_ten_that_are_chosen_eight_are_masked_and_one_is_another_word():
    ids = torch.full((400, 12), 20)
    read, hidden = hide(ids, np.random.default_rng(0))
    chosen = hidden != NOT_COUNTED
    assert 0.13 < chosen.float().mean() < 0.22  # 0.15, and more where a sentence would have none
    assert 0.75 < (read[chosen] == mask_id()).float().mean() < 0.85
    others = read[chosen & (read != mask_id()) & (read != 20)]
    assert 0.06 < len(others) / chosen.sum() < 0.14 and others.min() > END and others.max() < mask_id()


@pytest.mark.parametrize("way", WAYS)
def test_who_may_look_to_the_right(way):
    torch.manual_seed(0)
    model = WordGuesser(30, way).eval()
    other = IDS.clone()
    other[0, 4] = 20
    with torch.no_grad():
        moved = (model(IDS) - model(other)).abs().amax(dim=-1)[0] > 1e-6  # (N,)
    assert moved.tolist() == ([True] * 6 if way == "both sides" else [False] * 4 + [True] * 2)


def test_what_is_kept_is_there_for_every_way_and_seed():
    shares = saved_shares()
    assert list(shares) == list(WAYS) and all(len(found) == len(SEEDS) for found in shares.values())
    assert all(right_by_frequency() < share < 1 for found in shares.values() for share in found)


def test_a_training_can_be_done_again(filled_in):
    assert train_filled_in(steps=3).losses == filled_in.losses
    assert 0 <= filled_in.right(unseen_sentences()[:5]) <= 1


def test_the_guesses_are_probabilities_of_words(filled_in):
    guesses = filled_in.guess("They [MASK] cold water.", most=len(words()) + 1)
    assert sum(p for _, p in guesses) == pytest.approx(1, abs=1e-5)
    assert {"drink", "the", "[MASK]"} <= {word for word, _ in guesses}


@pytest.mark.parametrize("sentence", ["They drink water.", "They [MASK] cold [MASK]."])
def test_one_word_is_asked_for(filled_in, sentence):
    with pytest.raises(ValueError, match=rf"^write \[MASK\] for one word: it is there {sentence.count('MASK')} times"):
        filled_in.guess(sentence)


def test_a_sentence_that_is_too_long_is_refused(filled_in):
    with pytest.raises(ValueError, match="may have 14 words and marks: this one has 16"):
        filled_in.guess("the " * 15 + "[MASK]")


def test_no_tested_sentence_was_trained_on():
    assert not {pair.source for pair in english_persian().train} & set(unseen_sentences())
    assert len(unseen_sentences()) == masked_words.TESTED
    most = words().tokens([END + 2])[0]
    every = [token for sentence in unseen_sentences() for token in masked_words.tokenize(sentence)]
    assert right_by_frequency() == every.count(most) / len(every)
