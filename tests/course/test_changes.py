"""A mistake is found by one change: in the student's own code, or in the lesson's solution."""

from __future__ import annotations

import ast
import linecache
from pathlib import Path

import numpy as np
import pytest

from tests.recorded import AGAIN, recorded
from utils.course.exercises import EXERCISES, diagnose
from utils.course.exercises import changes as module
from utils.course.exercises.changes import NeverEndsError, changes, code_of, solution_of
from utils.course.exercises.exercise import Exercise, run
from utils.course.exercises.variants import variants


def written(code):
    """The function `answer` of `code`, as a cell of a notebook has it."""
    file, names = f"cell {hash(code)}", {"np": np}
    linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file
    exec(compile(code, file, "exec"), names)
    return names["answer"]


@pytest.mark.parametrize(
    ("name", "code", "look_at"),
    [
        (
            "01.context",
            "import numpy as np\n\ndef answer(s, H):\n    e = np.exp(H @ s)\n    return (e - e.sum()) @ H",
            "line 5, `(e - e.sum()) @ H`: is that the right operation?",
        ),
        (
            "05.output",
            "def answer(X, W_Q, W_K, W_V):\n    S = (X @ W_Q) @ (X @ W_K) / len(W_K[0]) ** 0.5\n"
            "    e = np.exp(S - S.max(axis=1, keepdims=True))\n    return e / e.sum(axis=1, keepdims=True) @ (X @ W_V)",
            "line 2, `X @ W_Q @ (X @ W_K)`: is something missing?",
        ),
        (
            "08.window",
            "def answer(n, width):\n    back = np.arange(n)[:, None] + np.arange(n)\n"
            "    return (back >= 0) & (back < width)",
            "line 2, `np.arange(n)[:, None] + np.arange(n)`: is that the right operation?",
        ),
        (
            "11.nothing_after",
            "def answer(read, said, pad):\n    count = 0\n    for row, words in zip(read, said):\n"
            "        for j in range(len(row)):\n            count += words[j] != pad and all(row[j + 1:] == pad)\n"
            "        return count",
            "line 3, `for row, words in zip(read, said):`: a `return` ends it in the first round that comes to it. "
            "Does it belong after the loop?",
        ),
        (
            "11.nothing_after",
            "def answer(read, said, pad):\n    n = 0\n    for row, words in zip(read, said):\n"
            "        for j in range(len(row)):\n            if words[j] != pad and all(row[j + 1:] == pad):\n"
            "                n += 1\n                return n",
            "line 3, `for row, words in zip(read, said):`: a `return` ends it in the first round that comes to it. "
            "Does it belong after the loop?",
        ),
        (
            "11.nothing_after",
            "def answer(read, said, pad):\n    n = 0\n    for row, words in zip(read, said):\n"
            "        for j in range(len(row)):\n            n = int(words[j] != pad and all(row[j + 1:] == pad))\n"
            "    return n",
            "line 5, `n = int(words[j] != pad and all(row[j + 1:] == pad))`: is that the right operation?",
        ),
    ],
)
def test_the_place_in_ones_own_code_is_shown_and_not_the_answer(name, code, look_at):
    diagnosis = diagnose(EXERCISES[name], written(code))
    assert diagnosis.sentence.endswith(f"One change makes your function right. Look at {look_at}")
    assert diagnosis.mistake.startswith("one change: ")


def test_a_change_of_the_solution_is_told_where_ones_own_code_can_not_be_read():
    answer = lambda s, H: (lambda e: (e - e.sum()) @ H)(np.exp(H @ s - (H @ s).max()))  # noqa: E731
    assert diagnose(EXERCISES["01.context"], answer).sentence == (
        "Your result is what a right answer gives with `(e - e.sum()) @ H` in the place of `e / e.sum() @ H`."
    )


def test_two_changes_are_named_as_two():
    code = """def answer(X, W_Q, W_K):
    S = np.tanh(X @ W_Q) @ (X @ W_K).T / W_K.shape[1] ** 0.5
    e = np.exp(S - S.max(axis=1, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)"""
    sentence = diagnose(EXERCISES["05.weights"], written(code)).sentence
    assert sentence.startswith("Perhaps two things at once.") and "And: Look at line" in sentence


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        (  # the axis is looked at, and not whether `0` is the right number
            "05.weights",
            "import numpy as np\n\ndef answer(X, W_Q, W_K):\n    Q, K = (X @ W_Q, X @ W_K)\n"
            "    S = Q @ K.T / np.sqrt(K.shape[0])\n    e = np.exp(S - S.max(axis=1, keepdims=True))\n"
            "    return e / e.sum(axis=0, keepdims=True)",
            "`K.shape[0]` in the place of `K.shape[1]`. And: Look at line 7, `e.sum(axis=0, keepdims=True)`: which",
        ),
        (  # not the steps that would be left out of both, which gives another shape
            "06.entropy",
            "import numpy as np\n\ndef answer(A):\n    logarithms = np.log(np.where(A > 0, A, 1))\n"
            "    return -(A * logarithms).mean(axis=0)",
            "`(A * logarithms).sum(axis=0)` in the place of `(A * logarithms).sum(axis=1)`. And: Look at line 5",
        ),
    ],
)
def test_of_two_changes_those_are_told_that_say_most(name, code, says):
    assert says in diagnose(EXERCISES[name], written(code)).sentence


def decorated(function):
    return function


@decorated
def with_decorator(x):
    return x


named = lambda x: x  # noqa: E731


def of_a_closure(number):
    def inner(x):
        return x + number

    return inner


@pytest.mark.parametrize(
    "function", [len, np.sum, with_decorator, of_a_closure(1), named, lambda x: x, EXERCISES, type("C", (), {})]
)
def test_code_that_can_not_be_had_is_none(function):
    assert code_of(function) is None and list(changes(code_of(function))) == []


def test_an_exercise_that_no_lesson_has_has_no_solution():
    assert solution_of("05.nothing") is None and solution_of("99.nothing") is None


def test_solutions_give_what_the_references_give():
    for name in ("02.unmerge", "06.softmax", "12.pad"):
        exercise, (function, names) = EXERCISES[name], solution_of(name)
        own = dict(names)
        exec(ast.unparse(function), own)
        assert diagnose(exercise, own[function.name]).mistake == "", name


LOOP = """def answer(n):
    text, i = "a", 0
    while i < n:
        text = text + "a"
        i += 1
    return text
"""


def test_a_change_that_makes_a_loop_endless_stops():
    ends = [run(change.function, (5,)).error for change in changes(code_of(written(LOOP)))]
    assert sum(isinstance(error, NeverEndsError) for error in ends) >= 3
    assert any(error is None for error in ends)


@pytest.mark.parametrize("grows", [LOOP, LOOP.replace('"a"', "7", 1).replace('+ "a"', "* text")])
def test_a_change_that_makes_a_value_huge_stops(monkeypatch, grows):
    monkeypatch.setattr(module, "LARGEST", 10)
    others = [run(c.function, (20,)).error for c in changes(code_of(written(grows))) if "i += 1" not in c.difference]
    assert sum(isinstance(error, NeverEndsError) for error in others) > len(others) / 3


def test_a_changed_function_that_calls_itself_calls_itself_changed():
    code = "def answer(n):\n    return 1 if n < 1 else n * answer(n - 1)"
    added = [c for c in changes(code_of(written(code))) if "n + answer(n - 1)" in c.difference]
    assert [c.function(3) for c in added] == [3 + 2 + 1 + 1]


def test_code_is_as_it_was_after_all_changes():
    code = code_of(written("def answer(x):\n    for i in range(3):\n        x = x[1:] + i\n    return x"))
    before = ast.unparse(code[0])
    assert len([change.difference + change.question for change in changes(code)]) > 20
    assert ast.unparse(code[0]) == before


def test_no_count_becomes_so_large_that_a_card_is_waited_for():
    """A mask for 10,000 words has a hundred million entries."""
    counts = [variant.change((6, 2))[0] for variant in variants(["n", "width"], [(6, 2)])]
    assert 512 in counts and max(counts) == 512


def test_large_counts_can_not_agree_by_chance_and_small_ones_can():
    parameters = EXERCISES["07.parameters"]
    sentence = diagnose(parameters, lambda d, h, g: 2 * h * d * (d // h) + 2 * g * d + d // h).sentence
    assert sentence.startswith("Your result is what a right answer gives with")
    count = Exercise("07.parameters", "", lambda d_model, n_heads, n_groups: 2, [(4, 2, 1), (6, 3, 1)], ())
    assert diagnose(count, lambda d_model, n_heads, n_groups: 3).sentence == "Your number is the right one times 1.5."
    assert "right answer" not in diagnose(count, lambda d_model, n_heads, n_groups: d_model - n_heads - 1).sentence


@pytest.mark.parametrize(
    "line",
    [
        "open(path, 'w')",
        "import os; os.remove(path)",
        "from shutil import rmtree as off; off(path)",
        "x.tofile(path)",
        "import os.path as p; p.exists(path)",
    ],
)
def test_code_that_reaches_files_is_not_changed_and_run(line):
    assert code_of(written(f"def answer(x, path='mine'):\n    {line}\n    return x + 1")) is None
    assert code_of(written("def answer(x):\n    import numpy as np\n    return np.add(x, 1)")) is not None


def test_after_some_seconds_of_work_no_more_changes_are_tried(monkeypatch):
    code = code_of(written("def answer(x):\n    return (x + 1) * 2"))
    tried = len(list(changes(code)))
    monkeypatch.setattr(module, "SECONDS", -1)
    assert tried > 5 and not list(changes(code))


def test_a_number_may_have_been_fixed_an_array_not_and_a_loop_runs_over_what_is_equally_long():
    said = [variant.sentence for variant in variants(["X", "Y", "n"], [(np.eye(2), np.ones((2, 3)), 3)])]
    assert {name for name in ("X", "Y", "n") if any(f"`{name}` were always" in each for each in said)} == {"n"}
    assert any("only the first of `X` and `Y` were there" in each for each in said)


ALL_KINDS = """def answer(x, y, words, n):
    "What it gives."
    rows = []
    total = 0.5
    for i in range(n):
        total += x[i] * 2
        rows.append(x[1:i] + y[:2])
    if n > 2:
        rows = rows[::-1]
    table = {word: len(word) for word in words if word in y}
    largest = max(total, 0) if n % 2 or x is y else -total
    sums = np.sum(x, axis=1, keepdims=True) - x.mean()
    mask = (x > 0) & (y <= 1) | (x == y)
    while total < n and n not in words:
        total **= 2
    z = np.exp(-x) @ x.T / (1 + np.zeros((n, 3)))
    for word in words:
        if word == "a":
            return [*rows, z]
    for word in words:
        largest = largest + len(word)
    return z ** 2 * (sums - y) // 3
"""


MORE_KINDS = """def answer(x, n, parts=(), flag=True):
    print(x.shape, -n)
    a, b = x, n
    c = d = x.mean(axis=-1)
    e: float = 2.0
    name = "dot" if flag else ""
    for i in range(1, n - 1):
        for part in parts:
            if part is not None or i not in parts:
                a = a + part[i, :3] - x[::2]
            else:
                continue
            c[i] = np.max(x, axis=0)
        d //= 2
    else:
        d -= n
    first, *others = sorted(parts, key=len, reverse=False)
    low = min(n, 3, *others)
    both = (x, n)
    total = sum(p ** 2 for p in parts) + np.sum(x) * np.argmax(x, axis=None)
    many = np.concatenate([x, x], axis=1) - x.reshape(n, -1).transpose(1, 0).sum(axis=0, keepdims=False, dtype=float)
    if 1 < n < 4 and name != "cos":
        return -total
    while n >= 0:
        n -= 1
        if n == 2:
            break
    long_one = (x @ many.T @ x) * np.exp(x - x.max(axis=1, keepdims=True)) + (n - 1) * np.zeros_like(x) ** (n / (n + 1))
    words = {name: [y for y in x if not flag], "other": x[-1]}
    for i, y in enumerate(x):
        words[i] = y if y > 0 else 0
    return (lambda z: z * 2)(long_one), both, low, first, total, e
"""


@pytest.mark.parametrize(("code", "file"), [(ALL_KINDS, "changes"), (MORE_KINDS, "more_changes")])
def test_code_of_many_kinds_has_the_changes_that_were_recorded(code, file):
    """But for the names of its own that may stand for each other, which are many."""
    kinds = ("is_another_number", "is_of_a_loop", "leaves_out")
    found = [
        [c.line, c.difference, c.question, *(kind for kind in kinds if getattr(c, kind))]
        for c in changes(code_of(written(code)))
        if not isinstance(c.node, ast.Name) or not isinstance(c.new, ast.Name)
    ]
    assert found == recorded(found, Path(__file__).with_name(f"{file}.json")), AGAIN


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
    change = next(c for c in changes(code_of(written(code))) if c.difference == "with `15.0` in the place of `7.5`")
    last = max(n for n in range(20) if run(change.function, (n,)).error is None)
    assert last == (12 if step == "+ 1" else 9 if begins == "1" else 10)
    assert isinstance(run(change.function, (last + 1,)).error, NeverEndsError)
    assert run(change.function, (last,)).error is None  # each call begins to count anew
