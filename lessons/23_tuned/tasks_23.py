"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

from lessons.tuned_runs import PARTS, STRENGTHS, dial
from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("With all 8 parts: find the smallest strength at which nine of ten known topics are answered right.")
def _(at, shown):
    return at.parts == 8 and at.strength == min(s for s in STRENGTHS if dial(s, 8).right >= 0.9)


@tasks.ask("At strength 1: find the fewest parts at which half of them are answered right.")
def _(at, shown):
    return at.strength == 1 and at.parts == min(k for k in PARTS if dial(1.0, k).right >= 0.5)


@tasks.ask("Turn it too far: with all 8 parts, make it clearly worse at the known topics than it is at strength 1.")
def _(at, shown):
    return at.parts == 8 and at.strength > 1 and dial(at.strength, 8).right < dial(1.0, 8).right - 0.1
