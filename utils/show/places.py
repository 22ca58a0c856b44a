"""Where names may stand beside their points, so that none lies on another: rectangles in, rectangles out."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Boxes = NDArray[np.float64]  # (n, 4): left, bottom, right, top

MARKER = 8  # how wide a point is drawn
DISTANCES = (3, 12, 24, 38, 54, 72)  # from the point to the nearer edge of its name, the nearest tried first
DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))


def places(points: ArrayLike, sizes: ArrayLike) -> Boxes:
    """A box for the name of each point, (n, 4), that lies on no other name and on no point.

    points (n, 2). sizes (n, 2): width and height of each name. All in points of print. A name takes the free place that
    is nearest to its point; the most crowded point chooses first. Where no place is free, it takes the one that covers
    the least. Raises ValueError when the shapes do not fit.
    """
    points, sizes = np.asarray(points, dtype=float), np.asarray(sizes, dtype=float)
    if points.ndim != 2 or points.shape[1:] != (2,) or sizes.shape != points.shape:
        raise ValueError(f"points and sizes must both be (n, 2): their shapes are {points.shape} and {sizes.shape}.")
    blocked = np.hstack([points - MARKER / 2, points + MARKER / 2]).tolist()
    chosen = np.zeros((len(points), 4))
    apart = np.abs(points[:, None] - points[None]).max(axis=2)
    crowded = (apart < DISTANCES[-1]).sum(axis=1)
    for i in np.argsort(-crowded, kind="stable"):
        candidates = _around(points[i], sizes[i], MARKER / 2)
        covered = _covered(candidates, np.array(blocked)).sum(axis=1)
        chosen[i] = candidates[int(np.argmin(covered))]  # of equals the first, which is the nearest
        blocked.append(chosen[i].tolist())
    return chosen


def _around(point: NDArray[np.float64], size: NDArray[np.float64], margin: float) -> Boxes:
    """The boxes where a name of this size may stand, the nearest first."""
    boxes = []
    for distance in DISTANCES:
        for direction in DIRECTIONS:
            far = np.array(direction) / np.hypot(*direction)
            centre = point + far * (margin + distance) + np.array(direction) * size / 2
            boxes.append([*(centre - size / 2), *(centre + size / 2)])
    return np.array(boxes)


def _covered(boxes: Boxes, others: Boxes) -> Boxes:
    """The area that each box shares with each other, (n, m)."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return np.maximum(high - low, 0).prod(axis=2)
