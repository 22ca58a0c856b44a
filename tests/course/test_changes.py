"""A mistake may be found by one change in the course's own solution; a student's code is never changed."""

from __future__ import annotations

import ast
import linecache
import warnings

import numpy as np
import pytest

from utils.course.exercises import EXERCISES, asking, diagnose
from utils.course.exercises import changes as module
from utils.course.exercises.asking import run
from utils.course.exercises.changes import Code, NeverEndsError, Step, changes, clause_among, solution_of
from utils.course.exercises.exercise import Exercise
from utils.course.exercises.findings import Kind, say
from utils.course.exercises.variants import variants


def code_of(text: str) -> Code:
    """The code of a function in `text`, as `solution_of` gives it."""
    return ast.parse(text).body[0], {"np": np}


def written(code: str):
    """The function `answer` of `code`, as a cell of a notebook has it."""
    file, names = f"cell {hash(code)}", {"np": np}
    linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file
    exec(compile(code, file, "exec"), names)
    return names["answer"]


def softmax(S, axis=1):
    e = np.exp(S - S.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@pytest.mark.parametrize(
    ("name", "answer", "says"),
    [
        ("05.output", lambda X, *W: softmax(X @ W[0] @ (X @ W[1]).T) @ (X @ W[2]), "without `np.sqrt(K.shape[1])`"),
        (
            "05.output",
            lambda X, W_Q, W_K, W_V: softmax(X @ W_Q @ (X @ W_K).T / W_V.shape[1] ** 0.5) @ (X @ W_V),
            "with `V.shape` in the place of `K.shape`",
        ),
        (
            "06.softmax_gradient",
            lambda z: np.diag(softmax(z[None])[0]) + np.outer(softmax(z[None]), softmax(z[None])),
            "with `+` in the place of `−`",
        ),
        ("06.softmax_gradient", lambda z: (softmax(z[None]) ** 2).sum() * np.ones((len(z), len(z))), None),
    ],
)
def test_what_differs_is_told_without_the_line_of_the_solution(name, answer, says):
    found = diagnose(EXERCISES[name], answer).finding
    assert found == say(Kind.CHANGE, clause=says) if says else found is None or found.kind is not Kind.CHANGE


def test_of_an_answer_that_stops_on_some_inputs_it_is_told_what_it_gives_on_the_others():
    told = diagnose(EXERCISES["01.context"], lambda s, H: H @ softmax((H @ s)[None])[0])
    assert told.sentence.startswith("Your function stops with ValueError") and "Where it runs:" in told.sentence
    where = "in the second of the 2 places where that can be"
    assert told.finding == say(Kind.CHANGE, clause=f"if the two sides of `@` changed places, {where}")


NORM_TWICE = """def answer(x):
    x = x + np.tanh(x)
    return x + np.tanh(x)
"""


@pytest.mark.parametrize(
    ("code", "new", "says"),
    [
        ("def answer(a, b):\n    return a - b", "b", "with what stands behind the `−` alone"),  # without a it is −b
        ("def answer(a, b):\n    return a - b", "a", "without `b`"),
        ("def answer(a, b):\n    return a / b", "b", "with what stands behind the `/` alone"),
        ("def answer(a, b):\n    return a + b", "b", "without `a`"),
        ("def answer(a, b):\n    return a ** 2", "a", "without `**2`"),
        ("def answer(a, b):\n    return '##' if a > b else ''", "''", "with `''` always, and never `'##'`"),
        ("def answer(a, b):\n    a[:, 0] = b\n    return a[:, 1]", "(1, :)", "with `[1, :]` in the place of `[:, 1]`"),
        ("def answer(a, b):\n    a += b\n    return a", "a = b", "with `=` in the place of `+=`"),
    ],
)
def test_a_clause_is_exactly_true(code: str, new: str, says: str) -> None:
    told = {change.clause for change in changes(code_of(code), ["a", "b"]) if as_written(change.new) == new}
    assert says in told or (not says and told <= {""})


def as_written(node: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(node))


def test_of_several_places_the_one_is_named():
    made = list(changes(code_of(NORM_TWICE), ["x"]))
    without = [change for change in made if change.clause == "without `tanh`"]
    assert [clause_among(made, change) for change in without] == [
        f"without `tanh`, in the {which} of the 2 places where that can be" for which in ("first", "second")
    ]
    on_one_line = list(changes(code_of("def answer(x):\n    return np.tanh(np.tanh(x))"), ["x"]))
    change = next(change for change in on_one_line if change.clause == "without `tanh`")
    assert clause_among(on_one_line, change) == "without `tanh`, in one of the 2 places where that can be"


def test_of_changes_that_do_the_same_the_smallest_story_is_told(monkeypatch):
    """Without its ## a piece is found as at the beginning: so it is with another condition, which nobody wrote."""

    def without_signs(word, vocabulary):
        ids, start = [], 0
        while start < len(word):
            end = len(word)
            while end > start and word[start:end] not in vocabulary:
                end -= 1
            if end == start:
                return [vocabulary["[UNK]"]]
            ids.append(vocabulary[word[start:end]])
            start = end
        return ids

    monkeypatch.setattr(asking, "MORE_SECONDS", 60)  # on a machine that has much to do
    found = diagnose(EXERCISES["02.wordpiece"], without_signs).finding
    assert found == say(Kind.CHANGE, clause="with `''` always, and never `'##'`")


def unknown_without_a_list(word, vocabulary):
    ids = EXERCISES["02.wordpiece"].reference(word, vocabulary)
    return ids[0] if ids == [vocabulary["[UNK]"]] else ids


def test_where_changes_in_several_places_give_the_same_words_none_is_told(monkeypatch):
    monkeypatch.setattr(asking, "MORE_SECONDS", 60)
    found = diagnose(EXERCISES["02.wordpiece"], unknown_without_a_list).finding
    assert found is None or found.kind is not Kind.CHANGE


def test_an_exercise_that_no_lesson_has_has_no_solution():
    assert solution_of("05.nothing") is None and solution_of("99.nothing") is None and not list(changes(None, []))


@pytest.mark.parametrize("name", ["02.unmerge", "06.softmax", "12.pad"])
def test_solutions_give_what_the_references_give(name):
    function, names = solution_of(name)
    own = dict(names)
    exec(ast.unparse(function), own)
    assert diagnose(EXERCISES[name], own[function.name]).finding is None, name


LOOP = """def answer(n):
    text, i = "a", 0
    while i < n:
        text = text + "a"
        i += 1
    return text
"""


def test_a_change_that_makes_a_loop_endless_stops():
    ends = [run(change.function, (5,)).error for change in changes(code_of(LOOP), ["n"])]
    assert sum(isinstance(error, NeverEndsError) for error in ends) >= 3
    assert any(error is None for error in ends)


@pytest.mark.parametrize(
    ("begins", "step"),
    [("0", "+ 1"), ("''", "+ 'a'"), ("()", "+ (1,)"), ("np.zeros(0)", "; x = np.zeros(x.size + 1)"), ("1", "* 2")],
)
def test_as_many_rounds_and_as_large_values_are_allowed_as_it_is_said(monkeypatch, begins, step):
    """A number counts its binary digits, all else its parts, and what is no value of a size has none."""
    monkeypatch.setattr(module, "LONGEST", 12)
    monkeypatch.setattr(module, "LARGEST", 9)
    code = (
        f"def answer(n):\n    also = 7.5\n    x = {begins}\n    for i in range(n):\n        x = x {step}\n    return x"
    )
    change = next(c for c in changes(code_of(code), []) if c.clause == "with `15.0` in the place of `7.5`")
    last = max(n for n in range(20) if run(change.function, (n,)).error is None)
    assert last == (12 if step == "+ 1" else 9 if begins == "1" else 10)
    assert isinstance(run(change.function, (last + 1,)).error, NeverEndsError)
    assert run(change.function, (last,)).error is None  # each call begins to count anew


def test_a_changed_function_that_calls_itself_calls_itself_changed():
    code = "def answer(n):\n    return 1 if n < 1 else n * answer(n - 1)"
    added = [c for c in changes(code_of(code), []) if c.clause == "with `+` in the place of `·`"]
    assert [c.function(3) for c in added] == [3 + 2 + 1 + 1]


def test_code_is_as_it_was_after_all_changes_and_python_warns_of_none():
    code = code_of(
        "def answer(x, m):\n    for i in range(3):\n        x = x[1:] + i\n    return x if 1 is m else (1)[m]"
    )
    before = ast.unparse(code[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len([change.clause for change in changes(code, ["x"])]) > 20
    assert ast.unparse(code[0]) == before


ALL_KINDS = """def answer(x, y, n):
    rows = []
    for i in range(n):
        rows.append(x[1:i] + y[:2])
        if n > 2 and i not in x:
            return rows
    while n < 9:
        n += 1
    z = np.exp(-x) @ x.T / (1 + np.sum(x, axis=1, keepdims=True) - x.mean()) - (y - 1)
    return (rows, z) if n % 2 else np.outer(z, y)
"""


def test_every_kind_of_change_is_made_and_no_clause_names_a_variable_of_the_solution():
    made = list(changes(code_of(ALL_KINDS), ["x", "y", "n"]))
    assert {change.step for change in made} == set(Step)
    clauses = {clause for change in made if (clause := change.clause)}
    assert not any("rows" in clause for clause in clauses)
    assert {
        "with `+` in the place of `−`", "without `exp`", "without a minus", "with the brackets set otherwise",
        "if `sum` went along axis 0 and not along axis 1", "without `keepdims=` in `sum`",
        "if the two sides of `@` changed places", "if a range or a slice were off by one",
        "if the arguments of `outer` changed places",
    } <= clauses  # fmt: skip


def test_no_count_becomes_so_large_that_a_card_is_waited_for():
    """A mask for 10,000 words has a hundred million entries."""
    counts = [change((6, 2))[0] for _, change in variants(["n", "width"], [(6, 2)])]
    assert 512 in counts and max(counts) == 512


def test_large_counts_can_not_agree_by_chance_and_small_ones_can():
    parameters = EXERCISES["07.parameters"]
    found = diagnose(parameters, lambda d, h, g: 2 * h * d * (d // h) + 2 * g * d + d // h).finding
    assert found.kind is Kind.CHANGE
    count = Exercise("07.parameters", "", lambda d_model, n_heads, n_groups: 2, [(4, 2, 1), (6, 3, 1)], {})
    for wrong in (lambda d_model, n_heads, n_groups: 3, lambda d_model, n_heads, n_groups: d_model - n_heads - 1):
        found = diagnose(count, wrong).finding
        assert found is None or found.kind is not Kind.CHANGE


def test_a_number_may_have_been_fixed_and_an_array_not():
    said = [clause for clause, _ in variants(["X", "Y", "n"], [(np.eye(2), np.ones((2, 3)), 3)])]
    assert {name for name in ("X", "Y", "n") if any(f"`{name}` were always" in each for each in said)} == {"n"}
