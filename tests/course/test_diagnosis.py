"""The whole card of small exercises: which of all that can be said of an answer is said, and what goes with it."""

from __future__ import annotations

import dataclasses
import linecache
import re

import numpy as np
import pytest

from utils.course.exercises import words
from utils.course.exercises.diagnosis import Verdict, diagnose, judged
from utils.course.exercises.exercise import Exercise, Flaw, choice, flawed, in_steps
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


def built(**ways):
    return lambda X, w, k: weighted(X, w, k, **ways)


FLAWS = (
    Flaw("times", np.add, "You add where a product is asked for."),
    Flaw("summed", lambda Z: Z.max(axis=1), "You take the largest."),
    Flaw("summed", lambda Z: Z.min(axis=1), "You take the smallest."),
    Flaw("root", lambda n: n, "The root is missing."),
)
SMALL = Exercise(
    "05.small",
    "Small",
    lambda X, w, k: weighted(X, w, k),
    INPUTS,
    flawed(built, FLAWS),
    extremes=[(np.full((2, 3), 400.0), np.ones(3), 1.0)],
)
CHOSEN = Exercise(
    "05.chosen",
    "Chosen",
    lambda ids, n: int(ids[n]),
    [(np.array([30, 10, 20]), 1), (np.array([5, 7]), 0), (np.array([8, 9, 4, 6]), 3)],
    {"That is the first one.": lambda ids, n: int(ids[0])},
    is_id=True,
)
WORDS = Exercise(
    "05.words",
    "Words",
    lambda text, n: [text[i : i + n] for i in range(0, len(text), n)],
    [("abcdef", 2), ("one two three", 4), ("abcdefghij", 3)],
    {"These are letters.": [lambda text, n: list(text), lambda text, n: list(text[::-1])]},
)
SPLIT = Exercise(
    "05.split",
    "Split",
    lambda x, m: (x[x > m], None if len(x) < 4 else float(x.max())),
    [(np.array([0.5, 1.5, 2.5]), 1.0), (np.array([3.5, 0.25, 0.75, 2.0]), 0.5)],
    {},
)
POWER = Exercise(
    "05.power",
    "Power",
    lambda x, a: np.exp(a * x) + x,
    [(np.array([0.5, -1.5, 2.5]), 1.2), (np.array([0.75, 2.0]), 0.4), (np.array([-0.25, 1.25, 3.0, 0.5]), 0.7)],
    {"The number a is missing.": lambda x, a: np.exp(x) + x},
)
SCALED = Exercise(
    "05.scaled",
    "Scaled",
    lambda x, a, b: x * a + b,
    [(_random.normal(size=n), *_random.normal(size=2)) for n in (3, 4, 5)],
    {},
)
GRID = Exercise("05.grid", "Grid", lambda end, n: np.linspace(0, end, n), [(1.5, 3), (2.0, 5), (0.5, 4)], {})
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


def keeps_a_list(X, w, k, read=[]):  # noqa: B006
    read.append(k)
    return weighted(X, w, k) * len(read)


def counts(X, w, k):
    counts.calls += 1
    return weighted(X, w, k) if counts.calls < 5 else k


counts.calls = 0
OWN_DICE = np.random.default_rng(3)
UNSTEADY = {
    "np.random": lambda X, w, k: weighted(X, w, k) + np.random.normal(),
    "own dice": lambda X, w, k: OWN_DICE.normal(size=len(X)),
    "a default": keeps_a_list,
    "a counter": counts,
}


@pytest.mark.parametrize("answer", UNSTEADY.values(), ids=UNSTEADY)
def test_diagnose_names_only_answers_with_two_results_for_one_input(answer) -> None:
    told = diagnose(SMALL, answer)
    assert told.verdict is Verdict.MISTAKE and re.search("twice|kept", told.sentence)
    assert not told.finding and not told.details


def test_diagnose_passes_a_random_answer_with_one_result() -> None:
    def shuffled(X, w, k):
        order = np.random.permutation(X.shape[1])
        return weighted(X[:, order], w[order], k)

    assert diagnose(SMALL, shuffled).verdict is Verdict.PASSED


def test_diagnose_never_takes_an_error_for_none() -> None:
    def stops(x: float) -> float:
        return x if x < 2 else 1 / 0

    exercise = Exercise("05.small", "", lambda x: x if x < 2 else None, [(1.0,), (2.0,)], {})
    assert diagnose(exercise, stops).verdict is Verdict.MISTAKE


def test_diagnose_says_that_a_reference_stops_and_judges_nothing() -> None:
    def stops(X, w, k):
        if len(X) == 5:
            raise ValueError("no five")
        return weighted(X, w, k)

    faulty = Exercise("05.faulty", "", stops, INPUTS, {"That is a known one.": lambda X, w, k: k})
    for answer in (stops, weighted, lambda X, w, k: k, lambda X, w, k: X[9]):
        told = diagnose(faulty, answer)
        assert told.verdict is Verdict.FAULT and "no five" in told.sentence and not told.finding


def test_diagnose_names_integers_that_cut_decimals() -> None:
    def into_integers(X, w, k):
        result = np.zeros(len(X), dtype=int)
        for i, row in enumerate(X):
            result[i] = weighted(row[None], w, k)[0]
        return result

    def summed_in_integers(X, w, k):
        result = np.zeros(len(X), dtype=int)
        for x, weight in zip(X.T, w, strict=True):
            result += (k * x * weight / np.sqrt(len(w))).astype(int)
        return result

    assert diagnose(SMALL, into_integers).finding.kind is Kind.CUT
    wide = Exercise("05.wide", "", SMALL.reference, [(9 * X, w, k) for X, w, k in INPUTS], {})
    assert diagnose(wide, summed_in_integers).finding.kind is Kind.CUT
    added = diagnose(SMALL, lambda X, w, k: np.add(np.ones(2, int), 0.5, out=np.ones(2, int)))
    assert "integers" in added.sentence and "float" in added.sentence


def test_diagnose_says_where_to_look_without_a_known_cause() -> None:
    told = diagnose(SMALL, lambda X, w, k: k * np.sin(X @ w))
    assert told.finding is None and "hint" in told.sentence and "entry [0] of your result" in told.details
    smallest = min(INPUTS, key=lambda case: len(words.written(SMALL.names, case)))
    assert told.input_shown.startswith(words.written(SMALL.names, smallest))


@pytest.mark.parametrize("handed_over", [lambda letter: letter, lambda letter: lambda: letter])
def test_choice_feedback_gives_a_reason_but_never_the_right_letter(handed_over):
    exercise = choice("05.which", "c", "of the rows.", {"a": "Not a.", "b": "Not b."})
    told = {letter: judged(exercise, handed_over(letter)) for letter in ("c", "C ", "a", "b", "d", None, 3)}
    assert [one.verdict for one in told.values()] == [Verdict.PASSED] * 2 + [Verdict.MISTAKE] * 5
    assert [told[letter].sentence for letter in "cab"] == ["Correct: of the rows.", "Not a.", "Not b."]
    for letter in ("d", None, 3):
        assert '"a", "b", "c"' in told[letter].sentence


def test_diagnose_names_two_known_mistakes_of_different_steps() -> None:
    combined = dataclasses.replace(SMALL, mistakes=flawed(in_steps(built), FLAWS))
    both = built(times=np.add, root=lambda n: n)
    said = diagnose(combined, both).sentence
    assert "two mistakes" in said and "product" in said and "root" in said and "largest" not in said


def test_diagnose_names_a_known_mistake_and_what_is_left_beside_it() -> None:
    known = SMALL.wrong_answers[0]
    said = diagnose(SMALL, lambda X, w, k: -known.function(X, w, k)).sentence
    assert known.sentence in said and "two mistakes" in said and "opposite sign" in said
    assert "two mistakes" not in diagnose(SMALL, lambda X, w, k: -SMALL.reference(X, w, k)).sentence


def softmaxed(Z):
    return np.exp(Z) / np.exp(Z).sum(axis=-1, keepdims=True)


def normed(Z):
    return (Z - Z.mean(axis=-1, keepdims=True)) / Z.std(axis=-1, keepdims=True)


UNSHARED = "You add, and the softmax is missing."
SHARED = dataclasses.replace(
    SMALL, reference=lambda X, w, k: softmaxed(k * X * w), mistakes={UNSHARED: lambda X, w, k: k * (X + w)}
)
PRAISED = (Flaw("times", np.add, "You add, but the rest is correct."), FLAWS[3])
NO_SECOND_MISTAKE = {
    "rounding": (SMALL, lambda X, w, k: np.round(weighted(X, w, k, times=np.add), 1)),
    "another factor": (SMALL, lambda X, w, k: len(X) * weighted(X, w, k, root=lambda n: n)),
    "a norm": (SHARED, lambda X, w, k: normed(k * (X + w))),
    "the step that is said to be missing": (SHARED, lambda X, w, k: softmaxed(k * (X + w))),
    "beside a part that is correct": (
        dataclasses.replace(SMALL, mistakes=flawed(in_steps(built), PRAISED)),
        lambda X, w, k: -weighted(X, w, k, times=np.add),
    ),
    "a pair with a part that is correct": (
        dataclasses.replace(SMALL, mistakes=flawed(in_steps(built), PRAISED)),
        built(times=np.add, root=lambda n: n),
    ),
}


@pytest.mark.parametrize(("exercise", "answer"), NO_SECOND_MISTAKE.values(), ids=NO_SECOND_MISTAKE)
def test_diagnose_names_no_second_mistake_on_weak_evidence(exercise, answer) -> None:
    told = diagnose(exercise, answer)
    assert told.verdict is Verdict.MISTAKE and "two mistakes" not in told.sentence


def test_keywords_of_a_reference_are_no_arguments_of_an_exercise() -> None:
    exercise = dataclasses.replace(SMALL, reference=lambda X, w, k, *, sign=1: sign * weighted(X, w, k))
    assert exercise.names == ["X", "w", "k"]


def test_diagnose_blames_no_default_of_a_right_answer() -> None:
    def remembers(X, w, k, seen=[]):  # noqa: B006
        seen.append(k)
        return weighted(X, w, k)

    assert diagnose(SMALL, remembers).verdict is Verdict.PASSED


def test_diagnose_sees_t_of_three_axes_in_the_line_that_stops() -> None:
    code = "def answer(X, w, k):\n    heads = np.ones((2, *X.shape))\n    return heads @ heads.T\n"
    assert "all 3 axes of `heads`" in diagnose(SMALL, written(code)).sentence
    flat = written(code.replace("(2, *X.shape)", "(2, 3)").replace("heads.T", "X.T[:1].T"))
    assert "axes of" not in diagnose(SMALL, flat).sentence


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
