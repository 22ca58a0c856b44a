"""The tasks of this lesson's interactive figure, and when each is done."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from utils.by_hand.arrays import Array
from utils.course.tasks import Tasks
from utils.show.live import Panel

tasks = Tasks()


def _gradient(shown: Sequence[Panel], name: str) -> Array:
    """Return the gradient at a matrix as the figure shows it."""
    return next(panel.values for panel in shown if getattr(panel, "title", "") == f"at {name}")


@tasks.ask("Pull the entry of W_Q to where the loss is lowest, so that its own slope becomes 0 to two decimals.")
def _(at, shown):
    return at.weight == "W_Q" and at.cut == "none" and abs(_gradient(shown, "W_Q")[0, 0]) < 0.005


@tasks.ask("Put a hidden unit to sleep, so that a column of W_1 and the same row of W_2 have no gradient at all.")
def _(at, shown):
    asleep = (_gradient(shown, "W_1") == 0).all(axis=0) & (_gradient(shown, "W_2") == 0).all(axis=1)
    return bool(np.any(asleep))


@tasks.ask("Without a pull, cut one residual so that only the gradient at E changes.")
def _(at, shown):
    return at.pull == 0 and at.cut == "1st residual"
