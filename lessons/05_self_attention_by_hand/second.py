"""The graded exercise of lesson 05, which only the teacher has."""

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
    [
        "You forgot the minus sign, so the farthest key gets the most. The score is minus the squared distance.",
        _by(_squares),
        "You used the distance itself, but the score is minus its square. Leave out the root.",
        _by(lambda Q, K: -np.sqrt(_squares(Q, K))),
        "You multiplied the values by raw scores, which don't sum to 1. Apply the softmax to each row first.",
        lambda Q, K, V: -_squares(Q, K) @ V,
        "You took only the value of the nearest key. Each key gets a share, so apply the softmax to each row.",
        lambda Q, K, V: V[_squares(Q, K).argmin(axis=1)],
        "You used dot products as scores. In this exercise the score is minus the squared distance.",
        _by(lambda Q, K: Q @ K.T),
        "You divided the scores by √d, but this exercise has no scale. Leave the division out.",
        _by(lambda Q, K: -_squares(Q, K) / np.sqrt(Q.shape[1])),
        "You added up the differences and squared the sum. Square each difference first, then add up.",
        _by(lambda Q, K: -((Q[:, np.newaxis] - K).sum(axis=-1) ** 2)),
        "Your softmax runs down the columns. Each query has a row, and each row has to sum to 1, so use `axis=1`.",
        _down_the_columns,
        "You get NaN where all keys are far away, because every exponential becomes 0. Subtract each row's maximum "
        "before `np.exp`.",
        _without_max_shift,
    ],
    extremes=[_drawn(3, 4, 2, 2, size=400.0)],
)

EXERCISES = (_NEAREST,)
