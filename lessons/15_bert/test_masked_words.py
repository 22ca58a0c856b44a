"""The word guesser of lesson 15: what is hidden, who may look where, what is kept, and that it can be done again."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from lessons import masked_words
from lessons.masked_words import (
    NOT_COUNTED,
    WAYS,
    WordGuesser,
    hide,
    mask_id,
    right_by_frequency,
    train_filled_in,
    unseen_sentences,
    words,
)
from utils.data.vocabulary import END, PAD, START, tokenize

IDS = torch.tensor([[START, 8, 9, 10, 11, END], [START, 12, END, PAD, PAD, PAD]])


@pytest.fixture(scope="module")
def filled_in():
    return train_filled_in(steps=3)


def test_only_words_are_hidden_and_at_least_one_per_sentence():
    is_word = (IDS > END) & (IDS != PAD)
    for chance in range(50):
        read, hidden = hide(IDS, np.random.default_rng(chance))
        chosen = hidden != NOT_COUNTED
        assert chosen.any(dim=1).all() and not (chosen & ~is_word).any()
        assert torch.equal(hidden[chosen], IDS[chosen]) and torch.equal(read[~chosen], IDS[~chosen])


def test_hide_masks_eight_out_of_ten_and_changes_one():
    ids = torch.full((400, 12), 20)
    read, hidden = hide(ids, np.random.default_rng(0))
    chosen = hidden != NOT_COUNTED
    assert 0.13 < chosen.float().mean() < 0.22  # 0.15, and more where a sentence would have none
    assert 0.75 < (read[chosen] == mask_id()).float().mean() < 0.85
    others = read[chosen & (read != mask_id()) & (read != 20)]
    assert 0.06 < len(others) / chosen.sum() < 0.14 and others.min() > END and others.max() < mask_id()


@pytest.mark.parametrize("way", WAYS)
def test_guesser_looks_right_only_with_both_sides(way):
    torch.manual_seed(0)
    model = WordGuesser(30, way).eval()
    other = IDS.clone()
    other[0, 4] = 20
    with torch.no_grad():
        moved = (model(IDS) - model(other)).abs().amax(dim=-1)[0] > 1e-6  # (N,)
    assert moved.tolist() == ([True] * 6 if way == "both sides" else [False] * 4 + [True] * 2)


LOSSES = {"both sides": [5.39031, 5.33323, 5.27014], "left only": [5.40404, 5.34402, 5.26401]}


@pytest.mark.parametrize("way", WAYS)
def test_short_training_reproduces_loss_and_leaves_random_state_alone(way):
    before = torch.get_rng_state()
    assert train_filled_in(seed=1, way=way, steps=3).losses == pytest.approx(LOSSES[way], rel=3e-4)
    assert torch.equal(before, torch.get_rng_state())


def test_each_token_is_hidden_once_in_turn(filled_in):
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


def test_most_likely_words_are_taken_at_the_mask(filled_in):
    ids = [START, *words().ids(["they"]), mask_id(), *words().ids(["cold", "water", "."]), END]
    with torch.no_grad():
        shares = filled_in.model(torch.tensor([ids]))[0, 2].softmax(-1)
    found = filled_in.guess("They [MASK] cold water.")
    assert [p for _, p in found] == pytest.approx(sorted(shares.tolist(), reverse=True)[:5])
    assert words().ids([word for word, _ in found]) == shares.topk(5).indices.tolist()
    longest = "the " * 13 + "[MASK]"
    assert len(filled_in.guess(longest, most=3)) == 3, "fourteen words are not too many"


def test_text_with_other_than_one_mask_is_refused(filled_in):
    with pytest.raises(ValueError, match="2 times"):
        filled_in.guess("They [MASK] cold [MASK].")


def test_right_by_frequency_is_the_share_of_the_most_frequent_token():
    tokens = [token for sentence in unseen_sentences() for token in tokenize(sentence)]
    assert right_by_frequency() == max(map(tokens.count, set(tokens))) / len(tokens)
