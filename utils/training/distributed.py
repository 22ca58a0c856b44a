"""Several processes that train one model together, where `torchrun` started them; one process otherwise.

Each process computes its share of every batch. Losses are summed, not averaged, and divided by the items of *all*
shares: two processes then make the very step that one would make on the joined batch, padding or not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import distributed as dist


@contextmanager
def processes() -> Iterator[None]:
    """Connect the processes that `torchrun` started, inside the with block; do nothing without `torchrun`."""
    if "RANK" not in os.environ or "WORLD_SIZE" not in os.environ:
        yield
        return
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    try:
        yield
    finally:
        dist.destroy_process_group()


def rank() -> int:
    """Return the number of this process, from 0."""
    return dist.get_rank() if _together() else 0


def count() -> int:
    """Return how many processes train together."""
    return dist.get_world_size() if _together() else 1


def sums(*numbers: float, device: torch.device | str = "cpu") -> list[float]:
    """Return each number summed over all processes, the same list in each of them."""
    if count() == 1:
        return list(numbers)
    together = torch.tensor(numbers, dtype=torch.float64, device=device)
    dist.all_reduce(together)
    return together.tolist()


def from_first(number: float, device: torch.device | str = "cpu") -> float:
    """Return the number of process 0, in all of them."""
    return sums(number if rank() == 0 else 0.0, device=device)[0]


def _together() -> bool:
    return dist.is_available() and dist.is_initialized()
