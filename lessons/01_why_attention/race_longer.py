"""Lesson 01's race gone on with: the same models, trained longer, or with their positions shifted.

    python -m lessons.race_longer            # everything below: half an hour of one core
    python -m lessons.race_longer --only long      # this part only; what else is saved stays

- `long`: the GRU without attention, five times as many steps as it made in the race;
- `shifted`: the transformer, as many steps as in the race and five times as many; but in training every batch begins
  at a random position, in source and target alike, so that it meets every position that a tested row has.

All is counted in steps, not in seconds: so the same comes out on a fast and on a slow machine, but for rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import torch
from torch import Tensor, nn

from lessons.race import CONTESTANTS, LENGTHS, TRAINED
from lessons.race_results import MODELS, SAVED_LONGER, LongRun, saved_race
from lessons.reversal import exact_match
from utils.data.kept import keep

SEEDS = (0, 1, 2)
TIMES = 5  # as many steps as in the race
POSITIONS = max(LENGTHS) + 1  # a target of so many letters is read after its start token


class ShiftedPositions(nn.Module):
    """Positions that begin anywhere while training, and at 0 otherwise.

    The rows asked for lie within the first `POSITIONS`. Source and target of one batch, which are asked for one after
    the other, begin at the same place.
    """

    def __init__(self, positions: nn.Module, most: int = POSITIONS) -> None:
        super().__init__()
        self.positions, self.most = positions, most
        self._share = torch.zeros(())  # of what is free, drawn for the source and kept for the target
        self._asked = 0

    def forward(self, n: int, offset: int = 0) -> Tensor:
        """The rows of n positions, (n, d_model), from `offset` on, and while training from a random one."""
        if self.training:
            if self._asked % 2 == 0:
                self._share = torch.rand(())
            self._asked += 1
            offset += int(self._share * (self.most - max(TRAINED)))
        return self.positions(n, offset)


def steps_of(model: str, times: float) -> int:
    """`times` as many steps as `model` made in the saved race, in the mean of its seeds."""
    runs = saved_race().of(model)
    return round(times * sum(run.steps for run in runs) / len(runs))


def run_longer(model: str, seed: int, times: float, *, steps: int | None = None, shifted: bool = False) -> LongRun:
    """One training and its tests, done now. steps: how many, instead of as many as follow from `times`."""
    contestant, steps = CONTESTANTS[model], steps_of(model, times) if steps is None else steps
    torch.manual_seed(seed)
    network = contestant.build()
    if shifted:
        network.positions = ShiftedPositions(network.positions)
    contestant.trainer(network, steps, seed).train()
    exact = tuple(round(exact_match(network, length), 3) for length in LENGTHS)
    return LongRun(model, seed, times, steps, exact, shifted)


RUNS: dict[str, Callable[[], LongRun]] = {
    **{f"long, seed {seed}": lambda s=seed: run_longer(MODELS[0], s, TIMES) for seed in SEEDS},
    **{
        f"shifted, {times} times, seed {seed}": lambda t=times, s=seed: run_longer(MODELS[2], s, t, shifted=True)
        for times in (1, TIMES)
        for seed in SEEDS
    },
}

if __name__ == "__main__":
    torch.set_num_threads(1)
    keep(SAVED_LONGER, {name: lambda run=run: asdict(run()) for name, run in RUNS.items()})
