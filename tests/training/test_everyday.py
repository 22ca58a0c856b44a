"""The training of the start page's translator: a step of it runs, and continues from earlier weights."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from utils.training import everyday
from utils.training.everyday import cased, lengthen, new_translator, pairs, shorten, take_over, train
from utils.training.translator import Translator


def test_train_writes_a_translator_that_a_later_run_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(everyday, "_HELD_OUT", 20)
    monkeypatch.setattr(everyday, "small_pairs", lambda language: [(["the", "dog", "."], ["der", "Hund", "."])])
    first, second = tmp_path / "first.safetensors", tmp_path / "second.safetensors"
    train("German", first, steps=1, count=60)
    train("German", second, steps=1, count=80, seed=1, start=first)
    one, other = (Translator.load(file) for file in (first, second))
    rows = [(it.source_vocabulary.ids(["the"])[0], it.model.source_embedding.weight) for it in (one, other)]
    old, new = (weight[row] for row, weight in rows)
    assert torch.cosine_similarity(old, new, dim=0) > 0.9


def test_take_over_keeps_what_each_known_word_has_learnt() -> None:
    earlier, later = (new_translator("Persian", pairs("Persian", 40, seed), 16, seed) for seed in (0, 1))
    lengthen(earlier.model)
    take_over(later, earlier)
    rows = [one.source_vocabulary.ids(["x1"])[0] for one in (earlier, later)]
    old, new = (one.model.source_embedding.weight[row] for one, row in zip((earlier, later), rows, strict=True))
    assert torch.cosine_similarity(old, new, dim=0) > 0.999
    old, new = (one.model.encoder.layers[0].self_attention.project_in.weight for one in (earlier, later))
    assert torch.equal(old, new)


def test_cased_capitalizes_first_word_only_if_it_is_a_noun() -> None:
    assert [cased(text)[0] for text in ("Der Hund schläft.", "Hunde schlafen.")] == ["der", "Hunde"]


def test_words_that_translate_each_other_begin_near_each_other() -> None:
    translator = new_translator("German", [(["the", "dog", "."], ["der", "Hund", "."])])
    english, german = translator.source_vocabulary, translator.target_vocabulary
    dog = translator.model.source_embedding.weight[english.ids(["dog"])[0]]
    near = [
        torch.cosine_similarity(dog, translator.model.target_embedding.weight[german.ids([word])[0]], dim=0)
        for word in ("Hund", "der")
    ]
    assert near[0] > 0.3 > near[1]


def test_shorten_changes_little_and_lengthen_only_short_rows() -> None:
    model = new_translator("German", pairs("German", 20), 16).model
    with torch.no_grad():
        model.target_embedding.weight[-1] /= 100
    lengthen(model)
    norms = model.target_embedding.weight.norm(dim=1)
    assert norms.min() > 0.99 * norms.median()
    before = model.output.weight.clone()
    shorten(model)
    assert torch.allclose(model.output.weight, before, rtol=2**-5)
    assert not (model.output.weight.half().view(torch.int16) & 31).any()
