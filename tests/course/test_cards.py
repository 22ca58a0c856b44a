"""What a card says of an answer is true: submissions of which a card once said something that is not."""

from __future__ import annotations

import ast
import re

import numpy as np
import pytest

from utils.course.exercises import EXERCISES, Exercise, Verdict, diagnose
from utils.course.exercises.asking import run
from utils.course.exercises.findings import Kind
from utils.course.exercises.words import written


def right(name):
    return EXERCISES[name].reference


def kinds(finding):
    """The kinds of a finding, and of those inside it."""
    while finding is not None:
        yield finding.kind
        finding = dict(finding.parts).get("inner")


@pytest.mark.parametrize(
    ("name", "answer", "never"),
    [
        # Each depends on an argument, but not on whatever is changed of it: the order, the length, or large numbers.
        ("05.scores", lambda Q, K: np.outer(Q[:, 0] ** 2, Q[:, 0]) * (1 + (K.max() > 5)), {Kind.UNUSED}),
    ],
)
def test_feedback_says_nothing_untrue(name, answer, never):
    diagnosis = diagnose(EXERCISES[name], answer)
    assert diagnosis.verdict is Verdict.MISTAKE
    assert not never & set(kinds(diagnosis.finding))


@pytest.mark.parametrize(
    ("name", "answer", "says"),
    [
        ("08.packed", lambda ids: ids[:, None] >= ids, r"the one at (?P<at>\[.*?\]) should be False"),
        (
            "08.masked_weights",
            lambda Q, K, allowed: np.where(allowed, 1 / (1 + np.exp(-Q @ K.T)), 0),
            r"Your row (?P<row>\d+) sums to (?P<sum>[\d.]+)",
        ),
        (
            "06.scaled_scores",
            lambda Q, K, d_model: (K @ Q.T).T / Q.shape[-1] * np.sqrt(d_model / Q.shape[-1]),
            r"input to input, (?P<factor>[\d.]+) on the one",
        ),
    ],
)
def test_feedback_describes_the_input_it_shows(name, answer, says):
    exercise, diagnosis = EXERCISES[name], diagnose(EXERCISES[name], answer)
    said = re.search(says, diagnosis.sentence)
    assert said, diagnosis.sentence
    below = diagnosis.input_shown
    shown = [c for c in exercise.cases if below.startswith(f"{written(exercise.names, c)}\n\nyour")]
    given, right = (np.asarray(run(f, shown[0]).value) for f in (answer, exercise.reference))
    told = said.groupdict()
    if "at" in told:
        at = tuple(ast.literal_eval(told["at"]))
        assert given[at] != right[at]
    if "row" in told:
        assert f"{given[int(told['row'])].sum():.4g}" == told["sum"].rstrip(".")
    if "factor" in told:
        assert np.allclose(given, float(told["factor"]) * right, rtol=1e-3)


def test_feedback_shows_an_extreme_input_for_a_mistake_only_found_there():
    plain = Exercise("05.plain", "", lambda x: np.tanh(x), [(np.arange(3.0),)], extremes=[(np.full(3, 900.0),)])
    overflows = lambda x: (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x))  # noqa: E731
    told = diagnose(plain, overflows)
    assert told.finding.kind is Kind.EXTREMES and "nan" in told.sentence and "900" in told.input_shown
