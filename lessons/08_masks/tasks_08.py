"""The tasks of the interactive figure of lesson 08."""

from __future__ import annotations

import numpy as np

from utils.course.tasks import Tasks

LOW = np.tril(np.ones((4, 4), dtype=bool))  # look-ahead

tasks = Tasks()


@tasks.ask("Make row 2 look only at word 3.")
def _(at, shown):
    return shown[0].values[1, 2] > 0.999


@tasks.ask("Start from look-ahead and allow only one more thing: Vasanth may see handwriting. Which rows change?")
def _(at, shown):
    return at.length == 4 and at.way == "−∞" and at.loud == 1 and np.argwhere(at.allowed != LOW).tolist() == [[0, 3]]


@tasks.ask("With look-ahead forbidden by −10⁴, find a loudness at which some rows leak, but not all three.")
def _(at, shown):
    return at.way == "−10⁴" and at.loud == 5000 and at.length == 4 and (at.allowed == LOW).all()
