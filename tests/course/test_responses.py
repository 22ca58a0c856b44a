"""What is said of an answer that goes by the wrong part of its arguments, or by none of one of them."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest

from tests.course.test_variants import as_lists
from tests.recorded import AGAIN, recorded
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


KINDS = {
    "a text": "abc",
    "words": ["a", "b", "c"],
    "a tuple": (1.5, 2.5),
    "a count": 3,
    "a number": 2.5,
    "on or off": True,
    "nothing": None,
    "ids": np.array([3, 1, 2]),
    "a mask": np.array([[True, False], [True, True]]),
    "a vector": np.array([0.5, -1.0, 2.0]),
    "a matrix": np.array([[0.5, -1.0, 2.0], [3.0, 4.5, -0.25]]),
    "heads": np.arange(8.0).reshape(2, 2, 2),
    "no numbers": np.zeros((0, 2)),
}


def test_each_kind_of_argument_is_changed_in_the_ways_that_were_read() -> None:
    """What the answer is given while its responses are looked at; the right result depends on all of it."""
    now = []
    for kind, value in KINDS.items():
        for look in (unused_argument, other_dependence, right_about):
            given: list = []

            def answer(x, y, given=given):
                given.append(as_lists(x))
                return np.ones(2)

            found = look(
                answer,
                lambda x, y: np.full(2, y + zlib.crc32(str(as_lists(x)).encode()) % 997),
                ["x", "y"],
                [(value, 2.0)],
            )
            now.append(
                [kind, look.__name__, found.sentence if found else "", [each for each in given if each != given[0]]]
            )
    assert now == recorded(now, Path(__file__).with_name("responses.json")), AGAIN


SQUARES = np.array([[1.0, 4.0, 9.0], [16.0, 25.0, 36.0]])


@pytest.mark.parametrize(
    "answer",
    [
        lambda x: x[0, 0] > x[-1, 0],  # rows backwards
        lambda x: x[0, 0] > x[0, -1],  # columns backwards
        lambda x: len(x),
        lambda x: (x == x[0, 0]).all(),
        lambda x: x.min() < 0,
        lambda x: x.max() > 300,
        lambda x: x.sum().round(3),
    ],
)
def test_an_argument_that_is_used_in_one_way_is_used(answer):
    assert unused_argument(lambda x: float(answer(x)), lambda x: x, ["x"], [(SQUARES,)]) is None


@pytest.mark.parametrize("answer", [lambda x: x > "b", len, lambda x: x[0], lambda x: "aa" in x, lambda x: "ca" in x])
def test_a_text_that_is_used_in_one_way_is_used(answer):
    assert unused_argument(lambda x: answer(x), lambda x: x + "!", ["x"], [("abc",)]) is None
    assert unused_argument(lambda x: "b" in x + "b", lambda x: x + "!", ["x"], [("abc",)]) is not None


@pytest.mark.parametrize(("share", "says"), [(1e-7, "row 0"), (1e-11, None)])
def test_what_last_digits_alone_tell_depends_on_nothing(share, says):
    X = np.array([[1.0, 2.0], [3.0, 5.0]])
    found = other_dependence(lambda x: x + share * x[0], lambda x: x.copy(), ["x"], [(X,)])
    assert (says in found.sentence) if says else found is None


@pytest.mark.parametrize(("more", "is_steady"), [(0, True), (1e-5, False)])
def test_an_argument_is_right_where_the_error_stays(more, is_steady):
    cases = [(np.array([1.0, 2.0]), 3.0), (np.array([4.0, 0.5]), 2.0)]
    found = right_about(lambda x, k: x + k**2 + more * x * k, lambda x, k: x + k, ["x", "k"], cases)
    assert (found is not None and found.name == "where: right about `x`") is is_steady
    other_shapes = right_about(lambda x, k: x[: int(k) - 2], lambda x, k: x, ["x", "k"], cases)
    of_masks = right_about(lambda x, k: x > k, lambda x, k: x > 0, ["x", "k"], cases)
    assert other_shapes is None and of_masks is None


def test_on_a_later_input_that_runs_a_place_is_named_too():
    """The first input stops the answer, of the second it returns another shape, and none tells of whole numbers."""

    def answer(x):
        return {2: lambda: x[9], 3: lambda: x[:2]}.get(len(x), lambda: x.cumsum())()

    cases = [(np.arange(1.0, n),) for n in (3, 4, 5)]
    found = other_dependence(answer, lambda x: 2 * x, ["x"], cases)
    assert (
        found.sentence
        == "On one of the inputs, if entry 0 of `x` changes, your entry at [1] changes too. It should not."
    )
    assert other_dependence(lambda x: x.cumsum().astype(int), lambda x: x.round().astype(int), ["x"], cases) is None
    assert other_dependence(lambda x: x.sum(), lambda x: x[0], ["x"], cases) is None
