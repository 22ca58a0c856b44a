"""What is said of an answer that goes by the wrong part of its arguments, or by none of one of them."""

from __future__ import annotations

import numpy as np
import pytest

from utils.course.exercises.asking import MORE_CALLS, TriedAnswer
from utils.course.exercises.exercise import Exercise
from utils.course.exercises.findings import Kind, say
from utils.course.exercises.responses import other_dependence, unused_argument

_random = np.random.default_rng(0)
CASES = [(_random.normal(size=(n, 3)), _random.normal(size=(3, 2)), k) for n, k in ((4, 2), (5, 3))]


def product(X, W, k):
    return k * X @ W


def looked(look, answer, reference=product, cases=CASES):
    return look(Exercise("00.toy", "", reference, cases, {}), TriedAnswer(answer, cases))


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (lambda X, W, k: k * X @ np.ones_like(W), "W"),
        (lambda X, W, k: 2 * X @ W, "k"),
        (lambda X, W, k: k * X @ W**2, None),
        (product, None),
    ],
)
def test_an_argument_that_is_not_used_is_named(answer, name):
    found = looked(unused_argument, answer)
    assert found == (name and say(Kind.UNUSED, name=name))


def test_an_argument_that_matters_on_some_input_is_not_called_unused():
    """It is used for a large k alone; and two inputs that were tried show it."""
    reference, answer = lambda x, k: x * k, lambda x, k: x * (2 if k < 100 else k)
    cases = [(1.5, 2), (2.5, 3), (3.5, 4)]
    assert looked(unused_argument, answer, reference, cases) == say(Kind.UNUSED, name="k")
    assert looked(unused_argument, answer, reference, [*cases, (2.5, 200)]) is None
    assert looked(unused_argument, lambda x, k: x * (2 + k // 7), reference, cases) is None


@pytest.mark.parametrize(
    ("reference", "answer", "values"),
    [
        (lambda x: x.argmin(), lambda x: x.argmax(), [_random.uniform(size=n) for n in (4, 5, 6)]),
        (lambda ids: ids[-2], lambda ids: len(set(ids)), [[2, 5, 2], [4, 4, 1, 4], [3, 7, 3, 7]]),
        (lambda ids: ids[-2], lambda ids: len({*ids}), list(map(np.array, ([2, 5, 2], [4, 4, 1, 4], [3, 7, 3, 7])))),
        (lambda k: k, lambda k: min(k, 2), [5, 6, 7]),  # at 1 and at 0
        (lambda on: on[0], lambda on: on.sum() == 2, [np.arange(3) > 0] * 2),
        (lambda ids: ids[0], lambda ids: max(map(ids.count, ids)), [[1, 2, 2], [3, 3, 4], [4, 5, 4]]),
    ],
)
def test_an_argument_is_used_where_some_change_of_it_shows(reference, answer, values):
    """Not every change does: all of them times 10, another order, a larger number, a mask that is turned round."""
    assert looked(unused_argument, answer, reference, [(value,) for value in values]) is None


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda X, W, k: np.cumsum(k * X @ W, axis=0), say(Kind.DEPENDS, line="row 0", name="X", at="[1, 0]")),
        (lambda X, W, k: k * X[:, [0, 0, 1]] @ W, say(Kind.STAYS, line="column 2", name="X", at="[0, 0]")),
        (lambda X, W, k: k * X @ W + 1, None),
        (lambda X, W, k: (k * X @ W).T, None),
        (lambda X, W, k: None, None),
    ],
)
def test_a_place_that_goes_by_another_row_or_column_is_named(answer, says):
    assert looked(other_dependence, answer) == says


@pytest.mark.parametrize(("share", "says"), [(1e-7, "row 0"), (1e-11, None)])
def test_what_last_digits_alone_tell_depends_on_nothing(share, says):
    X = np.array([[1.0, 2.0], [3.0, 5.0]])
    found = looked(other_dependence, lambda x: x + share * x[0], lambda x: x.copy(), [(X,)])
    assert (says in found.sentence) if says else found is None


@pytest.mark.parametrize("look", [unused_argument, other_dependence])
def test_a_function_is_asked_a_few_times_more_and_not_again_if_it_is_slow(look, monkeypatch):
    calls = []
    asked = TriedAnswer(lambda X, W, k: calls.append(k) or np.ones((len(X), 2)), CASES)
    exercise = Exercise("00.toy", "", product, CASES, {})
    for _ in range(20):
        look(exercise, asked)
    assert len(CASES) < len(calls) <= len(CASES) + MORE_CALLS
    monkeypatch.setattr("utils.course.exercises.asking.MORE_SECONDS", -1)
    assert TriedAnswer(product, CASES).again(CASES[0]) is None
