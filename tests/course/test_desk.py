"""For the desk: tasks, exams and the sheet computed a second way with twenty seeds, every slip told apart."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from utils.by_hand.attention import attention_steps, scaled_dot_product_attention, softmax
from utils.by_hand.decoder import cross_attention
from utils.by_hand.encoder import feed_forward
from utils.by_hand.masks import additive_mask, look_ahead_mask
from utils.by_hand.multi_head import multi_head_attention
from utils.by_hand.normalization import layer_norm
from utils.by_hand.positional import positional_encoding
from utils.by_hand.residual import run_stack
from utils.course.desk import exam, pencil
from utils.course.desk.exam import parts_of, shapes_of, sizes_of
from utils.course.desk.paper import GAP
from utils.course.desk.sheet import FORMULAS, sheet
from utils.course.desk.task import Kind, judge, judge_all, read_numbers
from utils.course.desk.tasks import MAKERS, attention_of, make
from utils.course.desk.worksheets import worksheets
from utils.course.lessons import LessonError, all_lessons

SEEDS = range(20)
N3S_TOKENS = np.array([[0, 1, 0, 1], [1, 0, 2, 0], [1, 1, 0, 0]], dtype=float)


def shares(scores):
    powers = [math.exp(score) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def mixed(weights, values):
    return [math.fsum(w * row[c] for w, row in zip(weights, values, strict=True)) for c in range(len(values[0]))]


def eight_steps(given):
    Q, K, V = (
        [[sum(x[i] * W[i][j] for i in range(4)) for j in range(3)] for x in given["X"].tolist()]
        for W in (given[name].tolist() for name in ("W_Q", "W_K", "W_V"))
    )
    scores = [sum(q * k for q, k in zip(Q[0], key, strict=True)) for key in K]
    return scores, shares(scores), mixed(shares(scores), V)


def one_position(given, text):
    position = int(text.split()[1][:-2]) - 1  # “The 7th word”
    d_model, base = (int(text.split(f"{name} is ")[1].split(".")[0].split(",")[0]) for name in ("d_model", "base"))
    angles = [position / base ** (2 * (column // 2) / d_model) for column in range(d_model)]
    row = [math.cos(angle) if column % 2 else math.sin(angle) for column, angle in enumerate(angles)]
    return angles[::2], row, [x + pe for x, pe in zip(given["x"][0].tolist(), row, strict=True)]


def masked(given):
    row, V = given["S"][1].tolist(), given["V"].tolist()
    ahead = [*shares(row[:2]), 0.0, 0.0]
    return ahead, mixed(ahead, V), [*shares(row[:3]), 0.0]


def add_and_norm(given):
    row = [a + b for a, b in zip(given["x"][0].tolist(), given["F"][0].tolist(), strict=True)]
    mean = sum(row) / 3
    variance = sum(a * a for a in row) / 3 - mean**2
    z = [(a - mean) / math.sqrt(variance + 0.5) for a in row]
    gained = zip(z, given["γ"][0].tolist(), given["β"][0].tolist(), strict=True)
    return [mean, variance], z, [a * gain + bias for a, gain, bias in gained]


def second_way(task):
    ways = {"04": lambda: one_position(task.given, task.text), "05": lambda: eight_steps(task.given)}
    return (ways | {"08": lambda: masked(task.given), "09": lambda: add_and_norm(task.given)})[task.lesson]()


@pytest.mark.parametrize("lesson", MAKERS)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_right_is_computed_a_second_way(lesson, seed):
    task = make(lesson, seed)
    for asked, numbers in zip(task.fields, second_way(task), strict=True):
        assert np.allclose(asked.truth, numbers, rtol=0, atol=1e-12)
        assert judge(asked, asked.written()).kind is Kind.RIGHT


@pytest.mark.parametrize("lesson", MAKERS)
def test_each_slip_is_told_from_what_is_right_and_from_the_others(lesson):
    for task in (make(lesson, seed) for seed in SEEDS):
        for asked in task.fields:
            for sentence, ways in asked.slips.items():
                for typed in map(asked.written, ways):
                    assert judge(asked, typed).sentence == sentence
                    named = [slip for slip, other in asked.slips.items() if typed in map(asked.written, other)]
                    assert named == [sentence] and typed != asked.written() and typed.strip("0., ")


def test_seeds_give_different_numbers_and_one_seed_the_same():
    for lesson in MAKERS:
        right = [make(lesson, seed).fields[-1].written() for seed in SEEDS]
        assert len(set(right)) > 15 and right[3] == make(lesson, 3).fields[-1].written()


@pytest.mark.parametrize(
    ("typed", "kind", "words"),
    [
        ("1.155, 3.601, 1.468", Kind.RIGHT, "Right."),
        ("1,155 3,601 1,468", Kind.RIGHT, "Right."),
        ("[1.1549 3.6009 1.4683]", Kind.RIGHT, "Right."),
        ("1.2 3.6 1.5", Kind.COARSE, "3 decimals"),
        ("1.1, 3.7, 1.2", Kind.SLIP, "You rounded the weights"),
        ("1.131, 3.570, 1.795", Kind.SLIP, "You divided by √3"),
        ("0.425, 4.485, 0.540", Kind.SLIP, "row 1 of KQᵀ"),
        ("1.155, 3.601, 1.470", Kind.NEAR, "rounded or cut"),
        ("1.155, 3.601, 2", Kind.WRONG, "2 of 3 right. Look again at number 3."),
        ("1.155, 3, 2", Kind.WRONG, "1 of 3 right. Look again at numbers 2 and 3."),
        ("1.155, 3.601", Kind.UNREADABLE, "3 numbers are asked for, 2 typed."),
        ("1.155, 3.601, one", Kind.UNREADABLE, "“one” is no number"),
        ("", Kind.EMPTY, "nothing typed yet"),
    ],
)
def test_n3s_weights_with_other_tokens(typed, kind, words):
    """The numbers were worked out by hand beforehand."""
    task = attention_of(N3S_TOKENS)
    assert [asked.written() for asked in task.fields[:2]] == ["3, 2, 1", "0.665, 0.245, 0.090"]
    verdict = judge(task.fields[2], typed)
    assert verdict.kind is kind and words in verdict.sentence


def test_who_goes_on_rightly_after_a_mistake_is_told_so_and_only_then():
    task = attention_of(N3S_TOKENS)
    weights, output = shares([3, 2, 2]), task.fields[2]
    on = mixed(weights, (N3S_TOKENS @ task.given["W_V"]).tolist())
    typed = ["3, 2, 2", *(", ".join(f"{number:.3f}" for number in row) for row in (weights, on))]
    kinds = [verdict.kind for verdict in judge_all(task, typed)]
    assert kinds == [Kind.WRONG, Kind.FOLLOWS, Kind.FOLLOWS]
    after_right = judge_all(task, ["3, 2, 1", "0.665, 0.245, 0.090", output.written(output.truth + 0.002)])
    assert [verdict.kind for verdict in after_right] == [Kind.RIGHT, Kind.RIGHT, Kind.NEAR]


def test_numbers_are_read_as_people_write_them():
    for typed in ("1,2,3", "1, 2, 3", "1;2;3", "1.|2|+3"):
        assert read_numbers(typed)[0].tolist() == [1, 2, 3]
    assert read_numbers("0,5 −1,25 .5 -2.")[0].tolist() == [0.5, -1.25, 0.5, -2]


@pytest.mark.parametrize(("lesson", "seed"), [("06", 1), ("5", 1), ("05", -1), ("05", 1.5), ("05", True), (5, 1)])
def test_what_is_no_task_is_refused_in_a_sentence(lesson, seed):
    with pytest.raises(ValueError, match=r"there is none for|whole number from 0"):
        pencil(lesson, seed)


def test_the_control_judges_what_is_typed_and_shows_its_key():
    control = pencil("05", seed=7)
    control.set(scores="nonsense")
    assert not control.refusal and "is no number" in str(control.panels)
    control.choose("show the key")
    assert str(control.panels).count("✓ Right.") == 3


# --- the mock exam ---


@pytest.mark.parametrize("seed", SEEDS)
def test_an_exam_takes_sixty_minutes_and_its_key_is_computed_a_second_way(seed):
    parts = parts_of(seed)
    assert sum(part.minutes for part in parts) == 60
    keys = "\n".join(part.key for part in parts)
    for lesson in MAKERS:
        task = make(lesson, seed + 1000)
        for asked, found in zip(task.fields, second_way(task), strict=True):
            places = asked.decimals
            written = ", ".join(f"{round(number, places) + 0.0:.{places}f}" for number in found)
            assert f"{asked.asks}: {written.replace('-', chr(0x2212))}" in keys
    paper = exam(seed)
    assert [sheet.kind for sheet in paper.sheets] == ["exam", "exam", "key"]
    assert all(part.title in paper.sheets[-1].text for part in parts)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_eight_shapes_are_those_of_arrays(seed):
    random = np.random.default_rng(seed)
    sizes = sizes_of(random)
    width = sizes.d_model // sizes.heads
    X, E = random.normal(size=(sizes.m, sizes.d_model)), random.normal(size=(sizes.n, sizes.d_model))
    W_Q, W_K, W_V = random.normal(size=(3, sizes.d_model, width))
    own = multi_head_attention(X, *random.normal(size=(4, sizes.d_model, sizes.d_model)), n_heads=sizes.heads)
    output, weights = cross_attention(X, E, W_Q, W_K, W_V)
    arrays = [W_Q, E @ W_K, (E @ W_Q) @ (E @ W_K).T, own.joined, weights, output]
    arrays += [E @ np.zeros((sizes.d_model, sizes.d_ff)), X @ np.zeros((sizes.d_model, sizes.words))]
    assert list(shapes_of(sizes).values()) == [array.shape for array in arrays]


def test_the_slip_to_find_is_one_that_pencil_names():
    for seed in SEEDS:
        part = parts_of(seed)[-1]
        slip, right = part.key.split("\n\nRight is:\n\n")
        assert any(slip in asked.slips for lesson in MAKERS for asked in make(lesson, seed + 2000).fields)
        found = part.asks.split("Somebody has found:\n\n")[1].split("\n\nThere is")[0]
        assert found != right and len(found.splitlines()) == len(right.splitlines())


def test_shifted_outputs_in_the_key():
    for seed in SEEDS:
        part = parts_of(seed)[3]
        ids = re.search(r"has the ids ([\d, ]+);", part.asks)[1]
        assert f"it reads 1, {ids} and has to say {ids}, 2" in part.key
        place = int(re.search(r"may row (\d) look", part.asks)[1])
        seen = ["1", *ids.split(", ")][:place]
        assert f"looks at {', '.join(seen)} and has to say {ids.split(', ')[place - 1]}" in part.key


# --- the sheet of formulas ---


def normed_of(x):
    """Rows with mean 0 and deviation 1, up to ε."""
    off = x - x.mean(axis=1, keepdims=True)
    return off / np.sqrt((off**2).mean(axis=1, keepdims=True) + 1e-5)


def by_hand(N, M, d_model, d_k, d_v, h, words, random):
    """Each line of the sheet as arrays: what its formula gives, and what the course's own function gives."""
    X, Y, E = (random.normal(size=(rows, d_model)) for rows in (N, M, N))
    W_Q, W_K = random.normal(size=(2, d_model, d_k))
    W_V, gamma, beta = random.normal(size=(d_model, d_v)), *random.normal(size=(2, d_model))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S, mask = Q @ K.T / np.sqrt(d_k), np.where(np.tri(N), 0, -np.inf)
    A = np.exp(S + mask) / np.exp(S + mask).sum(axis=1, keepdims=True)
    output, weights = scaled_dot_product_attention(Q, K, V, look_ahead_mask(N))
    steps = attention_steps(X, W_Q, W_K, W_V)
    across = (Y @ W_Q) @ (E @ W_K).T / np.sqrt(d_k)
    i, pos = np.arange(d_model) // 2, np.arange(N)[:, np.newaxis]
    angles = pos / 10000 ** (2 * i / d_model)
    PE, even, odd = positional_encoding(N, d_model), np.arange(d_model) % 2 == 0, np.arange(d_model) % 2 == 1
    W = random.normal(size=(4, d_model, d_model))
    heads = multi_head_attention(X, *W, n_heads=h)
    parts = [scaled_dot_product_attention(*(np.split(X @ W_i, h, axis=1)[j] for W_i in W[:3]))[0] for j in range(h)]
    mean, variance = X.mean(axis=1, keepdims=True), X.var(axis=1, keepdims=True)
    W_1, W_2, b_1 = random.normal(size=(d_model, 7)), random.normal(size=(7, d_model)), random.normal(size=7)
    ids, table = random.integers(0, words, size=N), random.normal(size=(words, d_model))
    logits = Y @ random.normal(size=(d_model, words))
    p, right = softmax(logits), random.integers(0, words, size=M)
    return {
        "embedding": (np.sqrt(d_model) * table[ids] + PE,) * 2,
        "positions, even columns": (np.where(even, np.sin(angles), PE), PE),
        "positions, odd columns": (np.where(odd, np.cos(angles), PE), PE),
        "queries": (Q, steps.Q),
        "keys": (K, steps.K),
        "values": (V, steps.V),
        "scores": (S, steps.scaled_scores),
        "mask": (mask, additive_mask(look_ahead_mask(N))),
        "weights": (A, weights),
        "output of a head": (A @ V, output),
        "several heads": (np.concatenate(parts, axis=1) @ W[3], heads.output),
        "cross-attention": (softmax(across), cross_attention(Y, E, W_Q, W_K, W_V)[1]),
        "layer norm": (gamma * normed_of(X) + beta, layer_norm(X, gamma, beta)),
        "variance": (((X - mean) ** 2).sum(axis=1, keepdims=True) / d_model, variance),
        "post-norm (the paper)": (normed_of(X + np.tanh(X @ W[0])), run_stack(X, W[:1], "post-norm")[-1]),
        "pre-norm": (X + np.tanh(normed_of(X) @ W[0]), run_stack(X, W[:1], "pre-norm")[-1]),
        "feed-forward network": (np.maximum(0, X @ W_1 + b_1) @ W_2, feed_forward(X, W_1, b_1, W_2, np.zeros(d_model))),
        "probabilities": (np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True), p),
        "loss": (-np.log(p[range(M), right]).mean(), -sum(math.log(p[m, right[m]]) for m in range(M)) / M),
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_each_formula_of_the_sheet_gives_its_shape_and_the_courses_numbers(seed):
    random = np.random.default_rng(seed)
    N, M, d_k, d_v, words = random.permutation(np.arange(3, 12))[:5].tolist()
    sizes = {"N": N, "M": M, "d_model": 12, "d_k": d_k, "d_v": d_v, "words": words}
    made = by_hand(N, M, 12, d_k, d_v, 3, words, random)
    assert set(made) == {one.name for one in FORMULAS}
    for one in FORMULAS:
        shape = tuple(sizes.get(size) or int(size) for size in re.findall(r"\w+", one.shape))
        found, ours = made[one.name]
        assert np.shape(found) == shape and np.allclose(found, ours), one.name


def test_the_sheet_names_each_convention_that_clashes():
    text = sheet().sheets[0].text
    formulas = (r"\sqrt{d_k}", r"\sqrt{d_{model}}", r"\alpha_{ij}", "10000", "1000.", "100 ")
    assert all(words in text for words in (*formulas, "Radians", "ε", "*feature*"))


# --- worksheets ---


@pytest.mark.parametrize("lesson", all_lessons()[1:], ids=lambda one: one.number)
def test_each_lesson_has_a_worksheet_a_board_a_quiz_and_their_key(lesson):
    paper = worksheets(lesson)
    assert [sheet.kind for sheet in paper.sheets] == ["worksheet", "board", "quiz", "key"]
    worksheet, board, asked, key = (sheet.text for sheet in paper.sheets)
    tasks = re.findall(r"^(\d)\. ", worksheet, re.MULTILINE)
    answered, quizzed = key.split("**Quiz**")
    assert tasks == [str(at) for at in range(1, len(tasks) + 1)] and len(tasks) >= 4, "four or more, in their order"
    assert re.findall(r"^(?:\*\*)?(\d)\.", answered, re.MULTILINE) == tasks
    assert GAP in worksheet and (GAP in board or "| &nbsp; |" in board) and "\nBoard:" in answered
    assert len(re.findall(r"^\*\*\d", asked, re.MULTILINE)) == len(re.findall(r"^\*\*\d", quizzed, re.MULTILINE)) >= 2
    assert "{{" not in "".join(sheet.text for sheet in paper.sheets)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Worksheet\n# Board\n", "its parts are Worksheet, Board, and should be"),
        ("# Worksheet\n\n{{1 / 0}}\n# Board\n# Key\n", "line 3: “1 / 0” can't be computed: division by zero"),
        ("```python\nx = 2\n```\n# Worksheet\n{{x + 1}} {{y}}\n# Board\n# Key\n", "line 5: “y” can't be computed"),
    ],
)
def test_a_worksheet_that_is_not_whole_is_refused_with_its_line(tmp_path, text, said):
    lesson = next(lesson for lesson in all_lessons() if lesson.number == "05")
    (tmp_path / "desk.md").write_text(text, encoding="utf-8")
    with pytest.raises(LessonError, match=re.escape(said)):
        worksheets(replace(lesson, path=tmp_path / "lesson.md"))
