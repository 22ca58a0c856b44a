"""What is said of an answer that goes by the wrong part of its arguments, or by none of one of them."""

from __future__ import annotations

import numpy as np
import pytest

from utils.course.exercises.responses import other_dependence, right_about, unused_argument

_random = np.random.default_rng(0)
CASES = [(_random.normal(size=(n, 3)), _random.normal(size=(3, 2)), k) for n, k in ((4, 2), (5, 3))]
NAMES = ["X", "W", "k"]


def reference(X, W, k):
    return k * X @ W


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda X, W, k: k * X @ np.ones_like(W), "Your result is the same whatever `W` is."),
        (lambda X, W, k: 2 * X @ W, "Your result is the same whatever `k` is."),
        (lambda X, W, k: k * X @ W**2, None),
        (reference, None),
    ],
)
def test_an_argument_that_is_not_used_is_named(answer, says):
    found = unused_argument(answer, reference, NAMES, CASES)
    assert (found and found.sentence.startswith(says)) if says else found is None


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (
            lambda X, W, k: np.cumsum(k * X @ W, axis=0),
            "On one of the inputs, if row 0 of `X` changes, your entry at [1, 0] changes too. It should not.",
        ),
        (
            lambda X, W, k: k * X[:, [0, 0, 1]] @ W,
            "On one of the inputs, if column 2 of `X` changes, the entry at [0, 0] should change with it. Yours stays "
            "as it is.",
        ),
        (
            lambda X, W, k: np.where(np.arange(len(X))[:, None] == len(X) - 1, 1, k * X @ W),
            "On one of the inputs, if row 3 of `X` changes, the entry at [3, 0] should change with it. Yours stays as "
            "it is.",
        ),
        (lambda X, W, k: k * X @ W + 1, None),
        (lambda X, W, k: (k * X @ W).T, None),
        (lambda X, W, k: (k * X @ W).tolist() if k == 2 else None, None),
    ],
)
def test_a_place_that_goes_by_another_row_or_column_is_named(answer, says):
    found = other_dependence(answer, reference, NAMES, CASES)
    assert (found and found.sentence) == says


def test_of_arrays_with_more_than_two_axes_no_line_is_spoken_of():
    cases = [(_random.normal(size=(2, 3, 4)),)]
    assert other_dependence(lambda H: H.cumsum(axis=0), lambda H: H, ["H"], cases) is None
    vectors = [(_random.normal(size=4),)]
    found = other_dependence(lambda x: x.cumsum(), lambda x: x, ["x"], vectors)
    assert found.sentence.startswith("On one of the inputs, if entry 0 of `x` changes, your entry at [1] changes too.")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (
            lambda X, W, k: k * X @ W + k**2,
            "`X` and `W` as it should. Look at what is done with `k`",
        ),
        (lambda X, W, k: X @ W / k, "`X` and `W` as it should. Look at what is done with `k`"),
        (
            lambda X, W, k: k * X @ np.sin(W),
            "`k` as it should. Look at what is done with `X` and `W`",
        ),
        (lambda X, W, k: np.sin(k * X @ W), None),
        (lambda X, W, k: X, None),
    ],
)
def test_arguments_that_have_nothing_to_do_with_it_are_named(answer, says):
    found = right_about(answer, reference, NAMES, CASES)
    assert (found and found.sentence) == (says and f"Yours changes with {says}.")
