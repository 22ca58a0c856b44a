"""The trainings that lesson 12 keeps for its control."""

from __future__ import annotations

import pytest

from utils.training.loop import TrainingConfig
from utils.training.saved_runs import (
    EVERY,
    LEARNING_RATES,
    RUN_STEPS,
    SIZES,
    WEIGHT_DECAYS,
    WHOLE_EVERY,
    saved_run,
    saved_whole_run,
)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("rate", LEARNING_RATES)
def test_every_run_is_there_and_whole(size: int, rate: float) -> None:
    run = saved_run(size, rate)
    assert len(run.losses) == len(run.scores) == RUN_STEPS // EVERY
    assert run.losses[0] > run.losses[-1] > 0
    assert all(0 <= score <= 1 for score in run.scores)


@pytest.mark.parametrize("decay", WEIGHT_DECAYS)
def test_whole_runs_are_those_of_the_recipe(decay: float) -> None:
    run = saved_whole_run(decay)
    assert len(run.losses) == len(run.scores) == TrainingConfig().steps // WHOLE_EVERY
    assert TrainingConfig().weight_decay in WEIGHT_DECAYS


def test_the_recipe_is_right_99_times_of_100_and_the_usual_decay_is_not() -> None:
    assert saved_whole_run(TrainingConfig().weight_decay).scores[-1] >= 0.99 > saved_whole_run(0.01).scores[-1]


def test_a_run_that_was_not_kept() -> None:
    with pytest.raises(ValueError, match=r"^no training was kept with d_model 48 and learning rate 0\.002\.$"):
        saved_run(48, 2e-3)
    with pytest.raises(ValueError, match=r"^no training was kept with weight decay 0\.5\.$"):
        saved_whole_run(0.5)
