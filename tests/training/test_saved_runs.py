"""The trainings that lesson 12 keeps for its control."""

from __future__ import annotations

import pytest

from utils.training.saved_runs import (
    EVERY,
    LEARNING_RATES,
    RUN_STEPS,
    SIZES,
    WHOLE,
    WHOLE_EVERY,
    saved_run,
    saved_whole_run,
)
from utils.training.train import recipe


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("rate", LEARNING_RATES)
def test_every_run_is_there_and_whole(size: int, rate: float) -> None:
    run = saved_run(size, rate)
    assert len(run.losses) == len(run.scores) == RUN_STEPS // EVERY
    assert run.losses[0] > run.losses[-1] > 0
    assert all(0 <= score <= 1 for score in run.scores)


@pytest.mark.parametrize(("rate", "decay"), WHOLE)
def test_whole_runs_are_as_long_as_the_recipe(rate: float, decay: float) -> None:
    run = saved_whole_run(rate, decay)
    assert len(run.losses) == len(run.scores) == recipe().steps // WHOLE_EVERY


def test_of_the_whole_runs_the_recipe_alone_is_right_99_times_of_100() -> None:
    ours, *others = (saved_whole_run(*rates).scores[-1] for rates in WHOLE)
    assert WHOLE[0] == (recipe().learning_rate, recipe().weight_decay)
    assert ours >= 0.99 > max(others)


def test_a_run_that_was_not_kept() -> None:
    with pytest.raises(ValueError, match=r"^no training was kept with d_model 48 and learning rate 0\.002\.$"):
        saved_run(48, 2e-3)
    with pytest.raises(ValueError, match=r"^no training was kept with learning rate 0\.002 and weight decay 0\.5\.$"):
        saved_whole_run(2e-3, 0.5)
