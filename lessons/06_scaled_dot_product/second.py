"""The graded exercise of lesson 06, which only the teacher has."""

from __future__ import annotations

import numpy as np

from utils.by_hand.arrays import Array
from utils.course.exercises.exercise import Exercise

_random = np.random.default_rng(62)


def _drawn(d_k: int) -> tuple[Array, Array, Array]:
    return tuple(_random.normal(size=d_k) for _ in range(3))  # type: ignore[return-value]


def _times(q: Array, k_i: Array, k_j: Array) -> float:
    return np.exp(q @ (k_i - k_j) / np.sqrt(len(q)))


def _far_but_alike() -> tuple[Array, Array, Array]:
    """Return a query and two keys whose scores are above 1000 but differ only a little."""
    q, k, step = _drawn(4)
    return 60 * q, 60 * k + 400 * q, 60 * k + 400 * q + step / 30


_TIMES = Exercise(
    "06.second",
    "how many times as much",
    _times,
    [_drawn(4), _drawn(3), _drawn(7), _drawn(2)],
    [
        "You left out the scale. Divide the difference of the scores by √d_k before you take the exponential.",
        lambda q, k_i, k_j: np.exp(q @ (k_i - k_j)),
        "You divided by d_k, but the scale is its square root, √d_k. Divide by that.",
        lambda q, k_i, k_j: np.exp(q @ (k_i - k_j) / len(q)),
        "You divided weight j by weight i. Turn it round: weight i divided by weight j.",
        lambda q, k_i, k_j: _times(q, k_j, k_i),
        "You returned the difference of the scores. A difference becomes a factor, so apply `np.exp`.",
        lambda q, k_i, k_j: q @ (k_i - k_j) / np.sqrt(len(q)),
        "You returned key i's share of the two weights together. Divide weight i by weight j instead.",
        lambda q, k_i, k_j: 1 / (1 + _times(q, k_j, k_i)),
        "You divided the exponential by √d_k, but the scale belongs to the scores. Divide before `np.exp`.",
        lambda q, k_i, k_j: np.exp(q @ (k_i - k_j)) / np.sqrt(len(q)),
        "You divided one score by the other. Weights are proportional to exponentials, so subtract the scaled scores "
        "and apply `np.exp`.",
        lambda q, k_i, k_j: (q @ k_i) / (q @ k_j),
        "You get NaN for large scores, because each exponential overflows. Subtract the scores first, then take one "
        "exponential.",
        lambda q, k_i, k_j: np.exp(q @ k_i / np.sqrt(len(q))) / np.exp(q @ k_j / np.sqrt(len(q))),
    ],
    extremes=[_far_but_alike()],
)

EXERCISES = (_TIMES,)
