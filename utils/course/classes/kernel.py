"""What stands in the place of `utils.course.exercises` where students' notebooks are run for marks: it knows no answer.

`check` asks the judge, a process outside the sandbox, which sends inputs and gets back what the answer makes of them,
as JSON. Run as a program, it lets Otter run one notebook: `python kernel.py ROOM SECONDS_A_CELL MEMORY`.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import gc
import importlib
import json
import os
import pickle
import signal
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COURSE = str(Path(__file__).resolve().parents[3])


class _Judge:
    """The way to the judge, and what has been asked."""

    def __init__(self) -> None:
        from multiprocessing.connection import Client

        room = os.environ["COURSE_ROOM"]
        self.job = json.loads(Path(room, "job.json").read_text(encoding="utf-8"))
        self.line = Client(os.path.relpath(Path(room, "judge")), "AF_UNIX")
        self.asked: dict[str, tuple[Any, Any, bool]] = {}  # the answer, what its function's name stood for, the verdict
        self.errors: list[tuple[str, str]] = []  # the cells that stopped, and what they said

    def ask(self, name: str, answer: Any, names: dict[str, Any]) -> bool:
        """Let the judge ask `answer`; returns whether it passes."""
        from utils.course.exercises.asking import run
        from utils.course.exercises.results import plain

        one = self.job["exercises"][name]
        before = self.asked.get(name)
        if before and before[0] is answer:
            self.asked[name] = (answer, names.get(one["function"]), before[2])
            return before[2]
        with _without_courses(one["allowed"], one["torch"] and one["function"]):
            used = self._said({"ask": name})["used"]
            with contextlib.suppress(Exception):  # it goes on as it is
                answer_used = used(answer) if used else answer
            said: Any = {"callable": callable(answer_used), "value": pack(plain(answer_used))}
            while "inputs" in (asked := self._said(said)):
                signal.setitimer(signal.ITIMER_REAL, self.job["seconds"], 1.0)
                try:
                    done = run(answer_used, asked["inputs"])
                    error = done.error and [type(done.error).__name__, _text(done.error)]
                    said = {"value": pack(done.value), "error": error, "changed": done.changed_inputs}
                    said["printed"] = done.printed
                except TimeoutError:
                    said = {"error": ["TimeoutError", ""]}
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
        self.asked[name] = (answer, names.get(one["function"]), asked["passed"])
        return asked["passed"]

    def _said(self, message: Any) -> Any:
        self.line.send_bytes(json.dumps(message).encode())
        return pickle.loads(self.line.recv_bytes())  # the judge is trusted here; there, this process is not

    def hand_over(self, names: dict[str, Any]) -> None:
        """Ask for all that `check` was not called with, or that has been written again since."""
        for name, one in self.job["exercises"].items():
            now, before = names.get(one["function"]), self.asked.get(name)
            courses = str(getattr(now, "__module__", "")).startswith(("utils.", "lessons."))
            if before is None and one["function"] not in names:
                said = [error for cell, error in self.errors if one["function"] in cell]
                self._said({"missing": name, "said": f" Its cell stopped: {said[-1]}" if said else ""})
            elif before is None or (now is not before[1] and not courses):
                self.ask(name, now, names)
        self._said({"done": True})


@functools.cache
def _judge() -> _Judge:
    signal.signal(signal.SIGALRM, _too_long)
    judge = _Judge()
    _shell().events.register("post_run_cell", functools.partial(_note, judge))
    return judge


def _too_long(*_: Any) -> None:
    raise TimeoutError


def _note(judge: _Judge, result: Any) -> None:
    if error := result.error_before_exec or result.error_in_exec:
        judge.errors.append((str(result.info.raw_cell), f"{type(error).__name__}: {_text(error)[:200]}"))


def _shell() -> Any:
    from IPython import get_ipython

    return get_ipython()


def _text(error: BaseException) -> str:
    try:
        return str(error)[:2000]
    except BaseException:
        return "it has a message that can't be read"


def pack(value: Any) -> Any:
    """Return plain data as JSON can write it."""
    import numpy as np

    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, np.ndarray | np.generic):
        array = np.ascontiguousarray(value)
        return {"array": [array.dtype.str, np.shape(value), base64.b64encode(array.tobytes()).decode()]}
    if isinstance(value, dict):
        return {"dict": [[pack(key), pack(part)] for key, part in value.items()]}
    for kind in (list, tuple, set):
        if isinstance(value, kind):
            return {kind.__name__: [pack(part) for part in value]}
    return {"complex": [value.real, value.imag]} if isinstance(value, complex) else {"opaque": str(value)[:200]}


# --- the course's own functions, which are no answers ---


def _refused(*_: Any, **__: Any) -> Any:
    from utils.course.exercises.words import FindingError

    raise FindingError("Your function uses the course's own `{}`. Write it yourself.")


def _is_of_course(function: Any, but: str = "utils/course/") -> bool:
    name = getattr(getattr(function, "__code__", None), "co_filename", "")
    return name.startswith(f"{COURSE}/") and not name.startswith(f"{COURSE}/{but}")


def _with_what_it_calls(functions: list[Any]) -> set[int]:
    """Return the ids of functions of the course and of those that they call."""
    found: set[int] = set()
    while functions:
        one = functions.pop()
        if isinstance(one, type):
            functions += [part for part in vars(one).values() if isinstance(part, types.FunctionType)]
        elif isinstance(one := getattr(one, "__wrapped__", one), types.FunctionType) and id(one) not in found:
            found.add(id(one))
            functions += [one.__globals__[name] for name in one.__code__.co_names if name in one.__globals__]
    return found


@contextlib.contextmanager
def _without_courses(allowed: list[list[str]], own: str) -> Iterator[None]:
    """Let the course's functions refuse to work, but for `allowed`, with `own` all of minimal.py but what is so called.

    They are found wherever they were imported to, and no more of the course can be imported meanwhile.
    """
    kept = [getattr(importlib.import_module(module), name) for module, name in allowed]
    if own:
        importlib.import_module("utils.models.minimal")
    ids, changed = _with_what_it_calls(kept), []
    for function in [one for one in gc.get_objects() if isinstance(one, types.FunctionType)]:
        code, (first, *_) = function.__code__, function.__qualname__.split(".")
        minimal = own and code.co_filename.endswith("/models/minimal.py")
        free = minimal and (first != own or function.__name__ == "__init__")
        if _is_of_course(function) and not free and id(function) not in ids and not code.co_freevars:
            says = [text.format(first) if isinstance(text, str) else text for text in _refused.__code__.co_consts]
            changed.append((function, code))
            function.__code__ = _refused.__code__.replace(co_consts=tuple(says))
    sys.meta_path.insert(0, _NoMore)
    try:
        yield
    finally:
        sys.meta_path.remove(_NoMore)
        for function, code in changed:
            function.__code__ = code


class _NoMore:
    """Finds no further module of the course."""

    @staticmethod
    def find_spec(name: str, *_: Any) -> None:
        if name.startswith(("utils.", "lessons.")) and not name.startswith("utils.course."):
            _refused.__globals__["_refuse_module"](name)


def _refuse_module(name: str) -> None:
    from utils.course.exercises.words import FindingError

    raise FindingError(f"Your function uses the course's own `{name}`. Write it yourself.")


# --- what notebooks call ---


def check(name: str, answer: Any) -> None:
    """Ask the judge, who keeps the verdict."""
    if name in EXERCISES:
        _judge().ask(name, answer, _shell().user_ns)


def require(name: str, answer: Any) -> None:
    """Do as `check`."""
    check(name, answer)


def judged(exercise: Any, answer: Any) -> Any:
    """Return the verdict alone: `best_of` puts the course's part where a student's isn't right."""
    passed = _judge().ask(exercise.name, answer, _shell().user_ns)
    return types.SimpleNamespace(verdict=Verdict.PASSED if passed else Verdict.MISTAKE)


def hand_over(names: dict[str, Any]) -> None:
    """End the notebook: the judge asks what is left."""
    _judge().hand_over(names)


def _run_notebook(room: str, seconds_a_cell: str, memory: str) -> None:
    """Let Otter run the notebook in `room`, with a limit for each cell and for each process."""
    import resource

    import nbconvert.preprocessors
    from otter.execute import grade_notebook
    from traitlets import Bool, Integer

    class Limited(nbconvert.preprocessors.ExecutePreprocessor):
        timeout = Integer(int(seconds_a_cell))
        interrupt_on_timeout = Bool(True)

    nbconvert.preprocessors.ExecutePreprocessor = Limited
    limits = {"AS": int(memory), "FSIZE": 64 << 20, "NPROC": 400, "CORE": 0}
    for name, most in limits.items():
        with contextlib.suppress(ValueError, OSError):  # macOS knows some of them only by name
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
    grade_notebook(str(Path(room, "notebook.ipynb")), tests_glob=[str(Path(room, "test.py"))], test_dir=room)


if __name__ == "__main__":
    _run_notebook(*sys.argv[1:])
else:
    from utils.course.exercises.diagnosis import Verdict

    _names = json.loads(Path(os.environ["COURSE_ROOM"], "job.json").read_text(encoding="utf-8"))["exercises"]
    EXERCISES = {name: types.SimpleNamespace(name=name, lesson=name.split(".")[0]) for name in _names}
