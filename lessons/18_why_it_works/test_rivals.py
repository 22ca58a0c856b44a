"""The trainings that lesson 18 keeps: all are there and whole, and what is kept can be done again."""

from __future__ import annotations

import pytest

from lessons import rivals
from lessons.rival_results import (
    DEPTHS,
    LSTM,
    MODELS,
    RIVAL,
    SAVED,
    SEEDS,
    Training,
    best_setting,
    chosen,
    transformer_of,
)
from utils.data.corpora import Corpus, english_persian
from utils.data.kept import read_kept


def test_everything_planned_is_saved_and_nothing_else() -> None:
    assert set(rivals._all()) == set(read_kept(SAVED))
    assert transformer_of(2) == RIVAL and 2 in DEPTHS and len(SEEDS) == 3


def test_each_rival_has_its_best_setting() -> None:
    for model in (LSTM, RIVAL):
        rate, decay = best_setting(model)
        assert chosen(model)[f"{rate:g} {decay:g}"] == max(chosen(model).values())
        assert min(rivals.RATES[model]) < rate < max(rivals.RATES[model])
        assert len(chosen(model)) == len(rivals.RATES[model]) + len(rivals.DECAYS) - 1
    assert best_setting(transformer_of(4)) == best_setting(RIVAL)


@pytest.mark.parametrize(
    ("scores", "target", "steps"),
    [
        ([0.2, 0.95, 0.9, 0.95, 0.96], 0.95, 100),
        ([0.99, 0.98], 0.95, 25),
        ([0.2, 0.3, 0.95], 0.95, 60),
    ],
)
def test_target_is_reached_where_recorded(scores: list[float], target: float, steps: int | None) -> None:
    run = Training(1, 60 if steps == 60 else 25 * len(scores), scores)
    assert run.steps_to(target) == steps and run.right == scores[-1]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trainings of a few steps, on a part of the corpus."""
    whole = english_persian()
    small = Corpus(whole.train[:200], whole.held_out[:60], (), whole.validation[:10])
    monkeypatch.setattr(rivals, "english_persian", lambda: small)
    monkeypatch.setattr(rivals, "pace", lambda: dict.fromkeys(MODELS, 10.0))
    for name, value in {
        "STEPS": 26,
        "RATES": {LSTM: (1e-3, 4e-3)},
        "_TURNS": 1,
        "LENGTHS": (3, 5),
        "_AT_ONCE": 1,
        "_AT_ONCE_BY_LENGTH": 1,
    }.items():
        monkeypatch.setattr(rivals, name, value)


@pytest.mark.usefixtures("quick")
def test_rival_runs_can_be_reproduced() -> None:
    run = Training(**rivals.run_training(RIVAL, 1))
    assert run.steps == 26 and len(run.scores) == 2 and {"probes", "lost"} <= set(run.inside)
    assert set(run.without_block) == {
        f"{stack} {order}" for stack in ("encoder", "decoder") for order in ("1", "2", "2 1")
    }
    other = Training(**rivals.run_training(LSTM, 1))
    assert not other.inside and other.steps == 26
