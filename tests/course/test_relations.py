"""What is said of a result that is related to the right one, and that nothing is said where no relation holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from utils.by_hand.attention import softmax
from utils.course.exercises.relations import Case, Kind, partly, relation, where

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
    return found and found.sentence


def first_row(r, changed):
    return np.concatenate([changed(r[:1]), r[1:]])


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda r, n, d: r.T, "The numbers are right, but transposed"),
        (lambda r, n, d: r[::-1], "The numbers are right, but the rows run backwards."),
        (lambda r, n, d: np.roll(r, 1, 0), "The numbers are right, but the rows have moved on by one"),
        (lambda r, n, d: np.sort(r, 1), "The numbers are right, but sorted by their size."),
        (lambda r, n, d: r[0], "That is the first row alone, and it is right."),
        (lambda r, n, d: r[1:], "The first row is missing; the others are right."),
        (lambda r, n, d: r.sum(axis=0), "The right numbers, but added up along axis 0"),
        (lambda r, n, d: r.ravel(), "The numbers are right, and in their order, but the shape is (12,)"),
        (lambda r, n, d: np.vstack([r, r[:1]]), "There is one row too many, the last one"),
        (lambda r, n, d: 2 * r, "Every entry is the right one times 2."),
        (lambda r, n, d: r / np.sqrt(d), "Every entry is the right one times 1/√`X.shape[1]`."),
        (lambda r, n, d: r + n, "Every entry is the right one plus `X.shape[0]`."),
        (lambda r, n, d: r - n, "Every entry is the right one less `X.shape[0]`."),
        (lambda r, n, d: -r, "The sign is turned everywhere"),
        (lambda r, n, d: r**2, "That is the square of the right result"),
        (lambda r, n, d: np.abs(r), "The sizes are right, but the signs are gone."),
        (lambda r, n, d: 1 / r, "Yours is 1 divided by the right result"),
        (lambda r, n, d: r.round(2), "Your result is rounded to 2 decimals."),
        (lambda r, n, d: softmax(r), "That is the softmax of each row of the right result"),
        (lambda r, n, d: np.maximum(r, 0), "What is below 0 has become 0; all else is right."),
        (lambda r, n, d: 0 * r, "All your entries are alike, 0."),
        (lambda r, n, d: np.sin(np.arange(n * d)).reshape(n, d), "Your result is `X`, as it came in."),
        (lambda r, n, d: r + np.sin(np.arange(n * d)).reshape(n, d), "Your result is the right one plus `X`."),
        (lambda r, n, d: first_row(r, lambda row: row**3 + 2), "Right but for one thing: the first row."),
        (lambda r, n, d: r * (1 + np.arange(n))[:, None], "Each row is the right one times a number of its own"),
        (lambda r, n, d: np.sin(7 * r) + r**2, None),
    ],
)
def test_how_a_matrix_is_related_to_the_right_one(spoil, says):
    found = said(ANY, spoil)
    assert found.startswith(says) if says else found is None


def test_one_right_row_of_many_is_no_reason_for_praise():
    found = said(ANY, lambda r, n, d: np.concatenate([r[:1], np.sin(9 * r[1:]) + 2]))
    assert found is None or "Right but" not in found


@pytest.mark.parametrize(
    ("rights", "spoil", "says"),
    [
        (
            SHARES,
            lambda r, n, d: r**2 / (r**2).sum(-1, keepdims=True),
            "It is a softmax of the right scores, but 2 times",
        ),
        (SHARES, lambda r, n, d: r / r.sum(0), "You divide each column by its sum"),
        (SHARES, lambda r, n, d: softmax(np.sin(7 * r), 0), "Row 0 of yours sums to"),
        (MASKS, lambda r, n, d: ~r, "Yours is inverted"),
        (MASKS, lambda r, n, d: np.tri(n, n, 1, dtype=bool), "All that should be True is True, and more besides"),
        (MASKS, lambda r, n, d: r & False, "Nothing is True that should not be."),
        (TEXTS, lambda r, n, d: r[::-1], "The entries are right, but they run backwards."),
        (TEXTS, lambda r, n, d: r[:-1], "The last entry is missing"),
        (TEXTS, lambda r, n, d: ["<s>", *r], "Your list has one entry too many, the first"),
        (TEXTS, lambda r, n, d: [[word] for word in r], "Your entries stand in lists inside the list"),
        (PAIRS, lambda r, n, d: r[::-1], "The things that you return are right, but in another order."),
        (
            PAIRS,
            lambda r, n, d: (r[0], n * r[1]),
            "Number 2 of the returned things: Every entry is the right one times",
        ),
    ],
)
def test_how_shares_masks_lists_and_several_things_are_related(rights, spoil, says):
    assert said(rights, spoil).startswith(says)


@drawn(st.floats(-9, 9).filter(lambda x: abs(x) > 0.01 and abs(x - 1) > 0.01), st.integers(0, 2**32 - 1))
def test_a_factor_is_told_where_there_is_one_and_only_there(factor, seed):
    random = np.random.default_rng(seed)
    rights = [random.normal(size=size) for size in SIZES]
    cases = [Case({}, factor * right, right) for right in rights]
    found = relation(cases)
    assert found.kind is Kind.DONE and (found.name.startswith("factor") or found.name in ("sign", "0"))
    noise = [Case({}, random.normal(size=right.shape), right) for right in rights]
    assert relation(noise) is None


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
