"""Replace `utils.course.exercises` while students' notebooks are run for marks, without knowing any answer.

`check` asks the judge, a process outside the sandbox, which sends inputs and receives the answer's results as JSON. Run
as a program, this module lets Otter run one notebook: `python kernel.py SECONDS_A_CELL MEMORY`.
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
import threading
from multiprocessing.connection import Client, Connection
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

from IPython import get_ipython

ROOM = os.environ.get("COURSE_ROOM", "")


_asked: dict[str, tuple[Any, Any, bool]] = {}  # exercise -> the answer, the object of its function's name, the verdict


@functools.cache
def _line() -> Connection:
    """Return the connection to the judge."""
    signal.signal(signal.SIGALRM, _too_long)
    return Client(os.path.relpath(Path(ROOM, "judge")), "AF_UNIX")


def _tell(message: Any) -> Any:
    _line().send_bytes(json.dumps(message).encode())
    return pickle.loads(
        _line().recv_bytes()
    )  # this process trusts the judge, but the judge does not trust this process


# --- what notebooks call ---


def check(name: str, answer: Any) -> bool | None:
    """Let the judge test `answer`, keep the verdict, and return whether the answer passes; None if it isn't graded."""
    from utils.course.exercises.results import plain

    if name not in _JOB["exercises"]:
        return None
    named, before = _names().get(_JOB["exercises"][name]["function"]), _asked.get(name)
    passed = before[2] if before else False
    if before is None or before[0] is not answer:
        used = _tell({"ask": name})["used"]
        own = used(answer) if used else answer
        said: dict[str, Any] = {"callable": callable(own), "value": pack(plain(own))}
        while "inputs" in (asked := _tell(said)):
            said = _said_of(own, asked["inputs"], _Watch(answer, **_JOB["exercises"][name]))
        passed = asked["passed"]
    _asked[name] = answer, named, passed
    return passed


def judged(exercise: Any, answer: Any) -> Any:
    """Return only the verdict, because `best_of` replaces a student's wrong part with the course's."""
    return SimpleNamespace(verdict=Verdict.PASSED if check(exercise.name, answer) else Verdict.MISTAKE)


def hand_over() -> None:
    """End the notebook: check each answer that was never checked or has been redefined since, and tell the judge."""
    for name, one in _JOB["exercises"].items():
        now, before = _names().get(one["function"]), _asked.get(name)
        if before is None and one["function"] not in _names():
            _tell({"missing": name})
        elif before is None or (now is not before[1] and not _is_of_course(now)):
            check(name, now)
    _tell({"done": True})


def _names() -> dict[str, Any]:
    return get_ipython().user_ns


# --- calling an answer ---


def _said_of(answer: Any, inputs: tuple[Any, ...], watch: _Watch) -> dict[str, Any]:
    from utils.course.exercises.asking import run
    from utils.course.exercises.words import message

    signal.setitimer(signal.ITIMER_REAL, _JOB["seconds"], 1.0)
    sys.setprofile(watch)
    try:
        done = run(answer, inputs)
    except TimeoutError:
        return {"error": ["TimeoutError", ""]}
    finally:
        sys.setprofile(None)
        signal.setitimer(signal.ITIMER_REAL, 0)
    error = done.error and [type(done.error).__name__, message(done.error)[:2000]]
    if watch.seen:
        error = ["of the course", watch.seen]
    return {"value": pack(done.value), "error": error, "changed": done.changed, "printed": done.printed}


def _too_long(*_: Any) -> None:
    raise TimeoutError


def pack(value: Any) -> Any:
    """Return plain data in a form that JSON can write."""
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


# --- the course's own functions, which don't count as answers ---


def _is_of_course(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).startswith(("utils.", "lessons."))


class _Watch:
    """A profiler that records in `seen` the first of the course's functions that an answer calls.

    An answer may call the functions in `allowed` (pairs of module and name) and those of utils.course and utils.show.
    With `torch`, it may also call the minimal models, except the function that it should write itself.
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


def _run_notebook(seconds_a_cell: str, memory: str) -> None:
    """Let Otter run the notebook, with a time limit in seconds for each cell and a memory limit in bytes."""
    import resource

    import nbconvert.preprocessors
    from otter.execute import grade_notebook
    from traitlets import Bool, Integer

    class Limited(nbconvert.preprocessors.ExecutePreprocessor):
        timeout = Integer(int(seconds_a_cell))
        startup_timeout = Integer(600)  # a kernel of a busy machine needs more than the usual 60
        interrupt_on_timeout = Bool(True)

    nbconvert.preprocessors.ExecutePreprocessor = Limited  # Otter has no setting for these times
    for name, most in {"AS": int(memory), "FSIZE": 64 << 20, "NPROC": 400, "CORE": 0}.items():
        with contextlib.suppress(ValueError, OSError):  # macOS refuses some of these limits
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
    threading.Thread(target=_end_with_judge, daemon=True).start()
    grade_notebook(str(Path(ROOM, "notebook.ipynb")), tests_glob=[str(Path(ROOM, "test.py"))], test_dir=ROOM)


def _end_with_judge() -> None:
    sys.stdin.read()  # until the judge's end of the pipe closes
    os._exit(1)


require = check
if __name__ == "__main__":
    _run_notebook(*sys.argv[1:])
elif ROOM:
    from utils.course.exercises.diagnosis import Verdict

    _JOB = json.loads(Path(ROOM, "job.json").read_text(encoding="utf-8"))
    _COURSES = tuple(str(Path(__file__).parents[3] / name) for name in ("utils", "lessons"))
    _USES = "<dynamic-code>"  # cloudpickle's name for the file of pickled code, here the exercise's use of an answer
    EXERCISES = {name: SimpleNamespace(name=name, lesson=name.split(".")[0]) for name in _JOB["exercises"]}
