"""Tasks of the interactive figure of lesson 18b, and when each is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("With the lesson's scores, take in all eight keys in only two chunks. Does the output change?")
def _(at, shown):
    return at.query == 1 and 4 <= at.chunk < 8 and at.step >= 2


@tasks.ask("With a masked row and two keys in a chunk, find the last step at which nothing has been summed yet.")
def _(at, shown):
    return (at.query, at.chunk, at.step) == (4, 2, 2)
