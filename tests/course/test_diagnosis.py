"""The whole card of small exercises: which of all that can be said of an answer is said, and what goes with it."""

from __future__ import annotations

import linecache
import re

import numpy as np
import pytest

from utils.course.exercises import words
from utils.course.exercises.diagnosis import Verdict, diagnose, judged
from utils.course.exercises.exercise import Exercise, choice, in_steps, known
from utils.course.exercises.findings import Kind


def written(code: str):
    """Return the function `answer` of `code`, as a cell of a notebook has it."""
    file, names = f"cell {hash(code)}", {"np": np}
    linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file
    exec(compile(code, file, "exec"), names)
    return names["answer"]


_random = np.random.default_rng(0)
SIZES = ((3, 4, 2.0), (5, 2, 0.5), (4, 4, 3.0))
INPUTS = [(_random.normal(size=(n, d)), _random.normal(size=d), k) for n, d, k in SIZES]


def weighted(X, w, k, times=np.multiply, summed=lambda Z: Z.sum(axis=1), root=np.sqrt):
    return k * summed(times(X, w)) / root(X.shape[1])


@in_steps
def built(**ways):
    return lambda X, w, k: weighted(X, w, k, **ways)


SMALL = Exercise(
    "05.small",
    "Small",
    lambda X, w, k: weighted(X, w, k),
    INPUTS,
    [
        "You add where a product is asked for.",
        built(times=np.add),
        "You take the largest.",
        built(summed=lambda Z: Z.max(axis=1)),
        "You take the smallest.",
        built(summed=lambda Z: Z.min(axis=1)),
        "The root is missing.",
        built(root=lambda n: n),
    ],
    extremes=[(np.full((2, 3), 400.0), np.ones(3), 1.0)],
)
CHOSEN = Exercise(
    "05.chosen",
    "Chosen",
    lambda ids, n: int(ids[n]),
    [(np.array([30, 10, 20]), 1), (np.array([5, 7]), 0), (np.array([8, 9, 4, 6]), 3)],
    ["That is the first one.", lambda ids, n: int(ids[0])],
    is_id=True,
)
WORDS = Exercise(
    "05.words",
    "Words",
    lambda text, n: [text[i : i + n] for i in range(0, len(text), n)],
    [("abcdef", 2), ("one two three", 4), ("abcdefghij", 3)],
    ["These are letters.", lambda text, n: list(text), lambda text, n: list(text[::-1])],
)
SPLIT = Exercise(
    "05.split",
    "Split",
    lambda x, m: (x[x > m], None if len(x) < 4 else float(x.max())),
    [(np.array([0.5, 1.5, 2.5]), 1.0), (np.array([3.5, 0.25, 0.75, 2.0]), 0.5)],
)
POWER = Exercise(
    "05.power",
    "Power",
    lambda x, a: np.exp(a * x) + x,
    [(np.array([0.5, -1.5, 2.5]), 1.2), (np.array([0.75, 2.0]), 0.4), (np.array([-0.25, 1.25, 3.0, 0.5]), 0.7)],
    ["The number a is missing.", lambda x, a: np.exp(x) + x],
)
SCALED = Exercise(
    "05.scaled",
    "Scaled",
    lambda x, a, b: x * a + b,
    [(_random.normal(size=n), *_random.normal(size=2)) for n in (3, 4, 5)],
)
GRID = Exercise("05.grid", "Grid", lambda end, n: np.linspace(0, end, n), [(1.5, 3), (2.0, 5), (0.5, 4)])
LINES = "    e = X @ w\n    return k * e / np.sqrt(len(w))\n"

# Which exercise, the lines of an answer, and the finding that a good tutor would choose among all that are true.
CHOICES = [
    (SMALL, "return k * (X + w).sum(axis=1) / np.sqrt(len(w))", Kind.KNOWN),
    (SMALL, f"if X.max() > 99:\n        return np.zeros(len(X))\n{LINES}", Kind.EXTREMES),
    (SMALL, "return X[9]", None),
    (SMALL, "return np.zeros(3)", Kind.CONSTANT),
    (SMALL, "return k * (X @ w) / np.sqrt(len(X))", Kind.OFF_BY),
    (SMALL, "return -k * (X @ w) / np.sqrt(len(w))", Kind.SIGN),
    (SMALL, "return (k + 1) * (X @ w) / np.sqrt(len(w))", Kind.OFF_BY_SOME),
    (SMALL, "return k * (X @ w**2) / np.sqrt(len(w))", None),
    (SMALL, "return np.sin(X @ w)", Kind.UNUSED),
    (GRID, "return np.linspace(0, end, 7)", Kind.UNUSED),  # n would change the shape
    (CHOSEN, "return ids[n - 1]", None),
    (CHOSEN, "return ids[n] + 1", Kind.OFF_BY),
    (WORDS, "return list(text[::-1])", Kind.KNOWN),
    (WORDS, "return [text[i : i + 2] for i in range(0, len(text), 2)]", Kind.UNUSED),
    (WORDS, "return [text[i : i + n] for i in range(0, len(text), n)][:1]", Kind.FIRST_ONLY),
    (SPLIT, "return x[x > m], None", Kind.ONE_PART),
    (SPLIT, "return None if len(x) < 4 else max(x), x[x > m]", Kind.PARTS_ORDER),
    (POWER, "return np.exp(2 * a * x) + x", None),
    (SCALED, "return x * b + a", Kind.SWAPPED),
    (SCALED, "return x * a + a", Kind.TAKEN_FOR),
]


@pytest.mark.parametrize(("exercise", "lines", "kind"), CHOICES)
def test_diagnose_prefers_the_most_helpful_true_diagnosis(exercise, lines, kind) -> None:
    answer = written(f"def answer({', '.join(exercise.names)}):\n    {lines}\n")
    told = diagnose(exercise, answer)
    assert told.verdict is Verdict.MISTAKE and told.sentence
    assert (told.finding and told.finding.kind) == kind


@pytest.mark.parametrize("exercise", [SMALL, CHOSEN, WORDS, SPLIT, POWER])
def test_reference_passes_and_its_output_is_kept(exercise) -> None:
    told = diagnose(exercise, lambda *given: print("mine") or exercise.reference(*given))
    assert told.verdict is Verdict.PASSED and told.printed == "mine\n" and told.input_shown == ""


def test_diagnose_names_a_stub_line_above_finished_code() -> None:
    def answer(X, w, k):
        """Return (N,)."""
        raise NotImplementedError("your turn")
        return weighted(X, w, k)

    told = diagnose(SMALL, answer)
    line = answer.__code__.co_firstlineno + 2
    assert told.verdict is Verdict.NOT_TRIED and f"line {line}" in told.sentence and "delete" in told.sentence


def test_diagnose_does_not_take_a_library_error_for_a_stub() -> None:
    outside = {}
    exec("def unsupported(X):\n    raise NotImplementedError('no such kernel')", outside)
    told = diagnose(SMALL, lambda X, w, k: outside["unsupported"](X))
    assert told.verdict is Verdict.MISTAKE and "kernel" in told.sentence


@pytest.mark.parametrize("mistakes", [[lambda x: x], ["You return x."], ["You return x.", [lambda x: x]]])
def test_known_refuses_a_mistake_without_sentence_or_function(mistakes) -> None:
    with pytest.raises(ValueError, match="sentence"):
        known(mistakes)


def keeps_a_list(X, w, k, read=[]):  # noqa: B006
    read.append(k)
    return weighted(X, w, k) * len(read)


UNSTEADY = {
    "np.random": lambda X, w, k: weighted(X, w, k) + np.random.normal(),
    "a default": keeps_a_list,
}


@pytest.mark.parametrize("answer", UNSTEADY.values(), ids=UNSTEADY)
def test_diagnose_names_only_answers_with_two_results_for_one_input(answer) -> None:
    told = diagnose(SMALL, answer)
    assert told.verdict is Verdict.MISTAKE and re.search("twice|kept", told.sentence)
    assert not told.finding and not told.details


def test_diagnose_says_that_a_reference_stops_and_judges_nothing() -> None:
    def stops(X, w, k):
        if len(X) == 5:
            raise ValueError("no five")
        return weighted(X, w, k)

    faulty = Exercise("05.faulty", "", stops, INPUTS, ["That is a known one.", lambda X, w, k: k])
    for answer in (stops, weighted, lambda X, w, k: k, lambda X, w, k: X[9]):
        told = diagnose(faulty, answer)
        assert told.verdict is Verdict.FAULT and "no five" in told.sentence and not told.finding


def test_diagnose_names_integers_that_cut_decimals() -> None:
    def into_integers(X, w, k):
        result = np.zeros(len(X), dtype=int)
        for i, row in enumerate(X):
            result[i] = weighted(row[None], w, k)[0]
        return result

    assert diagnose(SMALL, into_integers).finding.kind is Kind.CUT


def test_diagnose_says_where_to_look_without_a_known_cause() -> None:
    told = diagnose(SMALL, lambda X, w, k: k * np.sin(X @ w))
    assert told.finding is None and "hint" in told.sentence and "entry [0] of your result" in told.details
    smallest = min(INPUTS, key=lambda case: len(words.written(SMALL.names, case)))
    assert told.input_shown.startswith(words.written(SMALL.names, smallest))


def test_choice_feedback_gives_a_reason_but_never_the_right_letter():
    exercise = choice("05.which", "c", "of the rows.", {"a": "Not a.", "b": "Not b."})
    told = {letter: judged(exercise, letter) for letter in ("c", "C ", "a", "b", "d", None, 3)}
    assert [one.verdict for one in told.values()] == [Verdict.PASSED] * 2 + [Verdict.MISTAKE] * 5
    assert [told[letter].sentence for letter in "cab"] == ["Correct: of the rows.", "Not a.", "Not b."]
    for letter in ("d", None, 3):
        assert '"a", "b", "c"' in told[letter].sentence


def test_diagnose_names_two_known_mistakes_of_different_steps() -> None:
    said = diagnose(SMALL, built(times=np.add, root=lambda n: n)).sentence
    assert "two mistakes" in said and "product" in said and "root" in said and "largest" not in said


def test_diagnose_names_a_known_mistake_and_what_is_left_beside_it() -> None:
    known = SMALL.wrong_answers[0]
    said = diagnose(SMALL, lambda X, w, k: -known.function(X, w, k)).sentence
    assert known.sentence in said and "two mistakes" in said and "opposite sign" in said
    assert "two mistakes" not in diagnose(SMALL, lambda X, w, k: -SMALL.reference(X, w, k)).sentence


def test_diagnose_sees_t_of_three_axes_in_the_line_that_stops() -> None:
    code = "def answer(X, w, k):\n    heads = np.ones((2, *X.shape))\n    return heads @ heads.T\n"
    assert "all 3 axes of `heads`" in diagnose(SMALL, written(code)).sentence


def test_diagnose_asks_about_a_notebook_value_that_is_read() -> None:
    reads, only_named = (
        "    return k * (X * page).sum(axis=1)\n",
        "    return k + X.page.sum() if k < 0 else X.sum(axis=1) ** 3\n",
    )
    for code, asks in ((reads, True), (only_named, False)):
        answer = written("def answer(X, w, k):\n" + code)
        answer.__globals__["page"] = np.array(0.37)
        found = diagnose(SMALL, answer).finding
        assert (found is not None and found.kind is Kind.BORROWED) == asks
