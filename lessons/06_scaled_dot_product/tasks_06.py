"""The tasks of this lesson's interactive figure, and how each is recognized as done."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("Without a scale, at temperature 1, bring the largest share below 0.8.")
def _(at, shown):
    return at.scale == "none" and at.T == 1 and shown[1].values[0] < 0.8


@tasks.ask("In a head of 64, divided by √d_model, find the temperature that gives the same weights as √d_k.")
def _(at, shown):
    return at.scale == "√d_model" and at.d_k == 64 and at.T == 0.35


@tasks.ask("With the scores divided by √d_k, find a temperature at which no share is above 0.3.")
def _(at, shown):
    return at.scale == "√d_k" and shown[1].values[0] < 0.3
