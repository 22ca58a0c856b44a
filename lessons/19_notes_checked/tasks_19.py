"""Tasks of the interactive figure of lesson 19, and when each is done."""

from __future__ import annotations

from collections.abc import Sequence

from utils.course.tasks import Tasks
from utils.show.live import Panel

tasks = Tasks()


def _met(shown: Sequence[Panel]) -> list[str]:
    """Return the printed numbers that are met, according to the figure's sentence."""
    return shown[1].sentence.split(". Met: ")[1].split(". Not met: ")[0].split(", ")


@tasks.ask("For N4 with base 100, find a setting that gives its 0.51. Does that explain the number?")
def _(at, shown):
    return at.page == "N4" and at.base == 100 and "0.51" in _met(shown)


@tasks.ask("For N4 with base 10000, find a setting that gives two of its numbers at once.")
def _(at, shown):
    return at.page == "N4" and at.base == 10000 and len(_met(shown)) >= 2
