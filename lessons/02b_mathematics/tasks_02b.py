"""The tasks of this lesson's interactive figure, each with a check that it is done."""

from __future__ import annotations

from utils.by_hand.slopes import CURVES, one_sided
from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("In “x², h = 1”, find the x at which the secant is level, although the tangent is not.")
def _(at, shown):
    return at.curve == "x²" and at.h == 1 and abs(one_sided(CURVES["x²"].height, at.x, 1)) < 1e-9


@tasks.ask("In “ln”, find the x at which the slope is 2.")
def _(at, shown):
    return at.curve == "ln x" and at.x == 0.5 and len(shown) > 1


@tasks.ask("In “two variables”, make one of the two slopes 0 without changing the other.")
def _(at, shown):
    return at.curve == "x² + 3y²" and (at.x == 0) != (at.y == 0) and 1 in (at.x, at.y)
