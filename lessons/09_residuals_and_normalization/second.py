"""A second exercise for lesson 09, for marks. Only the teacher has this file."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from utils.by_hand.arrays import Array
from utils.course.exercises.exercise import Exercise

_random = np.random.default_rng(92)
_Kept = tuple[Array, Array, Array, Array, Array, float]


def _taken_back(
    undone: Callable[[Array, Array, Array], Array] = lambda y, gamma, beta: (y - beta) / gamma,
    spread: Callable[[Array, float], Array] = lambda variance, eps: np.sqrt(variance + eps),
    moved: Callable[[Array, Array], Array] = lambda x, mean: x + mean,
) -> Callable[..., Array]:
    return lambda y, gamma, beta, mean, variance, eps: moved(
        undone(y, gamma, beta) * spread(variance, eps)[:, np.newaxis], mean[:, np.newaxis]
    )


def _drawn(N: int, d: int, eps: float) -> _Kept:
    return (
        _random.normal(size=(N, d)),
        _random.uniform(0.5, 2, size=d) * _random.choice([-1, 1], size=d),
        _random.normal(size=d),
        2 * _random.normal(size=N),
        _random.uniform(0.2, 4, size=N),
        eps,
    )


_BACK = Exercise(
    "09.second",
    "taken back",
    _taken_back(),
    [_drawn(3, 4, 0.1), _drawn(2, 5, 0.3), _drawn(4, 4, 0.2), _drawn(5, 3, 0.05)],
    [
        "You divided by γ before subtracting β, but the norm added β last. Undo it first: (y − β) / γ.",
        _taken_back(undone=lambda y, gamma, beta: y / gamma - beta),
        "You multiplied by γ, as the norm did. To undo that, divide by γ.",
        _taken_back(undone=lambda y, gamma, beta: (y - beta) * gamma),
        "You left γ in the result, because you only subtracted β. Divide by γ, too.",
        _taken_back(undone=lambda y, gamma, beta: y - beta),
        "You left β in the result, because you only divided by γ. Subtract β first.",
        _taken_back(undone=lambda y, gamma, beta: y / gamma),
        "You left ε out, although the norm added it to the variance. Multiply by √(variance + ε).",
        _taken_back(spread=lambda variance, eps: np.sqrt(variance)),
        "You added ε after the root, but the norm had it inside. Multiply by √(variance + ε).",
        _taken_back(spread=lambda variance, eps: np.sqrt(variance) + eps),
        "You left out the root, although the norm divided by √(variance + ε). Multiply by the root.",
        _taken_back(spread=lambda variance, eps: variance + eps),
        "You divided by the deviation once more. To undo the norm's division, multiply by it.",
        _taken_back(spread=lambda variance, eps: 1 / np.sqrt(variance + eps)),
        "You subtracted the mean, as the norm did. To undo that, add it.",
        _taken_back(moved=lambda x, mean: x - mean),
        "You left the mean out, although the norm subtracted it at the start. Add it at the end.",
        _taken_back(moved=lambda x, mean: x),
    ],
)

EXERCISES = (_BACK,)
