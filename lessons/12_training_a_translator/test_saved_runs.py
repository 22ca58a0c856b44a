"""The trainings that lesson 12 keeps: all are there and whole, and what is kept can be done again."""

from __future__ import annotations

from statistics import fmean

import pytest

from lessons import saved_runs
from lessons.saved_runs import EVERY, SEEDS, WATCHED, WATCHED_EVERY, WHOLE, short_run, watched_run, whole_run
from utils.data.corpora import Corpus, english_persian
from utils.data.kept import read_kept
from utils.training.train import recipe


def test_full_recipe_is_best_with_every_seed() -> None:
    assert WHOLE[0] == (recipe().learning_rate, recipe().weight_decay)
    for seed in SEEDS:
        ours, *others = (whole_run(*setting, seed) for setting in WHOLE)
        assert ours.scores[-1] >= 0.98
        assert ours.scores[-1] > max(run.scores[-1] for run in others)


def test_watched_run_is_the_short_run_with_more_points() -> None:
    watched, short, many = watched_run(), short_run(128, 2e-3), EVERY // WATCHED_EVERY
    assert watched.scores[many - 1 :: many] == pytest.approx(short.scores, abs=0.03)
    means = [fmean(watched.losses[start : start + many]) for start in range(0, len(watched.losses), many)]
    assert means == pytest.approx(short.losses, abs=0.02)
    (pair,) = (pair for pair in english_persian().test if pair.source == WATCHED)
    assert watched.texts[-1] == pair.target and len(watched.texts) == len(watched.losses)


def test_every_planned_run_is_saved_and_no_other() -> None:
    assert list(saved_runs._all()) == list(read_kept(saved_runs._FILE))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trainings of a few steps, on a part of the corpus."""
    whole = english_persian()
    small = Corpus(whole.train[:300], whole.validation[:20], (), whole.validation[:20])
    monkeypatch.setattr(saved_runs, "english_persian", lambda: small)
    few = {"RUN_STEPS": 60, "FEW_STEPS": 75, "FEW": 60, "TESTED": 5, "OPTIMIZER_STEPS": 30}
    for name, value in few.items():
        monkeypatch.setattr(saved_runs, name, value)


@pytest.mark.usefixtures("quick")
def test_saved_runs_can_be_reproduced() -> None:
    short = saved_runs.train_short(16, 2e-3, 1)
    assert len(short["losses"]) == len(short["scores"]) == 2
    few = saved_runs.train_few(0.01, 0)
    known = few["validation_losses"]
    assert len(few["losses"]) == len(known) == 3
    assert all(loss == round(loss, 3) for loss in known) and known[0] > few["losses"][-1]
    (mean,) = saved_runs.train_optimizer("Adam", 2e-3, 0)["losses"]
    assert mean < max(short["losses"])
    assert max(known) < 10  # of one word: a blind guess among 1000 costs 6.9
