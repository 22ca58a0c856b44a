"""Run one notebook with Otter in a sandbox, and judge it in a process outside the sandbox that knows the answers.

The sandbox is bubblewrap's. It has no network, no files except Python and a copy of the course without answers, and a
time limit.
"""

from __future__ import annotations

import base64
import builtins
import contextlib
import functools
import io
import json
import math
import os
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cloudpickle
import nbformat
import numpy as np
import psutil
from otter.test_files.exception_test import ExceptionTestFile

from utils.course.classes.copies import copy_course
from utils.course.classes.marked import Marked
from utils.course.exercises.asking import Elsewhere, Inputs, Outcome, agree, run
from utils.course.exercises.diagnosis import Diagnosis, Verdict, diagnose
from utils.course.exercises.exercise import Exercise
from utils.course.exercises.findings import Kind
from utils.course.exercises.results import Opaque, plain
from utils.course.exercises.values import same_value
from utils.course.exercises.words import FindingError
from utils.course.lessons import LESSONS

INSIDE = "utils/course/exercises/__init__.py"  # the module that notebooks call, replaced by kernel.py in the sandbox
_LARGEST = 24 << 20  # the most bytes of one message
_PROCESSES = 64  # the most processes of one notebook
_UNREADABLE = "what it sent can't be read"
_HAND_OVER = """OK_FORMAT = False
name, points = "hand_over", 0
from otter.test_files import test_case
@test_case()
def hand_over():
    from utils.course.exercises import hand_over
    hand_over()
"""
_TEST = """OK_FORMAT = False
name, points, all_or_nothing = {name!r}, [{half}, {rest}], False
from otter.test_files import test_case
@test_case(name="nearly right")
def nearly(asked): assert asked.is_right or asked.is_nearly
@test_case(name="right")
def right(asked): assert asked.is_right
"""
_LOOKS = """import os, socket, sys, ipykernel, otter.execute
seen = os.path.exists(sys.argv[1]), len(socket.if_nameindex()) > 1, os.access(os.__file__, os.W_OK)
sys.exit(any(seen) or os.access("/course", os.W_OK))"""


@dataclass(frozen=True)
class Limits:
    """The limits of one notebook in time and memory."""

    call: float = 20.0  # seconds for one call of a function
    cell: int = 600  # seconds for one cell
    notebook: float = 3600.0  # seconds for the whole notebook
    memory: int = 4 << 30  # bytes for all its processes together


@dataclass(frozen=True)
class Mark:
    """The result of one exercise: `points` out of `of`, and the verdict with its explanation."""

    name: str
    points: float
    of: int
    verdict: str  # "passed", "not yet", "not tried yet", or "missing"
    sentence: str
    details: str = ""
    shown: str = ""


class _Ended(BaseException):
    """The error that stops a notebook; not an Exception, which Otter would take for a wrong answer."""


# --- the sandbox ---


def make_course(folder: Path) -> None:
    """Write the course that notebooks may import to `folder`: without answers, and with `kernel.py` for `check`."""
    shutil.rmtree(folder, ignore_errors=True)
    copy_course(folder, ("utils", "lessons"))
    for path in folder.glob("lessons/*/exercises.py"):
        path.write_text("", encoding="utf-8")
    shutil.copyfile(Path(__file__).with_name("kernel.py"), folder / INSIDE)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)  # another user must be able to read here


def _which(program: str) -> str | None:
    return shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/bin", "/usr/sbin"]))


def _in_bubble(bwrap: str, room: Path, course: Path) -> list[str]:
    """Return the start of a command line after which a program sees only Python, `room` and `course`."""
    parts = [bwrap, "--die-with-parent", "--new-session"]
    # Root changes to another user inside, and needs its own rights until then.
    parts += [f"--unshare-{space}" for space in ("ipc", "pid", "net", "uts", "user")[: 5 if os.geteuid() else 4]]
    parts += _tmpfs("/tmp", 256)  # first, because the course may be in a folder of /tmp
    of_system = ["/usr", "/nix/store", "/etc/alternatives", "/etc/fonts", "/etc/hosts", "/etc/ld.so.cache"]
    for path in dict.fromkeys([*of_system, os.path.realpath(sys.base_prefix), sys.base_prefix, sys.prefix]):
        above = [str(parent) for parent in reversed(Path(path).parents)][1:]
        parts += [*(part for parent in above for part in ("--dir", parent)), "--ro-bind-try", path, path]
    for path in ("/bin", "/lib", "/lib64"):
        link = os.path.islink(path)
        parts += ["--symlink", os.readlink(path), path] if link else ["--ro-bind-try", path, path]
    parts += ["--proc", "/proc", "--dev", "/dev", "--ro-bind", str(room), "/room", "--ro-bind", str(course), "/course"]
    return [*parts, *_tmpfs("/dev/shm", 64), "--remount-ro", "/", "--chdir", "/tmp"]


def _tmpfs(path: str, megabytes: int) -> list[str]:
    return ["--perms", "1777", "--size", str(megabytes << 20), "--tmpfs", path]


def _as_stranger() -> list[str]:
    """Return the start of a command line that, if we are root, runs a program as another user, one for each process."""
    user, setpriv = 60_000 + os.getpid() % 5_000, _which("setpriv")
    no_rights = ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--clear-groups"]
    return [] if os.geteuid() or not setpriv else [setpriv, *no_rights, f"--reuid={user}", f"--regid={user}"]


def start(program: list[str], room: Path, course: Path, trust: bool) -> subprocess.Popen[bytes]:
    """Start Python with the arguments `program`, in a sandbox unless `trust`, and return the process.

    Replace {COURSE} in the arguments by the course's folder as the process sees it.
    """
    bwrap = None if trust else _which("bwrap")
    home, own, courses = ("/tmp", "/room", "/course") if bwrap else (room / "home", room, course)
    if bwrap is None:
        home.mkdir()
        home.chmod(0o777)
    variables = {"COURSE_ROOM": own, "PYTHONPATH": courses, "HOME": home, "USER": "student", "LANG": "C.UTF-8"}
    variables |= {"PATH": f"{sys.prefix}/bin:/usr/bin:/bin", "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}
    variables |= {"PIP_NO_INDEX": "1", "PYTHONSAFEPATH": "1"}
    before = [*(_in_bubble(bwrap, room, course) if bwrap else []), *_as_stranger()]
    return subprocess.Popen(
        [*before, sys.executable, *(part.replace("{COURSE}", str(courses)) for part in program)],
        env={name: str(value) for name, value in variables.items()},
        cwd=None if bwrap else home,
        stdin=subprocess.PIPE,  # which closes when this process ends, however it ends
        stdout=subprocess.DEVNULL,
        stderr=None if "-c" in program else subprocess.DEVNULL,
        start_new_session=True,
    )


def no_sandbox(room: Path, course: Path) -> str:
    """Return why this machine has no sandbox, or "" if a test program inside it finds no leak."""
    if sys.platform != "linux" or not _which("bwrap"):
        return "there is no bubblewrap (`bwrap`; on Debian and Ubuntu `apt install bubblewrap`)"
    tried = start(["-c", _LOOKS, str(LESSONS)], room, course, trust=False)
    tried.communicate()
    return "" if tried.returncode == 0 else "bubblewrap can't make a sandbox (it leaks, or says above why)"


# --- the judge ---


class _Pickler(cloudpickle.Pickler):
    """A pickler that includes all that an exercise's functions call, because their modules aren't in the sandbox."""

    def reducer_override(self, thing: Any) -> Any:
        """Return how to write `thing`: a cached function as the function itself, without its cached results."""
        kept = isinstance(thing, functools._lru_cache_wrapper)
        return (functools.cache, (thing.__wrapped__,)) if kept else super().reducer_override(thing)


class Judge(Elsewhere):
    """The judge, which tests the answers of a notebook while it runs and keeps a mark for each exercise in `found`."""

    def __init__(self, counts: list[Marked], exercises: dict[str, Exercise], half: float, limits: Limits) -> None:
        self._counts, self._exercises = {one.name: one for one in counts}, exercises
        self._half, self._limits = half, limits
        for name in [name for name in sys.modules if "_drawn_from_" in name]:
            cloudpickle.register_pickle_by_value(sys.modules[name])
        self.found: dict[str, Mark] = {}
        self._line: Connection | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = ""
        self._until = time.monotonic() + limits.notebook
        self._over: BaseException | None = None  # why the current answer is not called any more
        self._is_torch = False  # whether the exercise uses the current answer in torch, which may raise FindingError

    def mark(self, cells: list[str], allowed: dict[str, Any], room: Path, course: Path, trust: bool) -> str:
        """Run the code `cells` in a new folder `room` and return why they did not run to the end, or ""."""
        room.mkdir(parents=True)
        os.chdir(room)  # because the name of a socket has to be short
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        asked = {
            name: {"function": one.function, "allowed": allowed[one.function], "torch": self._in_torch(name)}
            for name, one in self._counts.items()
        }
        job = {"exercises": asked, "seconds": self._limits.call}
        files = {"notebook.ipynb": json.dumps(notebook), "job.json": json.dumps(job), "test.py": _HAND_OVER}
        for name, text in files.items():
            Path(name).write_text(text, encoding="utf-8")
        try:
            with socket.socket(socket.AF_UNIX) as door:
                door.bind("judge")
                for name in (".", "judge", *files):
                    os.chmod(name, 0o755 if name == "." else 0o666)  # another user must be able to read here
                door.listen(1)
                door.settimeout(0.5)
                limits = [str(self._limits.cell), str(2 * self._limits.memory + (8 << 30))]
                self._process = start([f"{{COURSE}}/{INSIDE}", *limits], room, course, trust)
                while self._line is None:
                    with contextlib.suppress(TimeoutError):
                        self._line = Connection(door.accept()[0].detach())
                    self._look()
            while "done" not in (message := self._heard()):
                self._answered(message)
        except _Ended as ended:
            self._ended = str(ended)
        finally:
            for process in [*self._family(), *filter(None, [self._process])]:
                with contextlib.suppress(psutil.Error, OSError):
                    process.kill()
            if self._process:
                self._process.communicate()
        return self._ended

    def _in_torch(self, name: str) -> bool:
        return self._exercises[name].used is not None and not self._exercises[name].because

    def _family(self) -> list[psutil.Process]:
        with contextlib.suppress(psutil.Error, AttributeError):  # the process has not started, or has ended
            return psutil.Process(self._process.pid).children(recursive=True)
        return []

    def _look(self, until: float = math.inf) -> None:
        """Raise _Ended if the kernel has ended, the notebook has passed a limit, or the time `until` is over."""
        if self._process.poll() is not None:
            raise _Ended("its kernel ended")
        if time.monotonic() > self._until:
            raise _Ended(f"it took more than {self._limits.notebook / 60:g} minutes")
        if time.monotonic() > until:
            raise _Ended("a function in it never ends")
        family, used = self._family(), 0
        for process in family:
            with contextlib.suppress(psutil.Error):
                used += process.memory_info().rss
        if used > self._limits.memory or len(family) > _PROCESSES:
            raise _Ended("it took too much memory, or too many processes")

    def _heard(self, patience: float = math.inf) -> dict[str, Any]:
        """Return the kernel's next message. Raise _Ended if it is unreadable or takes more than `patience` seconds."""
        until = time.monotonic() + patience
        try:
            while not self._line.poll(0.5):
                self._look(until)
            message = json.loads(self._line.recv_bytes(_LARGEST))
        except (OSError, EOFError):
            raise _Ended("its kernel ended") from None
        except (ValueError, RecursionError, MemoryError):
            message = None
        if not isinstance(message, dict):
            raise _Ended(_UNREADABLE)
        return message

    def _tell(self, message: dict[str, Any]) -> None:
        try:
            _Pickler(written := io.BytesIO()).dump(message)
            self._line.send_bytes(written.getvalue())
        except OSError:
            raise _Ended("its kernel ended") from None

    def _answered(self, message: dict[str, Any]) -> None:
        """Test the answer that the kernel's `message` names and keep its mark, or mark it as missing."""
        name = str(message.get("ask", message.get("missing")))
        if name not in self._counts:
            raise _Ended(_UNREADABLE)
        one, exercise, self._over = self._counts[name], self._exercises[name], None
        self._is_torch = self._in_torch(name)
        if "missing" in message:
            said = f"There is no `{one.function}`: it isn't written, or its cell stopped."
            self.found[name] = Mark(name, 0, one.points, "missing", said)
            return self._tell({})
        self._tell({"used": exercise.used})
        if "callable" not in (
            given := self._heard(2 * self._limits.call + 10)
        ):  # printing the student's own object may take time
            raise _Ended(_UNREADABLE)
        answer = self if given["callable"] else _unpacked(given.get("value"))
        diagnosis, half = diagnose(exercise, answer), one.points * self._half
        asked = SimpleNamespace(is_right=diagnosis.verdict is Verdict.PASSED)
        asked.is_nearly = asked.is_right or (callable(answer) and self._is_nearly(exercise, diagnosis))
        test = ExceptionTestFile.from_string(_TEST.format(name=name, half=half, rest=one.points - half))
        test.run({"asked": asked})
        self._tell({"passed": asked.is_right})  # raises if the notebook has ended by now
        said = diagnosis.sentence, diagnosis.details, diagnosis.input_shown
        self.found[name] = Mark(name, round(test.score, 2), one.points, diagnosis.verdict.value, *said)

    def _is_nearly(self, exercise: Exercise, diagnosis: Diagnosis) -> bool:
        """Return whether the answer has a known mistake or is right on half of the inputs.

        An answer that always returns the same value, None or a bool is never nearly right.
        """
        if diagnosis.verdict is not Verdict.MISTAKE or exercise.because:
            return False
        given = [run(self, case) for case in exercise.cases]
        values = [one.value for one in given if one.error is None]
        if all(value is None or type(value) is bool or same_value(value, values[0]) for value in values):
            return False
        right = [agree(one, run(exercise.reference, case)) for one, case in zip(given, exercise.cases, strict=True)]
        return 2 * sum(right) >= len(right) or bool(diagnosis.finding and diagnosis.finding.kind is Kind.KNOWN)

    def outcome(self, inputs: Inputs) -> Outcome:
        """Return the outcome of the current answer for `inputs`."""
        if self._over is not None:
            return Outcome(error=self._over)
        begun, most = time.monotonic(), self._limits.call
        self._tell({"inputs": inputs})
        said = self._heard(2 * most + 10)
        kind, text = (str(part)[:2000] for part in [*(said.get("error") or ()), "", ""][:2])
        if (
            kind == "TimeoutError" or time.monotonic() - begun > most
        ):  # an answer may catch the TimeoutError and continue
            text = f"Your function was stopped after {most:g} seconds. Does a loop in it never end?"
            self._over = FindingError(text)
        elif kind == "of the course":
            self._over = FindingError(f"Your function uses the course's own `{text[:80]}`. Write it yourself.")
        printed, place = str(said.get("printed", ""))[:20_000], said.get("changed")
        if kind or self._over:
            return Outcome(error=self._over or _error_of(kind, text, self._is_torch), printed=printed)
        value = _unpacked(said.get("value"))
        changed = place if type(place) is int and 0 <= place < len(inputs) else None
        return Outcome(value if isinstance(value, Opaque) else plain(value), None, changed, printed)


def _unpacked(data: Any) -> Any:
    """Return the value that kernel.py has packed. Return an Opaque, which equals no answer, for anything else."""
    if not isinstance(data, dict):
        return data
    try:
        ((kind, inside),) = data.items()
        if kind == "array" and (dtype := np.dtype(inside[0])).kind in "biufcUS":
            array = np.frombuffer(base64.b64decode(inside[2]), dtype).reshape([int(n) for n in inside[1]]).copy()
            return array if array.ndim else array[()]
        if kind == "dict":
            return {_unpacked(key): _unpacked(part) for key, part in inside}
        if kind in ("list", "tuple", "set"):
            return {"list": list, "tuple": tuple, "set": set}[kind](map(_unpacked, inside))
        return complex(*inside) if kind == "complex" else Opaque(str(inside)[:200])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, MemoryError):
        return Opaque("what can't be read")


def _error_of(kind: str, said: str, may_find: bool) -> BaseException:
    """Return an exception of the type called `kind`, so that it equals the exception of a known mistake."""
    return FindingError(said) if kind == "FindingError" and may_find else _type_called(kind[:80])(said)


@functools.cache
def _type_called(name: str) -> type[Exception]:
    """Return the exception type of this name, always the same one, because two equal errors have to compare equal."""
    known = next((getattr(room, name) for room in (builtins, np.exceptions, np.linalg) if hasattr(room, name)), None)
    wants_more = ("UnicodeDecodeError", "UnicodeEncodeError", "UnicodeTranslateError", "ExceptionGroup")
    is_known = isinstance(known, type) and issubclass(known, Exception) and name not in wants_more
    return known if is_known else type(name, (Exception,), {})
