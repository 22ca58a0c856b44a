"""A corpus as batches for a loop of one's own."""

from __future__ import annotations

import pytest
import torch

from utils.data.corpora import english_persian
from utils.data.vocabulary import END, START
from utils.training.pairs import Pairs

CORPUS = english_persian()


def ids_of(text: str, pairs: Pairs) -> list[int]:
    return pairs.target_vocabulary.ids(text.split())


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    """Pairs whose model writes the same two words for every sentence."""
    return Pairs(CORPUS, lambda model, source, most: [ids_of("هوا عالی", model)] * len(source))


def test_batches_hold_target_between_start_and_end(pairs: Pairs) -> None:
    (first,), two = pairs.batches(0, 1), list(pairs.batches(0, 2))
    source, target = first
    assert len(two) == 2 and torch.equal(two[0][1], target) and len(source) == len(target) == 32
    assert (target[:, 0] == START).all() and ((target == END).sum(dim=1) == 1).all()


def test_share_right_counts_only_whole_translations(pairs: Pairs) -> None:
    assert pairs.translate(pairs, "The weather is great.") == ["هوا", "عالی"]
    weather = CORPUS.test[0]
    same, longer = (type(weather)(weather.source, text) for text in ("هوا عالی", "هوا عالی است"))
    assert pairs.share_right(pairs, [same, longer, longer, longer]) == 0.25
