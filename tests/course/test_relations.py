"""What is said of a result that is related to the right one, and that nothing is said where no relation holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from utils.by_hand.attention import softmax
from utils.course.exercises.findings import Case, Kind, say
from utils.course.exercises.relations import partly, relation

SIZES = [(3, 4), (5, 2), (4, 6)]  # of X, (n, d), in the three inputs
_random = np.random.default_rng(0)
ANY = [_random.normal(size=size) for size in SIZES]
SHARES = [softmax(matrix) for matrix in ANY]
MASKS = [np.tri(n, n, dtype=bool) for n, _ in SIZES]
TEXTS = [["the", "cat", "sat"], ["a", "b", "a", "c"], ["on", "it", "went", "on", "and"]]
PAIRS = [(matrix, matrix.sum(axis=0)) for matrix in ANY]


def said(rights, spoil):
    """What is said where each of `rights` has been spoilt: `spoil` gets it, n and d."""
    inputs = [{"X": np.sin(np.arange(n * d)).reshape(n, d)} for n, d in SIZES]
    given = [spoil(right, *size) for right, size in zip(rights, SIZES, strict=True)]
    cases = list(map(Case, inputs, given, rights))
    found = relation(cases) or partly(cases)
    return found and (found.kind, *found.parts.values())


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda r, n, d: r.T, (Kind.TRANSPOSED,)),
        (lambda r, n, d: r[::-1], (Kind.BACKWARDS, "rows")),
        (lambda r, n, d: r[0], (Kind.ONE_LINE, "first", "row")),
        (lambda r, n, d: r[1:], (Kind.MISSING, "first", "row")),
        (lambda r, n, d: r.sum(axis=0), (Kind.COMBINED, "added up", " along axis 0")),
        (lambda r, n, d: r.ravel(), (Kind.RESHAPED, (12,), (3, 4))),
        (lambda r, n, d: 2 * r, (Kind.OFF_BY, "Every entry", "times", "2")),
        (lambda r, n, d: -r, (Kind.SIGN,)),
        (lambda r, n, d: r.round(2), (Kind.ROUNDED, 2)),
        (lambda r, n, d: softmax(r), (Kind.STEP_TOO_MANY, "softmax of each row")),
        (lambda r, n, d: 0 * r, (Kind.CONSTANT, "0")),
        (lambda r, n, d: np.sin(np.arange(n * d)).reshape(n, d), (Kind.UNCHANGED, "X")),
        (
            lambda r, n, d: r * (1 + np.arange(n))[:, None],
            (Kind.OFF_BY_LINE, "row", "times", "1, 2, 3", "each row is divided or multiplied by"),
        ),
        (lambda r, n, d: np.sin(7 * r) + r**2, None),
    ],
)
def test_relation_of_a_matrix_to_the_right_one_is_named(spoil, says):
    assert said(ANY, spoil) == says


@pytest.mark.parametrize(
    ("rights", "spoil", "says"),
    [
        (SHARES, lambda r, n, d: r**2 / (r**2).sum(-1, keepdims=True), (Kind.SHARPNESS, "2 times")),
        (
            SHARES,
            lambda r, n, d: softmax(np.sin(7 * r), 0),
            (Kind.SUMS, "Your row 0 sums", "1.492", ", as each of your columns does"),
        ),
        (MASKS, lambda r, n, d: ~r, (Kind.INVERTED,)),
        (MASKS, lambda r, n, d: np.tri(n, n, 1, dtype=bool), (Kind.TOO_MUCH_TRUE, "[0, 1]")),
        (TEXTS, lambda r, n, d: r[::-1], (Kind.BACKWARDS, "entries")),
        (PAIRS, lambda r, n, d: r[::-1], (Kind.PARTS_ORDER,)),
        (
            [(m, m[:, :1]) for m in ANY],
            lambda r, n, d: (r[0] + np.eye(n, d, 1), 2 * r[1]),
            (Kind.SOME_PARTS, "your first returned value and your second returned value", say(Kind.COMPARE)),
        ),
        (
            PAIRS,
            lambda r, n, d: (r[0], n * r[1]),
            (
                Kind.ONE_PART,
                "your second returned value",
                say(Kind.OFF_BY, which="Every entry", how="times", number="`X.shape[0]`"),
            ),
        ),
    ],
)
def test_relation_of_shares_masks_and_lists_is_named(rights, spoil, says):
    assert said(rights, spoil) == says


@drawn(st.floats(-9, 9).filter(lambda x: abs(x) > 0.01 and abs(x - 1) > 0.01), st.integers(0, 2**32 - 1))
def test_factor_is_named_only_where_there_is_one(factor, seed):
    random = np.random.default_rng(seed)
    rights = [random.normal(size=size) for size in SIZES]
    cases = [Case({}, factor * right, right) for right in rights]
    assert relation(cases).kind in (Kind.OFF_BY, Kind.SIGN)
    noise = [Case({}, random.normal(size=right.shape), right) for right in rights]
    assert relation(noise) is None


def test_zero_result_is_not_called_a_multiple_of_the_correct_one() -> None:
    cases = [Case({}, factor * right, right) for factor, right in zip((0.0, 2.0, 3.0), ANY, strict=True)]
    assert partly(cases) is None
    assert partly(cases[1:]).kind is Kind.OFF_BY_SOME
