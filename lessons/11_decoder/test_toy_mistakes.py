"""Lesson 11's mistakes: what was kept has a row for each way and seed, and the measures measure what they say."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from lessons import toy_mistakes
from lessons.toy_mistakes import WAYS, conflict, exact, without_english
from lessons.toy_translation import toy_corpus
from utils.data.vocabulary import END, PAD, START
from utils.models.masks import causal_mask
from utils.models.transformer import Transformer

CORPUS = toy_corpus()
ENGLISH, PERSIAN = zip(*CORPUS.held_out, strict=True)
SOURCE, TARGET = CORPUS.source_ids(ENGLISH), CORPUS.target_ids(PERSIAN)
ROW_OF = {tuple(row): i for i, row in enumerate(SOURCE.tolist())}
LOSSES = {  # of the first three steps from seed 1
    "right": [5.21272, 5.16876, 4.91808],
    "no shift": [1.17205, 1.03944, 0.84644],
    "no mask": [5.26802, 5.15505, 4.91148],
}


def _answers(says):
    """Stands in for a model's logits: `says` gets the right target of each sentence and what is read."""

    def logits(model, source, read, unmasked):
        wanted = TARGET[[ROW_OF[tuple(row)] for row in source.tolist()]]
        return torch.nn.functional.one_hot(says(wanted, read), len(CORPUS.target)).float()

    return logits


def _translator(wanted, read):
    return wanted[:, 1 : read.shape[1] + 1]


def _reader(wanted, read):
    """Says the word in view one place further on, and the padding where nothing is."""
    return torch.cat([read[:, 1:], torch.zeros(len(read), 1, dtype=torch.long)], dim=1)


def test_model_without_english_predicts_most_common_follower(monkeypatch):
    rows = [[START, 5, 6, END], [START, 5, 7, END], [START, 5, 7, END]]
    corpus = SimpleNamespace(train=[("", "")] * 3, target_ids=lambda _: torch.tensor(rows))
    monkeypatch.setattr(toy_mistakes, "toy_corpus", lambda: corpus)
    monkeypatch.setattr(toy_mistakes, "_held_out", lambda: (None, torch.tensor(rows[:2])))
    assert without_english() == 1 / 2


def test_translator_that_reads_only_english_is_right_everywhere(monkeypatch):
    monkeypatch.setattr(toy_mistakes, "logits_of", _answers(_translator))
    assert exact(None, "right") == 1
    assert conflict(None, "right") == (0, 1)


def test_copier_of_visible_words_is_right_only_when_they_are_visible(monkeypatch):
    monkeypatch.setattr(toy_mistakes, "logits_of", _answers(_reader))
    assert exact(None, "no mask") == 0
    assert conflict(None, "no mask") == (1, 0)


def test_logits_match_transformer_with_mask_and_differ_without():
    torch.manual_seed(0)
    model = Transformer(CORPUS.config()).eval()
    source, read = SOURCE[:3], TARGET[:3, :-1]
    real = read != PAD
    with torch.no_grad():
        ours = toy_mistakes.logits_of(model, source, read, unmasked=False)
        assert torch.allclose(ours[real], model(source, read)[real], atol=1e-5)
        assert not torch.allclose(
            toy_mistakes.logits_of(model, source, read, unmasked=True)[:, 0], ours[:, 0], atol=1e-3
        )
    assert causal_mask(2).tolist() == [[True, False], [True, True]]


@pytest.mark.parametrize("way", WAYS)
def test_short_training_is_reproducible(way):
    torch.set_num_threads(1)
    model, losses = toy_mistakes.trained(way, 1, steps=3)
    assert losses == toy_mistakes.trained(way, 1, steps=3)[1] != toy_mistakes.trained(way, 2, steps=3)[1]
    assert losses == pytest.approx(LOSSES[way], rel=3e-4) and not model.training
