"""The command line: it trains, goes on after a kill, shares the work, and says in one sentence what is wrong."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest
import torch

from utils.data.corpora import Corpus, Pair, english_persian, read_pairs, split
from utils.training.loop import TrainingConfig
from utils.training.metrics import exact_match
from utils.training.train import _options, main, new_translator, recipe, trainer_of
from utils.training.translator import Translator

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "utils" / "training" / "translator.safetensors"
NUMBERS = {"one": "یک", "two": "دو", "three": "سه", "four": "چهار", "five": "پنج", "six": "شش"}
PAIRS = [Pair(f"{a} {b}", f"{NUMBERS[b]} {NUMBERS[a]}") for a in NUMBERS for b in NUMBERS]
CORPUS = Corpus(PAIRS[::2] + PAIRS[1::4], PAIRS[3::4])
SWAPPED = [Pair(f"a{i} b{j}", f"d{j} c{i}") for i in range(12) for j in range(12)]
SMALL = {"d_model": 16, "d_ff": 32, "n_encoder_layers": 1, "n_decoder_layers": 1}


@pytest.fixture
def file(tmp_path):
    return written(tmp_path / "pairs.tsv")


def written(path):
    lines = [f"{pair.source}\t{pair.target}\tCC-BY somebody" for pair in PAIRS]
    path.write_text("\n".join([*lines, "a line without a tab"]), encoding="utf-8")
    return path


def command(file, out, *more, steps=6):
    return ["--corpus", str(file), "--out", str(out), "--steps", str(steps), "--d-model", "16", *more]


def gives_up(arguments, sentence):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert sentence in caught.value.code


def weights(path):
    return torch.cat([p.detach().flatten() for p in Translator.load(path).model.parameters()])


def weights_at_the_start(file):
    corpus = split(read_pairs(file)[0], seed=0)
    model = new_translator(corpus, d_model=16, d_ff=64).model
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def test_training_learns_to_translate_unseen_pairs_of_words():
    corpus = Corpus([pair for i, pair in enumerate(SWAPPED) if i % 5], SWAPPED[::5])
    translator = new_translator(corpus, d_model=32, d_ff=64, n_encoder_layers=1, n_decoder_layers=1)
    config = TrainingConfig(steps=250, learning_rate=5e-3, warmup=20, evaluate_every=50)
    trainer = trainer_of(translator, corpus, config, batch_size=24, show=False)
    trainer.train(until=1.0)
    assert trainer.history.best > 0.9
    assert translator.translate("A3 b7") == "d7 c3"  # as its corpus writes it


def test_seed_decides_the_initial_weights_and_nothing_else_changes():
    before = torch.get_rng_state()
    first, again, other = (new_translator(CORPUS, seed, **SMALL) for seed in (1, 1, 2))
    flat = [torch.cat([p.flatten() for p in t.model.parameters()]) for t in (first, again, other)]
    assert torch.equal(flat[0], flat[1]) and not torch.equal(flat[0], flat[2])
    assert torch.equal(torch.get_rng_state(), before)
    assert first.model.config.d_model == 16 and first.longest == 2


def test_command_line_turns_a_file_into_a_translator(file, tmp_path, capsys):
    out = tmp_path / "my.safetensors"
    main(command(file, out))
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("36 sentence pairs from 37 lines of pairs.tsv, 1 broken")
    assert "34 pairs to train on, 1 to validate, 1 to test" in said[2] and str(out) in said[-5]
    assert said[-2].startswith("BLEU ") and said[-1].startswith("chrF2 ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my.safetensors", "pairs.tsv"]  # no checkpoint is left
    assert Translator.load(out).model.config.d_model == 16
    main(command(file, out, "--swap", "--half"))
    assert "one" in Translator.load(out).target_vocabulary


def test_killed_training_resumes_to_the_same_weights(file, tmp_path, capsys, monkeypatch):
    main(command(file, tmp_path / "whole.safetensors", steps=30))
    monkeypatch.setattr("utils.training.train._finish", lambda *_: sys.exit("killed"))
    with pytest.raises(SystemExit):
        main(command(file, tmp_path / "parts.safetensors", steps=30))
    monkeypatch.undo()
    capsys.readouterr()
    main(command(file, tmp_path / "parts.safetensors", steps=30))
    checkpoint = tmp_path / "parts.checkpoint.safetensors"
    assert f"Going on from step 30, as {checkpoint} has it: delete that file to begin anew." in capsys.readouterr().out
    assert torch.equal(weights(tmp_path / "whole.safetensors"), weights(tmp_path / "parts.safetensors"))


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--corpus", "nowhere.tsv"], "no file nowhere.tsv"),
        (["--pieces", "200"], "at least 262"),
    ],
)
def test_main_explains_each_error_in_one_sentence(file, tmp_path, more, sentence, monkeypatch):
    monkeypatch.chdir(ROOT)
    gives_up([*command(file, tmp_path / "my.safetensors"), *more], sentence)


class Caught(Exception):
    """What `main` would have trained."""


def asked_for(monkeypatch, *arguments):
    """The arguments with which `main` calls `trainer_of`."""

    def catch(translator, corpus, config, batch_size, **options):
        caught.update(translator=translator, config=config, batch_size=batch_size, **options)
        raise Caught

    caught = {}
    monkeypatch.setattr("utils.training.train.trainer_of", catch)
    monkeypatch.setattr("utils.training.train.english_persian", lambda: CORPUS)
    with pytest.raises(Caught):
        main(arguments)
    return caught


def test_shipped_corpus_is_trained_by_the_recipe(tmp_path, monkeypatch):
    got = asked_for(monkeypatch, "--out", str(tmp_path / "my.safetensors"))
    assert got["config"] == recipe() and got["batch_size"] == 32 and got["loss_of"].smoothing == 0.0
    assert recipe().weight_decay == 1.0 and (_options([]).most_words, _options([]).seed) == (8000, 0)
    sizes = got["translator"].model.config
    assert (sizes.d_model, sizes.d_ff, sizes.n_encoder_layers, sizes.n_decoder_layers) == (128, 512, 2, 2)


def test_full_disk_is_detected_before_training(file, tmp_path, monkeypatch):
    def full(handle):
        if os.fstat(handle).st_size > 100_000:  # the weights alone would fit
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("utils.training.train.trainer_of", lambda *_, **__: pytest.fail("it has gone on"))
    monkeypatch.setattr("utils.models.files.os.fsync", full)
    gives_up(command(file, tmp_path / "my.safetensors"), "No space left")
    assert os.listdir(tmp_path) == [file.name]


# --- real text --------------------------------------------------------------------------------------------------


def test_validation_chooses_the_weights_and_test_only_measures_them(file, tmp_path, capsys, monkeypatch):
    out = tmp_path / "my.safetensors"
    kept, asked, scores = [], [], iter([5.0, 9.0, 9.0, 7.0, 2.0, 1.0])
    save = Translator.save

    def watched_save(translator, path, dtype=None):
        kept.append(torch.cat([p.detach().flatten().clone() for p in translator.model.parameters()]))
        save(translator, path, dtype)

    def score(outputs, references):
        asked.append(references)
        return next(scores)

    monkeypatch.setattr("utils.training.train.chrf", score)
    monkeypatch.setattr(Translator, "save", watched_save)
    main(command(file, out, steps=120))  # every 20 they are asked
    corpus = split(read_pairs(file)[0], seed=0)
    assert asked == [[pair.target for pair in corpus.validation]] * 6
    assert len(kept) == 3 and torch.equal(weights(out), kept[2])
    assert "Chosen by the validation sentences: step 60, chrF 9." in capsys.readouterr().out


# --- the translator that comes with the course ------------------------------------------------------------------


@pytest.fixture(scope="module")
def shipped():
    return Translator.load(SHIPPED)


def test_shipped_translator_translates_unseen_sentences(shipped):
    held_out = english_persian().held_out[::5]
    assert len(held_out) > 300
    outputs = shipped.translate_all([pair.source for pair in held_out])
    assert exact_match(outputs, [pair.target for pair in held_out]) >= 0.99
