"""List the known mistakes in a softmax of each row, for all exercises with a softmax."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.course.exercises.exercise import WrongAnswer, carried, in_steps

Rows = Callable[[Array], Array]


def _largest(S: Array) -> Array:
    return S.max(axis=1, keepdims=True)


def _sums(e: Array) -> Array:
    return e.sum(axis=1, keepdims=True)


@in_steps
def softmax_with(taken_off: Callable[[Array], Any] = _largest, divided_by: Callable[[Array], Any] = _sums) -> Rows:
    """Return a softmax of the rows of S (rows, columns) that may subtract or divide by something else.

    By default it is the softmax of lesson 05: it accepts −∞, and returns NaN in a row with nothing else.
    """

    def rows(S: Array) -> Array:
        e = np.exp(S - taken_off(S))
        return e / divided_by(e)

    return rows


_BY_LOOPS = lambda S: np.array([[math.exp(s) / sum(map(math.exp, row)) for s in row] for row in S])  # noqa: E731
_SUBTRACT = "Subtract the row's maximum before `np.exp`; the weights stay the same."
_COLUMNS = "NumPy matches a flat vector with the columns, so write `keepdims=True`"

WRONG_SOFTMAXES = [
    f"Correct for small scores, but large ones give nan, because e to a large power overflows. {_SUBTRACT}",
    softmax_with(lambda S: 0),
    f"Correct for small scores, but `math.exp` overflows for large ones. {_SUBTRACT}",
    _BY_LOOPS,
    "Your softmax runs down the columns. Each row holds the attention of one query, so let it run along the rows, "
    "`axis=1`.",
    lambda S: softmax(S, axis=0),
    "Your softmax runs over the whole matrix. Each row should sum to 1 by itself, so let it run along the rows, "
    "`axis=1`.",
    lambda S: softmax(S.ravel()).reshape(S.shape),
    f"You divide each column by the sum of a row. {_COLUMNS} in the sum.",
    softmax_with(np.max, lambda e: e.sum(axis=1)),
    f"You subtract the maxima correctly, but divide each column by the sum of a row. {_COLUMNS} in the sum, too.",
    softmax_with(divided_by=lambda e: e.sum(axis=1)),
    f"You apply the maxima and sums of the rows to the columns. {_COLUMNS} in both.",
    softmax_with(lambda S: S.max(axis=1), lambda e: e.sum(axis=1)),
    f"You subtract the maximum of a row from each column. {_COLUMNS} in the maximum.",
    softmax_with(lambda S: S.max(axis=1)),
    "You subtract one maximum for the whole matrix. In a row far below it, every e^z becomes 0, and 0/0 is nan. "
    "Subtract each row's own maximum.",
    softmax_with(np.max),
    "You divide by the sum of all entries. Divide each row by its own sum: `axis=1, keepdims=True`.",
    softmax_with(divided_by=np.sum),
    "You stopped after the exponential. Divide each row by its sum, so that it sums to 1.",
    softmax_with(divided_by=lambda e: 1),
    np.exp,
    "You divided the scores themselves by their sum, so some shares are negative if some scores are. Take the "
    "exponential first.",
    lambda S: S / _sums(S),
    "You dropped the signs, so a score of −3 gets as large a share as one of 3. Take the exponential instead, which "
    "keeps the order of the scores.",
    lambda S: np.abs(S) / _sums(np.abs(S)),
]


def with_wrong_softmax(answer: Callable[[Rows], Callable[..., Any]]) -> list[WrongAnswer]:
    """Return these mistakes for an exercise; `answer` makes an answer from a right or wrong softmax."""
    return carried(WRONG_SOFTMAXES, answer)
