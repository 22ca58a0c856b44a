"""The exercises of lesson 19, the notes checked, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.course.exercises.exercise import Exercise


def _units_off(printed: str, truth: float) -> float:
    decimals = len(printed.partition(".")[2])
    return abs(float(printed) - truth) * 10**decimals


_UNITS_OFF = Exercise(
    "19.units",
    "how many units of its last place a printed number is off",
    _units_off,
    [
        ("0.98", 0.995004),
        ("0.0174", 0.841471),
        ("9", 5.25),
        ("-0.4", -0.416147),
        ("-0.4", 0.4),
        ("12.50", 12.498),
        ("0.08", 0.0816497),
    ],
    {
        "That is the plain difference. 0.01 is much for a number with three decimals and little for one with one: "
        "count it in units of the last place that is printed.": lambda printed, truth: abs(float(printed) - truth),
        "You took the difference as a part of the true value. What the page promises is its last decimal, so count in "
        "units of that.": lambda printed, truth: abs(float(printed) - truth) / abs(truth),
        "You took the signs off before you subtracted. −0.4 is 8 units off 0.4: take the absolute value of the "
        "difference.": lambda printed, truth: (
            abs(abs(float(printed)) - abs(truth)) * 10 ** len(printed.partition(".")[2])
        ),
        "You took two decimals for every number. How many there are, you find in the text.": lambda printed, truth: (
            abs(float(printed) - truth) * 100
        ),
        "The zeros at the end are lost when the text becomes a number. They are printed, "
        "and so they count.": lambda printed, truth: _units_off(f"{float(printed):.12g}", truth),
        "You counted all letters of the text. The decimals are those behind the point alone.": lambda printed, truth: (
            abs(float(printed) - truth) * 10 ** len(printed)
        ),
        "Right but for a number without a point. There "
        "`find` gives −1, and such a number has no decimals.": lambda printed, truth: (
            abs(float(printed) - truth) * 10 ** (len(printed) - printed.find(".") - 1)
        ),
        "You counted the digits before the point. The decimals stand behind it.": lambda printed, truth: (
            abs(float(printed) - truth) * 10 ** len(printed.partition(".")[0].lstrip("-"))
        ),
        "One decimal too many, or more: the point itself is "
        "none, and a number without a point has none at all.": lambda printed, truth: (
            abs(float(printed) - truth) * 10 ** (len(printed) - max(printed.find("."), 0))
        ),
        "You counted the digits that are not leading zeros. The last place is as many behind the point as there are "
        "decimals, zeros included.": lambda printed, truth: (
            abs(float(printed) - truth) * 10 ** len(printed.replace(".", "").replace("-", "").lstrip("0"))
        ),
        "Take the decimals from the text as printed: as a "
        "number, 12.50 has lost its zero, and 9 has got one.": lambda printed, truth: (
            abs(float(printed) - truth) * 10 ** len(str(float(printed)).partition(".")[2])
        ),
    },
)


def _cut(value: float, decimals: int, whole: Callable[[float], float] = np.floor) -> float:
    return float(whole(value * 10**decimals) / 10**decimals)


def _shortened_variance(x: Array, decimals: int, whole: Callable[[float], float]) -> Array:
    deviations = np.asarray(x) - np.mean(x)
    return deviations / np.sqrt(_cut(float(np.mean(deviations**2)), decimals, whole))


def _cut_variance(x: Array, decimals: int) -> Array:
    return _shortened_variance(x, decimals, np.floor)


def _cut_sigma(x: Array, decimals: int) -> Array:
    deviations = np.asarray(x) - np.mean(x)
    return deviations / _cut(float(np.std(x)), decimals)


_CUT_VARIANCE = Exercise(
    "19.cut_variance",
    "a row normalized with a variance that was cut",
    _cut_variance,
    [
        (np.array([0.1, 0.2, 0.3]), 6),
        (np.array([0.1, 0.2, 0.3]), 4),
        (np.array([3.0, 1.0, 4.0, 1.0, 5.0]), 1),
        (np.array([-0.7, 0.55, 2.3, 0.1]), 2),
        (np.array([0.3, -1.2, 0.8]), 2),
    ],
    {
        "That is the norm as it should be. Here the variance is cut first.": lambda x, decimals: (
            (x - np.mean(x)) / np.std(x)
        ),
        "You rounded the variance. Cut means that what stands behind is left out: 0.00666… becomes 0.0066, rounded it "
        "would be 0.0067.": lambda x, decimals: _shortened_variance(x, decimals, np.round),
        "You cut after six decimals, whatever is asked. "
        "How many to keep is the second argument, decimals.": lambda x, decimals: _cut_variance(x, 6),
        "You kept one decimal too few: how many to keep is `decimals`.": lambda x, decimals: _cut_variance(
            x, decimals - 1
        ),
        "You multiplied the variance by 10**decimals, cut it, "
        "and did not divide it by that again.": lambda x, decimals: _cut_variance(x, decimals) / 10 ** (decimals / 2),
        "There is an ε of 1e-5 under your root. Here the variance that was cut "
        "stands there alone.": lambda x, decimals: (x - np.mean(x)) / np.sqrt(_cut(float(np.var(x)), decimals) + 1e-5),
        "You cut the deviation. Here the variance is cut, one step earlier, before its root is taken.": _cut_sigma,
        "Your variance divides by m − 1. A norm takes the mean over all m numbers.": lambda x, decimals: (
            (x - np.mean(x)) / np.sqrt(_cut(float(np.var(x, ddof=1)), decimals))
        ),
        "You divided by the variance. It takes the square root first: σ, not σ².": lambda x, decimals: (
            (x - np.mean(x)) / _cut(float(np.var(x)), decimals)
        ),
        "You cut the result. What is cut here is the variance, on the way.": lambda x, decimals: (
            np.trunc((x - np.mean(x)) / np.std(x) * 10**decimals) / 10**decimals
        ),
    },
)

_FOUR = np.array([[0.8, 0.1, 0.05, 0.05], [0.1, 0.6, 0.2, 0.1], [0.05, 0.2, 0.65, 0.1], [0.2, 0.1, 0.1, 0.6]])  # N5's
_CORRELATION = np.array([[1.0, 0.5, -0.2], [0.5, 1.0, 0.1], [-0.2, 0.1, 1.0]])


def _kinds(A: Array) -> tuple[bool, bool]:
    weights = (A >= 0).all() and np.allclose(A.sum(axis=1), 1)
    correlations = np.allclose(A, A.T) and np.allclose(np.diag(A), 1) and (np.abs(A) <= 1).all()
    return bool(weights), bool(correlations)


def _kinds_with(weights=None, correlations=None):
    """`_kinds` with one of the two questions answered in another way."""

    def kinds(A: Array) -> tuple[bool, bool]:
        right = _kinds(A)
        return bool(weights(A)) if weights else right[0], bool(correlations(A)) if correlations else right[1]

    return kinds


def _are_shares(sums: Callable[[Array], Any]) -> Callable[[Array], Any]:
    return lambda A: (A >= 0).all() and np.isclose(sums(A), 1).all()


def _correlate(diagonal=lambda A: np.diag(A) == 1, mirrored=lambda A: A == A.T, within=lambda A: np.abs(A) <= 1):
    return lambda A: np.all(diagonal(A)) and np.all(mirrored(A)) and np.all(within(A))


_ASKED_OTHERWISE: tuple[tuple[str, Callable[[Array], Any], str], ...] = (
    ("weights", _are_shares(lambda A: A.sum(axis=0)),
     "You let the columns sum to 1. A row is what one query pays, and each row sums to 1."),
    ("weights", _are_shares(lambda A: [*A.sum(axis=0), *A.sum(axis=1)]),
     "You let the columns sum to 1 too. Only the rows have to: a token may be looked at by many, or by none."),
    ("weights", _are_shares(lambda A: A[0].sum()), "You looked at the first row alone. Every row has to sum to 1."),
    ("weights", _are_shares(lambda A: A[-1].sum()), "You looked at the last row alone. Every row has to sum to 1."),
    ("weights", _are_shares(lambda A: A.sum() / len(A)),
     "You looked at the sum of the whole table. Every single row has to sum to 1."),
    ("weights", _are_shares(np.sum), "You let the whole table sum to 1. Every single row has to sum to 1."),
    ("weights", lambda A: (A >= 0).all() and (A.sum(axis=1) == 1).all(),
     "0.05 + 0.2 + 0.65 + 0.1 need not be exactly 1 in a computer. Compare with a tolerance: np.allclose."),
    ("weights", lambda A: np.allclose(A.sum(axis=1), 1),
     "You take numbers below 0 for weights, where the rows sum to 1. No weight is negative."),
    ("weights", lambda A: np.allclose(A.sum(axis=1), 1) and (A <= 1).all(),
     "You take 0.8, 0.4 and −0.2 for weights. They sum to 1, and none is above 1, but no weight is negative."),
    ("correlations", _correlate(diagonal=lambda A: True),
     "You did not look at the diagonal. The correlation of anything with itself is 1."),
    ("correlations", _correlate(diagonal=lambda A: A[0, 0] == 1),
     "A diagonal of 1, 0.5, 1 passes yours. Each number on it is something with itself, so each has to be 1."),
    ("correlations", _correlate(mirrored=lambda A: True),
     "Yours need not be its own mirror image. The correlation of a with b is that of b with a: A is like A.T."),
    ("correlations", _correlate(mirrored=lambda A: A[0] == A[:, 0]),
     "You compared the first row with the first column. Every row has to be like its column: A like A.T."),
    ("correlations", _correlate(within=lambda A: True), "You take 2 for a correlation. None is beyond 1 or −1."),
    ("correlations", _correlate(within=lambda A: A <= 1), "You take −2 for a correlation. They begin at −1."),
    ("correlations", lambda A: _kinds(A)[1] and (np.abs(A - np.diag(np.diag(A))) < 1).all(),
     "You refused a 1 beside the diagonal. Two things that always go together correlate to 1 as well."),
)  # fmt: skip


_KINDS = Exercise(
    "19.kinds",
    "what a table of numbers can be",
    _kinds,
    [
        (_FOUR,),
        (_FOUR.T.copy(),),
        (_CORRELATION,),
        (np.eye(3),),
        (np.array([[0.5, 0.5], [0.5, 0.5]]),),
        (np.array([[1.2, -0.2], [0.4, 0.6]]),),
        (np.array([[1.0, 0.3], [0.6, 1.0]]),),
        (np.array([[1.0, 2.0], [2.0, 1.0]]),),
        (np.array([[0.9, 0.6], [0.3, 0.2]]),),
        (np.array([[0.5, 0.5], [0.25, 0.75]]),),
        (np.array([[0.5, 0.5], [0.3, 0.4]]),),
        (np.array([[0.3, 0.4], [0.5, 0.5]]),),
        (np.array([[1.0, -2.0], [-2.0, 1.0]]),),
        (np.array([[1.0, 1.0], [1.0, 1.0]]),),
        (np.array([[0.8, 0.4, -0.2], [0.1, 0.6, 0.3], [0.5, 0.2, 0.3]]),),  # below 0, and none above 1
        (np.array([[1.0, 0.2, 0.3], [0.2, 0.5, 0.1], [0.3, 0.1, 1.0]]),),  # one other number on the diagonal
        (np.array([[1.0, 0.2, 0.3], [0.2, 1.0, 0.4], [0.3, 0.1, 1.0]]),),  # its mirror image but for one pair
        (np.array([[1.0, 0.9, 0.9], [0.9, 1.0, -0.9], [0.9, -0.9, 1.0]]),),  # of no three things, and yet as asked
    ],
    {
        **{sentence: _kinds_with(**{kind: asked}) for kind, asked, sentence in _ASKED_OTHERWISE},
        "Your second answer is the opposite of the first. A table can be both or neither: ask for the three conditions "
        "of correlations.": lambda A: (_kinds(A)[0], not _kinds(A)[0]),
        "Two times yes for every table. Each of the two answers depends on the numbers in it.": lambda A: (True, True),
        "Two times no for every table. Each of the two answers depends on the numbers in it.": lambda A: (False, False),
        **{
            f"You gave one answer, {answer}, for every table. Two are asked for, in this order: can it be weights, "
            "may it be correlations.": lambda A, answer=answer: answer
            for answer in (True, False)
        },
        "A table can be both. If everybody listens only to itself, the weights are the identity, and that has 1 on the "
        "diagonal and its own mirror image.": lambda A: (_kinds(A)[0], _kinds(A)[1] and not _kinds(A)[0]),
    },
)

EXERCISES = (_UNITS_OFF, _CUT_VARIANCE, _KINDS)
