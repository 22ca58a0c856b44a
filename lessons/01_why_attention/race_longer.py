"""Lesson 01's race gone on with: the GRU without attention, five times as many steps as it made in the race.

    python -m lessons.race_longer            # about ten minutes of one core

All is counted in steps, not in seconds: so the same comes out on a fast and on a slow machine, but for rounding.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from lessons.race import CONTESTANTS, LENGTHS
from lessons.race_results import MODELS, SAVED_LONGER, saved_race
from lessons.reversal import exact_match
from utils.data.kept import keep

SEEDS = (0, 1, 2)
TIMES = 5  # as many steps as in the race


def steps_of(model: str) -> int:
    """Return TIMES the number of steps that `model` took in the saved race, on average over its seeds."""
    runs = saved_race().of(model)
    return round(TIMES * sum(run.steps for run in runs) / len(runs))


def run_longer(seed: int, steps: int) -> dict[str, Any]:
    """Train the GRU without attention for this number of steps, and test it."""
    torch.manual_seed(seed)
    network = CONTESTANTS[MODELS[0]].build()
    CONTESTANTS[MODELS[0]].trainer(network, steps, seed).train()
    exact = [round(exact_match(network, length), 3) for length in LENGTHS]
    return {"model": MODELS[0], "seed": seed, "times": TIMES, "steps": steps, "exact": exact}


if __name__ == "__main__":
    torch.set_num_threads(1)
    keep(SAVED_LONGER, {f"long, seed {seed}": partial(run_longer, seed, steps_of(MODELS[0])) for seed in SEEDS})
