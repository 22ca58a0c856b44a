"""Every known wrong answer is submitted and must be named; right answers, nonsense and crashes get their card."""

from __future__ import annotations

import functools
import itertools
import json
import time

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from utils.by_hand.attention import softmax
from utils.by_hand.positional import positional_encoding
from utils.course.exercises import EXERCISES, Verdict, check, diagnose
from utils.course.exercises.asking import agree, all_agree, run
from utils.course.exercises.exercise import Exercise
from utils.course.exercises.findings import Kind, say
from utils.course.exercises.softmaxes import softmax_with
from utils.course.lessons import LESSONS

pytestmark = pytest.mark.usefixtures("progress")
SCORES = EXERCISES["05.scores"]


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_the_reference_passes_and_known_wrong_answers_run_are_wrong_and_differ_from_each_other(exercise):
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
def test_a_known_wrong_answer_is_named(exercise):
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
def test_a_mistake_that_nobody_foresaw_gets_a_sentence_in_time(exercise):
    diagnose(exercise, exercise.reference)  # what is computed once is not asked for
    begun = time.process_time()
    diagnosis = diagnose(exercise, lambda *inputs: last_entry_off(exercise.reference(*inputs)))
    assert time.process_time() - begun < 10  # 2 at most where a processor is not slow, which no test may ask for
    assert diagnosis.verdict is Verdict.MISTAKE and diagnosis.sentence and "Error" not in diagnosis.sentence


def test_of_two_mistakes_the_one_that_shows_on_ordinary_inputs_is_told():
    def no_shift_and_wrong_axis(X, W_Q, W_K):
        e = np.exp((X @ W_Q) @ (X @ W_K).T / np.sqrt(W_K.shape[1]))
        return e / e.sum(axis=0, keepdims=True)

    assert "columns" in diagnose(EXERCISES["05.weights"], no_shift_and_wrong_axis).sentence


def test_a_mistake_at_large_numbers_alone_is_not_taken_for_another():
    right = EXERCISES["05.weights"].reference
    wrong_when_large = lambda *inputs: right(*inputs) * (1 if np.abs(inputs[0]).max() < 8 else 0.9)  # noqa: E731

    diagnosis = diagnose(EXERCISES["05.weights"], wrong_when_large)
    assert diagnosis.verdict is Verdict.MISTAKE
    assert diagnosis.finding.kind is Kind.EXTREMES


@pytest.mark.parametrize("made", [lambda A, B: B @ A, lambda A, B: B.dot(A), lambda A, B: np.dot(A.T, B.T).T])
def test_by_hand_lora_sees_that_the_product_of_its_factors_is_made(made):
    diagnosis = diagnose(EXERCISES["23.lora"], lambda X, W, A, B: X @ (W + made(A, B)).T)
    assert "You computed BA" in diagnosis.sentence
    right = lambda X, W, A, B: np.einsum("nd,rd,or->no", X, A, B) + np.dot(X, W.T)  # noqa: E731
    assert diagnose(EXERCISES["23.lora"], right).verdict is Verdict.PASSED


def test_what_has_a_name_is_told_of_large_numbers_as_of_others():
    right = EXERCISES["05.attention_on_x2"].reference
    mean = lambda *inputs: (right(*inputs)[0], right(*inputs)[1] / len(inputs[0]))  # noqa: E731
    assert diagnose(EXERCISES["05.attention_on_x2"], mean).finding.kind is Kind.ONE_PART


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
        (lambda Q, K: 1.0 + (Q, K), "a function that you call gives several things at once. Take the one that you"),
        (lambda Q, K: 3.0 ^ 2, "in Python `^` is no power. To the power of is `**`."),
        (lambda Q, K: (Q @ K.T)[1:4, 1] * K[0, 0], "Q has shape (5, 3), K has shape (5, 3)."),
        (lambda Q, K: (Q @ K.T).astype(str), "texts, of the type <U32"),
        (lambda Q, K: (Q, (Q, 2)), "returns 2 values, an array of shape (5, 3) and a tuple"),
        (lambda Q, K: Q * np.nan @ K.T, "0/0, ∞ − ∞"),
        (lambda Q, K: list(Q).append(K), "`append` and `sort` return None"),
        (lambda Q, K: np.array([object()] * 5), "things of the type object"),
        (lambda Q, K: np.eye(4) @ K, "The left matrix has 4 columns, so the right one needs 4 rows, and it has 5."),
        (lambda Q, K: Q + K.T[0], "shapes (5, 3) (5,)"),
        (lambda Q, K: K.T[0] * Q, "shapes (5,) and (5, 3) do not fit entry by entry. To give each row its own number"),
        (lambda Q, K: list(Q).append(K).T, "Something that you call gives nothing: `append` and `sort` change a list"),
        (lambda Q, K: np.einsum("ij,jk", np.eye(4), K), "or of one letter in an `einsum`, do not fit each other."),
        (lambda Q, K: np.broadcast_to(Q, (2, 2)), "could not be broadcast together with remapped shapes"),
        (lambda Q, K: np.array([[1], [1, 2]]), "an array needs rows of one length, and these differ in length."),
        (lambda Q, K: max(0, Q) @ K.T, "Python's own `max`, `min`, `if`, `and` and `or` want one number"),
        (lambda Q, K: [Q, None], "Your list contains None"),
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
    assert "in line 2 of your cell" in diagnose(SCORES, names["answer"]).details


SIZE = 4


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        (lambda Q, K: np.zeros((SIZE, SIZE)), "use the notebook's `SIZE`, where"),
        (lambda Q, K: np.zeros((4, 4)), "use the number 4, where"),
        (lambda Q, K: np.zeros(len(Q)), ""),  # nothing borrowed, nothing asked
        (lambda Q, K: lessons_own(np.eye(len(Q)))[1:], ""),
        (lambda Q, K: np.zeros((5, 2)), ""),  # 5 is right here
    ],
)
def test_a_wrong_shape_is_laid_to_borrowed_sizes_only_where_there_are_some(answer, question):
    details = diagnose(SCORES, answer).details
    assert question in details if question else "Does your function" not in details


def test_one_number_is_spoken_of_as_one_number():
    says = lambda answer: diagnose(EXERCISES["10.parameters"], answer).sentence  # noqa: E731
    assert says(lambda d_model, d_ff, n_heads: d_model**d_ff % 1001 + n_heads).startswith("The number is not")
    assert "2 numbers" in says(lambda a, b, c: [a, b + c]) and "a str" in says(lambda *sizes: "3,152,384")


def test_two_things_may_be_the_rows_of_one_array():
    shift = EXERCISES["11.shift"]
    filled = lambda a, b, n, pad: np.array([[*row, *[pad] * (n - len(row))] for row in (a, b)])  # noqa: E731
    right = diagnose(shift, lambda w, start, end, n, pad: filled([start, *w], [*w, end], n, pad))
    assert right.verdict is Verdict.PASSED
    rolled = diagnose(shift, lambda w, start, end, n, pad: filled([*w, end], [start, *w], n, pad))
    assert rolled.finding.kind is Kind.KNOWN


def test_persian_words_are_shown_as_they_are_typed():
    answer = lambda A, read, writes, source: [(str((A[0, 0], read, writes, source)), "آن‌ها")] * len(writes)  # noqa: E731
    diagnosis = diagnose(EXERCISES["14.alignment"], answer)
    assert "آن\u200cها')\u2069" in diagnosis.sentence
    assert "\\u200c" not in diagnosis.sentence + diagnosis.input_shown


@pytest.mark.parametrize(("totals", "log_p", "width"), EXERCISES["13.beam_step"].inputs)
def test_no_beam_step_is_a_tie(totals, log_p, width):
    """Else the order of an answer would hang on the way in which NumPy sorts."""
    sums = np.sort((totals[:, None] + log_p).ravel())
    assert np.diff(sums).min() > 1e-9


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
        (lambda sequence, k: k, "Your function returns an int"),
        (lambda sequence, k: [[sequence[k]]] * 9, "Your list has 9 entries"),
        (lambda sequence, k: [[sequence[i]] for i in range(k)], "Entry 0 of your list (counting from 0) is ['K']"),
        (lambda sequence, k: [np.array([sequence[i], "FVK"]) for i in range(k)], "is array(['K', 'FVK']"),
    ],
)
def test_a_list_of_texts_is_told_in_words_too(answer, words):
    assert words in repr(check("03.readings", answer))


def test_a_large_count_is_shown_to_its_last_digit():
    right = EXERCISES["10.parameters"].reference
    details = diagnose(EXERCISES["10.parameters"], lambda *sizes: right(*sizes) + (right(*sizes) > 1e6)).details
    assert "3,152,385; it should be 3,152,384." in details


def test_changing_the_inputs_is_a_mistake_of_its_own():
    def in_place(Q, K):
        S = Q @ K.T
        K *= 2
        return S

    assert "`K`" in diagnose(SCORES, in_place).sentence
    assert "new list" in diagnose(EXERCISES["16.look_back"], lambda ids: ids.pop()).sentence


def test_a_loop_that_the_student_stops_gets_a_card():
    def stopped(Q, K):
        raise KeyboardInterrupt

    assert "Does a loop in your function never end?" in repr(check("05.scores", stopped))


def test_passing_is_remembered_even_if_it_is_broken_later(progress):
    check("05.scores", lambda Q, K: Q)
    check("05.scores", SCORES.reference)
    check("05.scores", lambda Q, K: Q)
    kept = json.loads(progress.read_text())
    assert kept.keys() == {"05.scores"} and kept["05.scores"].items() >= {"tries": 3, "passed": True}.items()


def test_lesson_00_says_how_to_stop_an_endless_loop():
    text = (LESSONS / "00_start_here" / "lesson.md").read_text("utf-8")
    assert "■" in text[text.index("never ends") :].split("\n\n")[0]


def test_a_misspelt_exercise_is_answered_with_the_closest_ones(progress):
    text = repr(check("05.score", len))
    assert "There is no exercise '05.score'." in text and "Did you mean '05.scores' or" in text
    assert not progress.exists()


def test_what_is_close_is_not_told_as_two_mistakes_at_once():
    """A slope by a step to one side is near to another number at each of a few inputs."""
    height = lambda x: np.logaddexp(0, x)  # noqa: E731
    by_a_step = diagnose(EXERCISES["02b.cost"], lambda x: (height(x + 1e-6) - height(x)) / 1e-6)
    v = EXERCISES["03.gradients"].reference
    in_parts = diagnose(EXERCISES["03.gradients"], lambda *given: tuple(part * 1.001 + 1e-4 for part in v(*given)))
    assert by_a_step.sentence == in_parts.sentence and "slope" in by_a_step.sentence


@pytest.mark.parametrize(
    ("wrong", "finding"),
    [
        (lambda x, gamma, beta, eps: x * beta + gamma, say(Kind.SWAPPED, a="gamma", b="beta")),
        (lambda x, gamma, beta, eps: x * gamma + gamma, say(Kind.TAKEN_FOR, a="beta", b="gamma")),
        (lambda x, gamma, beta, eps: np.sin(gamma) * np.tanh(x) ** 3, say(Kind.UNUSED, name="beta")),
    ],
)
def test_what_was_done_to_an_argument_is_named(wrong, finding):
    gamma, beta = np.arange(1.0, 4), np.array([4.0, 2, 9])
    cases = [(np.random.default_rng(n).normal(size=(3, 3)), gamma, beta, 0.1) for n in (1, 2)]
    affine = Exercise("09.affine", "", lambda x, gamma, beta, eps: x * gamma + beta, cases, {})
    assert diagnose(affine, wrong).finding == finding


def replaced_in_the_text(_, ids, pair, new):
    return [int(id) for id in " ".join(map(str, ids)).replace("{} {}".format(*pair), str(new)).split()]


def from_the_right(_, word, vocabulary):
    """The longest piece at the end, again and again."""
    ids, end = [], len(word)
    while end > 0:
        starts = [i for i in range(end) if ("##" if i else "") + word[i:end] in vocabulary]
        if not starts:
            return [vocabulary["[UNK]"]]
        ids.insert(0, vocabulary[("##" if starts[0] else "") + word[starts[0] : end]])
        end = starts[0]
    return ids


def with_backtracking(_, word, vocabulary):
    """Pieces of any length, as long as the whole word is covered."""

    def pieces(start):
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            rest = pieces(end) if piece in vocabulary else None
            if rest is not None:
                return [vocabulary[piece], *rest]
        return [] if start == len(word) else None

    return pieces(0) or [vocabulary["[UNK]"]]


def repeats_counted_once(_, ids):
    """As a text is searched: `1 1 1` holds the pair `1 1` once."""
    text = f" {'  '.join(map(str, ids))} "
    return max(itertools.pairwise(ids), key=lambda pair: text.count(f" {pair[0]}  {pair[1]} "))


def nearest_by(distance):
    def answer(_, x, table, n, base):
        distances = distance(x, table[:, None] + positional_encoding(n, len(x), base))
        return np.unravel_index(distances.argmin(), distances.shape)

    return answer


def ten_thousand_less_then_masked(_, Q, K, allowed):
    S = Q @ K.T / np.sqrt(K.shape[1]) + np.where(allowed, 0, -1e4)
    e = np.exp(S - S.max(axis=1, keepdims=True)) * allowed
    return e / np.maximum(e.sum(axis=1, keepdims=True), 1e-300)


def without_a_maximum(_, Y, E, W_Q, W_K, W_V):
    return softmax_with(lambda S: 0)((Y @ W_Q) @ (E @ W_K).T / np.sqrt(W_K.shape[1])) @ (E @ W_V)


def but_for_the_last_score(right, steps, scores, target):
    found = right(steps[:-1], scores[:-1], target)
    return steps[-1] if found is None and scores[-1] >= target else found


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("02.merge", replaced_in_the_text),
        ("02.most_frequent_pair", repeats_counted_once),
        ("02.wordpiece", with_backtracking),
        ("02.wordpiece", lambda right, word, ids: right(word, {piece: id for piece, id in ids.items() if id})),
        ("02.wordpiece", from_the_right),
        ("02.wordpiece", lambda right, word, vocabulary: right(word.lower(), vocabulary)),
        ("03.readings", lambda right, sequence, k: [*filter(None, right(sequence, k))]),
        ("04.word_and_place", nearest_by(lambda x, sums: np.abs(x - sums).max(axis=2))),
        ("04.word_and_place", nearest_by(lambda x, sums: -sums @ x / np.linalg.norm(sums, axis=2))),
        ("06.softmax", lambda _, S: softmax_with(lambda S: S.mean(axis=1, keepdims=True))(S)),
        ("08.masked_weights", ten_thousand_less_then_masked),
        ("09.attention_add_and_norm", lambda right, *given: right(*given[:-1], 1e-5).astype(np.float32)),
        ("11.cross_attention", without_a_maximum),
        ("13.temperature", lambda _, logits, t: (p := softmax(logits) ** (1 / t)) / p.sum()),
        ("13.text_log_p", lambda _, logits, ids: np.log(softmax(logits)[np.arange(len(ids)), ids]).sum()),
        ("14.alignment", lambda right, *given: [*{pair[0]: pair for pair in right(*given)}.values()]),
        ("18.word_baseline", lambda right, w, y, asked: right(w, y, [*dict.fromkeys(asked)])),
        ("18.for_good", but_for_the_last_score),
    ],
)
def test_an_answer_that_fails_on_one_input_alone_does_not_pass(name, answer):
    exercise = EXERCISES[name]
    functions = functools.partial(answer, exercise.reference), exercise.reference
    given, right = ([run(function, case) for case in exercise.cases] for function in functions)
    assert not all_agree(given, right) and any(map(agree, given, right))


def test_plain_softmax_is_enough_where_no_large_scores_are_asked_for():
    plain = lambda s, H: np.exp(H @ s) / np.exp(H @ s).sum() @ H  # noqa: E731
    assert diagnose(EXERCISES["01.context"], plain).verdict is Verdict.PASSED


def test_of_what_runs_for_one_size_only_the_stop_is_told():
    answer = lambda Y, E, W_Q, W_K, W_V: np.sin(Y @ W_Q) @ (E @ W_K).T @ Y @ W_V  # noqa: E731
    assert "stops with ValueError" in diagnose(EXERCISES["11.cross_attention"], answer).sentence


@pytest.mark.parametrize(
    "kind",
    [list, tuple, np.float32, np.float16, lambda scores: pytest.importorskip("torch").tensor(scores).requires_grad_()],
)
def test_right_numbers_are_right_in_any_container_and_of_any_type(kind):
    assert diagnose(SCORES, lambda Q, K: kind(Q @ K.T)).verdict is Verdict.PASSED


def test_what_a_function_prints_is_shown_once_and_not_without_end(capsys):
    def talks(Q, K):
        print("\n".join(f"line {n}" for n in range(30)))
        return Q @ K.T

    text = repr(check("05.scores", talks))
    assert text.count("line 0") == 1 and "line 19" in text and "line 20" not in text and "10 lines more" in text
    assert capsys.readouterr().out == ""


def test_a_shape_is_not_called_right_for_the_sake_of_one_square_input():
    square = Exercise("05.square", "", lambda x: x * 2, [(np.eye(2) + 1,), (np.arange(6.0).reshape(2, 3) ** 2,)], {})
    sentence = diagnose(square, lambda x: np.sin(x.T @ x) + x.T[:, :1] ** 3).sentence
    assert "shape (3, 3); it should be (2, 3)" in sentence


def with_scores(divisor, rows):
    """Return an answer to an exercise about weights, with its own divisor and softmax."""
    return lambda X, W_Q, W_K: rows((X @ W_Q) @ (X @ W_K).T / divisor(W_K.shape[1]))


def test_a_root_that_is_cut_to_a_whole_number_is_not_taken_for_a_missing_scale():
    answer = with_scores(lambda d_k: int(np.sqrt(d_k)), softmax)
    diagnosis = diagnose(EXERCISES["05.weights"], answer)
    assert diagnosis.verdict is Verdict.MISTAKE and "missing" not in diagnosis.sentence


@pytest.mark.parametrize("axis", [None, 0])
def test_where_another_maximum_was_subtracted_none_is_said_to_be_missing(axis):
    sentence = diagnose(EXERCISES["06.softmax"], softmax_with(lambda S: S.max(axis=axis))).sentence
    assert "before `np.exp`" not in sentence


def test_a_batch_as_wide_as_its_last_sentence_is_called_that():
    def answer(rows):
        return np.array([(row + [0] * 9)[: len(rows[-1])] for row in rows])

    assert diagnose(EXERCISES["12.pad"], answer).sentence.startswith("You make the batch as wide as its last sentence.")


def test_a_flat_row_has_no_axes():
    total = Exercise("05.total", "", lambda x: 2 * x.sum(), [(np.arange(3.0),), (np.arange(5.0),)], {})
    assert diagnose(total, lambda x: 2 * x).finding == say(Kind.NOT_ADDED, total="the sum")
    column = Exercise("05.column", "", lambda x: x[:, None] * 2, [(np.arange(3.0),), (np.arange(5.0),)], {})
    assert diagnose(column, lambda x: x * 2).finding.kind is Kind.RESHAPED


def test_of_several_wrong_parts_none_is_called_the_one():
    three = Exercise("05.three", "", lambda x: (x, [x], "c"), [(np.arange(2.0),), (np.arange(3.0),)], {})
    found = diagnose(three, lambda x: (np.sin(x), [x], "d")).finding
    assert found.kind is Kind.SOME_PARTS and "first" in found.sentence and "third" in found.sentence


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
        f"{CHECKED};",
        f"{CHECKED}\nprint(1)",
        f"result = {CHECKED}",
        f"result = {CHECKED}\nresult",
        f"for _ in range(1):\n    {CHECKED}",
        f"{CHECKED}\n1 / 0",
    ],
)
def test_check_shows_its_card_once_wherever_it_stands_in_a_cell(run_cell, cell) -> None:
    for _ in range(2):
        (shown,) = run_cell(cell)
        assert "05.scores" in shown


def test_check_shows_each_of_several_cards_and_none_again(run_cell) -> None:
    shown = run_cell(f"{CHECKED}\n{CHECKED.replace('05', '55')}\n{CHECKED.replace('K.T', 'K')}")
    assert sorted(card[0] for card in shown) == ["✓", "✗", "✗"]
    assert run_cell("1 + 1") == ["2"]
