"""Whatever is handed to `check`, it gives a card, in time, and leaves everything else as it was."""

from __future__ import annotations

import decimal
import fractions
import itertools
import os
import random
import sys
import time
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from utils.course.exercises import EXERCISES, check
from utils.course.exercises.asking import MORE_CALLS, SECOND_CALLS

pytestmark = pytest.mark.usefixtures("progress")
NAMES = ("06.softmax_gradient", "02.merge")
SECONDS = 2.0  # that a card may take beyond the student's own calls


class RaisesOnTouch:
    """An object of which nothing can be asked."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __repr__(self) -> str:
        raise RuntimeError("repr")

    def __len__(self) -> int:
        raise RuntimeError("len")


class Array:
    """What says that it can be an array, and then ends the program."""

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        sys.exit("array")


class Unreadable(Exception):
    def __str__(self) -> str:
        sys.exit("str")


def nested(deep: int) -> list[Any]:
    made: list[Any] = [1.0]
    for _ in range(deep):
        made = [made]
    return made


def in_itself() -> list[Any]:
    made: list[Any] = [1.0]
    made.append(made)
    return made


RETURNED = [
    lambda: np, MagicMock, lambda: nested(3000), in_itself, RaisesOnTouch, Array, lambda: {"a": RaisesOnTouch()},
    itertools.count, lambda: np.broadcast_to(0.0, (10**6, 10**6)), lambda: [0.0] * 10**6, lambda: "x" * 10**6,
    lambda: 10**9999, lambda: np.array([RaisesOnTouch(), 1], dtype=object), lambda: fractions.Fraction(10**400, 1),
    lambda: decimal.Decimal("NaN"), lambda: np.zeros(3, dtype=[("a", "f8")]), lambda: np.datetime64("2020-01-01"),
    lambda: range(10**12), lambda: {1, 2}, lambda: lambda: 3, lambda: NotImplemented, lambda: b"bytes",
    lambda: np.ma.array([1.0, 2.0], mask=[True, False]), lambda: [np.nan], lambda: np.zeros((2,) * 5),
    lambda: [[1], [1, 2]], lambda: [], lambda: np.zeros((0, 3)), lambda: 1j, lambda: None, lambda: True,
]  # fmt: skip
RAISED = [
    SystemExit(3), GeneratorExit(), Unreadable(), StopIteration(2), MemoryError(), RecursionError(), KeyError(("a", 1)),
    UnicodeDecodeError("utf8", b"x", 0, 1, "r"), Exception(), BaseException("own"),
]  # fmt: skip


def state(folder: Path) -> dict[str, Any]:
    """What must be the same before and after, whatever was handed in."""
    return {
        "files": sorted(path.name for path in folder.iterdir() if not path.name.startswith("progress")),
        "environment": dict(os.environ) | {"PYTEST_CURRENT_TEST": ""},
        "NumPy": (np.geterr(), np.random.get_state()[1].tolist()),
        "Python": (os.getcwd(), random.getstate(), sys.getrecursionlimit(), list(warnings.filters), list(sys.path)),
    }


def outcome(error: BaseException | None, made: Any = None) -> Any:
    if error is not None:
        raise error
    return made()


@pytest.mark.parametrize("name", NAMES)
def test_check_gives_feedback_on_anything_returned_or_raised(name: str, tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    exercise = EXERCISES[name]
    most = (len(exercise.inputs) + len(exercise.extremes)) * (1 + SECOND_CALLS) + MORE_CALLS
    for error, made in [*((None, made) for made in RETURNED), *((error, None) for error in RAISED)]:
        calls, seconds = 0, 0.0

        def answer(*_: Any, error: Any = error, made: Any = made) -> Any:
            nonlocal calls, seconds
            calls, begun = calls + 1, time.perf_counter()
            try:
                return outcome(error, made)
            finally:
                seconds += time.perf_counter() - begun

        before, begun = state(tmp_path), time.process_time()
        said = repr(check(name, answer))
        assert time.process_time() - begun - seconds < SECONDS and calls <= most, said
        assert ": passed" not in said and len(said) < 30_000
        assert state(tmp_path) == before and capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "make", [lambda: np, lambda: 3, lambda: None, lambda: "name", RaisesOnTouch, Array, lambda: int, MagicMock]
)
def test_check_gives_feedback_on_anything_that_is_not_an_answer(make: Any) -> None:
    assert repr(check(NAMES[0], make()))
