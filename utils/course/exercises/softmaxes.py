"""What goes wrong in a softmax of each row, once for all exercises that have one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.course.exercises.exercise import Mistakes, carried

Rows = Callable[[Array], Array]


def _largest(S: Array) -> Array:
    return S.max(axis=1, keepdims=True)


def _sums(e: Array) -> Array:
    return e.sum(axis=1, keepdims=True)


def softmax_with(taken_off: Callable[[Array], Any] = _largest, divided_by: Callable[[Array], Any] = _sums) -> Rows:
    """A softmax of the rows of S, but what is taken off, or what is divided by, may be another thing.

    As it stands it is that of lesson 05: it takes infinities, and gives NaN where nothing else is left.
    """

    def rows(S: Array) -> Array:
        e = np.exp(S - taken_off(S))
        return e / divided_by(e)

    return rows


_BY_LOOPS = lambda S: np.array([[math.exp(s) / sum(map(math.exp, row)) for s in row] for row in S])  # noqa: E731
_OVERFLOWS = "Take the row's maximum off before `np.exp`; the weights stay the same."
_NOT_DIVIDED = "You stopped after the exponential: divide each row by its sum, so that it sums to 1."
_LINED_UP = "NumPy lines a flat vector up with the columns. Say `keepdims=True`"

WRONG_SOFTMAXES: Mistakes = {
    f"Right for small scores, NaN for large ones: e to a large power overflows. {_OVERFLOWS}": softmax_with(
        lambda S: 0
    ),
    f"Right for small scores, but `math.exp` overflows for large ones. {_OVERFLOWS}": _BY_LOOPS,
    "Your softmax runs down the columns: each row should sum to 1, since each row is "
    "one query's attention.": lambda S: softmax(S, axis=0),
    "Your softmax runs over the whole matrix: all entries together sum to 1. Each row should "
    "sum to 1 by itself.": lambda S: softmax(S.ravel()).reshape(S.shape),
    f"You divide by the right sums, but along the wrong axis: {_LINED_UP}, so that each row "
    "is divided by its own.": softmax_with(np.max, lambda e: e.sum(axis=1)),
    f"Your maxima are right, and you divide by the right sums, but along the wrong axis: {_LINED_UP} "
    "in the sum too.": softmax_with(divided_by=lambda e: e.sum(axis=1)),
    f"The right maxima and the right sums, both along the wrong axis: {_LINED_UP} in both.": softmax_with(
        lambda S: S.max(axis=1), lambda e: e.sum(axis=1)
    ),
    f"You subtract the right maxima, but along the wrong axis: {_LINED_UP} in the maximum.": softmax_with(
        lambda S: S.max(axis=1)
    ),
    "One maximum for the whole matrix is not enough: in a row far below it every e^z becomes 0, and 0 is divided by 0. "
    "Subtract from each row its own maximum.": softmax_with(np.max),
    "You divide by the sum of all entries. Each row should be divided by its own sum: "
    "`axis=1, keepdims=True`.": softmax_with(divided_by=np.sum),
    _NOT_DIVIDED: [softmax_with(divided_by=lambda e: 1), np.exp],
    "The exponential is missing: you divided the scores themselves by their sum, and with negative scores these are no "
    "shares.": lambda S: S / _sums(S),
    "The exponential is missing. Without their signs these sum to 1, but a score of −3 gets as much as one of 3. e to "
    "the power of a score is positive, and keeps the order of the scores.": lambda S: np.abs(S) / _sums(np.abs(S)),
}


def with_wrong_softmax(answer: Callable[[Rows], Callable[..., Any]]) -> Mistakes:
    """Each of these mistakes in an exercise; `answer` makes an answer of a softmax, right or wrong."""
    return carried(WRONG_SOFTMAXES, answer)
