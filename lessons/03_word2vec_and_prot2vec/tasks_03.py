"""Tasks for this lesson's interactive figure, and the settings that solve each."""

from __future__ import annotations

from math import log

from lessons.protein_maps import stored_map
from utils.course.tasks import Tasks
from utils.show.live import Points


def _extent(points: Points) -> float:
    """Return the longer side of the box around all points."""
    return max(max(column) - min(column) for column in zip(*points.xy, strict=True))


tasks = Tasks()


@tasks.ask("Make all points fall onto one spot.")
def _(at, shown):
    return _extent(shown[2]) < 0.08


@tasks.ask(
    "Take k = 3 and five negatives. Find the widest window at which some nearest neighbour is from another protein."
)
def _(at, shown):
    return (at.k, at.negatives, at.window) == (3, 5, 2)


@tasks.ask(
    "Take k = 3 and a window of 5. Find a number of negatives that leaves more than half of the loss with no idea."
)
def _(at, shown):
    return at.k == 3 and at.window == 5 and stored_map(3, 5, at.negatives).loss > 0.5 * (1 + at.negatives) * log(2)
