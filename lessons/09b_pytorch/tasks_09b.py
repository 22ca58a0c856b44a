"""The tasks of the interactive figure of lesson 09b."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask(
    "With nothing left out, find a learning rate that learns but is too slow, so that the loss ends between 0.4 and 1."
)
def _(at, shown):
    return at.left_out == "nothing" and 0.4 < shown[0].series["loss"][0][-1] < 1


@tasks.ask("Leave out a line so that the loss stays where it starts.")
def _(at, shown):
    return len(set(shown[0].series["loss"][0])) == 1
