"""Hostile and clumsy answers, handed to `check` one after the other: `python -m tests.course.hostile FOLDER [browser]`.

Prints as JSON what went wrong, for each answer that did. "browser": without what a browser lacks, threads and signals.
"""

from __future__ import annotations

import decimal
import fractions
import gc
import io
import itertools
import json
import os
import random
import re
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np

Function = Callable[..., Any]
NAMES = ("06.softmax_gradient", "02.merge", "18b.skipped", "16.look_back", "11.shift")
SECONDS = 2.0  # that a card may take beyond the student's own calls

# What a student's notebook holds, which a check must leave as the student's own calls leave it.
history: list[Any] = []
cache: dict[Any, Any] = {"mine": 1}
DRY, SAVE = True, False


class RaisesOnTouch:
    """An object of which nothing can be asked."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("eq")

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        raise RuntimeError("repr")

    def __len__(self) -> int:
        raise RuntimeError("len")

    def __bool__(self) -> bool:
        raise RuntimeError("bool")


class Array:
    """What says that it can be an array, and then ends the program."""

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        sys.exit("array")


class Text(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("eq")

    __hash__ = str.__hash__


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


def raising(error: BaseException) -> Function:
    def answer(*_: Any) -> Any:
        raise error

    return answer


RETURNED: list[Callable[[], Any]] = [
    lambda: np, MagicMock, lambda: MagicMock(spec=np.ndarray), lambda: nested(3000), in_itself, RaisesOnTouch, Array,
    lambda: [RaisesOnTouch()], lambda: {"a": RaisesOnTouch()}, lambda: itertools.count(), lambda: (x for x in "ab"),
    lambda: np.broadcast_to(0.0, (10**6, 10**6)), lambda: [0.0] * 10**6, lambda: "x" * 10**6, lambda: 10**9999,
    lambda: np.array([RaisesOnTouch(), 1], dtype=object), lambda: np.array(["a", 1], dtype=object), lambda: Text("ab"),
    lambda: fractions.Fraction(1, 3), lambda: decimal.Decimal("NaN"), lambda: fractions.Fraction(10**400, 1),
    lambda: np.zeros(3, dtype=[("a", "f8")]), lambda: np.datetime64("2020-01-01"), lambda: range(10**12),
    lambda: {1, 2}, lambda: type, lambda: lambda: 3, lambda: NotImplemented, lambda: ..., lambda: b"bytes",
    lambda: memoryview(b"ab"), lambda: np.ma.array([1.0, 2.0], mask=[True, False]), lambda: np.matrix([[1.0]]),
    lambda: float("nan"), lambda: "text", lambda: [np.nan], lambda: np.zeros((2,) * 5), lambda: np.array("x"),
    lambda: [[1], [1, 2]], lambda: [], lambda: np.zeros((0, 3)), lambda: 1j, lambda: None, lambda: True,
]  # fmt: skip
RAISED: list[BaseException] = [
    SystemExit(3), GeneratorExit(), Unreadable(), StopIteration(2), MemoryError(), RecursionError(), KeyError(("a", 1)),
    UnicodeDecodeError("utf8", b"x", 0, 1, "r"), ZeroDivisionError(), Exception(), BaseException("own"),
]  # fmt: skip


def answers(reference: Function) -> Iterator[tuple[str, Any]]:
    """Each answer with what it is: what is no function, what returns or raises odd things, and what does things."""
    for i, given in enumerate((np, 3, None, "name", RaisesOnTouch(), Array(), int, print, MagicMock(), reference)):
        yield f"handed over {i}", given
    for i, made in enumerate(RETURNED):
        yield f"returns {i}", lambda *_, made=made: made()
    for i, error in enumerate(RAISED):
        yield f"raises {i}", raising(error)
    yield from doing(reference).items()


def doing(reference: Function) -> dict[str, Function]:
    """Answers that do something besides, or only under a condition that does not hold."""

    def appends(*given: Any) -> Any:
        history.append(1)
        return wrong(*given)

    def careful(*given: Any) -> Any:
        if not DRY:
            cache.clear()
            Path("mine.txt").unlink()
            np.exp = np.sin
            os._exit(3)
        if SAVE:
            Path("saved.txt").write_text("x")
        return wrong(*given)

    def recurses(*given: Any) -> Any:
        return recurses(*given)

    def prints(*given: Any) -> Any:
        print("x" * 10**6)
        return wrong(*given)

    def sleeps(*given: Any) -> Any:
        time.sleep(0.02)
        return wrong(*given)

    def warns(*given: Any) -> Any:
        warnings.warn("beware", stacklevel=1)
        return wrong(*given)

    def spoils(*given: Any) -> Any:
        for value in given:
            if isinstance(value, np.ndarray):
                value[...] = 0
            elif isinstance(value, list):
                value.clear()
        return 0

    async def waits(*given: Any) -> Any:
        return 3

    def wrong(*given: Any) -> Any:
        right = reference(*given)
        return np.asarray(right) * 1.5 + 0.25 if isinstance(right, np.ndarray | float) else [right]

    same = (appends, careful, recurses, prints, sleeps, warns, spoils, waits)
    return {function.__name__: function for function in same}


def state(folder: Path) -> dict[str, Any]:
    """What must be the same before and after, whatever was handed in."""
    return {
        "files": sorted((p.name, p.stat().st_size) for p in folder.iterdir() if not p.name.startswith(".progress")),
        "environment": dict(os.environ),
        "working folder": os.getcwd(),
        "threads": threading.active_count(),
        "numpy's errors": np.geterr(),
        "numpy's functions": (np.exp, np.sin),
        "numpy's random numbers": np.random.get_state()[1].tolist(),
        "random numbers": random.getstate(),
        "output": (sys.stdout, sys.stderr),
        "limit of recursion": sys.getrecursionlimit(),
        "filters of warnings": list(warnings.filters),
        "path": list(sys.path),
        "cache": dict(cache),
        "globals": sorted(globals().keys() - {"__warningregistry__"}),  # in which Python notes that it has warned
    }


def run(folder: Path) -> list[str]:
    """Check every answer; returns what went wrong."""
    from utils.course.exercises import EXERCISES, check
    from utils.course.exercises.asking import MORE_CALLS, SECOND_CALLS

    wrong = []
    for name in NAMES[:2] if "browser" in sys.argv else NAMES:
        exercise = EXERCISES[name]
        cases = len(exercise.inputs) + len(exercise.extremes)
        for what, answer in answers(exercise.reference):
            seconds, n_calls = 0.0, 0

            def counted(*given: Any, answer: Any = answer) -> Any:
                nonlocal seconds, n_calls
                n_calls, begun = n_calls + 1, time.perf_counter()
                try:
                    return answer(*given)
                finally:
                    seconds += time.perf_counter() - begun

            handed = counted if callable(answer) and not what.startswith("handed over") else answer
            before, begun, said = state(folder), time.process_time(), io.StringIO()
            history.clear()
            try:
                with redirect_stdout(said), redirect_stderr(said):
                    text = repr(check(name, handed))
            except BaseException as error:
                wrong.append(f"{name}, {what}: raised {type(error).__name__}: {error}"[:300])
                continue
            took = time.process_time() - begun - seconds
            changed = [key for key, value in state(folder).items() if value != before[key]]
            reasons = [f"changed {key}" for key in changed]
            reasons += [f"took {took:.1f} s"] * (took > SECONDS)
            reasons += [f"was called {n_calls} times"] * (n_calls > cases * (1 + SECOND_CALLS) + MORE_CALLS)
            reasons += ["did more than it was called"] * (len(history) > n_calls)
            reasons += [f"printed {said.getvalue()[:80]!r}"] * bool(said.getvalue())
            reasons += ["passed"] * (what.startswith("returns") and ": passed" in text)
            reasons += [f"a card of {len(text)} letters"] * (len(text) > 30_000)
            wrong += [f"{name}, {what}: {reason}" for reason in reasons]
    gc.collect()
    return wrong


def main() -> None:
    folder = Path(sys.argv[1])
    if "browser" in sys.argv:
        for name in ("signal", "resource", "subprocess", "multiprocessing"):
            sys.modules[name] = None  # type: ignore[assignment]
        threading.Thread.start = raising(RuntimeError("can't start new thread"))  # type: ignore[method-assign]
    os.chdir(folder)
    os.environ["COURSE_PROGRESS"] = str(folder / ".progress.json")
    (folder / "mine.txt").write_text("mine")
    wrong = run(folder)
    print(json.dumps({"answers": sum(1 for _ in answers(abs)), "wrong": wrong, "kilobytes": peak()}))


def peak() -> int | None:
    """Return the most memory that this process has had; None but on Linux.

    `resource` would count what the process that started this one had, too.
    """
    if sys.platform != "linux":
        return None
    return int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text("utf-8"))[1])


if __name__ == "__main__":
    main()
