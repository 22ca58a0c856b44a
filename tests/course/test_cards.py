"""What a card says of an answer is true: submissions of which a card once said something that is not."""

from __future__ import annotations

import ast
import itertools
import re
from collections import Counter

import numpy as np
import pytest

from utils.course.exercises import EXERCISES, Exercise, Verdict, diagnose
from utils.course.exercises.asking import run
from utils.course.exercises.findings import Kind
from utils.course.exercises.words import written


def right(name):
    return EXERCISES[name].reference


def only_first_pieces(A, asks, asked):
    """The columns of a word that is asked are not added up."""
    rows = np.array([A[asks == word].mean(axis=0) for word in range(asks.max() + 1)])
    return np.array([rows[:, asked == word][:, 0] for word in range(asked.max() + 1)]).T


def up_to_the_first_pad(ids, table, pad):
    read = [table[list(itertools.takewhile(lambda i: i != pad, row))] for row in ids]
    return np.array([rows.mean(axis=0) if len(rows) else np.zeros(table.shape[1]) for rows in read])


def the_most_frequent_and_its_neighbour(ids):
    first = Counter(ids[:-1]).most_common(1)[0][0]
    return first, Counter(b for a, b in itertools.pairwise(ids) if a == first).most_common(1)[0][0]


def kinds(finding):
    """The kinds of a finding, and of those inside it."""
    while finding is not None:
        yield finding.kind
        finding = dict(finding.parts).get("inner")


@pytest.mark.parametrize(
    ("name", "answer", "never"),
    [
        ("02.sentence_vectors", up_to_the_first_pad, {Kind.OFF_BY_LINE}),  # rows of 0 are no multiples
        ("02.most_frequent_pair", the_most_frequent_and_its_neighbour, {Kind.OFF_BY}),  # ids have no factor
        ("14.word_map", only_first_pieces, {Kind.YET_TO_DO}),
        ("13.find_temperature", lambda gap, share: -0.0, {Kind.LAST_STEP}),
        ("13.find_temperature", lambda gap, share: 1.0, {Kind.LAST_STEP, Kind.STEP_MISSING}),
        ("06.divisor", lambda d_k, var_q, var_k: 0, {Kind.LAST_STEP}),
        ("03.balance", lambda count, share: 0, {Kind.LAST_STEP}),
        ("13.no_pair_twice", lambda p, ids: int(p.argmax()), "('name', 'p')"),
        # Each depends on an argument, but not on whatever is changed of it: the order, the length, or large numbers.
        ("02.most_frequent_pair", lambda ids: (min(ids), max(ids)), {Kind.UNUSED}),
        ("08.packed", lambda sentence: np.eye(len(sentence), dtype=bool), {Kind.UNUSED}),
        ("05.scores", lambda Q, K: np.outer(Q[:, 0] ** 2, Q[:, 0]) * (1 + (K.max() > 5)), {Kind.UNUSED}),
        ("11.nothing_after", lambda read, said, pad: 0, "You counted"),
        ("11.shift", lambda words, start, end, n, pad: [start, *words, end], {Kind.FIRST_ONLY, Kind.ONE_LINE}),
        ("13.text_log_p", lambda *inputs: -right("13.text_log_p")(*inputs), {Kind.NO_SIGNS}),
        ("13.temperature", lambda logits, t: np.exp(logits / t - (logits / t).max()), "each row"),
    ],
)
def test_what_is_not_true_is_not_said(name, answer, never):
    """never: kinds of findings, or a text that stands in none of their parts."""
    diagnosis = diagnose(EXERCISES[name], answer)
    assert diagnosis.verdict is Verdict.MISTAKE
    if isinstance(never, str):
        assert never not in repr(diagnosis.finding)
    else:
        assert not never & set(kinds(diagnosis.finding))


def test_the_input_that_a_function_stops_at_is_shown():
    diagnosis = diagnose(
        EXERCISES["14.word_map"],
        lambda A, asks, asked: right("14.word_map")(A, asks, asked) + 0 * A[3, 0],  # the last input has three rows
    )
    assert "stops with IndexError" in diagnosis.sentence
    assert diagnosis.input_shown.count("[") == 4 + 1 + 1


def off_the_scale_by_rows(X, W_Q, W_K):
    S = X @ W_Q @ (X @ W_K).T / np.sqrt(len(X) + 1)
    e = np.exp(S - S.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


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
        ("12.clip", lambda g, longest: g * longest / (g**2).sum(), r"input to input, (?P<factor>[\d.]+) on the one"),
    ],
)
def test_the_input_that_is_shown_is_the_one_that_is_spoken_of(name, answer, says):
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


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("05.weights", off_the_scale_by_rows),
        ("06.entropy", lambda A: [-sum(p * np.log2(p) for p in row if p > 0) for row in A]),
        ("03.balance", lambda pulls, pushes: np.log2(pushes / pulls)),
    ],
)
def test_an_input_on_which_nothing_can_be_seen_contradicts_nothing(name, answer):
    """One word has all the weight, an entropy is 0: there it is right by any scale, and by any base."""
    finding = diagnose(EXERCISES[name], answer).finding
    assert finding.kind in (Kind.SHARPNESS, Kind.OFF_BY)


def test_a_mistake_at_extreme_inputs_alone_is_told_with_such_an_input():
    plain = Exercise("05.plain", "", lambda x: np.tanh(x), [(np.arange(3.0),)], {}, extremes=[(np.full(3, 900.0),)])
    overflows = lambda x: (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x))  # noqa: E731
    told = diagnose(plain, overflows)
    assert told.finding.kind is Kind.EXTREMES and "nan" in told.sentence and "900" in told.input_shown


def test_close_is_said_only_where_it_holds_on_every_input():
    cases = [(np.array([0.131, 0.002, 0.4]),), (np.array([0.7, 0.2, 0.3, 0.1]),)]
    small = Exercise("05.small", "small", lambda x: x, cases, {})
    near_once = diagnose(small, lambda x: x + (0.01 if len(x) == 3 else 0.9) * np.sin(7 * x) * x)
    assert "Very close" not in near_once.sentence
