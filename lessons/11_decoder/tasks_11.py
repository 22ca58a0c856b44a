"""The tasks of this lesson's interactive figure."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("With our sentence and 250 steps of training, find the step at which the last row looks most at “great”.")
def _(at, shown):
    return (
        at.trained == 250
        and at.sentence == "The weather is great."
        and shown[3].column_names[shown[3].values[-1].argmax()] == "great"
    )


@tasks.ask("Without training, find a step at which the most probable word is the one that the decoder has just read.")
def _(at, shown):
    return at.trained == 0 and shown[4].names[0] == shown[1].pieces[-1]
