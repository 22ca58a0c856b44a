"""Every known wrong answer is submitted and must be named; right answers, nonsense and crashes get their card."""

from __future__ import annotations

import json

import numpy as np
import pytest

from utils.course.exercises import EXERCISES, Verdict, check, diagnose
from utils.course.exercises.exercise import Exercise, _run

SCORES = EXERCISES["05.scores"]
WRONG = [(e, w) for e in EXERCISES.values() for w in e.wrong_answers]


@pytest.fixture(autouse=True)
def progress(tmp_path, monkeypatch):
    path = tmp_path / "progress.json"
    monkeypatch.setenv("COURSE_PROGRESS", str(path))
    return path


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_the_reference_passes(exercise):
    assert diagnose(exercise, exercise.reference).verdict is Verdict.PASSED


@pytest.mark.parametrize(("exercise", "wrong"), WRONG, ids=[f"{e.name} {w.name}" for e, w in WRONG])
def test_a_known_wrong_answer_is_named_as_itself(exercise, wrong):
    diagnosis = diagnose(exercise, wrong.function)
    assert diagnosis.verdict is Verdict.MISTAKE, f"{wrong.name!r} is right on every input"
    assert diagnosis.mistake == wrong.name, f"{wrong.name!r} gives what {diagnosis.mistake!r} gives on every input"
    assert diagnosis.sentence == wrong.sentence


@pytest.mark.parametrize(("exercise", "wrong"), WRONG, ids=[f"{e.name} {w.name}" for e, w in WRONG])
def test_a_known_wrong_answer_runs_on_some_input(exercise, wrong):
    """Otherwise any function that crashes would be taken for it."""
    assert any(_run(wrong.function, case).error is None for case in exercise.inputs)


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


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_a_mistake_that_nobody_foresaw_gets_a_sentence_too(exercise):
    diagnosis = diagnose(exercise, lambda *inputs: last_entry_off(exercise.reference(*inputs)))
    assert diagnosis.verdict is Verdict.MISTAKE
    assert "Error" not in diagnosis.sentence


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_each_mistake_has_its_own_name(exercise):
    names = [w.name for w in exercise.wrong_answers]
    assert len(set(names)) == len(names)


def test_two_mistakes_at_once_are_told_one_after_the_other():
    def no_shift_and_wrong_axis(X, W_Q, W_K):
        e = np.exp((X @ W_Q) @ (X @ W_K).T / np.sqrt(W_K.shape[1]))
        return e / e.sum(axis=0, keepdims=True)

    assert diagnose(EXERCISES["05.weights"], no_shift_and_wrong_axis).mistake == "softmax down the columns"


def test_a_mistake_at_large_numbers_alone_is_not_taken_for_another():
    def wrong_when_large(X, W_Q, W_K):
        right = EXERCISES["05.weights"].reference(X, W_Q, W_K)
        return right if np.abs(X).max() < 8 else right * 0.9

    diagnosis = diagnose(EXERCISES["05.weights"], wrong_when_large)
    assert diagnosis.verdict is Verdict.MISTAKE
    assert diagnosis.mistake == ""


def test_nearly_right_is_not_right():
    assert diagnose(SCORES, lambda Q, K: Q @ K.T * (1 + 1e-6)).verdict is Verdict.MISTAKE


def test_an_untouched_stub_is_not_wrong(progress):
    def stub(Q, K):
        raise NotImplementedError("your turn")

    assert diagnose(SCORES, stub).verdict is Verdict.NOT_TRIED
    assert "not tried yet" in repr(check("05.scores", stub))
    assert not progress.exists()


def test_a_crash_shows_the_students_line_and_no_traceback():
    def crashes(Q, K):
        right = Q @ K.T
        return right + undefined_name  # noqa: F821

    text = repr(check("05.scores", crashes))
    assert "NameError: name 'undefined_name' is not defined" in text
    assert "return right + undefined_name" in text
    assert "Traceback" not in text and "exercise.py" not in text


def test_a_crash_inside_a_library_shows_the_line_that_called_it():
    def crashes(Q, K):
        return np.linalg.inv(Q)

    assert "return np.linalg.inv(Q)" in repr(check("05.scores", crashes))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda Q, K: None, "returns nothing. Is the `return` missing?"),
        (lambda Q, K: "QKᵀ", "returns a str; an array of numbers is expected"),
        (lambda Q, K: [[1, 2], [3]], "returns a list whose rows differ in length; an array of numbers is expected"),
        (lambda Q, K: np.array([[1, 2], [3]]), "an array needs rows of one length, and these differ in length."),
        (lambda Q, K: 1.0 + (Q, K), "a function that you call gives several things at once. Take the one that you"),
        (lambda Q, K: 3.0 ^ 2, "in Python `^` is no power. To the power of is `**`."),
        (lambda Q, K: Q @ K.T + 0.001, "Very close, but not exact"),
        (lambda Q, K: (Q @ K.T).round(1), "Very close, but not exact"),
        (lambda Q, K: Q @ K.T * 1.25, "The shape is right, the numbers are not yet."),
        (lambda Q, K: Q @ K.T * 7, "The shape is right, the numbers are not yet."),
        (lambda Q, K: np.zeros(3), "The shape is (3,); it should be (5, 5)."),
        (lambda Q, K: np.zeros(3), "For this input, Q has shape (5, 3), K has shape (5, 3)."),
        (lambda Q, K: Q * np.nan @ K.T, "holds nan"),
        (lambda Q, K: np.eye(4) @ K, "The left matrix has 4 columns, so the right one needs 4 rows, and it has 5."),
        (lambda Q, K: Q + K.T[0], "shapes (5, 3) (5,)"),
        (lambda Q, K: K.T[0] * Q, "shapes (5,) and (5, 3) do not fit entry by entry. To give each row its own number"),
        (lambda Q, K: K[:2, 0] * Q, "shapes (2,) and (5, 3) do not fit entry by entry."),
        (lambda Q, K: max(0, Q) @ K.T, "Python's own `max`, `min`, `if`, `and` and `or` want one number"),
        (lambda Q, K: [Q, None], "Your list holds None, which is no number."),
        (lambda Q: Q, "TypeError"),
        (3, "without calling it: this is an int, not a function"),
        (np.eye(2), "this is an array of shape (2, 2), not a function"),
        (lambda Q, K: exit(1), "SystemExit"),
    ],
)
def test_anything_else_gets_plain_words(answer, words):
    assert words in repr(check("05.scores", answer))


def lessons_own(x):
    return np.linalg.inv(x)


def test_a_crash_in_a_function_of_another_cell_shows_the_line_of_ones_own():
    cell = "def answer(Q, K):\n    return lessons_own(Q)\n"
    names = {"lessons_own": lessons_own}
    exec(compile(cell, "cell of the student", "exec"), names)
    assert "It happens in line 2 of your cell" in diagnose(SCORES, names["answer"]).details


SIZE = 4


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        (lambda Q, K: np.zeros((SIZE, SIZE)), "use the notebook's `SIZE`, where"),
        (lambda Q, K: np.zeros((4, 4)), "use the number 4, where"),
        (lambda Q, K: np.zeros(len(Q)), ""),  # nothing borrowed, nothing asked
        (lambda Q, K: lessons_own(np.eye(len(Q)))[1:], ""),
    ],
)
def test_a_wrong_shape_is_laid_to_borrowed_sizes_only_where_there_are_some(answer, question):
    details = diagnose(SCORES, answer).details
    assert question in details if question else "Does your function" not in details


def test_one_number_is_spoken_of_as_one_number():
    says = lambda answer: diagnose(EXERCISES["10.parameters"], answer).sentence  # noqa: E731
    assert says(lambda *sizes: 7) == "The number is not right yet."
    assert says(lambda *sizes: [1, 2]) == "Your function returns 2 numbers, of shape (2,); one number is expected."
    assert says(lambda *sizes: "3,152,384") == "Your function returns a str; a number is expected."


def test_two_things_may_be_the_rows_of_one_array():
    shift = EXERCISES["11.shift"]
    assert diagnose(shift, lambda w, start, end: np.array([[start, *w], [*w, end]])).verdict is Verdict.PASSED
    rolled = diagnose(shift, lambda w, start, end: np.array([[*w, end], [start, *w]]))
    assert rolled.mistake == "shifted left"


def test_persian_words_are_shown_as_they_are_typed():
    diagnosis = diagnose(EXERCISES["14.alignment"], lambda A, read, writes, source: [("آن‌ها", "water")] * len(writes))
    assert "\u2066('آن\u200cها', 'water')\u2069" in diagnosis.sentence
    assert "\\u200c" not in diagnosis.sentence + diagnosis.input_shown


@pytest.mark.parametrize(("totals", "log_p", "width"), EXERCISES["13.beam_step"].inputs)
def test_no_beam_step_is_a_tie(totals, log_p, width):
    """Else the order of an answer would hang on the way in which NumPy sorts."""
    sums = np.sort((totals[:, None] + log_p).ravel())
    assert np.diff(sums).min() > 1e-9


def test_the_first_differing_entry_is_shown():
    def one_entry_off(Q, K):
        S = Q @ K.T
        S[1, 2] += 1
        return S

    details = diagnose(SCORES, one_entry_off).details
    right = _run(SCORES.reference, SCORES.inputs[0]).value
    assert f"the entry at [1, 2] is {right[1, 2] + 1:.6g}; it should be {right[1, 2]:.6g}" in details


def test_the_input_that_differs_can_be_unfolded():
    text = check("05.scores", lambda Q, K: K @ Q.T)
    assert "Show this input" in text.html and "Q = array([[" in text.html


def test_a_check_without_a_name_or_a_function_says_how_it_is_called():
    for arguments in (("05.scores",), (len, "05.scores")):
        with pytest.raises(ValueError, match="takes the name of the exercise and your function"):
            check(*arguments)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda sequence, k: k, "Your function returns an int; a list is expected."),
        (lambda sequence, k: [["MQI"]], "Your list has 1 entries; it should have 3."),
        (lambda sequence, k: [["MQI"]] * k, "Entry 0 of your list, counted from 0, is ['MQI']; it should be ['MQI',"),
        (lambda sequence, k: [np.array(["MQI", "FVK"])] * k, "is array(['MQI', 'FVK']"),
    ],
)
def test_a_list_of_texts_is_told_in_words_too(answer, words):
    assert words in repr(check("03.readings", answer))


@pytest.mark.parametrize("kind", [int, float, np.int64, np.float64])
def test_a_right_count_is_right_in_any_type_of_number(kind):
    right = EXERCISES["10.parameters"].reference
    assert diagnose(EXERCISES["10.parameters"], lambda *sizes: kind(right(*sizes))).verdict is Verdict.PASSED


def test_a_large_count_is_shown_to_its_last_digit():
    right = EXERCISES["10.parameters"].reference
    details = diagnose(EXERCISES["10.parameters"], lambda *sizes: right(*sizes) + 1).details
    assert details == "For one of the inputs the result is 3,152,385; it should be 3,152,384."


def test_right_numbers_of_another_type_are_told_in_words():
    listing = Exercise("00.listing", "", lambda n: [n, n], [(3,)], ())
    diagnosis = diagnose(listing, lambda n: np.array([n, n]))
    assert diagnosis.verdict is Verdict.MISTAKE
    assert diagnosis.sentence == "The numbers are right, but this is an array of shape (2,); a list is expected."


def test_changing_the_inputs_is_a_mistake_of_its_own():
    def in_place(Q, K):
        S = Q @ K.T
        K *= 2
        return S

    assert diagnose(SCORES, in_place).mistake == "changes its inputs"


def test_lists_and_float32_are_good_answers():
    assert diagnose(SCORES, lambda Q, K: (Q @ K.T).tolist()).verdict is Verdict.PASSED
    assert diagnose(SCORES, lambda Q, K: (Q @ K.T).astype(np.float32)).verdict is Verdict.PASSED


def test_a_loop_that_the_student_stops_gets_a_card():
    def stopped(Q, K):
        raise KeyboardInterrupt

    assert "Does a loop in your function never end?" in repr(check("05.scores", stopped))


def test_passing_is_remembered_even_if_it_is_broken_later(progress):
    check("05.scores", lambda Q, K: Q)
    check("05.scores", SCORES.reference)
    check("05.scores", lambda Q, K: Q)
    assert json.loads(progress.read_text()) == {"05.scores": {"tries": 3, "passed": True}}


def test_an_unknown_exercise_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"no exercise '05\.score'.*05\.scores"):
        check("05.score", len)


def test_numbers_that_are_small_are_not_called_close_because_of_that():
    """0.163 against 0.131 is wrong by a quarter, whatever lies between them."""
    small = Exercise("05.small", "small", lambda x: x, [(np.array([0.131, 0.002]),)], ())
    said = [diagnose(small, lambda x, f=f: f * x).sentence for f in (1.25, 4.6, 1.01)]
    assert said[:2] == ["The shape is right, the numbers are not yet."] * 2
    assert said[2].startswith("Very close")
