"""The whole card of small exercises: which of all that can be said of an answer is said, and what goes with it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.course.test_changes import written
from utils.course.exercises.diagnosis import Diagnosis, Verdict, diagnose
from utils.course.exercises.exercise import Exercise, Flaw, WrongAnswer, flawed
from utils.course.exercises.exercise import flawed_twice as twice

_random = np.random.default_rng(0)
INPUTS = [
    (_random.normal(size=(n, d)), _random.normal(size=d), k) for n, d, k in ((3, 4, 2.0), (5, 2, 0.5), (4, 4, 3.0))
]


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
    pairs=twice(built, FLAWS),
)
CHOSEN = Exercise(
    "05.chosen",
    "Chosen",
    lambda ids, n: int(ids[n]),
    [(np.array([30, 10, 20]), 1), (np.array([5, 7]), 0), (np.array([8, 9, 4, 6]), 3)],
    (WrongAnswer(lambda ids, n: int(ids[0]), "That is the first one."),),
    is_id=True,
)
WORDS = Exercise(
    "05.words",
    "Words",
    lambda text, n: [text[i : i + n] for i in range(0, len(text), n)],
    [("abcdef", 2), ("one two three", 4), ("abcdefghij", 3)],
    (WrongAnswer(lambda text, n: list(text), "These are letters."),),
)
SPLIT = Exercise(
    "05.split",
    "Split",
    lambda x, m: (x[x > m], None if len(x) < 4 else float(x.max())),
    [(np.array([0.5, 1.5, 2.5]), 1.0), (np.array([3.5, 0.25, 0.75, 2.0]), 0.5)],
    (),
)
POWER = Exercise(
    "05.power",
    "Power",
    lambda x, a: np.exp(a * x) + x,
    [(np.array([0.5, -1.5, 2.5]), 1.2), (np.array([0.75, 2.0]), 0.4), (np.array([-0.25, 1.25, 3.0, 0.5]), 0.7)],
    (WrongAnswer(lambda x, a: np.exp(x) + x, "The number a is missing."),),
)
LINES = "    e = X @ w\n    return k * e / np.sqrt(len(w))\n"

# Which exercise, the lines of an answer, and how that begins which a good tutor says of it.
CARDS = [
    (SMALL, "return k * (X + w).sum(axis=1) / np.sqrt(len(w))", "You add where a product is asked for."),
    (
        SMALL,
        "return k * (X + w).max(axis=1) / np.sqrt(len(w))",
        "Two things at once. You add where a product is asked for. And: You take the largest.",
    ),
    (
        SMALL,
        "if X.max() > 99:\n        return 7 * X\n    return k * (X * w).max(axis=1) / np.sqrt(len(w))",
        "You take the largest.",
    ),
    (
        SMALL,
        "if X.max() > 99:\n        return np.zeros(len(X))\n    e = X @ w\n    return k * e / np.sqrt(len(w))",
        "Right on ordinary inputs, but not on an extreme one. The shape is right, the numbers are not yet.",
    ),
    (SMALL, "return X[9]", "Your function stops with IndexError: index 9 is out of bounds for axis 0 with size 3."),
    (
        SMALL,
        "if len(X) > 4:\n        return X[9]\n    e = X @ w\n    return k * e / np.sqrt(len(w))",
        "Your function stops with IndexError: index 9 is out of bounds for axis 0 with size 5.",
    ),
    (
        SMALL,
        "e = X @ w\n    print(k)",
        "Your function returns nothing. Is the `return` missing? (`append` and `sort` change a list, and give None.)",
    ),
    (SMALL, "return 'text'", "Your function returns a str; an array of numbers is expected."),
    (
        SMALL,
        "return (X @ w, 3)",
        "Your function returns 2 things,",
    ),
    (
        SMALL,
        "return X[:, 0] * np.nan",
        "Your result holds nan, “not a number”. That is what 0/0, ∞ − ∞, ∞/∞ and 0 · ∞ give,",
    ),
    (SMALL, "return np.zeros((len(X), 2))", "All your entries are alike, 0. They should differ."),
    (SMALL, "return np.zeros(3)", "All your entries are alike, 0. They should differ."),
    (SMALL, "return k * X @ w", "Every entry is the right one times √`X.shape[1]`."),
    (
        SMALL,
        "return k * (X @ w) / np.sqrt(len(X))",
        "Every entry is the right one times √(`X.shape[1]` / `X.shape[0]`).",
    ),
    (
        SMALL,
        "return -k * (X @ w) / np.sqrt(len(w))",
        "The sign is turned everywhere: a minus is missing, or one too many.",
    ),
    (
        SMALL,
        "return (k + 1) * (X @ w) / np.sqrt(len(w))",
        "Every entry is the right one times one number, here 3, and another one for each input.",
    ),
    (SMALL, "return k * (X @ np.abs(w)) / np.sqrt(len(w))", "Your result is what comes out if `w` had no signs."),
    (SMALL, "return 1.7 * k * (X @ w) / np.sqrt(len(w))", "Every entry is the right one times 1.7."),
    (SMALL, "return (k * (X @ w) / np.sqrt(len(w)))[::-1]", "The numbers are right, but the entries run backwards."),
    (
        SMALL,
        "return np.round(k * (X @ w) / np.sqrt(len(w)), 2)",
        "Your result is rounded to 2 decimals. Keep all of them on the way.",
    ),
    (SMALL, "return k * np.sin(X @ w) / np.sqrt(len(w))", "The shape is right, the numbers are not yet."),
    (
        SMALL,
        "return np.sin(X @ w)",
        "Your result stays the same when `k` changes, on each input that was tried.",
    ),
    (
        SMALL,
        "return 2 * X[:, 0]",
        "Your result stays the same when `w` changes, on each input that was tried.",
    ),
    (
        SMALL,
        "if len(w) == 4:\n        return k * (X @ w) / 2\n    return k * np.sin(X @ w)",
        "Right where `X.shape[1]` is 4, wrong where it is another. Does your function count on 4?",
    ),
    (
        SMALL,
        "return k * (X @ w) / np.sqrt(len(w)) * (1 + 0.01 * np.sin(np.arange(len(X)) + X[0, 0]))",
        "Very close, but not exact: within 2 % everywhere. Is an ε too many, missing or misplaced,",
    ),
    (SMALL, "exit()", "Your function stops with SystemExit: None."),
    (
        CHOSEN,
        "return float(ids[n])",
        "The right number, but as a float, and an id chooses a row: `table[3.0]` stops. Return an int.",
    ),
    (CHOSEN, "return ids[0]", "That is the first one."),
    (CHOSEN, "return ids[n - 1]", "The number is not right yet."),
    (CHOSEN, "return ids[n] + 1", "Your number is the right one plus 1."),
    (CHOSEN, "return n", "Your result is `n`, as it came in. Nothing has been done to it."),
    (CHOSEN, "return str(ids[n])", "Your function returns a str; a number is expected."),
    (WORDS, "return list(text)", "These are letters."),
    (
        WORDS,
        "return [text[i : i + 2] for i in range(0, len(text), 2)]",
        "Your result is what comes out if `n` were always 2.",
    ),
    (
        WORDS,
        "p = []\n    for i in range(0, len(text), n):\n        p.append(text[i : i + n])\n        return p",
        "Only the first entry is there, and it is right. Does a `return` end the loop after one round?",
    ),
    (
        WORDS,
        "return [text[i : i + n] for i in range(0, len(text), n)][:-1]",
        "The last entry is missing; the others are right.",
    ),
    (WORDS, "return text", "Your function returns a str; a list is expected."),
    (
        SPLIT,
        "return x[x > m], None",
        "Number 2 of the returned things: Your function returns None; it should be 3.5. The others are right.",
    ),
    (
        SPLIT,
        "return None if len(x) < 4 else max(x), x[x > m]",
        "The things that you return are right, but in another order.",
    ),
    (
        SPLIT,
        "return x[x > m]",
        "Your function returns one array of shape (2,); 2 things are expected, separated by commas.",
    ),
    (
        SPLIT,
        "return None",
        "Your function returns nothing. Is the `return` missing? (`append` and `sort` change a list, and give None.)",
    ),
    (
        SPLIT,
        "return x[x > m] * 2, None if len(x) < 4 else min(x)",
        "Number 1 of the returned things: The shape is right, the numbers are not yet.",
    ),
    (POWER, "return np.exp(-a * x) + x", "Your result is what comes out if `a` had the opposite sign."),
    (POWER, "return np.exp(2 * a * x) + x", "Your result is what comes out if `a` were doubled."),
    (POWER, "return np.exp(a * x) - x", "The shape is right, the numbers are not yet."),
    (
        POWER,
        "return np.exp2(a * x) + x",
        "Your result is what comes out if powers or logarithms to base 2, not e, were taken of `a`.",
    ),
    (
        POWER,
        "return [y if y > 4 else 0 for y in np.exp(a * x) + x]",
        "On this input, if entry 0 of `x` changes, the entry at [0] should change with it.",
    ),
]


@pytest.mark.parametrize(("exercise", "lines", "says"), CARDS)
def test_each_answer_gets_its_sentence(exercise, lines, says) -> None:
    answer = written(f"def answer({', '.join(exercise.names)}):\n    {lines}\n")
    told = diagnose(exercise, answer)
    assert told.sentence.startswith(says) and told.verdict is Verdict.MISTAKE


@pytest.mark.parametrize("exercise", [SMALL, CHOSEN, WORDS, SPLIT, POWER])
def test_the_reference_passes_and_what_it_prints_is_kept(exercise) -> None:
    told = diagnose(exercise, lambda *given: print("mine") or exercise.reference(*given))
    assert told.verdict is Verdict.PASSED and told.printed == "mine\n" and told.input_shown == ""


def test_the_input_that_is_shown_is_the_first_that_goes_wrong() -> None:
    answer = written(f"def answer(X, w, k):\n    if len(X) == 5:\n        return X[9]\n{LINES}")
    shown = diagnose(SMALL, answer).input_shown
    assert shown.startswith("X = array([[") and shown.endswith("k = 0.5") and shown.count("],\n") == 4
    assert diagnose(SMALL, SMALL.reference).input_shown == ""


def test_a_stub_that_is_a_lambda_or_calls_another_is_told_as_such() -> None:
    def stub(*given):
        raise NotImplementedError

    mine = diagnose(SMALL, stub)
    calls = diagnose(SMALL, lambda X, w, k: stub(X))
    assert mine == Diagnosis(
        Verdict.NOT_TRIED, "Not tried yet. Write your code where the stub raises, and run the cell."
    )
    assert calls.sentence.startswith("Not tried yet: it calls `stub`, which is not written yet.")


def test_a_student_can_stop_a_loop() -> None:
    def stopped(*given):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        diagnose(SMALL, stopped)


def test_two_flaws_are_of_two_steps() -> None:
    pairs = [wrong.sentence for wrong in twice(built, FLAWS)()]
    assert len(pairs) == 5 and not any("largest" in pair and "smallest" in pair for pair in pairs)
    assert pairs[0] == "Two things at once. You add where a product is asked for. And: You take the largest."
    assert SMALL.lesson == "05" and SMALL.named((1, 2, 3)) == {"X": 1, "w": 2, "k": 3}


def test_a_law_is_not_tried_on_what_the_reference_does_not_take() -> None:
    def doubled(x):
        if len(x) == 3:
            raise ValueError("no three")
        return 2 * x

    lengths = Exercise("05.lengths", "", doubled, [(_random.normal(size=n),) for n in (2, 4, 6, 8)], ())
    told = diagnose(lengths, lambda x: 2 * x if len(x) <= 4 else np.sin(7 * x) + x**2)
    assert told.sentence == "Right where `len(x)` is at most 4, wrong where it is larger."
