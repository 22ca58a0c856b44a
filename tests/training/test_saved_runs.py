"""The trainings that lesson 12 keeps for its control."""

from __future__ import annotations

import pytest

from utils.training.saved_runs import EVERY, LEARNING_RATES, RUN_STEPS, SIZES, saved_run


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("rate", LEARNING_RATES)
def test_every_run_is_there_and_whole(size: int, rate: float) -> None:
    run = saved_run(size, rate)
    assert len(run.losses) == len(run.scores) == RUN_STEPS // EVERY
    assert run.losses[0] > run.losses[-1] > 0
    assert all(0 <= score <= 1 for score in run.scores)


def test_a_run_that_was_not_kept() -> None:
    with pytest.raises(ValueError, match=r"^no training was kept with d_model 48 and learning rate 0\.002\.$"):
        saved_run(48, 2e-3)
