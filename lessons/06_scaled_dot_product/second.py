"""What lesson 06 asks a second time, for marks: only the teacher has this file."""

from __future__ import annotations

import numpy as np

from utils.by_hand.arrays import Array
from utils.course.exercises.exercise import Exercise

_random = np.random.default_rng(62)


def _drawn(d_k: int, size: float = 1.0) -> tuple[Array, Array, Array]:
    return tuple(size * _random.normal(size=d_k) for _ in range(3))  # type: ignore[return-value]


def _times(q: Array, k_i: Array, k_j: Array) -> float:
    return np.exp(q @ (k_i - k_j) / np.sqrt(len(q)))


def _far_but_alike() -> tuple[Array, Array, Array]:
    """Scores above 1000 that differ by little."""
    q, k, step = _drawn(4)
    return 60 * q, 60 * k + 400 * q, 60 * k + 400 * q + step / 30


_TIMES = Exercise(
    "06.second",
    "how many times as much",
    _times,
    [_drawn(4), _drawn(3), _drawn(7), _drawn(2)],
    {
        "The scale is missing: divide the difference by √d_k.": lambda q, k_i, k_j: np.exp(q @ (k_i - k_j)),
        "You divide by d_k. It is its square root.": lambda q, k_i, k_j: np.exp(q @ (k_i - k_j) / len(q)),
        "That is weight j divided by weight i: the other way round.": lambda q, k_i, k_j: _times(q, k_j, k_i),
        "That is the difference of the scores. The weights are as their exponentials: `np.exp`.": lambda q, k_i, k_j: (
            q @ (k_i - k_j) / np.sqrt(len(q))
        ),
        "That is key i's share of the weight of the "
        "two. Weight i divided by weight j is asked for.": lambda q, k_i, k_j: 1 / (1 + _times(q, k_j, k_i)),
        "You divide the exponential by √d_k. The scale "
        "belongs to the scores: divide before `np.exp`.": lambda q, k_i, k_j: np.exp(q @ (k_i - k_j)) / np.sqrt(len(q)),
        "You divide the scores. The weights are as the exponentials of the scaled scores.": lambda q, k_i, k_j: (
            (q @ k_i) / (q @ k_j)
        ),
        "Right for small scores, NaN for large ones: subtract the scores first, then take "
        "one exponential.": lambda q, k_i, k_j: np.exp(q @ k_i / np.sqrt(len(q))) / np.exp(q @ k_j / np.sqrt(len(q))),
    },
    extremes=[_far_but_alike()],
)

EXERCISES = (_TIMES,)
