"""The tasks of this lesson's interactive figure, and when each is done."""

from __future__ import annotations

from lessons.tuned_runs import PARTS, STRENGTHS, dial
from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("With all 8 parts, find the smallest strength at which nine out of ten known topics are answered correctly.")
def _(at, shown):
    return at.parts == 8 and at.strength == min(s for s in STRENGTHS if dial(s, 8).right >= 0.9)


@tasks.ask("At strength 1, find the fewest parts at which half of the known topics are answered correctly.")
def _(at, shown):
    return at.strength == 1 and at.parts == min(k for k in PARTS if dial(1.0, k).right >= 0.5)


@tasks.ask("Go too far: with all 8 parts, make the writer clearly worse at the known topics than at strength 1.")
def _(at, shown):
    return at.parts == 8 and at.strength > 1 and dial(at.strength, 8).right < dial(1.0, 8).right - 0.1
