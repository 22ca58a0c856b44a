"""The trainings that lesson 12 keeps: all are there and whole, and what is kept can be done again."""

from __future__ import annotations

import math
from itertools import product
from types import SimpleNamespace

import pytest
import torch

from lessons import saved_runs
from lessons.saved_runs import (
    EVERY,
    FEW_DECAYS,
    FEW_EVERY,
    FEW_STEPS,
    LEARNING_RATES,
    OPTIMIZERS,
    RUN_STEPS,
    SEEDS,
    SIZES,
    WARMUP_EVERY,
    WARMUP_STEPS,
    WARMUPS,
    WHOLE,
    few_run,
    optimizer_run,
    seeds_of,
    short_run,
    warmup_run,
    whole_run,
)
from utils.data.corpora import Corpus, Pair, english_persian
from utils.data.kept import read_kept
from utils.training.loop import TrainingConfig
from utils.training.train import new_translator, recipe

SHORT = [(size, rate, seed) for size, rate in product(SIZES, LEARNING_RATES) for seed in seeds_of(rate)]


@pytest.mark.parametrize(("size", "rate", "seed"), SHORT)
def test_every_short_run_is_there_and_whole(size: int, rate: float, seed: int) -> None:
    run = short_run(size, rate, seed)
    assert len(run.losses) == len(run.scores) == RUN_STEPS // EVERY
    assert run.losses[0] > run.losses[-1] > 0
    assert all(0 <= score <= 1 for score in run.scores)


@pytest.mark.parametrize(("decay", "seed"), list(product(FEW_DECAYS, SEEDS)))
def test_every_run_on_few_pairs_is_there_and_whole(decay: float, seed: int) -> None:
    run = few_run(decay, seed)
    assert len(run.losses) == len(run.validation_losses) == FEW_STEPS // FEW_EVERY
    assert run.losses[-1] < run.validation_losses[-1]


@pytest.mark.parametrize(("kind", "seed"), list(product(WARMUPS, SEEDS)))
def test_every_run_with_and_without_warmup_is_there_and_whole(kind: tuple[bool, int, float], seed: int) -> None:
    assert len(warmup_run(*kind, seed).losses) == WARMUP_STEPS // WARMUP_EVERY


@pytest.mark.parametrize(("kind", "seed"), list(product(OPTIMIZERS, SEEDS)))
def test_every_run_with_an_optimizer_is_kept(kind: tuple[str, float], seed: int) -> None:
    (loss,) = optimizer_run(*kind, seed).losses
    assert math.isnan(loss) if kind == ("SGD", 1.0) else 0 < loss < 4  # that rate is too large: it diverges


def test_of_the_whole_runs_the_recipe_does_best_on_the_validation_set_with_every_seed() -> None:
    assert WHOLE[0] == (recipe().learning_rate, recipe().weight_decay)
    for seed in SEEDS:
        ours, *others = (whole_run(*setting, seed) for setting in WHOLE)
        assert ours.scores[-1] >= 0.98
        assert ours.scores[-1] > max(run.scores[-1] for run in others)


def test_a_run_that_was_not_kept() -> None:
    with pytest.raises(ValueError, match="no training was kept under the name 'short"):
        short_run(48, 2e-3)
    with pytest.raises(ValueError, match="no training was kept under the name 'warmup"):
        warmup_run(True, 7, 1e-2)


def test_every_training_of_the_plan_is_kept_and_no_other() -> None:
    assert list(saved_runs._all()) == list(read_kept(saved_runs._FILE))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trainings of a few steps, on a part of the corpus."""
    whole = english_persian()
    small = Corpus(whole.train[:300], whole.validation[:20], (), whole.validation[:20])
    monkeypatch.setattr(saved_runs, "english_persian", lambda: small)
    for name, value in {
        "RUN_STEPS": 60,
        "WARMUP_STEPS": 40,
        "FEW_STEPS": 75,
        "FEW": 60,
        "TESTED": 5,
        "OPTIMIZER_STEPS": 30,
    }.items():
        monkeypatch.setattr(saved_runs, name, value)


@pytest.mark.usefixtures("quick")
def test_what_is_kept_can_be_done_again() -> None:
    short = saved_runs.train_short(16, 2e-3, 1)
    assert len(short.losses) == len(short.scores) == 2 and not short.validation_losses
    warmup = saved_runs.train_warmup(True, 10, 2e-3, 0)
    assert len(warmup.losses) == 2 and warmup.losses[0] > warmup.losses[1]
    few = saved_runs.train_few(0.01, 0)
    assert len(few.losses) == len(few.validation_losses) == 3
    assert all(loss == round(loss, 3) for loss in few.validation_losses) and few.validation_losses[0] > few.losses[-1]
    (mean,) = saved_runs.train_optimizer("Adam", 2e-3, 0).losses
    assert mean < max(short.losses)
    assert max(few.validation_losses) < 10  # of one word: a blind guess among 1000 costs 6.9


def test_a_point_of_a_curve_is_the_mean_of_the_steps_since_the_last_one() -> None:
    assert saved_runs._means([1.0, 2.0, 4.0, 3.0005, 0.0, 0.0], 3) == [2.333, 1.0]


@pytest.mark.usefixtures("quick")
def test_of_a_whole_run_the_last_losses_and_the_score_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    losses = [9.0] * 7 + [1.0] * 25 + [2.0] * 25
    done = SimpleNamespace(train=lambda: SimpleNamespace(losses=losses))
    monkeypatch.setattr(saved_runs, "trainer_of", lambda *training, **options: done)
    monkeypatch.setattr(saved_runs, "score_on", lambda _, pairs: asked.append(pairs) or (lambda model: 2 / 3))
    assert saved_runs.train_whole(*WHOLE[0], 0) == saved_runs.Run([1.5], [0.6667])
    assert asked == [saved_runs.english_persian().validation]


WHOLE_MODEL = (128, 512, True)


class _Seen(Exception):
    """What a training was to be done with."""


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("train", "settings", "sizes", "config", "told"),
    [
        (saved_runs.train_short, (16, 2e-3, 1), (16, 64, True), recipe(steps=60, evaluate_every=EVERY), {"tested": 5}),
        (
            saved_runs.train_whole,
            (4e-3, 0.1, 1),
            WHOLE_MODEL,
            recipe(learning_rate=4e-3, weight_decay=0.1),
            {"validate": None},
        ),
        (
            saved_runs.train_few,
            (0.1, 1),
            WHOLE_MODEL,
            TrainingConfig(steps=75, weight_decay=0.1, schedule="constant"),
            {"validate": None},
        ),
        (
            saved_runs.train_warmup,
            (True, 10, 2e-3, 1),
            (64, 128, True),
            TrainingConfig(steps=40, warmup=10, learning_rate=2e-3, schedule="constant", clip=None),
            {"validate": None},
        ),
    ],
)
def test_each_is_trained_as_its_name_says(train, settings, sizes, config, told, monkeypatch) -> None:
    def seen(translator, corpus, config, **options):
        found = translator.model.config
        begun = [p.detach().clone() for p in translator.model.parameters()]
        raise _Seen((found.d_model, found.d_ff, found.norm_first), config, options, len(corpus.train), begun)

    monkeypatch.setattr(saved_runs, "trainer_of", seen)
    with pytest.raises(_Seen) as trained:
        train(*settings)
    *found, begun = trained.value.args
    few = train is saved_runs.train_few
    assert found == [sizes, config, {**told, "show": False}, 60 if few else 300]
    d_model, d_ff, norm_first = sizes
    corpus = saved_runs.english_persian()
    corpus = Corpus(corpus.train[:60], corpus.validation) if few else corpus
    anew = new_translator(corpus, 1, d_model=d_model, d_ff=d_ff, norm_first=norm_first)
    assert all(map(torch.equal, begun, anew.model.parameters())), "another seed"


@pytest.mark.usefixtures("quick")
def test_validation_asks_only_pairs_of_which_both_sides_are_known() -> None:
    corpus = saved_runs.english_persian()
    translator, known = new_translator(corpus), corpus.train[0]
    pairs = [known, Pair("zzz", known.target), Pair(known.source, "zzz")]
    assert len(saved_runs._batch_of_known(translator, pairs).source) == 1
