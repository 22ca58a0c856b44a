"""A process for what a student has handed in: no network, no files of anybody's, no answers, and an end.

On Linux it gets namespaces of its own (`unshare`): a root with Python and an empty /tmp and nothing else, no network,
and processes that all end with it; as root it becomes another user as well. Where that isn't allowed, limits alone are
set, and `warning` says so.
"""

from __future__ import annotations

import ast
import builtins
import compileall
import contextlib
import functools
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from utils.course.classes.pieces import COURSE, Import
from utils.course.classes.wire import WireError, pack, receive, send, unpack
from utils.course.exercises.asking import Elsewhere, Inputs, Outcome
from utils.course.exercises.words import FindingError
from utils.course.lessons import ROOT

INSIDE = "utils/course/classes/inside.py"
# What a process needs to run a function and to send back what it gives; none of it knows an answer.
NEEDED = ["utils/course/classes/wire.py", INSIDE]
NEEDED += ["utils/course/exercises/tensors.py", "utils/course/exercises/asking.py"]
CALLS = 4  # times the limit of one call: how long all calls of a function may last
STARTS = 30.0  # seconds in which a process must answer at first: it imports NumPy, or PyTorch


@dataclass(frozen=True)
class Limits:
    """What one process may take."""

    seconds: float = 5.0  # that one call may last
    processor: int = 60  # seconds in all
    memory: int = 2 << 30
    file: int = 4 << 20  # bytes in one file
    processes: int = 24

    def told(self, torch: bool) -> str:
        """Write the limits as `inside.py` reads them."""
        memory = self.memory + (4 << 30) * torch  # PyTorch reserves much that it never uses
        return json.dumps(
            {"torch": int(torch), "RLIMIT_CPU": self.processor, "RLIMIT_AS": memory, "RLIMIT_FSIZE": self.file}
            | {"RLIMIT_NPROC": self.processes, "RLIMIT_NOFILE": 64, "RLIMIT_CORE": 0}
        )


# --- what there is to import inside ---


def make_library(folder: Path, allowed: Collection[Import], layers: bool = False) -> Path:
    """Write the modules that a process may import: those that run a function, and what answers may use of the course.

    Returns the folder that they are in; `folder` should be a new one, outside the course. With `layers` the layers of
    `minimal.py` come along without what they compute: their parts and the sizes of these.
    """
    folder.chmod(0o755)  # another user reads there
    library = folder / "library"
    todo = [*NEEDED, *(name for module, _ in allowed if (name := _file_of(module)))]
    done: set[str] = set()
    while todo:
        name = todo.pop()
        if name in done:
            continue
        done.add(name)
        text = (ROOT / name).read_text(encoding="utf-8")
        _write(library / name, text)
        todo += [other for module in _imported(text) if (other := _file_of(module))]
    if layers:
        _write(library / "utils/models/minimal.py", without_methods((ROOT / "utils/models/minimal.py").read_text()))
    for inside in [path for path in library.rglob("*") if path.is_dir()]:
        (inside / "__init__.py").touch()
    compileall.compile_dir(library, quiet=1)
    return library


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _file_of(module: str) -> str | None:
    name = f"{module.replace('.', '/')}.py"
    return name if module.split(".")[0] in COURSE and (ROOT / name).is_file() else None


def _imported(text: str) -> Iterator[str]:
    for part in ast.walk(ast.parse(text)):
        if isinstance(part, ast.ImportFrom) and part.module:
            yield part.module
            yield from (f"{part.module}.{one.name}" for one in part.names)
        elif isinstance(part, ast.Import):
            yield from (one.name for one in part.names)


def without_methods(source: str) -> str:
    """Return the classes of a module with their `__init__` alone, and none of its functions."""
    tree = ast.parse(source)
    tree.body = [part for part in tree.body if not isinstance(part, ast.FunctionDef)]
    for part in tree.body:
        if isinstance(part, ast.ClassDef):
            part.body = [one for one in part.body if not isinstance(one, ast.FunctionDef) or one.name == "__init__"]
            part.body = part.body or [ast.Pass()]
    return ast.unparse(tree)


# --- how a process is started ---


def _namespaces(library: Path, command: list[str]) -> list[str]:
    """Put `command` into namespaces of its own, where / is Python, the library, and nothing else."""
    root, is_root = library.with_name("root"), os.geteuid() == 0
    root.mkdir(exist_ok=True)
    seen = [Path(sys.base_prefix), Path(sys.prefix), Path("/usr"), Path("/nix/store"), library]
    script = ["set -e", f"R={shlex.quote(str(root))}", 'mount -t tmpfs -o size=64m,mode=755 none "$R"']
    for path in dict.fromkeys(path.resolve() for path in seen if path.exists()):
        script.append(
            f'P={shlex.quote(str(path))}; mkdir -p "$R$P"; mount --rbind "$P" "$R$P"; '
            'mount -o "remount,bind,ro$(findmnt -nro OPTIONS -T "$P" | tr , "\\n" '
            '| grep -xE "nosuid|nodev|noexec|noatime|nodiratime|relatime" | sed "s/^/,/" | tr -d "\\n")" "$R$P"'
        )
    for name in ("bin", "lib", "lib64"):
        if Path("/", name).is_symlink():
            script.append(f'ln -s {shlex.quote(os.readlink(f"/{name}"))} "$R/{name}"')
        elif Path("/", name).is_dir():
            script.append(
                f'mkdir -p "$R/{name}"; mount --rbind /{name} "$R/{name}"; mount -o remount,bind,ro "$R/{name}"'
            )
    script.append('mkdir -p "$R/proc" "$R/dev" "$R/tmp"; chmod 1777 "$R/tmp"; mount -t proc none "$R/proc"')
    script.append('for D in null zero urandom; do touch "$R/dev/$D"; mount --bind "/dev/$D" "$R/dev/$D"; done')
    no_rights = ["setpriv", "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]
    if is_root:
        no_rights += [f"--reuid={_stranger()}", f"--regid={_stranger()}", "--clear-groups"]
    within = shlex.join([*no_rights, "env", "-i", "OMP_NUM_THREADS=1", "HOME=/tmp", "PATH=/usr/bin:/bin", *command])
    # `sh` stays the first process: when it ends, all others end, also those that run as another user.
    script.append(f'chroot "$R" sh -c {shlex.quote(f"cd /tmp; exec {within}")}; exit 0')
    spaces = ["--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child"]
    ends_with_us = ["setpriv", "--pdeathsig", "KILL"]  # so that a killed marking leaves no sleeper behind
    return [*ends_with_us, "unshare", *([] if is_root else ["--map-root-user"]), *spaces, "sh", "-c", "\n".join(script)]


def _stranger() -> int:
    """Return a user that nobody is, another in each process that marks: `_end` ends all processes of this user."""
    return 60_000 + os.getpid() % 5_000


def _limits_alone(_: Path, command: list[str]) -> list[str]:
    return command


_Way = Callable[[Path, list[str]], list[str]]
_LOOKS = """import os, socket
def look(library, here):
    seen = [os.path.exists(here), os.access(library, os.W_OK), len(os.listdir('/proc')) > 500]
    return seen + [bool([name for _, name in socket.if_nameindex() if name != 'lo'])]"""


@functools.cache
def way_in() -> _Way:
    """Return how processes are started here: tried once, with one that looks for what it should not see."""
    if sys.platform == "linux" and all(map(shutil.which, ("unshare", "setpriv", "findmnt"))):
        with tempfile.TemporaryDirectory(prefix="marking-") as folder:
            library = make_library(Path(folder), ())
            tried = Sandbox(library, Limits(), way=_namespaces)
            stopped = tried.load(_LOOKS, "look")
            seen = tried.outcome((str(library), str(ROOT / "lessons")))
            tried.__exit__()
            if stopped is None and seen.value == [False] * 4:
                return _namespaces
    return _limits_alone


@functools.cache
def _stranger_can_read(library: Path) -> bool:
    """Tell whether we may become another user, who can run Python and read the library."""
    if os.geteuid() != 0:
        return False
    command = [sys.executable, "-I", "-c", f"import numpy; open({str(library / INSIDE)!r})"]
    try:
        other = {"user": _stranger(), "group": _stranger(), "extra_groups": [], "cwd": "/"}
        return subprocess.run(command, stderr=subprocess.DEVNULL, **other).returncode == 0
    except OSError:
        return False


def warning() -> str:
    """Return what the teacher must know of this machine; "" where nothing."""
    if way_in() is _namespaces:
        return ""
    return (
        "This machine allows no namespaces (`unshare`), so what students hand in runs with limits of time and memory "
        "alone: it can reach the network, and perhaps your files. Mark in a virtual machine, or on another account."
    )


class Sandbox(Elsewhere):
    """A process that runs one student's functions. `with Sandbox(…) as own: own.load(…); own.outcome(inputs)`."""

    def __init__(self, library: Path, limits: Limits, torch: bool = False, way: _Way | None = None) -> None:
        self._library, self._limits, self._torch, self._way = library, limits, torch, way or way_in()
        self._room = tempfile.TemporaryDirectory(prefix="marking-")  # where it may write, if there are no namespaces
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._number = 0
        self._over: BaseException | None = None  # why the answer that is loaded is asked no more
        self._spent = 0.0  # seconds on what is loaded

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._room.cleanup()

    def load(self, source: str, answer: str, how: str = "", arguments: tuple[str, ...] = ()) -> BaseException | None:
        """Run a student's definitions; returns what stopped them. Afterwards `outcome` asks their `answer`."""
        self._over, self._spent = None, 0.0
        said = self._ask({"do": "load", "source": source, "answer": answer, "how": how, "arguments": list(arguments)})
        self._over = self._over or _error_of(said.get("error"))
        return self._over

    def outcome(self, inputs: Inputs) -> Outcome:
        """Return what the answer does with a copy of `inputs`."""
        if self._over is not None:
            return Outcome(error=self._over)
        said = self._ask({"do": "call", "inputs": pack(tuple(inputs))})
        try:
            value, error = unpack(said.get("value")), self._over or _error_of(said.get("error"))
        except WireError:
            return Outcome(error=FindingError("What your function returns can't be read."))
        place = said.get("changed")
        changed = place if type(place) is int and 0 <= place < len(inputs) else None
        return Outcome(value, error, changed, str(said.get("printed", ""))[:20_000])

    def _ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the other side's answer; {} where there is none, and then the reason is kept."""
        seconds, begun, fresh = self._limits.seconds, time.monotonic(), self._process is None
        try:
            if fresh:
                self._start()
                seconds += STARTS
            elif self._spent > CALLS * seconds:
                raise TimeoutError
            self._number += 1
            send(self._channel, message | {"number": self._number}, seconds)
            said = receive(self._channel, seconds)
            self._spent += 0.0 if fresh else time.monotonic() - begun
            if isinstance(said, dict) and said.get("number") == self._number:
                return said
            raise WireError("an answer to another question")
        except TimeoutError:
            limit = f"{self._limits.seconds:g} seconds"
            self._over = FindingError(f"Your function was stopped after {limit}. Does a loop in it never end?")
        except (WireError, OSError):
            self._over = FindingError(
                "Your function ended its process: it may have taken too much memory, time or room, or left Python."
            )
        self._end()
        return {}

    def _start(self) -> None:
        own, others = socket.socketpair()
        library = self._library.resolve()
        command = [sys.executable, "-I", "-B", str(library / INSIDE), str(library), str(others.fileno())]
        way = self._way(library, [*command, self._limits.told(self._torch)])
        alone: dict[str, Any] = {}
        if self._way is _limits_alone:
            variables = {"OMP_NUM_THREADS": "1", "HOME": self._room.name, "PATH": os.defpath}
            alone = {"cwd": self._room.name, "env": variables}
            if _stranger_can_read(library):
                os.chown(self._room.name, _stranger(), _stranger())
                alone |= {"user": _stranger(), "group": _stranger(), "extra_groups": []}
        self._process = subprocess.Popen(
            way,
            pass_fds=[others.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            **alone,
        )
        others.close()
        self._channel = own

    def _end(self) -> None:
        """End the process and all that it has started."""
        if self._process is None:
            return
        self._channel.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process = None
        if self._way is _limits_alone and _stranger_can_read(self._library):  # those that left the session, too
            subprocess.run(
                ["kill", "-9", "-1"], user=_stranger(), group=_stranger(), extra_groups=[], stderr=subprocess.DEVNULL
            )


def _error_of(told: Any) -> BaseException | None:
    """Return an exception of the kind that was told, with its message."""
    if told is None:
        return None
    if not (isinstance(told, list) and len(told) == 2 and all(isinstance(part, str) for part in told)):
        return FindingError("What stopped your function can't be read.")
    kind, said = told
    if kind == "FindingError":
        return FindingError(said)
    if kind == "NotImplementedError":
        return NotImplementedError()
    # Of the very type, where there is one: a known mistake stops with the same.
    known = next((getattr(room, kind) for room in (builtins, np.exceptions, np.linalg) if hasattr(room, kind)), None)
    if isinstance(known, type) and issubclass(known, Exception):
        with contextlib.suppress(TypeError):  # a few want more than a message
            return known(said)
    return type(kind[:80], (Exception,), {})(said)
