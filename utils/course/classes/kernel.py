"""What stands in the place of `utils.course.exercises` where students' notebooks are run for marks: it knows no answer.

`check` asks the judge, a process outside the sandbox, which sends inputs and gets back what the answer makes of them,
as JSON. Run as a program, it lets Otter run one notebook: `python kernel.py ROOM SECONDS_A_CELL MEMORY`.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import json
import os
import pickle
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

ROOM = os.environ.get("COURSE_ROOM", "")


class _Judge:
    """The way to the judge, and what it has been asked."""

    def __init__(self) -> None:
        from multiprocessing.connection import Client

        self._line = Client(os.path.relpath(Path(ROOM, "judge")), "AF_UNIX")
        self._asked: dict[str, tuple[Any, Any, bool]] = {}  # the answer, what was called like its function, the verdict
        self._errors: list[tuple[str, str]] = []  # the cells that stopped, and what they said
        signal.signal(signal.SIGALRM, _too_long)
        _shell().events.register("post_run_cell", self._note)

    def _note(self, result: Any) -> None:
        if error := result.error_before_exec or result.error_in_exec:
            self._errors.append((str(result.info.raw_cell), f"{type(error).__name__}: {_text(error)[:200]}"))

    def _tell(self, message: Any) -> Any:
        self._line.send_bytes(json.dumps(message).encode())
        return pickle.loads(self._line.recv_bytes())  # this process trusts the judge, and not the other way round

    def ask(self, name: str, answer: Any, names: dict[str, Any]) -> bool:
        """Let the judge ask `answer`; returns whether it passes."""
        from utils.course.exercises.results import plain

        named, before = names.get(_JOB["exercises"][name]["function"]), self._asked.get(name)
        if before is None or before[0] is not answer:
            used = self._tell({"ask": name})["used"]
            own = used(answer) if used else answer
            said: dict[str, Any] = {"callable": callable(own), "value": pack(plain(own))}
            while "inputs" in (asked := self._tell(said)):
                said = _said_of(own, asked["inputs"], _Watch(answer, **_JOB["exercises"][name]))
            before = answer, named, asked["passed"]
        self._asked[name] = answer, named, before[2]
        return before[2]

    def hand_over(self, names: dict[str, Any]) -> None:
        """Ask for all that `check` was not called with, or that has been written again since."""
        for name, one in _JOB["exercises"].items():
            now, before = names.get(one["function"]), self._asked.get(name)
            if before is None and one["function"] not in names:
                stopped = [error for cell, error in self._errors if one["function"] in cell]
                self._tell({"missing": name, "said": f" Its cell stopped: {stopped[-1]}" if stopped else ""})
            elif before is None or (now is not before[1] and not _is_of_course(now)):
                self.ask(name, now, names)
        self._tell({"done": True})


def _said_of(answer: Any, inputs: tuple[Any, ...], watch: _Watch) -> dict[str, Any]:
    from utils.course.exercises.asking import run

    signal.setitimer(signal.ITIMER_REAL, _JOB["seconds"], 1.0)
    sys.setprofile(watch)
    try:
        done = run(answer, inputs)
    except TimeoutError:
        return {"error": ["TimeoutError", ""]}
    finally:
        sys.setprofile(None)
        signal.setitimer(signal.ITIMER_REAL, 0)
    error = done.error and [type(done.error).__name__, _text(done.error)]
    if watch.seen:
        error = ["of the course", watch.seen]
    return {"value": pack(done.value), "error": error, "changed": done.changed, "printed": done.printed}


def _too_long(*_: Any) -> None:
    raise TimeoutError


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


def _is_of_course(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).startswith(("utils.", "lessons."))


class _Watch:
    """Sees which function of the course an answer calls, wherever it was imported.

    Free are `allowed`, what shows, and with `torch` what the lesson's other parts stand in with.
    """

    def __init__(self, answer: Any, function: str, allowed: list[list[str]], torch: bool) -> None:
        self._function, self._allowed, self._torch = function, allowed, torch
        parts = [answer, getattr(answer, "func", None), *getattr(answer, "__mro__", ())]
        own = [part.__name__ for part in parts if _is_of_course(part) and hasattr(part, "__name__")]
        self.seen = next((name for name in own if not torch or name == function), "")

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code.co_name == "<module>" or not code.co_filename.startswith(_COURSES):
            return
        module, name = str(frame.f_globals.get("__name__")), code.co_qualname.split(".")[0]
        free = module.startswith(("utils.course.", "utils.show.")) or [module, name] in self._allowed
        stands_in = self._torch and module.startswith("utils.models.minimal") and name != self._function
        back = frame.f_back
        while back and back.f_code.co_filename.startswith((sys.prefix, sys.base_prefix, "<frozen")):
            back = back.f_back
        if back and not free and not stands_in and not back.f_code.co_filename.startswith((*_COURSES, _USES)):
            self.seen = self.seen or name


# --- what notebooks call ---


def check(name: str, answer: Any) -> None:
    """Let the judge ask `answer`, and keep the verdict."""
    if name in EXERCISES:
        _judge().ask(name, answer, _shell().user_ns)


def judged(exercise: Any, answer: Any) -> Any:
    """Return the verdict alone: `best_of` puts the course's part where a student's isn't right."""
    passed = _judge().ask(exercise.name, answer, _shell().user_ns)
    return SimpleNamespace(verdict=Verdict.PASSED if passed else Verdict.MISTAKE)


def hand_over(names: dict[str, Any]) -> None:
    """End the notebook: the judge asks what is left."""
    _judge().hand_over(names)


@functools.cache
def _judge() -> _Judge:
    return _Judge()


def _shell() -> Any:
    from IPython import get_ipython

    return get_ipython()


def _run_notebook(seconds_a_cell: str, memory: str) -> None:
    """Let Otter run the notebook, with a limit for each cell and for each process."""
    import resource

    import nbconvert.preprocessors
    from otter.execute import grade_notebook
    from traitlets import Bool, Integer

    class Limited(nbconvert.preprocessors.ExecutePreprocessor):
        timeout = Integer(int(seconds_a_cell))
        interrupt_on_timeout = Bool(True)

    nbconvert.preprocessors.ExecutePreprocessor = Limited  # Otter has no setting for it
    for name, most in {"AS": int(memory), "FSIZE": 64 << 20, "NPROC": 400, "CORE": 0}.items():
        with contextlib.suppress(ValueError, OSError):  # macOS knows some of them only by name
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
    grade_notebook(str(Path(ROOM, "notebook.ipynb")), tests_glob=[str(Path(ROOM, "test.py"))], test_dir=ROOM)


require: Callable[[str, Any], None] = check
if __name__ == "__main__":
    _run_notebook(*sys.argv[1:])
elif ROOM:
    from utils.course.exercises.diagnosis import Verdict

    _JOB = json.loads(Path(ROOM, "job.json").read_text(encoding="utf-8"))
    _COURSES = tuple(str(Path(__file__).parents[3] / name) for name in ("utils", "lessons"))
    _USES = "<dynamic-code>"  # what cloudpickle calls the code of how an exercise uses an answer
    EXERCISES = {name: SimpleNamespace(name=name, lesson=name.split(".")[0]) for name in _JOB["exercises"]}
