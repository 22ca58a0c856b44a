"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("The weather is great: go on until it says that the sentence has ended.")
def _(at, shown):
    return at.sentence == "The weather is great." and shown[1].names[0] == "<end>"


@tasks.ask("No subject: find a place where it is sure, with more than 0.9.")
def _(at, shown):
    return at.sentence == "Is not big." and shown[1].values.max() > 0.9
