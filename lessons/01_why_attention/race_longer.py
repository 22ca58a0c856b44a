"""Lesson 01's race gone on with: the GRU without attention, five times as many steps as it made in the race.

    python -m lessons.race_longer            # about ten minutes of one core

All is counted in steps, not in seconds: so the same comes out on a fast and on a slow machine, but for rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import torch

from lessons.race import CONTESTANTS, LENGTHS
from lessons.race_results import MODELS, SAVED_LONGER, LongRun, saved_race
from lessons.reversal import exact_match
from utils.data.kept import keep

SEEDS = (0, 1, 2)
TIMES = 5  # as many steps as in the race


def steps_of(model: str, times: float) -> int:
    """`times` as many steps as `model` made in the saved race, in the mean of its seeds."""
    runs = saved_race().of(model)
    return round(times * sum(run.steps for run in runs) / len(runs))


def run_longer(model: str, seed: int, times: float, *, steps: int | None = None) -> LongRun:
    """One training and its tests, done now. steps: how many, instead of as many as follow from `times`."""
    contestant, steps = CONTESTANTS[model], steps_of(model, times) if steps is None else steps
    torch.manual_seed(seed)
    network = contestant.build()
    contestant.trainer(network, steps, seed).train()
    exact = tuple(round(exact_match(network, length), 3) for length in LENGTHS)
    return LongRun(model, seed, times, steps, exact)


RUNS: dict[str, Callable[[], LongRun]] = {
    f"long, seed {seed}": lambda s=seed: run_longer(MODELS[0], s, TIMES) for seed in SEEDS
}

if __name__ == "__main__":
    torch.set_num_threads(1)
    keep(SAVED_LONGER, {name: lambda run=run: asdict(run()) for name, run in RUNS.items()})
