"""The exercises of lesson 19, the notes checked, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.course.exercises.exercise import Exercise, WrongAnswer


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
    [
        "You returned the plain difference. A difference of 0.01 is a lot with three decimals and little with one, so "
        "count in units of the last printed place.",
        lambda printed, truth: abs(float(printed) - truth),
        "You kept the sign, but a distance has none. Take the absolute value of the difference.",
        lambda printed, truth: (float(printed) - truth) * 10 ** len(printed.partition(".")[2]),
        lambda printed, truth: (truth - float(printed)) * 10 ** len(printed.partition(".")[2]),
        "You assumed two decimals for every number. Count in the text how many there are.",
        lambda printed, truth: abs(float(printed) - truth) * 100,
        "You lost the zeros at the end when you turned the text into a number. These zeros are printed, so count the "
        "decimals in the text.",
        lambda printed, truth: _units_off(f"{float(printed):.12g}", truth),
        "Your result is correct except for a number without a point. There `find` returns −1, although such a number "
        "has no decimals, so treat that case separately.",
        lambda printed, truth: abs(float(printed) - truth) * 10 ** (len(printed) - printed.find(".") - 1),
        "You counted too many decimals. The point isn't a decimal, and a number without a point has none. Count only "
        "what comes after the point.",
        lambda printed, truth: abs(float(printed) - truth) * 10 ** (len(printed) - max(printed.find("."), 0)),
        "You counted the decimals after turning the text into a number, where 12.50 loses its zero and 9 gets one. "
        "Count them in the text as printed.",
        lambda printed, truth: abs(float(printed) - truth) * 10 ** len(str(float(printed)).partition(".")[2]),
    ],
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
    [
        "You normalized with the exact variance. Here, cut the variance after `decimals` decimals before you take its "
        "square root.",
        lambda x, decimals: (x - np.mean(x)) / np.std(x),
        "You rounded the variance instead of cutting it: 0.00666… should become 0.0066, not 0.0067. Use `np.floor` "
        "instead of rounding.",
        lambda x, decimals: _shortened_variance(x, decimals, np.round),
        "You cut the variance one decimal too early. Keep exactly as many decimals as `decimals` says.",
        lambda x, decimals: _cut_variance(x, decimals - 1),
        "You added an ε of 1e-5 under the root. In this exercise there is no ε, so put only the cut variance there.",
        lambda x, decimals: (x - np.mean(x)) / np.sqrt(_cut(float(np.var(x)), decimals) + 1e-5),
        "You cut the deviation. Cut the variance instead, one step earlier, before you take its square root.",
        _cut_sigma,
        "You divided the sum of squares by m − 1. A norm takes the mean over all m entries, so divide by m.",
        lambda x, decimals: (x - np.mean(x)) / np.sqrt(_cut(float(np.var(x, ddof=1)), decimals)),
        "You divided by the variance, σ². A norm divides by the deviation σ, so take the square root first.",
        lambda x, decimals: (x - np.mean(x)) / _cut(float(np.var(x)), decimals),
    ],
)

_FOUR = np.array([[0.8, 0.1, 0.05, 0.05], [0.1, 0.6, 0.2, 0.1], [0.05, 0.2, 0.65, 0.1], [0.2, 0.1, 0.1, 0.6]])  # N5's
_CORRELATION = np.array([[1.0, 0.5, -0.2], [0.5, 1.0, 0.1], [-0.2, 0.1, 1.0]])


def _kinds(A: Array) -> tuple[bool, bool]:
    weights = (A >= 0).all() and np.allclose(A.sum(axis=1), 1)
    correlations = np.allclose(A, A.T) and np.allclose(np.diag(A), 1) and (np.abs(A) <= 1).all()
    return bool(weights), bool(correlations)


def _kinds_with(weights=None, correlations=None):
    """Return `_kinds` with one of its two answers computed in another way."""

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
     "You checked that the columns sum to 1. But a row holds the weights of one query, so check that each row sums "
     "to 1."),
    ("weights", _are_shares(lambda A: [*A.sum(axis=0), *A.sum(axis=1)]),
     "You required that the columns sum to 1 as well. But many tokens may look at one token, or none, so check only "
     "the rows."),
    ("weights", _are_shares(lambda A: A[0].sum()),
     "You checked only the first row, but every row has to sum to 1. Check all of them."),
    ("weights", _are_shares(lambda A: A[-1].sum()),
     "You checked only the last row, but every row has to sum to 1. Check all of them."),
    ("weights", _are_shares(lambda A: A.sum() / len(A)),
     "You checked the sum of the whole table, but each row by itself has to sum to 1. Sum along axis 1."),
    ("weights", _are_shares(np.sum),
     "You checked that the whole table sums to 1, but each row by itself has to. Sum along axis 1."),
    ("weights", lambda A: (A >= 0).all() and (A.sum(axis=1) == 1).all(),
     "You compared the sums with exactly 1, which 0.05 + 0.2 + 0.65 + 0.1 may miss in a computer. Compare with "
     "`np.allclose` instead."),
    ("weights", lambda A: np.allclose(A.sum(axis=1), 1),
     "You accepted negative numbers as weights if the rows sum to 1. No weight is negative, so check that as well."),
    ("weights", lambda A: np.allclose(A.sum(axis=1), 1) and (A <= 1).all(),
     "You accepted 0.8, 0.4 and −0.2 as weights, since they sum to 1 and none is above 1. But no weight is negative, "
     "so check that as well."),
    ("correlations", _correlate(diagonal=lambda A: True),
     "You didn't check the diagonal. Everything has a correlation of 1 with itself, so check that every entry on the "
     "diagonal is 1."),
    ("correlations", _correlate(diagonal=lambda A: A[0, 0] == 1),
     "You accepted a diagonal of 1, 0.5, 1. Each entry on the diagonal is the correlation of something with itself, "
     "so check that all of them are 1."),
    ("correlations", _correlate(mirrored=lambda A: True),
     "You didn't check that the table is its own mirror image. The correlation of a with b equals that of b with a, "
     "so compare A with A.T."),
    ("correlations", _correlate(mirrored=lambda A: A[0] == A[:, 0]),
     "You compared only the first row with the first column. Every row has to equal its column, so "
     "compare A with A.T."),
    ("correlations", _correlate(within=lambda A: True),
     "You accepted 2 as a correlation. All correlations are between −1 and 1, so check the absolute values."),
    ("correlations", _correlate(within=lambda A: A <= 1),
     "You accepted −2 as a correlation. No correlation is below −1, so check the absolute values."),
    ("correlations", lambda A: _kinds(A)[1] and (np.abs(A - np.diag(np.diag(A))) < 1).all(),
     "You rejected a 1 off the diagonal. Two things that always go together also have a correlation of 1, so allow a "
     "1 there."),
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
    [
        *[WrongAnswer(_kinds_with(**{kind: asked}), sentence) for kind, asked, sentence in _ASKED_OTHERWISE],
        "You returned the opposite of the first answer as the second. A table can be both or neither, so check the "
        "three conditions of correlations.",
        lambda A: (_kinds(A)[0], not _kinds(A)[0]),
        "You returned True twice for every table. Both answers depend on its numbers, so check the conditions.",
        lambda A: (True, True),
        "You returned False twice for every table. Both answers depend on its numbers, so check the conditions.",
        lambda A: (False, False),
        *[
            WrongAnswer(
                lambda A, answer=answer: answer,
                f"You returned only {answer}, for every table. Return two answers that depend on it: whether it can "
                "be weights, and whether it may be correlations.",
            )
            for answer in (True, False)
        ],
        "You let a table be only one of the two. The identity is both: each token looks only at itself, and "
        "everything has a correlation of 1 with itself. Check the two separately.",
        lambda A: (_kinds(A)[0], _kinds(A)[1] and not _kinds(A)[0]),
    ],
)

EXERCISES = (_UNITS_OFF, _CUT_VARIANCE, _KINDS)
