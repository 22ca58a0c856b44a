"""Lesson 11's mistakes: what was kept has a row for each way and seed, and the measures measure what they say."""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from lessons import toy_mistakes
from lessons.toy_mistakes import (
    SEEDS,
    WAYS,
    all_kept,
    alone,
    conflict,
    exact,
    first_word,
    in_company,
    kept,
    learning_rate,
    looks,
    without_english,
)
from lessons.toy_translation import DecoderStep, toy_corpus, words_of_kind
from utils.data.vocabulary import END, PAD, START, UNKNOWN, tokenize
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
    "no mask, cut": [5.08122, 5.12223, 4.94618],
    "no mask, cut, not counted": [5.24623, 5.07993, 5.08388],
    "no mask, 1000 steps": [5.26802, 5.15505, 4.91148],
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


def _sometimes(wanted, read):
    """Says the right word if its id and how many words are in view sum to no multiple of 3."""
    right = wanted[:, 1 : read.shape[1] + 1]
    return right.where((right + read.shape[1]) % 3 > 0, UNKNOWN)


@pytest.mark.parametrize("way", WAYS)
def test_what_was_kept_is_all_there(way):
    runs = kept(way)
    assert len(runs) == len(SEEDS)
    for run in runs:
        assert 0 <= run.loss < 0.1 and len(run.first_word) == 6
        assert all(0 <= share <= 1 for share in (run.exact, run.copies, run.translates, run.company, run.alone))
        assert (run.looks is None) == (run.looks_back is None) == (way != "right")


def test_more_seeds_were_kept_of_two_ways():
    assert {way: len(all_kept(way)) for way in WAYS} == {way: 14 if way in ("right", "no mask") else 5 for way in WAYS}


def test_whoever_knows_no_english_says_what_followed_most_often_in_the_training(monkeypatch):
    rows = [[START, 5, 6, END], [START, 5, 7, END], [START, 5, 7, END]]
    corpus = SimpleNamespace(train=[("", "")] * 3, target_ids=lambda _: torch.tensor(rows))
    monkeypatch.setattr(toy_mistakes, "toy_corpus", lambda: corpus)
    monkeypatch.setattr(toy_mistakes, "_held_out", lambda: (None, torch.tensor(rows[:2])))
    assert without_english() == (5 / 6, 1 / 2)


def test_a_way_that_was_not_kept_is_refused():
    with pytest.raises(ValueError, match="no training was kept in the way 'no head'"):
        kept("no head")


def test_a_translator_that_reads_the_english_alone_is_right_everywhere(monkeypatch):
    monkeypatch.setattr(toy_mistakes, "logits_of", _answers(_translator))
    assert exact(None, "right") == in_company(None, "right") == alone(None, "right") == 1
    assert first_word(None, "right") == [1] * 6
    assert conflict(None, "right") == (0, 1)


def test_one_that_copies_what_is_in_view_is_right_in_company_alone(monkeypatch):
    monkeypatch.setattr(toy_mistakes, "logits_of", _answers(_reader))
    assert exact(None, "no mask") == alone(None, "no mask") == 0
    whole = in_company(None, "no mask")
    longest = (TARGET[:, -1] == END).sum() / (TARGET[:, 1:] != PAD).sum()
    assert whole == pytest.approx(1 - float(longest)), (
        "all but the ends of the longest sentences, which nothing follows"
    )
    assert first_word(None, "no mask") == [0, 1, 1, 1, 1, 1]
    assert conflict(None, "no mask") == (1, 0)


def test_without_the_shift_a_copy_is_what_is_read(monkeypatch):
    monkeypatch.setattr(toy_mistakes, "logits_of", _answers(lambda wanted, read: read))
    assert conflict(None, "no shift") == (1, 0) and in_company(None, "no shift") == 1
    monkeypatch.setattr(toy_mistakes, "logits_of", _answers(lambda wanted, read: wanted))
    assert conflict(None, "no shift") == (0, 1)


def test_shares_are_of_the_places_with_a_word_or_an_end_to_say(monkeypatch):
    monkeypatch.setattr(toy_mistakes, "logits_of", _answers(_sometimes))
    says, n = TARGET[:, 1:], TARGET.shape[1] - 1
    in_view = torch.arange(n) + 1
    assert in_company(None, "right") == pytest.approx(float(((says + n) % 3 > 0)[says != PAD].double().mean()))
    assert alone(None, "right") == pytest.approx(float(((says + in_view) % 3 > 0)[says != PAD].double().mean()))
    words = (TARGET > END).sum(dim=1)
    rows = [says[words >= after, 0] for after in range(6)]
    assert len(rows[5]) < len(rows[0])
    expected = [float(((row + after + 1) % 3 > 0).double().mean()) for after, row in enumerate(rows)]
    assert first_word(None, "right") == pytest.approx(expected)


@pytest.mark.parametrize("way", ["right", "no mask"])
def test_all_that_is_kept_is_measured_of_one_training(way, monkeypatch):
    monkeypatch.setattr(toy_mistakes, "logits_of", _answers(_sometimes))
    monkeypatch.setattr(toy_mistakes, "trained", lambda way, seed: (None, [9.0, *(seed + i / 7 for i in range(20))]))
    monkeypatch.setattr(toy_mistakes, "looks", lambda model, at: {at: 1.0})
    found, (copies, translates) = toy_mistakes.measured(way, 3), conflict(None, way)
    assert found.loss == round(3 + 9.5 / 7, 3) and found.exact == round(exact(None, way), 3)
    assert (found.copies, found.translates) == (round(copies, 3), round(translates, 3))
    assert (found.company, found.alone) == (round(in_company(None, way), 3), round(alone(None, way), 3))
    assert found.first_word == [round(share, 3) for share in first_word(None, way)]
    assert (found.looks, found.looks_back) == (({"said": 1.0}, {"read": 1.0}) if way == "right" else (None, None))


def test_partners_are_others_of_equal_length():
    partners = toy_mistakes._partners(TARGET)
    lengths = (TARGET != PAD).sum(dim=1)
    assert torch.equal(lengths[partners], lengths) and all(i != j for i, j in enumerate(partners))
    assert toy_mistakes._partners(torch.ones(4, 3, dtype=torch.long)) == [2, 3, 0, 1]
    assert toy_mistakes._partners(torch.ones(5, 3, dtype=torch.long)) == [2, 3, 4, 0, 1]


def test_logits_are_those_of_the_transformer_with_the_mask_and_others_without():
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
def test_a_short_training_is_the_same_each_time(way):
    torch.set_num_threads(1)
    model, losses = toy_mistakes.trained(way, 1, steps=3)
    assert losses == toy_mistakes.trained(way, 1, steps=3)[1] != toy_mistakes.trained(way, 2, steps=3)[1]
    assert losses == pytest.approx(LOSSES[way], rel=3e-4) and not model.training


def test_the_learning_rate_rises_stays_and_falls():
    assert learning_rate(0) == pytest.approx(3e-3 / 20)
    assert learning_rate(18) == pytest.approx(3e-3 * 19 / 20)
    assert [learning_rate(step) for step in (19, 100, 150)] == pytest.approx([3e-3] * 3)
    assert learning_rate(151) == pytest.approx(3e-3 * 99 / 100) and learning_rate(249) == pytest.approx(3e-5)


def test_looks_are_shares_of_rows(monkeypatch):
    monkeypatch.setattr(toy_mistakes, "toy_corpus", lambda: replace(CORPUS, held_out=CORPUS.held_out[:5]))
    torch.manual_seed(0)
    found = looks(Transformer(CORPUS.config()).eval(), "said")
    assert set(found) == set(toy_mistakes.KINDS) and all(0 <= share <= 1 for share in found.values())


def test_a_head_looks_at_the_word_where_its_last_row_is_largest(monkeypatch):
    def steps(model, corpus, sentence):
        """Of the right translation: one head looks at the noun, the other at the full stop; before, both at word 1."""
        source, said = tokenize(sentence), tokenize(dict(CORPUS.held_out)[sentence])
        read = ["<start>", *said]
        for m in range(1, len(read)):
            cross = torch.zeros(2, m, len(source))
            cross[:, :-1, 0] = cross[0, -1, 1] = cross[1, -1, -1] = 1
            probable = torch.eye(len(corpus.target))[corpus.target.ids(said)[m - 1]]
            yield DecoderStep(source, read[:m], cross, cross, probable)

    monkeypatch.setattr(toy_mistakes, "decoder_steps", steps)
    assert looks(None, "said") == {"noun": 1.0, "adjective": 0.0, "verb": 0.0, "owner": 0.0}
    pairs = [pair for text in PERSIAN for pair in itertools.pairwise(["<start>", *tokenize(text)])]
    for kind, found in looks(None, "read").items():
        after_noun = [before in words_of_kind("noun") for before, said in pairs if said in words_of_kind(kind)]
        assert found == round(sum(after_noun) / len(after_noun), 3)


def test_words_of_a_kind_belong_to_the_small_language():
    for kind in toy_mistakes.KINDS:
        for persian, english in words_of_kind(kind).items():
            assert persian in CORPUS.target and all(word in CORPUS.source for word in english)
    with pytest.raises(ValueError, match="kind must be one of noun"):
        words_of_kind("pronoun")
    assert START not in CORPUS.target.ids(list(words_of_kind("noun")))
