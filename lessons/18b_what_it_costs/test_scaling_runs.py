"""The small runs that predict a larger one: all are kept, can be trained again, and a forecast is set beside them."""

from __future__ import annotations

import pytest

from lessons import scaling_runs
from lessons.scaling_runs import (
    CORNERS,
    LARGER,
    SEEDS,
    STEPS,
    WIDTHS,
    scaling_run,
    tokens,
    weights,
)
from utils.data.kept import read_kept


def test_every_planned_run_is_saved_and_no_other():
    assert list(read_kept(scaling_runs._FILE)) == list(scaling_runs._all())
    assert {(width, steps) for width in WIDTHS for steps in STEPS} > {*CORNERS}
    assert all(scaling_run(*run, seed) > 1 for run in (*CORNERS, LARGER) for seed in SEEDS)
    with pytest.raises(ValueError, match="saved"):
        scaling_run(7, 7)


def test_weights_and_tokens_match_worked_example():
    d = WIDTHS[0]
    block = 4 * d * (d + 1) + d * 4 * d + 4 * d + 4 * d * d + d + 2 * 2 * d  # attention, feed-forward, two norms
    assert weights(d) == 2 * block
    assert tokens(3) == 3 * 4 * 64


def test_scaling_run_can_be_reproduced():
    again = scaling_runs._run(WIDTHS[0], STEPS[0], 1)
    assert again["held_out"] == pytest.approx(scaling_run(WIDTHS[0], STEPS[0], 1), abs=0.06)
