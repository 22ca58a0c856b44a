"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("A small model, d_model = 32: bring exact match above 0.3.")
def _(at, shown):
    return at.size == "32" and min(curve[-1] for (curve,) in shown[1].series.values()) > 0.3


@tasks.ask("Our rate, d_model = 128: stop so early that no seed has one sentence of ten right. Would you have gone on?")
def _(at, shown):
    return (at.size, at.rate) == ("128", "0.002") and at.until <= 90
