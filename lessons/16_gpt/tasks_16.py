"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("Leave a single next piece, without temperature 0 and without k.")
def _(at, shown):
    return at.temperature > 0 and at.k == 1023 and shown[1].sentence.endswith(": 1")


@tasks.ask("Let every piece come, at a temperature of 0.8 or less.")
def _(at, shown):
    return at.temperature <= 0.8 and shown[1].sentence.endswith(" 1023")
