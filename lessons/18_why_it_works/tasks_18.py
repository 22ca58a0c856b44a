"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("Encoder 2, numbers: take so many away that fewer than half of the sentences are right, but not none.")
def _(at, shown):
    return (at.block, at.taken) == ("encoder 2", "numbers") and 0.01 < shown[1].values[0] < 0.5


@tasks.ask("Encoder 2, main directions: find the smallest number that leaves fewer than half of the sentences right.")
def _(at, shown):
    return (at.block, at.taken, at.k) == ("encoder 2", "main directions", 2)
