"""A sample of wrong answers that a program has made: most are told what is wrong, and none passes."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.course.unseen import main, verdict, wrong_answers
from utils.course.exercises import EXERCISES
from utils.course.exercises.changes import solution_of

SAMPLE = [
    "01.context", "02.merge", "03.readings", "04.add", "05.output", "06.divisor", "07.grouped", "08.masked_weights",
    "09.add_and_norm", "10.gated", "11.cross_attention", "12.loss", "13.top_p", "14.rollout",
]  # fmt: skip


@pytest.fixture(scope="module")
def kinds():
    found = [
        verdict(EXERCISES[name], answer)[0] for name in SAMPLE for answer in wrong_answers(EXERCISES[name], number=5)
    ]
    assert len(found) == 5 * len(SAMPLE)
    return Counter(found)


def test_every_exercise_has_a_solution_to_change():
    assert all(map(solution_of, EXERCISES))


def test_most_mistakes_that_nobody_foresaw_are_named(kinds):
    assert kinds["named"] >= 0.85 * kinds.total()


def test_no_answer_passes_that_differs(kinds):
    assert kinds["passed"] == 0


def test_changed_solutions_are_the_same_each_time_and_differ_from_each_other():
    first, again = ([answer.code for answer in wrong_answers(EXERCISES["06.softmax"], number=5)] for _ in range(2))
    assert first == again and len(set(first)) == 5


def test_the_table_has_a_line_for_each_exercise_and_one_for_all(capsys):
    main(["02b.cost", "--number", "1", "--show", "named", "placed"])
    said = capsys.readouterr().out.splitlines()
    assert said[-2].startswith("02b.cost ") and said[-1].startswith("all ")
