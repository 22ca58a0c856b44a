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
CUBES = [_random.normal(size=(n, d, 2 + n % 2)) for n, d in SIZES]
SHARPER = [_random.uniform(2, 3) for _ in SIZES]
HIDDEN = [np.where(np.tri(n, d, dtype=bool), matrix, -np.inf) for (n, d), matrix in zip(SIZES, ANY, strict=True)]
TINY = [np.array([[2.5]]), np.array([[1.5], [-3.5]]), np.array([[0.25, 4.5, -1.25]])]
COUNTS = [np.argsort(np.argsort(matrix, axis=None)).reshape(matrix.shape) + 2 for matrix in ANY]
TOTALS = [matrix.sum() for matrix in ANY]
HALVES = [[("a", 1), ("b", 2)], [("c", 3), ("a", 5), ("d", 4)], [("x", 2), ("y", 7)]]
WITHIN = [[["a", "b", "c"], ["d", "e"]], [["f", "g"], ["h"], ["i", "j", "k"]], [["l", "m"], ["n", "o", "p", "q"]]]

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


def shown(n: int, d: int) -> np.ndarray:
    """The argument `X` of sizes `n` and `d`."""
    return np.sin(np.arange(n * d)).reshape(n, d)


def around_an_axis(axis: int) -> dict[str, Spoil]:
    """What may go wrong along one axis of arrays with any number of them."""
    all_but = lambda r, number: np.delete(r, number, axis)  # noqa: E731
    at = lambda r: np.indices(r.shape)[axis]  # noqa: E731
    ways: dict[str, Spoil] = {
        "backwards": lambda r, n, d: np.flip(r, axis),
        "on by one": lambda r, n, d: np.roll(r, 1, axis),
        "back by one": lambda r, n, d: np.roll(r, -1, axis),
        "on by two": lambda r, n, d: np.roll(r, 2, axis),
        "sorted": lambda r, n, d: np.sort(r, axis),
        "first alone": lambda r, n, d: r.take(0, axis),
        "last alone, a table": lambda r, n, d: r.take([-1], axis),
        "first missing": lambda r, n, d: all_but(r, 0),
        "last missing": lambda r, n, d: all_but(r, -1),
        "last twice": lambda r, n, d: np.concatenate([r, r.take([-1], axis)], axis),
        "two more in front": lambda r, n, d: np.concatenate([r.take([0, 0], axis) - 1, r], axis),
        "two more at the end": lambda r, n, d: np.concatenate([r, r.take([0, 0], axis) - 1], axis),
        "two missing in front": lambda r, n, d: all_but(r, [0, 1]) if r.shape[axis] > 2 else r,
        "two missing at the end": lambda r, n, d: all_but(r, [-1, -2]) if r.shape[axis] > 2 else r,
        "three for one": lambda r, n, d: np.repeat(r, 3, axis) + 1,
        "summed": lambda r, n, d: r.sum(axis),
        "averaged, kept": lambda r, n, d: r.mean(axis, keepdims=True),
        "off its mean": lambda r, n, d: r - r.mean(axis, keepdims=True),
        "off its maximum": lambda r, n, d: r - r.max(axis, keepdims=True),
        "as shares": lambda r, n, d: r / r.sum(axis, keepdims=True),
        "of norm 1": lambda r, n, d: (r - r.mean(axis, keepdims=True)) / r.std(axis, keepdims=True),
        "softmax": lambda r, n, d: softmax(r, axis),
        "added up as it goes": lambda r, n, d: r.cumsum(axis),
        "first wrong": lambda r, n, d: np.where(at(r) == 0, r**2 + 2, r),
        "last wrong": lambda r, n, d: np.where(at(r) == r.shape[axis] - 1, r**2 + 2, r),
        "first alone right": lambda r, n, d: np.where(at(r) == 0, r, r**2 + 2),
        "last alone right": lambda r, n, d: np.where(at(r) == r.shape[axis] - 1, r, r**2 + 2),
        "even wrong": lambda r, n, d: np.where(at(r) % 2 == 0, r**2 + 2, r),
        "odd wrong": lambda r, n, d: np.where(at(r) % 2 == 1, r**2 + 2, r),
        "largest wrong": lambda r, n, d: np.where(r == r.max(axis, keepdims=True), r**2 + 2, r),
        "largest alone right": lambda r, n, d: np.where(r == r.max(axis, keepdims=True), r, r**2 + 2),
        "times its number": lambda r, n, d: r * (2 + at(r)),
        "plus its number": lambda r, n, d: r + at(r),
        "third taken for the second": lambda r, n, d: np.where(at(r) == 1, r.take([-1], axis), r),
    }
    return {f"axis {axis}, {name}": way for name, way in ways.items()}


OF_ANY_SHAPE: dict[str, Spoil] = {
    "flat": lambda r, n, d: r.ravel(),
    "in another array": lambda r, n, d: r[np.newaxis],
    "axes turned round": lambda r, n, d: r.T,
    "last two axes changed": lambda r, n, d: np.swapaxes(r, -1, -2) if r.ndim > 1 else r[:, np.newaxis],
    "first two axes changed": lambda r, n, d: np.swapaxes(r, 0, 1) if r.ndim > 1 else r[np.newaxis],
    "one entry for all": lambda r, n, d: r.flat[0],
    "one entry alone": lambda r, n, d: r.flat[:1],
    "halved where above 1": lambda r, n, d: np.where(r > 1, r / 2, r),
    "nothing above 1": lambda r, n, d: np.minimum(r, 1),
    "nothing above 0": lambda r, n, d: np.minimum(r, 0),
    "differences": lambda r, n, d: np.diff(r, prepend=0),
    "its order": lambda r, n, d: r.argsort(),
    "tanh": lambda r, n, d: np.tanh(r),
    "sigmoid": lambda r, n, d: 1 / (1 + np.exp(-r)),
    "minus its logarithm": lambda r, n, d: -np.log(r),
    "without decimals": lambda r, n, d: r.round(0),
    "with six decimals": lambda r, n, d: r.round(6),
    "with seven decimals": lambda r, n, d: r.round(7),
    "nothing below the diagonal": lambda r, n, d: np.triu(r),
    "the diagonal wrong": lambda r, n, d: r + 3 * np.eye(r.shape[-1])[: (r.shape or [1])[-2:][0]][: len(r)],
    "the diagonal alone": lambda r, n, d: r * np.eye(*r.shape[-2:]),
    "a third wrong": lambda r, n, d: r + (np.arange(r.size) % 3 == 1).reshape(r.shape),
    "half wrong": lambda r, n, d: r + (np.arange(r.size) % 2 == 1).reshape(r.shape) * 0.5,
    "one without a number": lambda r, n, d: np.where(r == r.max(), np.nan, r),
    "wrong above 0": lambda r, n, d: np.where(r > 0, 3 * r + 1, r),
    "sign": lambda r, n, d: -r,
    "nearly, once": lambda r, n, d: r * 1.0000001 + 1e-7 * (np.arange(r.size) == 0).reshape(r.shape),
    "another one for each": lambda r, n, d: r * (2 + n % 3 + np.sqrt(d) / 7),
    "plus another one for each": lambda r, n, d: r - (2 + n % 3 + np.sqrt(d) / 7),
    "times 1.25": lambda r, n, d: r * 1.25,
    "plus 0.001": lambda r, n, d: r + 0.001,
    "times −3": lambda r, n, d: r * -3,
    "less √(n / d)": lambda r, n, d: r - (n / d) ** 0.5,
    "always one": lambda r, n, d: 7,
    "always ones": lambda r, n, d: np.full(np.shape(r), 7),
    "plus an argument": lambda r, n, d: r + shown(n, d),
    "less an argument": lambda r, n, d: r - shown(n, d),
    "the argument": lambda r, n, d: shown(n, d),
    "last of the argument": lambda r, n, d: shown(n, d)[-1],
    "as large as the argument": lambda r, n, d: np.cos(shown(n, d) + r.sum()),
    "as the argument turned": lambda r, n, d: np.cos(shown(n, d).T + r.sum()),
    "as long as the argument": lambda r, n, d: np.cos(np.arange(n) + r.sum()),
    "right in the first input": lambda r, n, d: r if n == SIZES[0][0] else r * 1.5,
}
SHARPENED: dict[str, Spoil] = {
    f"{name} as sharp": lambda r, n, d, f=f: r ** f(n, d) / (r ** f(n, d)).sum(-1, keepdims=True)
    for name, f in {
        "2 times": lambda n, d: 2,
        "1.1 times": lambda n, d: 1.1,
        "1/√d times": lambda n, d: d**-0.5,
        "n times": lambda n, d: n,
        "another number of times": lambda n, d: 1 + n % 3 + np.sqrt(d) / 7,
    }.items()
}
NO_SHARES: dict[str, Spoil] = {
    "over the columns": lambda r, n, d: r / r.sum(0),
    "a negative one": lambda r, n, d: np.concatenate([r[..., :1] - 1, r[..., 1:-1], r[..., -1:] + 1], -1),
    "of the columns, by their logarithms": lambda r, n, d: softmax(np.sin(7 * r), 0),
    "from another distribution": lambda r, n, d: softmax(np.sin(7 * r), -1),
    "a last row too large": lambda r, n, d: np.where(np.indices(r.shape)[0] == len(r) - 1, r + r**2, r),
}
HALVED: dict[str, Spoil] = {
    "first halves right": lambda r, n, d: [(a, b + 10) for a, b in r],
    "second halves right": lambda r, n, d: [(a + "!", b) for a, b in r],
    "neither": lambda r, n, d: [(a + "!", b + 10) for a, b in r],
    "turned": lambda r, n, d: [(b, a) for a, b in r],
    "last one wrong": lambda r, n, d: [*r[:-1], ("z", 0)],
    "three in each": lambda r, n, d: [(*pair, 0) for pair in r],
    "first halves alone": lambda r, n, d: [a for a, b in r],
    "one more": lambda r, n, d: [*r, r[0], r[0]],
}
INSIDE: dict[str, Spoil] = {
    "backwards inside": lambda r, n, d: [part[::-1] for part in r],
    "first missing inside": lambda r, n, d: [part[1:] for part in r],
    "last missing inside": lambda r, n, d: [part[:-1] for part in r],
    "first alone inside": lambda r, n, d: [part[:1] for part in r],
    "one more inside": lambda r, n, d: [[*part, "z"] for part in r],
    "last wrong inside": lambda r, n, d: [[*part[:-1], "z"] for part in r],
    "no lists inside": lambda r, n, d: [part[0] for part in r],
    "all together": lambda r, n, d: [word for part in r for word in part],
    "all of the first": lambda r, n, d: r[0],
    "end alone": lambda r, n, d: r[2:],
    "two more in front": lambda r, n, d: [["y"], ["z"], *r],
}
OF_THREE: dict[str, Spoil] = {
    "turned": lambda r, n, d: (r[1], r[2], r[0]),
    "first two changed": lambda r, n, d: (r[1], r[0], r[2]),
    "one is another": lambda r, n, d: (r[0], r[0], r[2]),
    "first times 2": lambda r, n, d: (2 * r[0], *r[1:]),
    "second transposed": lambda r, n, d: (r[0], r[1].T, r[2]),
    "third in another place": lambda r, n, d: (*r[:2], np.where(np.arange(len(r[2])) == 0, 9, r[2])),
    "third nothing": lambda r, n, d: (*r[:2], None),
    "last two": lambda r, n, d: (r[0], r[1] ** 2 + 1, r[2] ** 3 - 1),
    "first and last": lambda r, n, d: (r[0] ** 2 + 1, r[1], r[2] ** 3 - 1),
    "all": lambda r, n, d: tuple(part**3 + 1 for part in r),
    "two alone": lambda r, n, d: r[:2],
    "a list": lambda r, n, d: [r[0], r[1] + 1, r[2]],
    "wrong in the last input alone": lambda r, n, d: (r[0], r[1] * (1 + (n == SIZES[-1][0])), r[2]),
}
BOTH_WAYS: dict[str, Spoil] = {
    "both": lambda r, n, d: np.roll(r, 1, axis=-1),
    "inverted in a row": lambda r, n, d: np.where(np.arange(len(r)) == len(r) - 1, ~r.T, r.T).T,
    "as numbers": lambda r, n, d: 1 - r,
    "as other numbers": lambda r, n, d: 2 * r,
    "one less": lambda r, n, d: r & (np.arange(r.size) != 0).reshape(r.shape),
    "text": lambda r, n, d: "masked",
}


def other_way_round(ways: dict[str, Spoil]) -> dict[str, Spoil]:
    """For rights that are pairs: what is spoilt is asked for, and what is right is given."""
    return {f"{name}, asked for": lambda r, n, d, way=way: (r, way(r, n, d)) for name, way in ways.items()}


ALL = ARRANGED | STEPS | PARTS | OF_ANY_SHAPE | around_an_axis(0)
WAYS = {
    "any": (ANY, ARRANGED | FACTORS | SUMMANDS | STEPS | PARTS),
    "matrices": (ANY, OF_ANY_SHAPE | around_an_axis(0) | around_an_axis(1)),
    "cubes": (CUBES, OF_ANY_SHAPE | around_an_axis(0) | around_an_axis(2)),
    "lines": ([matrix.ravel() for matrix in ANY], OF_ANY_SHAPE | around_an_axis(0)),
    "numbers": (TOTALS, OF_ANY_SHAPE | FACTORS | SUMMANDS | STEPS),
    "counts": (COUNTS, OF_ANY_SHAPE | around_an_axis(0)),
    "tiny": (TINY, OF_ANY_SHAPE | around_an_axis(0) | STEPS | PARTS),
    "hidden": (HIDDEN, OF_ANY_SHAPE | around_an_axis(1)),
    "undone": (ANY, other_way_round(ALL)),
    "undone_cubes": (CUBES, other_way_round(OF_ANY_SHAPE | around_an_axis(2))),
    "undone_lines": ([matrix.ravel() for matrix in ANY], other_way_round(OF_ANY_SHAPE | around_an_axis(0))),
    "other_shares": (SHARES, SHARPENED | NO_SHARES | around_an_axis(1)),
    "lines_of_shares": ([matrix[0] for matrix in SHARES], SHARPENED | NO_SHARES | around_an_axis(0)),
    "other_masks": (MASKS, BOTH_WAYS | around_an_axis(1)),
    "lines_of_masks": ([matrix[:, 1] for matrix in MASKS], BOTH_WAYS | MASKED),
    "halves": (HALVES, HALVED | LISTED),
    "within": (WITHIN, INSIDE | LISTED),
    "three": ([(matrix, matrix.T @ matrix + np.arange(matrix.shape[1]), matrix[0]) for matrix in ANY], OF_THREE),
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
        inputs = [{"X": shown(n, d)} for n, d in SIZES]
        asked = rights
        try:
            with np.errstate(all="ignore"):
                given = [spoil(right, *size) for right, size in zip(rights, SIZES, strict=True)]
        except (ValueError, TypeError, IndexError):  # such as a sum of words
            continue
        if "asked for" in name:
            given, asked = zip(*given, strict=True)
        if all(map(same_value, given, asked)):
            continue  # such as the sizes alone of what is nowhere below 0
        cases = list(map(Case, inputs, given, asked))
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


def test_a_list_of_one_entry_has_no_order_and_may_be_right() -> None:
    asked = [["a"], ["b", "c", "d"], ["e", "f", "g"]]
    cases = [Case({}, right[1:] + right[:1], right) for right in asked]
    assert relation(cases).name == "another order"
    assert relation([*cases, Case({}, ["h"], ["i"])]) is None


@pytest.mark.parametrize(("at", "says"), [(0, None), (1, "Right up to entry 1"), (2, "Right up to entry 2")])
def test_how_far_a_list_is_right_is_said_where_its_beginning_is(at: int, says: str | None) -> None:
    right = [2.5, 3.5, 4.5]
    given = [*right[:at], 9.5, *right[at + 1 :], 7.5]
    found = partly([Case({}, given, right)])
    assert found.sentence.startswith(says) if says else found is None


def test_cases_of_which_some_have_more_axes_are_related_too() -> None:
    rights = [np.array([1.5, 2.5]), np.arange(6.0).reshape(2, 3)]
    given = [np.stack([right - 1, right + 1]) for right in rights]
    found = relation(list(map(Case, [{}, {}], given, rights)))
    assert found.sentence == "The last step is missing: take the mean along axis 0."
