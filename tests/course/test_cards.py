"""What a card says of an answer is true: submissions of which a card once said something else."""

from __future__ import annotations

import ast
import itertools
import re

import numpy as np
import pytest

from utils.by_hand.positional import positional_encoding
from utils.course.exercises import EXERCISES, Exercise, Verdict, diagnose
from utils.course.exercises.asking import run
from utils.course.exercises.words import written


def hidden(function):
    """`function`, but its code can not be read."""
    return lambda *inputs: function(*inputs)


def updated_in_place(looks, n_blocks):
    reached = np.eye(len(looks), dtype=bool)
    for _ in range(n_blocks):
        for i in range(len(looks)):
            reached[i] |= looks[i] @ reached
    return reached


def in_whole_numbers(looks, n_blocks):
    reached = np.eye(len(looks), dtype=int)
    for _ in range(n_blocks):
        reached = reached | (looks.astype(int) @ reached)
    return reached


def in_groups(x, gamma, beta, n_groups, eps):
    groups = x.reshape(len(x), n_groups, -1)
    off = groups - groups.mean(axis=2, keepdims=True)
    return (off / np.sqrt(groups.var(axis=2, keepdims=True) + eps)).reshape(x.shape) * gamma + beta


def gamma_of_the_first_group(x, gamma, beta, n_groups, eps):
    width = x.shape[1] // n_groups
    return in_groups(x, *(np.tile(y[:width], n_groups) for y in (gamma, beta)), n_groups, eps)


def nearest_by_a_sum(x, table, n, base):
    rows = table[:, None] + positional_encoding(n, len(x), base)
    return divmod(np.abs((x - rows).sum(axis=2)).argmin(), n)


def grouped_by_d_model(X, W_Q, W_K, W_V, W_O, n_heads, n_groups):
    scale = np.sqrt(W_Q.shape[1] / n_heads / X.shape[1])
    return EXERCISES["07.grouped"].reference(X, W_Q * scale, W_K, W_V, W_O, n_heads, n_groups)


def what_is_there_for_the_identity(layers):
    R = np.eye(layers.shape[2])
    for A in layers:
        R = (A.mean(axis=0) + R) / 2 @ R
    return R


def maps_and_values_apart(A, V, W_O):
    handed = (V @ W_O).sum(axis=0)
    return np.linalg.norm(A.sum(axis=0)[:, :, np.newaxis] * handed, axis=2)


def right_in_the_first_row(Q, K):
    right = EXERCISES["05.scores"].reference(Q, K)
    return np.where(np.arange(len(Q))[:, np.newaxis] == 0, right, np.sin(Q.sum() + np.arange(len(K))))


def along_the_sum(X, directions):
    whole = directions.sum(axis=0) / np.linalg.norm(directions.sum(axis=0))
    return X - np.outer((X - X.mean(axis=0)) @ whole, whole)


for_good = EXERCISES["18.for_good"].reference


def only_first_pieces(A, asks, asked):
    """The columns of a word that is asked are not added up."""
    rows = np.array([A[asks == word].mean(axis=0) for word in range(asks.max() + 1)])
    return np.array([rows[:, asked == word][:, 0] for word in range(asked.max() + 1)]).T


@pytest.mark.parametrize(
    ("name", "answer", "says"),
    [
        ("10.reach", in_whole_numbers, "What is above 1 should become 1"),
        ("10.reach", lambda looks, n: np.linalg.matrix_power(looks + np.eye(len(looks), dtype=int), n), "above 1"),
        ("10.reach", updated_in_place, "All that should be True is True, and more besides"),
        ("04.word_and_place", nearest_by_a_sum, "cancel"),
        (
            "11.one_row",
            lambda n, m: np.where(EXERCISES["11.one_row"].reference(n, m), 0, -np.inf),
            "True and False are",
        ),
        ("11.one_row", lambda n, m: "text", "an array of True and False is expected"),
        ("08.packed", lambda ids: ids[:, None] >= ids, "All that should be True is True, and more besides"),
        (
            "10.broken_line",
            lambda x, y: (*EXERCISES["10.broken_line"].reference(x, y)[:2], y[0]),
            "an array of shape (1,) is expected",
        ),
        (
            "10.broken_line",
            lambda x, y: np.ones(2),
            "returns one array of shape (2,); 3 things are expected, separated",
        ),
        ("10.broken_line", lambda x, y: x[0], "returns a float64; 3 things are expected"),
        ("18b.merge", lambda m_1, s_1, o_1, *other: (o_1,), "returns one thing, an array of shape (2,); 3 things are"),
        (
            "18b.merge",
            lambda m_1, s_1, o_1, *other: (m_1, o_1),
            "returns 2 things, a float and an array of shape (2,); 3",
        ),
        ("07.grouped", hidden(grouped_by_d_model), "You divided by √d_model"),
        (
            "18.for_good",
            lambda *curve: float("nan") if for_good(*curve) is None else for_good(*curve),
            "returns nan; it should be None",
        ),
        ("18.for_good", lambda *curve: -1 if for_good(*curve) is None else for_good(*curve), "-1; it should be None"),
        ("18.for_good", lambda steps, scores, target: None, "is the `return` missing?"),
        (
            "18.for_good",
            lambda steps, scores, target: steps[0] if scores[0] >= target else None,
            "returns None; it should be 250",
        ),
        (
            "11.shift",
            lambda words, start, end: ([start, *words], words[1:]),
            "Number 2 of the returned things: The shape is (3,); it should be (5,).",
        ),
        (
            "10.broken_line",
            lambda at, heights: EXERCISES["10.broken_line"].reference(at, heights)[1],
            "returns one array of shape (2, 1); 3 things are expected, separated",
        ),
        (
            "07.without_head",
            lambda *given: EXERCISES["07.without_head"].reference(*given) + np.arange(given[1].shape[1]),
            "Look at what is taken off each column, or added to it.",
        ),
        (
            "14.strongest_way",
            lambda first, second: (second[:, :, None] * first).argmin(axis=1),
            "if `first` had the opposite sign",
        ),
        (
            "10.gated",
            lambda x, W, V, W_2: (x @ W / (1 + np.exp(x @ W)) * (x @ V)) @ W_2,
            "if `x` had the opposite sign",
        ),
        (
            "05.output",
            lambda X, W_Q, W_K, W_V: EXERCISES["05.output"].reference(X, W_Q, W_V, W_V),
            "Where it runs: Your result is what comes out if `W_V` stood for `W_K`.",
        ),
        (
            "07.split_heads",
            lambda Q, n_heads: Q.reshape(len(Q), n_heads, Q.shape[1] / n_heads).transpose(1, 0, 2),
            "`/` gives a float even where it comes out even: `//`.",
        ),
        ("14.contribution", maps_and_values_apart, "You add the maps and add the values apart from each other."),
        (
            "07.join_heads",
            lambda H, W_O: np.hstack([H.mean(axis=0)] * len(H)) @ W_O,
            "`heads` were replaced by their mean",
        ),
        (
            "07.multi_head",
            hidden(lambda X, *others: X + EXERCISES["07.multi_head"].reference(X, *others)),
            "Your result is the right one plus `X`.",
        ),
        (
            "14.contribution",
            lambda *given: EXERCISES["14.contribution"].reference(*(heads[-1:] for heads in given)),
            "only the last of `A` and `V` and `W_O` were there (does a loop put each in the place of the one before",
        ),
        (
            "14.contribution",
            lambda *given: EXERCISES["14.contribution"].reference(*(heads[:1] for heads in given)),
            "only the first of `A` and `V` and `W_O` were there (does a `return` end a loop",
        ),
        ("06.softmax", lambda S: np.exp(S), "You stopped after the exponential"),
        ("06.softmax", lambda S: np.exp(S - S.max(axis=1, keepdims=True)), "You stopped after the exponential"),
        (
            "08.masked_weights",
            lambda Q, K, a: np.where(a, 1 / (1 + np.exp(-Q @ K.T)), 0),
            "Row 0 of yours sums to",
        ),
        (
            "05.output",
            lambda X, *others: np.random.default_rng().normal(size=X.shape),  # so that its shape alone is known
            "The number of columns is `X.shape[1]` in yours; it should be `W_V.shape[1]`.",
        ),
        (
            "05.scores",
            hidden(right_in_the_first_row),
            "if row 0 of `Q` changes, your entry at [1, 0] changes.",
        ),
        ("18.without", hidden(along_the_sum), "You took one direction away, the sum or the mean of all of them."),
        ("06.divisor", lambda d_k, var_q, var_k: 1, "Your number is 1 each time."),
        ("11.nothing_after", lambda read, said, pad: 504, "Your number is 504 each time."),
        ("20.score", lambda *inputs: 0, "Your number is 0 each time."),
        ("15.analogy", lambda *inputs: float(EXERCISES["15.analogy"].reference(*inputs)), "an id chooses a row"),
    ],
)
def test_what_is_true_is_said(name, answer, says):
    assert says in diagnose(EXERCISES[name], answer).sentence


def without_position_0(x, table, n, base):
    word, pos = nearest(x, table, np.arange(1, n), base)
    return word, pos + 1


def nearest(x, table, positions, base):
    rows = table[:, None] + positional_encoding(max(positions) + 1, len(x), base)[positions]
    return divmod(np.linalg.norm(x - rows, axis=2).argmin(), len(positions))


def as_many_positions_as_words(x, table, n, base):
    return nearest(x, table, np.arange(len(table)), base)


def largest_dot_product(x, table, n, base):
    return divmod(((table[:, None] + positional_encoding(n, len(x), base)) @ x).argmax(), n)


def root_cut(d_k, var_q, var_k):
    return int(np.sqrt(d_k * var_q * var_k))


def shared_out_evenly(p, ids):
    right = EXERCISES["13.no_pair_twice"].reference(p, ids)
    kept = np.where(right == 0, 0, p)
    return kept + (right > 0) * (1 - kept.sum()) / (right > 0).sum()


def of_the_product(first, second):
    return (second @ first).argmax(axis=1)


def with_half_of_itself(first, second):
    return EXERCISES["14.strongest_way"].reference(*((A + np.eye(len(A))) / 2 for A in (first, second)))


def in_whole_buffer(x, gamma, beta, n_groups, eps):
    z = np.zeros(x.shape, dtype=int)
    z[:] = in_groups(x, 1, 0, n_groups, eps)
    return gamma * z + beta


def what_is_left(W_in, W_out, middle, others):
    return W_out - EXERCISES["03.contexts"].reference(W_in, W_out, middle, others)


def nearest_hundredth(gap, share):
    grid = np.linspace(0.01, 10, 1000)
    return grid[abs(1 / (1 + np.exp(-gap / grid)) - share).argmin()]


def cosines_of_last_tokens(states, ids, pad):
    last = np.array([row[here != pad][-1] for row, here in zip(states, ids, strict=True)])
    return last @ last.T / np.outer(np.linalg.norm(last, axis=1), np.linalg.norm(last, axis=1))


def of_the_median(x, gamma, beta, eps):
    m = np.median(x, 0)
    return gamma * (x - m) / np.sqrt(x.var(0) + eps) + beta


def entropy_of_a_little_more(A):
    return -(A * np.log(A + 1e-3)).sum(1)


LAW = "Right where"


def test_a_mistake_goes_by_its_sentence():
    last = diagnose(
        EXERCISES["14.contribution"],
        lambda *given: EXERCISES["14.contribution"].reference(*(heads[-1:] for heads in given)),
    )
    assert last.mistake == last.sentence


@pytest.mark.parametrize(
    ("name", "answer", "never"),
    [
        ("14.word_map", hidden(only_first_pieces), "Divide by"),
        ("14.rollout", what_is_there_for_the_identity, "[:1]"),  # of one layer alone both would be right
        ("18.without", lambda X, D: np.where(np.arange(X.shape[1]) < len(D), X.mean(axis=0), X), "`directions` were 0"),
        ("13.find_temperature", lambda gap, share: -0.0, "largest"),
        ("13.find_temperature", lambda gap, share: 1.0, "softmax"),
        ("13.find_temperature", nearest_hundredth, "Two things"),
        ("06.divisor", lambda d_k, var_q, var_k: 0, "largest"),
        ("03.balance", lambda count, share: 0, "largest"),
        ("04.word_and_place", without_position_0, LAW),
        ("04.word_and_place", as_many_positions_as_words, "always 3"),
        ("04.word_and_place", largest_dot_product, LAW),
        ("06.divisor", hidden(root_cut), LAW),
        ("13.no_pair_twice", hidden(shared_out_evenly), LAW),
        ("13.no_pair_twice", lambda p, ids: int(p.argmax()), "when `p` changes"),
        ("14.strongest_way", of_the_product, "stays the same"),
        ("14.strongest_way", hidden(with_half_of_itself), "should not"),
        ("09.group_norm", hidden(in_whole_buffer), "stays the same"),
        ("03.contexts", hidden(what_is_left), "nothing to do"),
        # Each depends on an argument, but not on whatever is changed of it: the order, the length, or large numbers.
        ("02.most_frequent_pair", lambda ids: (min(ids), max(ids)), "stays the same"),
        ("08.packed", lambda sentence: np.eye(len(sentence), dtype=bool), "stays the same"),
        ("05.scores", lambda Q, K: np.outer(Q[:, 0] ** 2, Q[:, 0]) * (1 + (K.max() > 5)), "stays the same"),
        ("10.reach", lambda looks, n: EXERCISES["10.reach"].reference(looks, len(looks)), "always 8"),
        ("09.group_norm", gamma_of_the_first_group, "one thing"),
        ("15.similarities", hidden(cosines_of_last_tokens), "one thing"),  # the diagonal is 1 for any vectors
        ("15.similarities", cosines_of_last_tokens, "first token"),
        ("16.bits_per_byte", lambda log_p, pieces: -np.log2(log_p).sum() / len("".join(pieces)), "np.log(-2)"),
        ("06.entropy", entropy_of_a_little_more, "`A.sum`"),
        ("11.nothing_after", lambda read, said, pad: 0, "You counted"),
        ("11.nothing_after", lambda read, said, pad: 504, "Two things"),
        ("11.shift", lambda words, start, end: [start, *words, end], "it is right"),
        ("09.batch_norm", of_the_median, "x - x"),  # where both are changed so that little is left, they agree
        ("13.text_log_p", lambda *inputs: -EXERCISES["13.text_log_p"].reference(*inputs), "are gone"),
        ("13.temperature", lambda logits, t: np.exp(logits / t - (logits / t).max()), "each row"),
    ],
)
def test_what_is_not_true_is_not_said(name, answer, never):
    diagnosis = diagnose(EXERCISES[name], answer)
    assert diagnosis.verdict is Verdict.MISTAKE and never not in diagnosis.sentence


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
    S = X @ W_Q @ (X @ W_K).T / np.sqrt(len(X))
    e = np.exp(S - S.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("name", "answer", "says"),
    [
        ("02.merge", stops_early_and_replaces_once, r"yours has (?P<given>\d+); it should be (?P<right>\d+)"),
        ("08.packed", lambda ids: ids[:, None] >= ids, r"the entry at (?P<at>\[.*?\]) should be False"),
        (
            "08.packed",
            lambda ids: np.eye(len(ids), dtype=bool) ^ (ids > 2),
            r"at (?P<at>\[.*?\]) should be (True|False)",
        ),
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

    assert "should not" not in diagnose(EXERCISES["10.feed_forward"], bent_otherwise).sentence


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
    sentence = diagnose(EXERCISES[name], answer).sentence
    assert not sentence.startswith(("On ordinary inputs", "Right on"))
    assert "scores" in sentence or "1/ln 2" in sentence


def test_an_extreme_input_that_contradicts_is_told():
    plain = Exercise("05.plain", "", lambda x: np.tanh(x), [(np.arange(3.0),)], (), extremes=[(np.full(3, 900.0),)])
    overflows = lambda x: 2 * (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x))  # noqa: E731
    sentence = diagnose(plain, overflows).sentence
    assert sentence == "On ordinary inputs, though not on an extreme one: Every entry is the right one times 2."
    right_there = lambda x: np.tanh(x) * (1 if x[0] > 99 else 2)  # noqa: E731
    assert diagnose(plain, right_there).sentence == "On ordinary inputs: Every entry is the right one times 2."


def test_a_size_law_that_new_inputs_confirm_is_told():
    diagnosis = diagnose(
        EXERCISES["08.window"], lambda n, width: abs(np.subtract.outer(range(n), range(n))) <= width // 2
    )
    assert diagnosis.sentence.startswith("Right where `width` is 1, wrong where it is another.")


def test_close_is_said_only_where_it_holds_on_every_input():
    cases = [(np.array([0.131, 0.002, 0.4]),), (np.array([0.7, 0.2, 0.3, 0.1]),)]
    small = Exercise("05.small", "small", lambda x: x, cases, ())
    near_once = diagnose(small, lambda x: x + (0.01 if len(x) == 3 else 0.9) * np.sin(7 * x) * x)
    assert "Very close" not in near_once.sentence


@pytest.mark.parametrize("name", ["02.most_frequent_pair", "07.parameters", "15.analogy"])
def test_ids_and_counts_that_are_nearly_right_do_not_pass(name):
    right = EXERCISES[name].reference
    near = diagnose(EXERCISES[name], lambda *inputs: np.float32(np.array(right(*inputs)) * (1 + 4e-6)))  # 7 digits
    assert near.verdict is Verdict.MISTAKE


def test_a_result_that_an_argument_changes_is_not_said_to_take_no_notice_of_it():
    """How often the most frequent pair occurs is the same in a list that is turned round."""

    def how_often(ids):
        pairs = list(itertools.pairwise(ids))
        return max(map(pairs.count, pairs))

    assert "stays the same" not in diagnose(EXERCISES["02.most_frequent_pair"], how_often).sentence


@pytest.mark.parametrize(
    ("name", "answer", "says"),
    [
        ("00.square", lambda x: x**3, "You took x three times"),
        ("02b.fit", lambda X, W, Y: 4 * X.T @ (X @ W - Y), "times 2 · `X.shape[0]` · `W.shape[1]`"),
        ("04.table", lambda n, d_model, base: positional_encoding(n, d_model, 100.0), "if `base` were always 100"),
        ("05.scores", lambda Q, K: Q @ K.T / np.sqrt(K.shape[1]), "times 1/√`Q.shape[1]`"),
        ("06.entropy", lambda A: -(A * np.log2(np.where(A > 0, A, 1))).sum(axis=1), "times 1/ln 2"),
        ("06.scaled_scores", lambda Q, K, d_model: Q @ K.T, "times √`Q.shape[1]`"),
        ("09.stack", lambda X, Ws: EXERCISES["09.stack"].reference(X, Ws[::-1]), "if `Ws` ran backwards"),
        (
            "12.loss",
            lambda p, t: -p[(*np.nonzero(t > 0), t[t > 0])].sum(),
            "without one side of a `/`",
        ),
        ("13.find_temperature", lambda gap, share: gap / np.log2(share / (1 - share)), "times ln 2"),
        (
            "14.strongest_way",
            lambda first, second: EXERCISES["14.strongest_way"].reference(first.T, second),
            "transposed",
        ),
        ("16.cache_bytes", lambda N, layers, heads, d_k, size: 2 * N * layers * heads * size, "times 1/`d_k`"),
    ],
)
def test_what_nobody_has_written_a_sentence_for_is_named(name, answer, says):
    assert says in diagnose(EXERCISES[name], hidden(answer)).sentence
