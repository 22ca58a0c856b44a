"""Tasks with a pencil, computed a second way with twenty seeds, every mistake told apart."""

from __future__ import annotations

import math

import numpy as np
import pytest

from utils.course.desk import pencil
from utils.course.desk.task import Kind, judge, judge_all, read_numbers
from utils.course.desk.tasks import MAKERS, attention_of, make

SEEDS = range(5)
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
def test_pencil_results_agree_with_a_second_method(lesson, seed):
    task = make(lesson, seed)
    for asked, numbers in zip(task.fields, second_way(task), strict=True):
        assert np.allclose(asked.truth, numbers, rtol=0, atol=1e-12)
        assert judge(asked, asked.written()).kind is Kind.RIGHT


@pytest.mark.parametrize("lesson", MAKERS)
def test_judge_distinguishes_mistakes(lesson):
    for task in (make(lesson, seed) for seed in SEEDS):
        for asked in task.fields:
            for sentence, ways in asked.slips.items():
                for typed in map(asked.written, ways):
                    assert judge(asked, typed).sentence == sentence
                    named = [slip for slip, other in asked.slips.items() if typed in map(asked.written, other)]
                    assert named == [sentence] and typed != asked.written() and typed.strip("0., ")


@pytest.mark.parametrize(
    ("typed", "kind", "words"),
    [
        ("1.155, 3.601, 1.468", Kind.RIGHT, "Correct."),
        ("[1.1549 3.6009 1.4683]", Kind.RIGHT, "Correct."),
        ("1.2 3.6 1.5", Kind.COARSE, "3 decimals"),
        ("1.1, 3.7, 1.2", Kind.SLIP, "You rounded the weights"),
        ("1.131, 3.570, 1.795", Kind.SLIP, "You divided by √3"),
        ("1.155, 3.601, 1.470", Kind.NEAR, "round on the way"),
        ("1.155, 3.601, 2", Kind.WRONG, "2 of 3 are correct. Look again at number 3."),
        ("1.155, 3.601, one", Kind.UNREADABLE, "“one” is not a number"),
        ("", Kind.EMPTY, "nothing typed yet"),
    ],
)
def test_judge_matches_worked_example_with_weights_of_n3(typed, kind, words):
    """The numbers were worked out by hand beforehand."""
    task = attention_of(N3S_TOKENS)
    assert [asked.written() for asked in task.fields[:2]] == ["3, 2, 1", "0.665, 0.245, 0.090"]
    verdict = judge(task.fields[2], typed)
    assert verdict.kind is kind and words in verdict.sentence


def test_judge_all_follows_on_from_a_mistake():
    task = attention_of(N3S_TOKENS)
    weights, output = shares([3, 2, 2]), task.fields[2]
    on = mixed(weights, (N3S_TOKENS @ task.given["W_V"]).tolist())
    typed = ["3, 2, 2", *(", ".join(f"{number:.3f}" for number in row) for row in (weights, on))]
    kinds = [verdict.kind for verdict in judge_all(task, typed)]
    assert kinds == [Kind.WRONG, Kind.FOLLOWS, Kind.FOLLOWS]
    after_right = judge_all(task, ["3, 2, 1", "0.665, 0.245, 0.090", output.written(output.truth + 0.002)])
    assert [verdict.kind for verdict in after_right] == [Kind.RIGHT, Kind.RIGHT, Kind.NEAR]


def test_read_numbers_accepts_usual_notations():
    for typed in ("1,2,3", "1, 2, 3", "1;2;3", "1.|2|+3"):
        assert read_numbers(typed)[0].tolist() == [1, 2, 3]
    assert read_numbers("0,5 −1,25 .5 -2.")[0].tolist() == [0.5, -1.25, 0.5, -2]


@pytest.mark.parametrize(("lesson", "seed"), [("06", 1), ("5", 1), ("05", -1), ("05", 1.5), ("05", True), (5, 1)])
def test_pencil_refuses_bad_input(lesson, seed):
    with pytest.raises(ValueError, match=r"there is none for|whole number from 0"):
        pencil(lesson, seed)


def test_control_judges_typed_answers_and_shows_its_key():
    control = pencil("05", seed=7)
    control.set(scores="nonsense")
    assert not control.refusal and "is not a number" in str(control.panels)
    control.choose("show the key")
    assert str(control.panels).count("✓ Correct.") == 3
