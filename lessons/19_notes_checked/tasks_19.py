"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

from collections.abc import Sequence

from utils.course.tasks import Tasks
from utils.show.live import Panel

tasks = Tasks()


def _met(shown: Sequence[Panel]) -> list[str]:
    """The printed numbers that the control's sentence says are met."""
    return shown[1].sentence.split(". Met: ")[1].split(". Not met: ")[0].split(", ")


@tasks.ask("N4, base 100: meet its 0.51. Does that explain it?")
def _(at, shown):
    return at.page == "N4" and at.base == 100 and "0.51" in _met(shown)


@tasks.ask("N4, base 10000: meet two of its numbers at once.")
def _(at, shown):
    return at.page == "N4" and at.base == 10000 and len(_met(shown)) >= 2
