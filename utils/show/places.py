"""Place names beside their points without overlaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Boxes = NDArray[np.float64]  # (n, 4): left, bottom, right, top

MARKER = 8  # the width of a point, in typographic points
DISTANCES = (3, 12, 24, 38, 54, 72)  # from the point to the nearer edge of its name, in the order of trying
DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))


def places(points: ArrayLike, sizes: ArrayLike) -> Boxes:
    """Return a box for the name of each point, (n, 4), that overlaps no other name and no point.

    points (n, 2). sizes (n, 2): width and height of each name. All are in typographic points. Each name gets the free
    box nearest to its point, from the most crowded point to the least. If no box is free, it gets the one that covers
    the least.
    """
    points, sizes = np.asarray(points, dtype=float), np.asarray(sizes, dtype=float)
    blocked = np.hstack([points - MARKER / 2, points + MARKER / 2]).tolist()
    chosen = np.zeros((len(points), 4))
    apart = np.abs(points[:, None] - points[None]).max(axis=2)
    crowded = (apart < DISTANCES[-1]).sum(axis=1)
    for i in np.argsort(-crowded, kind="stable"):
        candidates = _around(points[i], sizes[i], MARKER / 2)
        covered = _covered(candidates, np.array(blocked)).sum(axis=1)
        chosen[i] = candidates[int(np.argmin(covered))]  # argmin takes the first of equals, which is the nearest
        blocked.append(chosen[i].tolist())
    return chosen


def _around(point: NDArray[np.float64], size: NDArray[np.float64], margin: float) -> Boxes:
    """Return the possible boxes for a name of this size, the nearest first."""
    boxes = []
    for distance in DISTANCES:
        for direction in DIRECTIONS:
            far = np.array(direction) / np.hypot(*direction)
            centre = point + far * (margin + distance) + np.array(direction) * size / 2
            boxes.append([*(centre - size / 2), *(centre + size / 2)])
    return np.array(boxes)


def _covered(boxes: Boxes, others: Boxes) -> Boxes:
    """Return the area that each of `boxes` shares with each of `others`, (n, m)."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return np.maximum(high - low, 0).prod(axis=2)
