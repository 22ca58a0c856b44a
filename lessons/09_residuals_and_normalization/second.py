"""What lesson 09 asks a second time, for marks: only the teacher has this file."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from utils.by_hand.arrays import Array
from utils.course.exercises.exercise import Exercise, Flaw, flawed

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


_FLAWS = (
    Flaw(
        "undone",
        lambda y, gamma, beta: y / gamma - beta,
        "γ came first and β last. On the way back β goes first: (y − β) / γ.",
    ),
    Flaw("undone", lambda y, gamma, beta: (y - beta) * gamma, "γ has been multiplied with. Divide by it."),
    Flaw("undone", lambda y, gamma, beta: y - beta, "γ is still in it: divide by it."),
    Flaw("undone", lambda y, gamma, beta: y / gamma, "β is still in it: subtract it first."),
    Flaw("spread", lambda variance, eps: np.sqrt(variance), "ε is missing: it was added to the variance."),
    Flaw("spread", lambda variance, eps: np.sqrt(variance) + eps, "ε stood under the root, beside the variance."),
    Flaw("spread", lambda variance, eps: variance + eps, "The root is missing: the norm divides by √(variance + ε)."),
    Flaw("spread", lambda variance, eps: 1 / np.sqrt(variance + eps), "You divide by σ once more. Multiply by it."),
    Flaw("moved", lambda x, mean: x - mean, "The norm took the mean away. Give it back: add it."),
    Flaw("moved", lambda x, mean: x, "The mean is missing: the norm took it away at the start."),
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
    flawed(_taken_back, _FLAWS),
)

EXERCISES = (_BACK,)
