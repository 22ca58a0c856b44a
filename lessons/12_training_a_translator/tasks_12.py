"""The tasks of this lesson's interactive figure."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("With a small model, d_model = 32, bring the exact match above 0.3.")
def _(at, shown):
    return at.size == "32" and min(curve[-1] for (curve,) in shown[1].series.values()) > 0.3


@tasks.ask(
    "With our rate and d_model = 128, stop before any seed gets one sentence out of ten right. Would you have "
    "continued?"
)
def _(at, shown):
    return (at.size, at.rate) == ("128", "0.002") and at.until <= 90
