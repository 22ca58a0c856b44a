"""What lesson 05 asks a second time, for marks: only the teacher has this file."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.course.exercises.exercise import Exercise

_random = np.random.default_rng(52)


def _squares(Q: Array, K: Array) -> Array:
    return ((Q[:, np.newaxis] - K) ** 2).sum(axis=-1)


def _by(scores: Callable[[Array, Array], Array]) -> Callable[[Array, Array, Array], Array]:
    return lambda Q, K, V: softmax(scores(Q, K)) @ V


def _without_max_shift(Q: Array, K: Array, V: Array) -> Array:
    e = np.exp(-_squares(Q, K))
    return e / e.sum(axis=1, keepdims=True) @ V


def _down_the_columns(Q: Array, K: Array, V: Array) -> Array:
    return softmax(-_squares(Q, K).T).T @ V


def _drawn(N: int, M: int, d: int, d_v: int, size: float = 0.7) -> tuple[Array, Array, Array]:
    return size * _random.normal(size=(N, d)), size * _random.normal(size=(M, d)), _random.normal(size=(M, d_v))


_NEAREST = Exercise(
    "05.second",
    "nearest keys",
    _by(lambda Q, K: -_squares(Q, K)),
    [_drawn(4, 3, 2, 5), _drawn(3, 3, 3, 3), _drawn(2, 5, 4, 3), _drawn(5, 4, 3, 2)],
    {
        "The sign is missing: in yours the farthest key gets most. The score is minus the square.": _by(_squares),
        "You took the distance itself. Its square is asked for.": _by(lambda Q, K: -np.sqrt(_squares(Q, K))),
        "These are the scores times the values. The softmax of each row is missing between them.": lambda Q, K, V: (
            -_squares(Q, K) @ V
        ),
        "You take the value of the nearest key alone. Each key gets a share of the weight: "
        "the softmax of the row.": lambda Q, K, V: V[_squares(Q, K).argmin(axis=1)],
        "These are dot products. Here the score is minus the squared distance.": _by(lambda Q, K: Q @ K.T),
        "You divide by √d. Here no scale is asked for.": _by(lambda Q, K: -_squares(Q, K) / np.sqrt(Q.shape[1])),
        "You add the differences first and square the sum. Square each difference, then add.": _by(
            lambda Q, K: -((Q[:, np.newaxis] - K).sum(axis=-1) ** 2)
        ),
        "Your softmax runs down the columns: each query, a row, shares out its own 1.": _down_the_columns,
        "Right for near keys, NaN where all are far away: "
        "take the row's maximum off before `np.exp`.": _without_max_shift,
    },
    extremes=[_drawn(3, 4, 2, 2, size=400.0)],
)

EXERCISES = (_NEAREST,)
