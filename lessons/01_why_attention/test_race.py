"""The race: short ones run to the end and can be stopped."""

from __future__ import annotations

import itertools
import math
import time

import pytest
import torch

from lessons import race as race_module
from lessons.race import TRAINED, Training, run_race
from lessons.race_results import MODELS, Race, Run

CURVE = ((1.0, 0.1), (2.0, 0.4), (3.0, 0.3), (4.0, 0.5))


def run_of(model="GRU", seed=0, **changes):
    fields = {"parameters": 10, "steps": 5, "seconds": 4.0, "curve": CURVE, "exact": (1.0, 0.5)}
    return Run(model, seed, **(fields | changes))


def test_time_to_score_is_first_time_reached():
    assert run_of().reaches(0.3) == 2.0
    assert run_of().reaches(0.05) == 1.0
    assert run_of().reaches(0.6) == math.inf


def test_exact_match_is_looked_up_by_model_and_length():
    race = Race(4.0, (5, 20), (5, 10), 10, (run_of(), run_of(seed=1, exact=(0.5, 0.25))), ())
    assert race.exact("GRU", 10) == [0.5, 0.25]


# --- short races ---


@pytest.fixture
def short(monkeypatch):
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # as in the race: more of them wait for each other on a busy machine
    ticks = itertools.count()
    monkeypatch.setattr(time, "process_time", lambda: next(ticks) / 8)  # so every step takes an eighth
    monkeypatch.setattr(race_module, "LENGTHS", (5,))
    monkeypatch.setattr(race_module, "SUMMARIES", (4,))
    monkeypatch.setattr(race_module, "_PACE", 4)
    monkeypatch.setattr(race_module, "_STOPS", 2)
    monkeypatch.setattr(race_module, "TRAINED", (5, 6))
    yield
    torch.set_num_threads(threads)


def test_short_race_runs_from_start_to_end(short):
    said = []
    race = run_race(1.0, range(1), said.append)
    assert [run.model for run in race.runs] == list(MODELS) and [run.d_summary for run in race.summaries] == [4]
    assert len(said) == 4 and said[-1].startswith("GRU, seed 0, summary 4: 8 steps, exact ")
    assert (race.seconds, race.trained, race.lengths, race.watched) == (1.0, (5, 6), (5,), race_module.WATCHED)
    for run in (*race.runs, *race.summaries):
        assert (run.steps, run.seconds) == (8, 1.0) and [seconds for seconds, _ in run.curve] == [0.5, 1.0]
    for run in race.summaries:
        built = race_module.gru("none", race_module.STATE, run.d_summary)()
        assert run.parameters == sum(p.numel() for p in built.parameters()) < race.runs[0].parameters


def test_seed_determines_initial_weights(short):
    first, again, other = (Training("GRU with attention", seed, 0.05).model for seed in (0, 0, 1))
    same = [bool((a == b).all()) for a, b in zip(first.parameters(), again.parameters(), strict=True)]
    assert all(same)
    assert not bool((first.output.weight == other.output.weight).all())
    assert TRAINED == (5, 20)
