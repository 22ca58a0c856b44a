"""The longer race: it counts steps, and short runs continue to the end."""

from __future__ import annotations

from lessons import race_longer
from lessons.race_longer import run_longer, steps_of
from lessons.race_results import saved_longer, saved_race


def test_race_counts_steps():
    steps = [run.steps for run in saved_race().of("GRU")]
    assert steps_of("GRU") == round(5 * sum(steps) / 3)
    assert all(run.steps == steps_of(run.model) for run in saved_longer())


def test_short_run_goes_from_start_to_end(monkeypatch):
    monkeypatch.setattr(race_longer, "LENGTHS", (5, 8))
    monkeypatch.setattr(race_longer, "exact_match", lambda model, length: length / 30)
    run = run_longer(0, steps=3)
    assert run.keys() == vars(saved_longer()[0]).keys() and (run["steps"], run["exact"]) == (3, [0.167, 0.267])
