"""The tasks of this lesson's interactive figure, each with a check that it is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("Start from “four columns”. Change columns 2 and 3, but leave columns 0 and 1 as they are.")
def _(at, shown):
    return at.d_model == 4 and at.base != 100 and at.unit == "radians"


@tasks.ask("Choose “one pair only”, then the position that is nearest to position 0.")
def _(at, shown):
    return (at.d_model, at.position, at.unit) == (2, 44, "radians")
