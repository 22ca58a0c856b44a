"""The whole card of small exercises: which of all that can be said of an answer is said, and what goes with it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from tests.course.test_changes import written
from tests.recorded import AGAIN, recorded
from utils.course.exercises.exercise import Diagnosis, Exercise, Flaw, Verdict, WrongAnswer, diagnose, flawed
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
ANSWERS: dict[str, tuple[Exercise, list[str]]] = {
    "small": (
        SMALL,
        [
            LINES,
            "    print('first', k)\n" + LINES,
            "    print('not yet')\n    raise NotImplementedError\n",
            "    print('in place')\n    X *= k\n    return (X @ w) / np.sqrt(len(w))\n",
            "    return k * (X + w).sum(axis=1) / np.sqrt(len(w))\n",
            "    return k * (X * w).max(axis=1) / np.sqrt(len(w))\n",
            "    if X.max() > 99:\n        return 7 * X\n    return k * (X * w).max(axis=1) / np.sqrt(len(w))\n",
            "    return k * (X + w).max(axis=1) / np.sqrt(len(w))\n",
            "    return k * (X * w).min(axis=1) / len(w)\n",
            "    if X.max() > 99:\n        return np.zeros(len(X))\n" + LINES,
            "    if X.max() > 99:\n        return X[5]\n" + LINES,
            "    if X.max() > 99:\n        return X[0] * np.nan\n" + LINES,
            "    return X[9]\n",
            "    if len(X) == 3:\n        return X[9]\n" + LINES,
            "    if len(X) > 4:\n        return X[9]\n" + LINES,
            "    if len(X) > 4:\n        return X[9]\n    return k * (X @ w)\n",
            "    if len(X) > 4:\n        return X[9]\n    return np.tan(X @ w * k) * w[0] ** 2\n",
            "    e = X @ w\n    print(k)\n",
            "    return 'text'\n",
            "    return (X @ w, 3)\n",
            "    return X[:, 0] * np.nan\n",
            "    return np.zeros((len(X), 2))\n",
            "    return (X.T[:, :2] + k ** 2).tolist()\n",
            "    if len(X) == 4:\n        return np.sin(X)\n    return np.cos(X @ w)\n",
            "    return np.zeros(3)\n",
            "    return k * X @ w\n",
            "    return k * (X @ w) / np.sqrt(len(X))\n",
            "    return k * (X @ w) * np.sqrt(len(w))\n",
            "    return -k * (X @ w) / np.sqrt(len(w))\n",
            "    return (k + 1) * (X @ w) / np.sqrt(len(w))\n",
            "    return 1.7 * k * (X * w).max(axis=1) / np.sqrt(len(w))\n",
            "    return (k ** 2) * (X * w).max(axis=1) / np.sqrt(len(w))\n",
            "    return (k ** 2) * (X * w).max(axis=1)[::-1] / np.sqrt(len(w))\n",
            "    return 3 * np.exp(X @ (w + 1)) - k\n",
            "    return np.sin(X @ w)\n",
            "    return k ** 3 * np.sin(X[:, 0] * w[0])\n",
            "    return k * np.sin(X @ w) / np.sqrt(len(w))\n",
            "    if len(w) == 4:\n        return k * (X @ w) / 2\n    return k * np.sin(X @ w)\n",
            "    if len(X) == len(w):\n        return k * (X @ w) / 2\n    return np.tan(X @ w + k * w[0])\n",
            "    return k * (X @ w) / np.sqrt(len(w)) * (1 + 0.01 * np.sin(np.arange(len(X)) + X[0, 0]))\n",
            "    return k * (X @ w) / np.sqrt(len(w)) + np.cumsum(X @ w ** 2)\n",
            "    return k * (X @ w) / np.sqrt(len(w)) * (len(X) != 5) + (len(X) == 5) * 0.3 * np.arange(len(X))\n",
            "    return np.round(k * (X @ w) / np.sqrt(len(w)), 2)\n",
            "    exit()\n",
        ],
    ),
    "hidden": (  # the code can't be read, so that the numbers alone tell
        SMALL,
        [
            "    return 1.7 * k * (X * w).max(axis=1) / np.sqrt(len(w))\n",
            "    return k * (X * w).max(axis=1) / np.sqrt(len(w)) + 2\n",
            "    return k * (X * w).max(axis=1)[::-1] / np.sqrt(len(w))\n",
            "    return (k + len(X)) * (X * w).max(axis=1)\n",
            "    return k * (X * w ** 2).max(axis=1) / np.sqrt(len(w))\n",
            "    return k * (X @ w ** 2) / np.sqrt(len(w))\n",
            "    return (k * (X @ abs(w)) / np.sqrt(len(w))) ** 2\n",
            "    return k * (X * w).max(axis=1) / len(w)\n",
            "    return k * (X @ w) / np.sqrt(len(w)) * (1 + 0.01 * np.sin(np.arange(len(X)) + X[0, 0]))\n",
            "    return k * (X @ w) / np.sqrt(len(w)) + np.sin(X @ w)\n",
            "    S = k * (X @ w) / np.sqrt(len(w))\n    return S[::-1] if X[0, 0] < -0.5 else S\n",
            "    if X.max() > 99:\n        return np.zeros(len(X))\n" + LINES,
            "    if X.max() > 99:\n        return X[0, :2] * np.nan\n" + LINES,
            "    if X.max() > 99:\n        return X[5]\n" + LINES,
            "    if len(X) > 4:\n        return X[9]\n" + LINES,
            "    if len(X) > 4:\n        return X[9]\n    return k * (X @ w ** 2) / np.sqrt(len(w))\n",
        ],
    ),
    "chosen": (
        CHOSEN,
        [
            "    return ids[n]\n",
            "    print('as a float')\n    return float(ids[n])\n",
            "    return ids[0]\n",
            "    return ids[n - 1]\n",
            "    return ids[n] + 1\n",
            "    return max(ids)\n",
            "    return n\n",
            "    return 8\n",
            "    return str(ids[n])\n",
            "    return [ids[n]]\n",
            "    return ids[n + 1]\n",
            "    return ids[n] + 0.5\n",
        ],
    ),
    "power": (
        POWER,
        [
            "    return np.exp(-a * x) + x\n",
            "    return np.exp(2 * a * x) + x\n",
            "    return np.exp(a * x) - x\n",
            "    return np.exp2(a * x) + x\n",
            "    return 3 * (np.exp(x) + x)\n",
            "    return np.exp(x) + a\n",
            "    return np.exp(a * a * x) * 1.5 + x * 1.5\n",
            "    y = np.exp(a * x) + x\n    return y / (a - 0.4)\n",
            "    return [y if y > 4 else 0 for y in np.exp(a * x) + x]\n",
            "    return (np.exp(a * x) + x).astype(np.float32) * (1 + 1e-3)\n",
        ],
    ),
    "words": (
        WORDS,
        [
            "    return [text[i : i + n] for i in range(0, len(text), n)]\n",
            "    return list(text)\n",
            "    return [text[i : i + n] for i in range(0, len(text))]\n",
            "    return [text[i : i + 2] for i in range(0, len(text), 2)]\n",
            "    p = []\n    for i in range(0, len(text), n):\n        p.append(text[i : i + n])\n        return p\n",
            "    return [text[i : i + n] for i in range(0, len(text), n)][:-1]\n",
            "    return [text[i : i + n][::-1] for i in range(0, len(text), n)]\n",
            "    return tuple(text)[::n]\n",
            "    return text\n",
            "    return [3] * n\n",
            "    return text.split()\n",
        ],
    ),
    "split": (
        SPLIT,
        [
            "    return x[x > m], None if len(x) < 4 else max(x)\n",
            "    return x[x > m], None\n",
            "    return x[x > m], max(x)\n",
            "    return None if len(x) < 4 else max(x), x[x > m]\n",
            "    return x[x < m], None if len(x) < 4 else max(x)\n",
            "    return x[x > m] * 1.01, None if len(x) < 4 else max(x) * 1.01\n",
            "    return x[x > m]\n",
            "    return None\n",
            "    return x[x > m], None, 3\n",
            "    return x[x > m] * 2, None if len(x) < 4 else min(x)\n",
        ],
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_each_answer_gets_the_card_that_was_read(name: str) -> None:
    exercise, bodies = ANSWERS[name]
    start = f"def answer({', '.join(exercise.names)}):\n"
    now = []
    for body in bodies:
        answer = written(start + body)
        shown = (lambda *given, answer=answer: answer(*given)) if name == "hidden" else answer
        told = dataclasses.asdict(diagnose(exercise, shown)) | {"input_shown": ""}
        if name == "hidden":
            told["details"] = ""  # a line of this file
        now.append([body, told.pop("verdict").value, *told.values()])
    assert now == recorded(now, Path(__file__).with_name("diagnosis") / f"{name}.json"), AGAIN


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
