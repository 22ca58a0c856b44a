"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

import numpy as np

from utils.course.tasks import Tasks

LOW = np.tril(np.ones((4, 4), dtype=bool))  # look-ahead

tasks = Tasks()


@tasks.ask("Make row 2 look at word 3 alone.")
def _(at, shown):
    return shown[0].values[1, 2] > 0.999


@tasks.ask("From look-ahead, allow Vasanth to see handwriting, and nobody else anything new. Which rows change?")
def _(at, shown):
    return at.length == 4 and at.way == "−∞" and at.loud == 1 and np.argwhere(at.allowed != LOW).tolist() == [[0, 3]]


@tasks.ask("Look-ahead, forbidden by −10⁴: find a loudness at which some rows leak, but not all three.")
def _(at, shown):
    return at.way == "−10⁴" and at.loud == 5000 and at.length == 4 and (at.allowed == LOW).all()
