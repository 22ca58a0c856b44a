"""What is said of a result that is related to the right one: for each way to spoil it, the sentence that was read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.recorded import AGAIN, recorded
from utils.by_hand.attention import softmax
from utils.course.exercises.relations import Case, partly, plain_relation, relation, where
from utils.course.exercises.values import same_value

SIZES = [(3, 4), (5, 2), (4, 6)]  # of X, (n, d), in the three inputs
_random = np.random.default_rng(0)
ANY = [_random.normal(size=size) for size in SIZES]
POSITIVE = [np.abs(matrix) + 0.1 for matrix in ANY]
SHARES = [softmax(matrix) for matrix in ANY]
MASKS = [np.tri(n, n, dtype=bool) for n, _ in SIZES]
VECTORS = [matrix[0] for matrix in ANY]
TEXTS = [["the", "cat", "sat"], ["a", "b", "a", "c"], ["on", "it", "went", "on", "and"]]
PAIRS = [(matrix, matrix.sum(axis=0)) for matrix in ANY]

Spoil = Callable[[Any, int, int], Any]  # a right result, n and d -> the wrong one


def first(changed: Callable[[Any], Any]) -> Spoil:
    """With another first row, or first entry."""
    return lambda r, n, d: np.concatenate([np.atleast_1d(changed(r[:1])), r[1:]])


def last(changed: Callable[[Any], Any]) -> Spoil:
    return lambda r, n, d: np.concatenate([r[:-1], np.atleast_1d(changed(r[-1:]))])


ARRANGED: dict[str, Spoil] = {
    "transposed": lambda r, n, d: r.T,
    "turned round both ways": lambda r, n, d: r[::-1, ::-1],
    "rows backwards": lambda r, n, d: r[::-1],
    "columns backwards": lambda r, n, d: r[:, ::-1],
    "rows on by one": lambda r, n, d: np.roll(r, 1, axis=0),
    "columns back by one": lambda r, n, d: np.roll(r, -1, axis=1),
    "sorted in columns": lambda r, n, d: np.sort(r, axis=0),
    "sorted in rows": lambda r, n, d: np.sort(r, axis=1),
    "first row": lambda r, n, d: r[0],
    "last column": lambda r, n, d: r[:, -1:],
    "without the first row": lambda r, n, d: r[1:],
    "without the last column": lambda r, n, d: r[:, :-1],
    "summed": lambda r, n, d: r.sum(axis=0),
    "averaged": lambda r, n, d: r.mean(axis=1, keepdims=True),
    "all summed": lambda r, n, d: r.sum(),
    "all averaged": lambda r, n, d: r.mean(),
    "flat": lambda r, n, d: r.ravel(),
    "in another array": lambda r, n, d: r[np.newaxis],
    "reshaped": lambda r, n, d: r.reshape(d, n),
    "reordered": lambda r, n, d: r.ravel(order="F").reshape(r.shape),
    "twice below each other": lambda r, n, d: np.vstack([r, r]),
    "a row more": lambda r, n, d: np.vstack([r, r[:1]]),
    "another size": lambda r, n, d: np.ones((d, d)),
}
NUMBERS: dict[str, Callable[[float, float], float]] = {
    "2": lambda n, d: 2,
    "−1": lambda n, d: -1,
    "1.0001": lambda n, d: 1.0001,
    "ln 2": lambda n, d: np.log(2),
    "1/√2": lambda n, d: 2**-0.5,
    "n": lambda n, d: n,
    "√n": lambda n, d: n**0.5,
    "1/d": lambda n, d: 1 / d,
    "1/√d": lambda n, d: d**-0.5,
    "−√d": lambda n, d: -(d**0.5),
    "n²": lambda n, d: n**2,
    "n − 1": lambda n, d: n - 1,
    "d + 1": lambda n, d: d + 1,
    "1 − n": lambda n, d: 1 - n,
    "n/2": lambda n, d: n / 2,
    "2d": lambda n, d: 2 * d,
    "n / (n − 1)": lambda n, d: n / (n - 1),
    "(n − 1) / n": lambda n, d: (n - 1) / n,
    "1/n²": lambda n, d: n**-2,
    "√(d / (d − 1))": lambda n, d: (d / (d - 1)) ** 0.5,
    "√((n − 1) / n)": lambda n, d: ((n - 1) / n) ** 0.5,
    "n · d": lambda n, d: n * d,
    "n / d": lambda n, d: n / d,
    "√(n / d)": lambda n, d: (n / d) ** 0.5,
    "√(n · d)": lambda n, d: (n * d) ** 0.5,
    "1/(n · d)": lambda n, d: 1 / (n * d),
    "n + d": lambda n, d: n + d,
    "n − d": lambda n, d: n - d,
    "2 · n · d": lambda n, d: 2 * n * d,
    "n² · d": lambda n, d: n**2 * d,
    "d · √n": lambda n, d: d * n**0.5,
}
FACTORS: dict[str, Spoil] = {f"times {name}": lambda r, n, d, f=f: r * f(n, d) for name, f in NUMBERS.items()}
SUMMANDS: dict[str, Spoil] = {f"plus {name}": lambda r, n, d, f=f: r + f(n, d) for name, f in NUMBERS.items()}
POWERS: dict[str, Spoil] = {f"to the power of {name}": lambda r, n, d, f=f: r ** f(n, d) for name, f in NUMBERS.items()}
STEPS: dict[str, Spoil] = {
    "squared": lambda r, n, d: r**2,
    "rooted": lambda r, n, d: np.sqrt(np.abs(r)),
    "logarithm": lambda r, n, d: np.log(np.abs(r)),
    "exponential": lambda r, n, d: np.exp(r),
    "size alone": lambda r, n, d: np.abs(r),
    "one over it": lambda r, n, d: 1 / r,
    "1 minus it": lambda r, n, d: 1 - r,
    "rounded": lambda r, n, d: r.round(2),
    "whole": lambda r, n, d: r.astype(int),
    "added up as it goes": lambda r, n, d: r.cumsum(axis=0),
    "share of its row": lambda r, n, d: r / r.sum(axis=1, keepdims=True),
    "share of its column": lambda r, n, d: r / r.sum(axis=0),
    "softmax": lambda r, n, d: softmax(r),
    "sharpened": lambda r, n, d: r**2 / (r**2).sum(axis=1, keepdims=True),
    "nothing below 0": lambda r, n, d: np.maximum(r, 0),
    "all zero": lambda r, n, d: 0 * r,
    "all alike": lambda r, n, d: 0 * r + r.mean(),
}
PARTS: dict[str, Spoil] = {
    "first row twice as large": first(lambda row: 2 * row),
    "last row zero": last(lambda row: 0 * row),
    "each row times its number": lambda r, n, d: r * (1 + np.arange(len(r)))[:, np.newaxis],
    "each column plus its number": lambda r, n, d: r + np.arange(r.shape[1]),
    "nothing above the diagonal": lambda r, n, d: np.tril(r),
    "one entry off": lambda r, n, d: r + 0.3 * (np.arange(r.size) == r.size - 2).reshape(r.shape),
    "the largest off": lambda r, n, d: np.where(r == r.max(), 0, r),
    "wrong below 0": lambda r, n, d: np.where(r < 0, 3 * r + 1, r),
    "off by a little, each otherwise": lambda r, n, d: r + 0.01 * np.sin(np.arange(r.size)).reshape(r.shape),
}
MASKED: dict[str, Spoil] = {
    "turned round": lambda r, n, d: ~r,
    "without the diagonal": lambda r, n, d: np.tri(n, n, -1, dtype=bool),
    "one more": lambda r, n, d: np.tri(n, n, 1, dtype=bool),
    "other side": lambda r, n, d: r.T,
    "all": lambda r, n, d: r | True,
    "none": lambda r, n, d: r & False,
    "in numbers": lambda r, n, d: np.where(r, 0, -np.inf),
}
LISTED: dict[str, Spoil] = {
    "backwards": lambda r, n, d: r[::-1],
    "first missing": lambda r, n, d: r[1:],
    "last missing": lambda r, n, d: r[:-1],
    "first alone": lambda r, n, d: r[:1],
    "nothing": lambda r, n, d: [],
    "each backwards": lambda r, n, d: [word[::-1] for word in r],
    "one more in front": lambda r, n, d: ["<s>", *r],
    "one more at the end": lambda r, n, d: [*r, "</s>"],
    "in another list": lambda r, n, d: [r],
    "a list for each": lambda r, n, d: [[word] for word in r],
    "another order": lambda r, n, d: sorted(r, key=lambda word: (len(word), word)),
    "twice": lambda r, n, d: r + r,
    "another word": lambda r, n, d: [*r[:-1], "x"],
}
SEVERAL: dict[str, Spoil] = {
    "another order": lambda r, n, d: r[::-1],
    "second times n": lambda r, n, d: (r[0], n * r[1]),
    "first one entry off": lambda r, n, d: (r[0] + np.eye(n, d), r[1]),
    "both": lambda r, n, d: (r[0] ** 3, r[1] ** 2),
}
WHERE_ZERO: Spoil = lambda r, n, d: np.where(r == 0, np.sin(np.arange(r.size)).reshape(r.shape) + 2, r)  # noqa: E731
OF_A_ROW = ("rows backwards", "rows on by one", "first row", "without the first row", "all summed", "in another array")
WAYS = {
    "any": (ANY, ARRANGED | FACTORS | SUMMANDS | STEPS | PARTS),
    "positive": (POSITIVE, POWERS | STEPS | PARTS),
    "shares": (SHARES, STEPS | PARTS),
    "vectors": (VECTORS, {name: ARRANGED[name] for name in OF_A_ROW}),
    "masks": (MASKS, MASKED),
    "texts": (TEXTS, LISTED),
    "several": (PAIRS, SEVERAL),
    "zeros": ([np.where(matrix > 0, matrix, 0) for matrix in ANY], {"wrong where 0": WHERE_ZERO}),
}


def said(kind: str) -> list[list[str]]:
    """Of each way to spoil a result of this kind: its name, what is said of it, and what beside another mistake."""
    rights, ways = WAYS[kind]
    found = []
    for name, spoil in ways.items():
        inputs = [{"X": np.sin(np.arange(n * d)).reshape(n, d)} for n, d in SIZES]
        with np.errstate(all="ignore"):
            given = [spoil(right, *size) for right, size in zip(rights, SIZES, strict=True)]
        if all(map(same_value, given, rights)):
            continue  # such as the sizes alone of what is nowhere below 0
        cases = list(map(Case, inputs, given, rights))
        looks = (relation(cases) or partly(cases), plain_relation(cases))
        found.append([f"{kind}, {name}", *(f"{look.name} | {look.sentence}" if look else "" for look in looks)])
    return found


@pytest.mark.parametrize("kind", WAYS)
def test_of_what_was_spoilt_is_said_what_was_read(kind: str) -> None:
    now = said(kind)
    assert now == recorded(now, Path(__file__).with_name("relations") / f"{kind}.json"), AGAIN


@pytest.mark.parametrize(
    ("is_well", "says"),
    [
        (
            lambda n, d: n == d,
            "Right where `X.shape[0]` and `X.shape[1]` are equal, wrong where they differ. Is one taken for the other?",
        ),
        (
            lambda n, d: n == 4,
            "Right where `X.shape[0]` is 4, wrong where it is another. Does your function count on 4?",
        ),
        (lambda n, d: d <= 4, "Right where `X.shape[1]` is at most 4, wrong where it is larger."),
        (lambda n, d: (n + d) % 3 == 1, None),
        (lambda n, d: True, None),
    ],
)
def test_a_size_that_tells_where_an_answer_is_right_is_named(is_well, says):
    inputs = [{"X": np.ones(size)} for size in ((4, 4), (4, 2), (3, 3), (5, 2), (3, 6), (4, 7))]
    good, bad = ([each for each in inputs if is_well(*each["X"].shape) is well] for well in (True, False))
    found = where(good, bad, "Right", "wrong", lambda each: is_well(*each["X"].shape))
    assert (found and found.sentence) == says
