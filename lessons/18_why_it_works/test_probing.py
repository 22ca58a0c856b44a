"""Lesson 18's probes and ablations find what was put in, and nothing where there is nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from lessons.probing import (
    directions_of,
    findings,
    logistic_probe,
    look,
    probe,
    taken_away,
)
from lessons.right_sentences import batches_of, share_right
from lessons.rivals import build, rearranged
from tests.recorded import AGAIN, recorded
from utils.data.corpora import Corpus, english_persian
from utils.data.vocabulary import PAD
from utils.training.metrics import exact_match
from utils.training.translator import Translator

RIVAL = "transformer, 2 + 2"


@pytest.fixture(scope="module")
def few() -> Corpus:
    """A part of the corpus: 60 sentences to fit a probe on, as many to test it with, and 20 to translate."""
    whole = english_persian()
    return Corpus(whole.train[: 60 * 23], whole.held_out[: 60 * 4], (), whole.test[: 20 * 6])


def test_single_pass_finds_same_share_as_writing(translator: Translator) -> None:
    for model, spoilt in ((translator, False), (translator, True)):
        pairs = english_persian().test[::40]
        if spoilt:
            other = rearranged(translator.model, "decoder", [1, 0]).eval()
            model = Translator(other, translator.source_vocabulary, translator.target_vocabulary, translator.longest)
        batches = batches_of(model, pairs)
        assert sum(len(batch.source) for batch in batches) == len(pairs)
        assert not any((batch.source == PAD).any() for batch in batches)
        written = exact_match(model.translate_all([p.source for p in pairs]), [p.target for p in pairs])
        assert share_right(model.model, batches) == pytest.approx(written)
        assert (0.1 < written < 0.9) == spoilt


def test_probe_finds_a_linear_label_and_no_absent_one() -> None:
    random = np.random.default_rng(0)
    X, tested = random.normal(size=(600, 5)) * [1, 1, 1, 1, 50] + 3, random.normal(size=(300, 5)) + 3
    labels, wanted = ((x[:, 0] + x[:, 1] > 6).astype(int) for x in (X, tested))
    assert (probe(X, labels, tested) == wanted).mean() > 0.93
    assert (probe(X, random.integers(0, 2, 600), tested) == wanted).mean() < 0.65


def test_logistic_probe_finds_middle_class_that_least_squares_misses() -> None:
    random = np.random.default_rng(0)
    labels, wanted = np.arange(300) % 3, np.arange(150) % 3
    X, tested = (random.normal(size=(len(y), 1)) * 0.1 + y[:, None] for y in (labels, wanted))
    assert (logistic_probe(X, labels, tested) == wanted).mean() > 0.98
    assert (probe(X, labels, tested) == wanted)[wanted == 1].mean() < 0.7


def test_removed_direction_leaves_the_mean_and_all_else() -> None:
    random = np.random.default_rng(0)
    X, mean = random.normal(size=(7, 6)), random.normal(size=6)
    for U in directions_of(X + mean).values():
        assert np.allclose(U @ U.T, np.eye(len(U)))
    U = directions_of(random.normal(size=(40, 6)))["directions"][:2]
    changed = taken_away(U, mean)(torch.from_numpy(X).float()).double().numpy()
    assert np.allclose(changed @ U.T, np.tile(mean @ U.T, (7, 1)), atol=1e-5)
    rest = np.eye(6) - U.T @ U
    assert np.allclose(changed @ rest, X @ rest, atol=1e-5)


def test_probe_tokens_match_the_sentences(translator: Translator) -> None:
    pairs = english_persian().held_out[:6]
    seen = look(translator, pairs)
    n = sum(len(translator.source_ids(pair.source)) for pair in pairs)
    m = sum(len(translator.target_vocabulary.split(pair.target)) + 1 for pair in pairs)
    assert [x.shape for x in seen.english] == [(n, 128)] * 3 and [x.shape for x in seen.persian] == [(m, 128)] * 3
    assert len(seen.words) == len(seen.places) == len(seen.moods) == n and len(seen.read) == len(seen.writes) == m
    assert (seen.places == 0).sum() == len(pairs)
    first = translator.source_vocabulary.tokens(seen.words[seen.places == 0].tolist())
    assert sorted(first) == sorted(translator.source_vocabulary.split(pair.source)[0] for pair in pairs)


def test_rearranged_blocks_leave_the_model_unchanged() -> None:
    model = build(RIVAL, 0).model.eval()
    swapped = rearranged(model, "encoder", [1, 0])
    weights = [layer.feed_forward for layer in swapped.encoder.layers]
    for ours, theirs in zip(weights, reversed(model.encoder.layers), strict=True):
        for a, b in zip(ours.parameters(), theirs.feed_forward.parameters(), strict=True):
            assert torch.equal(a, b)
    assert len(rearranged(model, "decoder", [1]).decoder.layers) == 1 and len(model.decoder.layers) == 2


def test_probing_reproduces_recorded_results(translator: Translator, few: Corpus) -> None:
    found = findings(translator, few)
    now = [[part, name, *numbers] for part, rows in found.items() for name, numbers in rows.items()]
    once = recorded(now, Path(__file__).with_suffix(".json"))
    assert [row[:2] for row in now] == [row[:2] for row in once], AGAIN
    for row, other in zip(now, once, strict=True):  # a token, or one of 20 sentences, may fall on the other side
        assert row[2:] == pytest.approx(other[2:], abs=0.051 if row[0] == "lost" else 0.02), (row[:2], AGAIN)
