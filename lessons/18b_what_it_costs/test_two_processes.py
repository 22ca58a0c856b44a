"""One process and two: what was kept says what lesson 18b says, and can be measured again."""

from __future__ import annotations

import pytest

from lessons import two_processes
from lessons.two_processes import BATCHES, REPEATS, measured
from utils.data.corpora import english_persian
from utils.training.train import new_translator


@pytest.mark.parametrize("size", BATCHES)
def test_all_runs_were_kept(size):
    runs = measured(size)
    assert [run["processes"] for run in runs] == [1, 2] * REPEATS
    assert all(len(run["processor"]) == run["processes"] and min(run["processor"]) > 0 for run in runs)


def test_a_step_exchanges_four_bytes_for_each_parameter():
    numbers = sum(p.numel() for p in new_translator(english_persian()).model.parameters())
    for size in BATCHES:
        assert {run["exchanged"] for run in measured(size) if run["processes"] == 2} == {4 * numbers}
        assert {run["exchanged"] for run in measured(size) if run["processes"] == 1} == {0}


def test_a_size_that_was_not_measured_is_refused():
    with pytest.raises(ValueError, match="no run was kept with batches of 7"):
        measured(7)


def test_two_processes_can_be_measured_again():
    """In real processes, for a step or two."""
    run = two_processes._run(2, 8, warm=1, steps=2)
    assert run["processes"] == 2 and len(run["processor"]) == 2
    assert run["exchanged"] == next(r["exchanged"] for r in measured(BATCHES[0]) if r["processes"] == 2)
