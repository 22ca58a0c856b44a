"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("No scale, temperature 1: bring the largest share below 0.8.")
def _(at, shown):
    return at.scale == "none" and at.T == 1 and shown[1].values[0] < 0.8


@tasks.ask("A head of 64, divided by √d_model: find the temperature that gives back what √d_k gives.")
def _(at, shown):
    return at.scale == "√d_model" and at.d_k == 64 and at.T == 0.35


@tasks.ask("Divided by √d_k: find a temperature at which no share is above 0.3.")
def _(at, shown):
    return at.scale == "√d_k" and shown[1].values[0] < 0.3
