"""Every known wrong answer is submitted and must be named; right answers, nonsense and crashes get their card."""

from __future__ import annotations

import functools
import json
import time

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from utils.by_hand.attention import softmax
from utils.by_hand.encoder import feed_forward
from utils.by_hand.normalization import layer_norm
from utils.course.exercises import EXERCISES, Verdict, check, diagnose, judged
from utils.course.exercises.asking import agree, all_agree, run
from utils.course.exercises.findings import Kind, say
from utils.course.exercises.softmaxes import softmax_with

pytestmark = pytest.mark.usefixtures("progress")
SCORES = EXERCISES["05.scores"]


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_reference_passes_and_known_wrong_answers_are_wrong_and_distinct(exercise):
    """Else one would be named as another, or a right answer as wrong, or whatever crashes as one of them."""
    assert diagnose(exercise, exercise.reference).verdict is Verdict.PASSED
    right, seen = [run(exercise.reference, case) for case in exercise.cases], []
    for wrong in exercise.wrong_answers:
        given = [run(wrong.function, case) for case in exercise.cases]
        runs = any(outcome.error is None for outcome in given[: len(exercise.inputs)])
        assert runs or "?" in wrong.sentence, wrong.sentence
        assert not all_agree(given, right), f"{wrong.sentence!r} is said of what is right on every input"
        twins = [other for other, sentence in seen if all_agree(given, other) and sentence != wrong.sentence]
        assert not twins, f"{wrong.sentence!r}: another one gives the same on every input"
        seen.append((given, wrong.sentence))


@pytest.mark.parametrize("exercise", [e for e in EXERCISES.values() if e.wrong_answers][::5], ids=lambda e: e.name)
def test_known_wrong_answer_is_named(exercise):
    wrong = exercise.wrong_answers[-1]
    assert diagnose(exercise, wrong.function).finding == say(Kind.KNOWN, sentence=wrong.sentence)


def last_entry_off(value):
    """`value` with its last entry another one: what a mistake that nobody foresaw returns."""
    if isinstance(value, str) or value is None:
        return f"{value}x"
    if isinstance(value, dict):
        return {key: last_entry_off(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [*value[:-1], last_entry_off(value[-1])] if value else [1]
    array = np.array(value)
    array.flat[-1] = not array.flat[-1] if array.dtype == bool else array.flat[-1] + 1
    return array


@pytest.mark.parametrize("exercise", [*EXERCISES.values()][::5], ids=lambda e: e.name)
def test_unknown_mistake_gets_a_diagnosis_in_time(exercise):
    diagnose(exercise, exercise.reference)  # what is computed once is not asked for
    begun = time.process_time()
    diagnosis = diagnose(exercise, lambda *inputs: last_entry_off(exercise.reference(*inputs)))
    assert time.process_time() - begun < 10  # 2 at most where a processor is not slow, which no test may ask for
    assert diagnosis.verdict is Verdict.MISTAKE and diagnosis.sentence and "Error" not in diagnosis.sentence


def test_untouched_stub_is_not_wrong(progress):
    def stub(Q, K):
        raise NotImplementedError("your turn")

    assert diagnose(SCORES, stub).verdict is Verdict.NOT_TRIED
    assert "not tried yet" in repr(check("05.scores", stub))
    assert not progress.exists()


def test_crash_shows_the_students_line_and_no_traceback():
    def crashes(Q, K):
        right = Q @ K.T
        return right + undefined_name  # noqa: F821

    text = repr(check("05.scores", crashes))
    assert "NameError: name 'undefined_name' is not defined" in text
    assert "return right + undefined_name" in text
    assert "Traceback" not in text and "exercise.py" not in text


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda Q, K: 1.0 + (Q, K), "returns several values"),
        (lambda Q, K: Q * np.nan @ K.T, "0/0, ∞ − ∞"),
        (lambda Q, K: np.eye(4) @ K, "needs 4 rows, but it has 5"),
        (lambda Q, K: K.T[0] * Q, "shapes (5,) and (5,3) do not fit entry by entry"),
        (lambda Q, K: max(0, Q) @ K.T, "need one value, but get a whole array"),
        (lambda Q, K: Q / eval("math.sqrt(2)", {}) @ K.T, "doesn't import `math`"),
        (3, "without calling it: this is an int, not a function"),
        (lambda Q, K: exit(1), "SystemExit"),
    ],
)
def test_unexpected_answer_gets_plain_words(answer, words):
    assert words in judged(SCORES, answer).sentence


@pytest.mark.parametrize(
    ("name", "answer", "word"),
    [
        ("08.look_ahead", lambda n: np.triu(np.ones((n, n), dtype=bool)), "ahead"),
        ("10.block", lambda X, A, *net: layer_norm(X + feed_forward(layer_norm(X + A), *net)), "use X"),
        ("10.block", lambda X, A, *net: layer_norm(X + feed_forward(X, *net)), "use X"),
        ("10.block", lambda X, A, *net: layer_norm(feed_forward(layer_norm(X + A), *net)), "second shortcut"),
        ("10.block", lambda X, A, *net: layer_norm(X + A + feed_forward(X + A, *net)), "first norm"),
        ("10.block", lambda X, A, *net: (a := layer_norm(X + A)) + feed_forward(a, *net), "second norm"),
    ],
)
def test_diagnose_names_what_a_block_or_a_mask_gets_wrong(name, answer, word):
    assert word in diagnose(EXERCISES[name], answer).sentence


def lessons_own(x):
    return np.linalg.inv(x)


def test_crash_in_a_function_of_another_cell_shows_the_students_line():
    cell = "def answer(Q, K):\n    return lessons_own(Q)\n"
    names = {"lessons_own": lessons_own}
    exec(compile(cell, "cell of the student", "exec"), names)
    assert "in line 2 of your cell" in diagnose(SCORES, names["answer"]).details


def test_changing_the_inputs_is_named_as_a_mistake():
    def in_place(Q, K):
        S = Q @ K.T
        K *= 2
        return S

    assert "`K`" in diagnose(SCORES, in_place).sentence
    assert "new list" in diagnose(EXERCISES["16.look_back"], lambda ids: ids.pop()).sentence


def test_interrupted_loop_gets_feedback():
    def stopped(Q, K):
        raise KeyboardInterrupt

    assert "Does a loop in your function never end?" in repr(check("05.scores", stopped))


def test_passed_exercise_stays_passed_when_it_is_broken_later(progress):
    check("05.scores", lambda Q, K: Q)
    check("05.scores", SCORES.reference)
    check("05.scores", lambda Q, K: Q)
    kept = json.loads(progress.read_text())
    assert kept.keys() == {"05.scores"} and kept["05.scores"].items() >= {"tries": 3, "passed": True}.items()


def test_misspelt_exercise_is_answered_with_the_closest_names(progress):
    text = repr(check("05.score", len))
    assert "There is no exercise '05.score'." in text and "Did you mean '05.scores' or" in text
    assert not progress.exists()


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("03.readings", lambda right, sequence, k: [*filter(None, right(sequence, k))]),
        ("06.softmax", lambda _, S: softmax_with(lambda S: S.mean(axis=1, keepdims=True))(S)),
        ("09.attention_add_and_norm", lambda right, *given: right(*given[:-1], 1e-5).astype(np.float32)),
        ("13.temperature", lambda _, logits, t: (p := softmax(logits) ** (1 / t)) / p.sum()),
    ],
)
def test_answer_that_fails_on_only_one_input_does_not_pass(name, answer):
    exercise = EXERCISES[name]
    functions = functools.partial(answer, exercise.reference), exercise.reference
    given, right = ([run(function, case) for case in exercise.cases] for function in functions)
    assert not all_agree(given, right) and any(map(agree, given, right))


@pytest.mark.parametrize(
    "kind",
    [list, tuple, np.float32, np.float16, lambda scores: pytest.importorskip("torch").tensor(scores).requires_grad_()],
)
def test_right_numbers_pass_in_any_container_and_type(kind):
    assert diagnose(SCORES, lambda Q, K: kind(Q @ K.T)).verdict is Verdict.PASSED


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_check_refuses_wrong_numbers_in_half_precision(kind):
    torch = pytest.importorskip("torch")
    for name in ("05.scores", "05.weights"):
        right = EXERCISES[name].reference
        half = lambda *a, right=right: torch.tensor(1.002 * right(*a)).to(getattr(torch, kind))  # noqa: E731
        assert diagnose(EXERCISES[name], half).verdict is Verdict.MISTAKE
    assert "bfloat16" in diagnose(SCORES, lambda Q, K: torch.tensor(Q @ K.T).bfloat16()).sentence


def test_check_shows_once_what_a_function_prints(capsys):
    def talks(Q, K):
        print("\n".join(f"line {n}" for n in range(30)))
        return Q @ K.T

    text = repr(check("05.scores", talks))
    assert text.count("line 0") == 1 and "line 19" in text and "line 20" not in text and "10 lines more" in text
    assert capsys.readouterr().out == ""


CHECKED = 'check("05.scores", lambda Q, K: Q @ K.T)'


@pytest.fixture
def run_cell(monkeypatch, tmp_path):
    """Run a cell as a notebook does, and return what is shown of it, in that order."""
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "progress.json"))
    shell, shown = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}})), []
    monkeypatch.setattr(shell.display_pub, "publish", lambda data, *_, **__: shown.append(data["text/plain"]))
    monkeypatch.setattr(shell.displayhook, "write_format_data", lambda data, *_: shown.append(data["text/plain"]))

    def run_cell(cell):
        shown.clear()
        shell.run_cell(cell)
        return [*shown]

    run_cell("from utils.course.exercises import check")
    yield run_cell
    InteractiveShell.clear_instance()


@pytest.mark.parametrize(
    "cell",
    [
        CHECKED,
        f"{CHECKED}\nprint(1)",
        f"{CHECKED}\n1 / 0",
    ],
)
def test_check_shows_its_feedback_once_anywhere_in_a_cell(run_cell, cell) -> None:
    for _ in range(2):
        (shown,) = run_cell(cell)
        assert "05.scores" in shown
