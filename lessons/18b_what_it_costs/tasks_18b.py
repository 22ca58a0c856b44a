"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("The page's scores: take all eight keys in, with just two chunks. Is the output another one?")
def _(at, shown):
    return at.query == 1 and 4 <= at.chunk < 8 and at.step >= 2


@tasks.ask("A masked row, two keys in a chunk: find the last step at which nothing is summed yet.")
def _(at, shown):
    return (at.query, at.chunk, at.step) == (4, 2, 2)
