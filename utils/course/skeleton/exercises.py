"""Define the exercises of lesson NN and their known mistakes."""

from __future__ import annotations

import numpy as np

from utils.course.exercises.exercise import Exercise

_random = np.random.default_rng(0)

# The first table is square, so that a wrong axis still fits; the sizes of the others differ.
_TABLES = [_random.uniform(0.5, 5.0, size=shape) for shape in ((3, 3), (2, 5), (4, 2))]
_ROWS = [tuple(_random.uniform(0.5, 5.0, size=(2, n))) for n in (2, 3, 5)]

EXERCISES = [
    Exercise(
        "NN.shares",
        "share of each number in its row",
        lambda x: x / x.sum(axis=1, keepdims=True),
        [(x,) for x in _TABLES],
        [
            "You divided by the sum of the whole table. A share is taken of its own row: give `sum` an axis.",
            lambda x: x / x.sum(),
        ],
    ),
    Exercise(
        "NN.distance",
        "how far two rows of shares are apart",
        lambda a, b: np.abs(a / a.sum() - b / b.sum()).sum() / 2,
        _ROWS,
        [
            "You compared the numbers themselves. Make shares of both rows first.",
            lambda a, b: np.abs(a - b).sum() / 2,
        ],
    ),
]
