"""The word guesser of lesson 15: what is hidden, who may look where, what is kept, and that it can be done again."""

from __future__ import annotations

import copy
from types import SimpleNamespace

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
from utils.data.vocabulary import END, PAD, START, tokenize

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


LOSSES = {"both sides": [5.39031, 5.33323, 5.27014], "left only": [5.40404, 5.34402, 5.26401]}


@pytest.mark.parametrize("way", WAYS)
def test_a_short_training_loses_what_it_lost_and_leaves_the_random_numbers_alone(way):
    before = torch.get_rng_state()
    assert train_filled_in(seed=1, way=way, steps=3).losses == pytest.approx(LOSSES[way], rel=3e-4)
    assert torch.equal(before, torch.get_rng_state())


def test_a_share_is_kept_of_all_unseen_sentences_after_the_long_training(monkeypatch):
    asked = []
    done = SimpleNamespace(right=lambda sentences: len(sentences) / 700)
    monkeypatch.setattr(masked_words, "train_filled_in", lambda *training: asked.append(training) or done)
    assert masked_words._share(2, "left only") == 0.5714 and asked == [(2, "left only", masked_words.STEPS)]


def test_each_token_is_hidden_in_turn_and_no_other(filled_in):
    sentences, hits = ["They drink water.", "Is it cold?", "The old dog."], []
    with torch.no_grad():
        # A model that has learnt nearly nothing is right nowhere: one that is pushed towards some words is, sometimes.
        filled_in = masked_words.FilledIn(copy.deepcopy(filled_in.model), [])
        filled_in.model.bias[words().ids(["they", "?", "dog"])] += torch.tensor([30.0, 29.9, 29.8])
        for sentence in sentences:
            ids = [START, *words().ids(tokenize(sentence)), END]
            for place in range(1, len(ids) - 1):
                hidden = torch.tensor([[*ids[:place], mask_id(), *ids[place + 1 :]]])
                hits.append(int(filled_in.model(hidden)[0, place].argmax()) == ids[place])
    assert len(hits) == 12 and 0 < sum(hits) < 12
    assert filled_in.right(sentences) == pytest.approx(sum(hits) / 12)


def test_the_likeliest_words_stand_at_the_place_of_the_mask(filled_in):
    ids = [START, *words().ids(["they"]), mask_id(), *words().ids(["cold", "water", "."]), END]
    with torch.no_grad():
        shares = filled_in.model(torch.tensor([ids]))[0, 2].softmax(-1)
    found = filled_in.guess("They [MASK] cold water.")
    assert [p for _, p in found] == pytest.approx(sorted(shares.tolist(), reverse=True)[:5])
    assert words().ids([word for word, _ in found]) == shares.topk(5).indices.tolist()
    longest = "the " * 13 + "[MASK]"
    assert len(filled_in.guess(longest, most=3)) == 3, "fourteen words are not too many"


def test_the_guesses_are_probabilities_of_words(filled_in):
    guesses = filled_in.guess("They [MASK] cold water.", most=len(words()) + 1)
    assert sum(p for _, p in guesses) == pytest.approx(1, abs=1e-5)
    assert {"drink", "the", "[MASK]"} <= {word for word, _ in guesses}


@pytest.mark.parametrize("sentence", ["They drink water.", "They [MASK] cold [MASK]."])
def test_one_word_is_asked_for(filled_in, sentence):
    with pytest.raises(ValueError, match=rf"^write \[MASK\] for one word: it is there {sentence.count('MASK')} times"):
        filled_in.guess(sentence)


def test_a_sentence_that_is_too_long_is_refused(filled_in):
    with pytest.raises(ValueError, match="may have 14 words and marks"):
        filled_in.guess("the " * 15 + "[MASK]")


def test_no_tested_sentence_was_trained_on():
    assert not {pair.source for pair in english_persian().train} & set(unseen_sentences())
    assert len(unseen_sentences()) == masked_words.TESTED
    most = words().tokens([END + 2])[0]
    every = [token for sentence in unseen_sentences() for token in masked_words.tokenize(sentence)]
    assert right_by_frequency() == every.count(most) / len(every)
