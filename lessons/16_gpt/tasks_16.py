"""Tasks of the interactive figure of lesson 16, with their tests."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("Leave only one possible next piece, at a temperature above 0 and without k.")
def _(at, shown):
    return at.temperature > 0 and at.k == 1023 and shown[1].sentence.endswith(": 1")


@tasks.ask("Make every piece possible, at a temperature of 0.8 or less.")
def _(at, shown):
    return at.temperature <= 0.8 and shown[1].sentence.endswith(" 1023")
