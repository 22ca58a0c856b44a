"""What is said of an answer that takes one argument for another, or never uses one."""

from __future__ import annotations

import time

import numpy as np
import pytest

from utils.course.exercises.asking import MORE_CALLS, TriedAnswer
from utils.course.exercises.exercise import Exercise
from utils.course.exercises.findings import Kind, say
from utils.course.exercises.responses import mistaken_argument, unused_argument

_random = np.random.default_rng(0)
CASES = [(_random.normal(size=(n, 3)), _random.normal(size=(3, 2)), k) for n, k in ((4, 2), (5, 3))]


def product(X, W, k):
    return k * X @ W


def looked(look, answer, reference=product, cases=CASES):
    return look(Exercise("00.toy", "", reference, cases), TriedAnswer(answer, cases))


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (lambda X, W, k: k * X @ np.ones_like(W), "W"),
        (lambda X, W, k: 2 * X @ W, "k"),
        (lambda X, W, k: k * X @ W**2, None),
        (lambda X, W, k: (X @ W).T, None),  # the wrong shape may be what hides k
        (product, None),
    ],
)
def test_unused_argument_is_named(answer, name):
    found = looked(unused_argument, answer)
    assert found == (name and say(Kind.UNUSED, name=name))


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda A, B, k: k * B @ A, say(Kind.SWAPPED, a="X", b="W")),
        (lambda A, B, k: k * A @ A, say(Kind.TAKEN_FOR, a="W", b="X")),
        (lambda A, B, k: k * A @ B + 1, None),
        (lambda A, B, k: k * B @ A if k < 3 else k * A @ B, None),
        (lambda A, B, k: None, None),
    ],
)
def test_mistaken_argument_is_named_where_it_explains_every_input(answer, says):
    cases = [(_random.normal(size=(3, 3)), _random.normal(size=(3, 3)), k) for k in (2, 3, 4)]
    assert looked(mistaken_argument, answer, product, cases) == says


def test_answer_that_sleeps_is_not_called_again_and_again(monkeypatch):
    calls = 0

    def sleeps(X, W, k):
        nonlocal calls
        calls += 1
        return product(X, W, k)

    monkeypatch.setattr(time, "perf_counter", lambda: 2.0 * calls)  # as if each call slept two seconds
    tried = TriedAnswer(sleeps, CASES)
    assert not tried.gives_two_results() and calls == len(CASES) + 1
    more = [tried.again(CASES[0]) for _ in range(MORE_CALLS)]
    assert more[0] and more[-1] is None and calls < len(CASES) + 6
