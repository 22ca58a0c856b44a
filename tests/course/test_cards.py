"""What a card says of an answer is true: submissions of which a card once said something that is not."""

from __future__ import annotations

import ast
import itertools
import re
from collections import Counter

import numpy as np
import pytest

from utils.by_hand.encoder import feed_forward
from utils.by_hand.positional import positional_encoding
from utils.course.exercises import EXERCISES, Exercise, Verdict, diagnose
from utils.course.exercises.asking import run
from utils.course.exercises.findings import Kind
from utils.course.exercises.words import written


def right(name):
    return EXERCISES[name].reference


def what_is_there_for_the_identity(layers):
    R = np.eye(layers.shape[2])
    for A in layers:
        R = (A.mean(axis=0) + R) / 2 @ R
    return R


def only_first_pieces(A, asks, asked):
    """The columns of a word that is asked are not added up."""
    rows = np.array([A[asks == word].mean(axis=0) for word in range(asks.max() + 1)])
    return np.array([rows[:, asked == word][:, 0] for word in range(asked.max() + 1)]).T


def without_position_0(x, table, n, base):
    word, pos = nearest(x, table, np.arange(1, n), base)
    return word, pos + 1


def nearest(x, table, positions, base):
    rows = table[:, None] + positional_encoding(max(positions) + 1, len(x), base)[positions]
    return divmod(np.linalg.norm(x - rows, axis=2).argmin(), len(positions))


def cosines_of_last_tokens(states, ids, pad):
    last = np.array([row[here != pad][-1] for row, here in zip(states, ids, strict=True)])
    return last @ last.T / np.outer(np.linalg.norm(last, axis=1), np.linalg.norm(last, axis=1))


def of_the_median(x, gamma, beta, eps):
    m = np.median(x, (0, 1))
    return gamma * (x - m) / np.sqrt(x.var((0, 1)) + eps) + beta


def every_p_above(p, top_p):
    kept = np.where(p >= top_p, p, 0)
    return kept / kept.sum() if kept.sum() > 0 else p


def up_to_the_first_pad(ids, table, pad):
    read = [table[list(itertools.takewhile(lambda i: i != pad, row))] for row in ids]
    return np.array([rows.mean(axis=0) if len(rows) else np.zeros(table.shape[1]) for rows in read])


def the_most_frequent_and_its_neighbour(ids):
    first = Counter(ids[:-1]).most_common(1)[0][0]
    return first, Counter(b for a, b in itertools.pairwise(ids) if a == first).most_common(1)[0][0]


LAWS = {Kind.EQUAL_SIZES, Kind.ONE_SIZE}


def kinds(finding):
    """The kinds of a finding, and of those inside it."""
    while finding is not None:
        yield finding.kind
        finding = dict(finding.parts).get("inner")


@pytest.mark.parametrize(
    ("name", "answer", "never"),
    [
        ("13.top_p", every_p_above, {Kind.ARGUMENT}),  # by chance what the half of p gives
        ("02.sentence_vectors", up_to_the_first_pad, {Kind.OFF_BY_LINE}),  # rows of 0 are no multiples
        ("02.most_frequent_pair", the_most_frequent_and_its_neighbour, {Kind.OFF_BY}),  # ids have no factor
        ("14.word_map", only_first_pieces, {Kind.YET_TO_DO}),
        ("14.rollout", what_is_there_for_the_identity, "[:1]"),  # of one layer alone both would be right
        ("18.without", lambda X, D: np.where(np.arange(X.shape[1]) < len(D), X.mean(axis=0), X), "`directions` were 0"),
        ("13.find_temperature", lambda gap, share: -0.0, {Kind.LAST_STEP}),
        ("13.find_temperature", lambda gap, share: 1.0, {Kind.LAST_STEP, Kind.STEP_MISSING}),
        ("06.divisor", lambda d_k, var_q, var_k: 0, {Kind.LAST_STEP}),
        ("03.balance", lambda count, share: 0, {Kind.LAST_STEP}),
        ("04.word_and_place", without_position_0, LAWS),
        ("04.word_and_place", lambda x, E, n, base: nearest(x, E, np.arange(len(E)), base), "always 3"),
        ("13.no_pair_twice", lambda p, ids: int(p.argmax()), "('name', 'p')"),
        (
            "14.strongest_way",
            lambda *maps: right("14.strongest_way")(*((A + np.eye(len(A))) / 2 for A in maps)),
            {Kind.DEPENDS},
        ),
        ("03.contexts", lambda W_in, W, *which: W - right("03.contexts")(W_in, W, *which), {Kind.CONSTANT}),
        # Each depends on an argument, but not on whatever is changed of it: the order, the length, or large numbers.
        ("02.most_frequent_pair", lambda ids: (min(ids), max(ids)), {Kind.UNUSED}),
        ("08.packed", lambda sentence: np.eye(len(sentence), dtype=bool), {Kind.UNUSED}),
        ("05.scores", lambda Q, K: np.outer(Q[:, 0] ** 2, Q[:, 0]) * (1 + (K.max() > 5)), {Kind.UNUSED}),
        ("10.reach", lambda looks, n: right("10.reach")(looks, len(looks)), "always 8"),
        ("15.similarities", cosines_of_last_tokens, "first token"),
        ("16.bits_per_byte", lambda log_p, pieces: -np.log2(log_p).sum() / len("".join(pieces)), "np.log(-2)"),
        ("06.entropy", lambda A: -(A * np.log(A + 1e-3)).sum(1), "`A.sum`"),
        ("11.nothing_after", lambda read, said, pad: 0, "You counted"),
        ("11.shift", lambda words, start, end, n, pad: [start, *words, end], {Kind.LIST_FIRST, Kind.ONE_LINE}),
        ("09.batch_norm", of_the_median, "x - x"),  # where both are changed so that little is left, they agree
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
        EXERCISES["14.strongest_way"],
        lambda first, second: np.array([[(row * first[:4, j]).argmax() for j in range(4)] for row in second[:, :4]]),
    )
    assert "stops with IndexError" in diagnosis.sentence
    assert diagnosis.input_shown.count("[") == 2 + 3 + 3


def stops_early_and_replaces_once(ids, pair, new):
    out, i, done = [], 0, False
    while i < len(ids) - 1:
        if (ids[i], ids[i + 1]) == pair and not done:
            out.append(new)
            done, i = True, i + 2
        else:
            out.append(ids[i])
            i += 1
    return out


def hidden_without_choice(ids, chosen, kind, others, mask_id):
    read = np.where(chosen & (kind < 0.8), mask_id, ids)
    return np.where((kind >= 0.8) & (kind < 0.9), others, read), np.where(chosen, ids, 0)


def off_the_scale_by_rows(X, W_Q, W_K):
    S = X @ W_Q @ (X @ W_K).T / np.sqrt(len(X) + 1)
    e = np.exp(S - S.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("name", "answer", "says"),
    [
        ("02.merge", stops_early_and_replaces_once, r"yours has (?P<given>\d+); it should be (?P<right>\d+)"),
        ("08.packed", lambda ids: ids[:, None] >= ids, r"the entry at (?P<at>\[.*?\]) should be False"),
        ("08.packed", lambda ids: np.eye(len(ids), dtype=bool) ^ (ids > 2), r"at (?P<at>\[.*?\]) should be "),
        ("15.hide", hidden_without_choice, r"entries, the first at (?P<at>\[.*?\])"),
        (
            "08.masked_weights",
            lambda Q, K, allowed: np.where(allowed, 1 / (1 + np.exp(-Q @ K.T)), 0),
            r"Row (?P<row>\d+) of yours sums to (?P<sum>[\d.]+)",
        ),
        (
            "06.scaled_scores",
            lambda Q, K, d_model: (K @ Q.T).T / Q.shape[-1] * np.sqrt(d_model / Q.shape[-1]),
            r"here (?P<factor>[\d.]+), and another one",
        ),
        ("12.clip", lambda g, longest: g * longest / (g**2).sum(), r"here (?P<factor>[\d.]+), and another one"),
    ],
)
def test_the_input_that_is_shown_is_the_one_that_is_spoken_of(name, answer, says):
    exercise, diagnosis = EXERCISES[name], diagnose(EXERCISES[name], answer)
    said = re.search(says, diagnosis.sentence)
    assert said, diagnosis.sentence
    shown = [c for c in [*exercise.inputs, *exercise.extremes] if written(exercise.names, c) == diagnosis.input_shown]
    given, right = (np.asarray(run(f, shown[0]).value) for f in (answer, exercise.reference))
    told = said.groupdict()
    if "at" in told:
        at = tuple(ast.literal_eval(told["at"]))
        assert given[at] != right[at]
    if "given" in told:
        assert int(told["given"]) in given and int(told["right"]) in right
    if "row" in told:
        assert f"{given[int(told['row'])].sum():.4g}" == told["sum"].rstrip(".")
    if "factor" in told:
        assert np.allclose(given, float(told["factor"]) * right, rtol=1e-3)


def test_an_entry_that_stands_still_for_a_shut_relu_alone_is_no_entry_that_should():
    def bent_otherwise(x, W_1, b_1, W_2, b_2):
        return (np.abs(x @ W_1) + b_1) @ W_2 + b_2

    random, sizes = np.random.default_rng(0), ((5, 4, 7), (3, 3, 3), (4, 6, 2))
    inputs = [tuple(map(random.standard_normal, ((n, d), (d, f), f, (f, d), d))) for n, d, f in sizes]
    network = Exercise("10.network", "the network", feed_forward, inputs, {})
    assert Kind.DEPENDS not in kinds(diagnose(network, bent_otherwise).finding)


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


def test_an_extreme_input_that_contradicts_is_told():
    plain = Exercise("05.plain", "", lambda x: np.tanh(x), [(np.arange(3.0),)], {}, extremes=[(np.full(3, 900.0),)])
    overflows = lambda x: 2 * (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x))  # noqa: E731
    right_there = lambda x: np.tanh(x) * (1 if x[0] > 99 else 2)  # noqa: E731
    for answer in (overflows, right_there):
        assert list(kinds(diagnose(plain, answer).finding)) == [Kind.ORDINARY, Kind.OFF_BY]


def test_a_size_law_that_new_inputs_confirm_is_told():
    half = lambda n, width: abs(np.subtract.outer(range(n), range(n))) <= width // 2  # noqa: E731
    finding = diagnose(EXERCISES["08.window"], half).finding
    assert finding.kind is Kind.ONE_SIZE and dict(finding.parts)["name"] == "`width`"


def test_close_is_said_only_where_it_holds_on_every_input():
    cases = [(np.array([0.131, 0.002, 0.4]),), (np.array([0.7, 0.2, 0.3, 0.1]),)]
    small = Exercise("05.small", "small", lambda x: x, cases, {})
    near_once = diagnose(small, lambda x: x + (0.01 if len(x) == 3 else 0.9) * np.sin(7 * x) * x)
    assert "Very close" not in near_once.sentence
