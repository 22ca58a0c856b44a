"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("Nothing left out: find a learning rate that learns, but has not arrived: a loss between 0.4 and 1.")
def _(at, shown):
    return at.left_out == "nothing" and 0.4 < shown[0].series["loss"][0][-1] < 1


@tasks.ask("Leave out a line so that the loss stays where it begins.")
def _(at, shown):
    return len(set(shown[0].series["loss"][0])) == 1
