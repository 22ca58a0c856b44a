"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("From N4's table, change columns 2 and 3, and leave columns 0 and 1 as they are.")
def _(at, shown):
    return at.d_model == 4 and at.base != 100 and at.unit == "radians"


@tasks.ask("One pair only: choose the position that is nearest to position 0.")
def _(at, shown):
    return (at.d_model, at.position, at.unit) == (2, 44, "radians")
