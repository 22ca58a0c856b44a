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
    beside_the_larger,
    scaling_run,
    tokens,
    weights,
)
from utils.data.kept import read_kept


def test_every_planned_run_is_saved_and_no_other():
    assert list(read_kept(scaling_runs._FILE)) == list(scaling_runs._all())
    assert {(width, steps) for width in WIDTHS for steps in STEPS} > {*CORNERS}
    assert all(scaling_run(*run, seed) > 1 for run in (*CORNERS, LARGER) for seed in SEEDS)
    with pytest.raises(KeyError):
        scaling_run(7, 7)


def test_weights_and_tokens_match_worked_example():
    d = WIDTHS[0]
    block = 4 * d * (d + 1) + d * 4 * d + 4 * d + 4 * d * d + d + 2 * 2 * d  # attention, feed-forward, two norms
    assert weights(d) == 2 * block
    assert tokens(3) == 3 * 4 * 64


def test_scaling_run_can_be_reproduced():
    again = scaling_runs._run(WIDTHS[0], STEPS[0], 1)
    assert again["held_out"] == pytest.approx(scaling_run(WIDTHS[0], STEPS[0], 1), abs=0.06)


def test_forecast_is_shown_beside_the_run_and_the_best_small_ones(monkeypatch):
    kept = {LARGER: 2.0, (96, 1600): 2.25}
    monkeypatch.setattr(scaling_runs, "scaling_run", lambda *run: kept.get(run[:2], 3.0) + 0.03 * sum(run[2:]))
    said = repr(beside_the_larger(2.1))
    assert "2.00, 2.03, 2.06" in said and "0.07 too high" in said and "0.22 too high" in said
    assert "0.03 too low" in repr(beside_the_larger("2"))
