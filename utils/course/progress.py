"""Keep the student's progress, the exercises tried and passed, in one small local file.

The file is written atomically and by one process at a time, so a crash leaves the old or the new file, and two
notebooks never lose each other's entries. A broken file is renamed and a new one started; an unreadable file stays
where it is. So no progress is ever deleted.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from utils.files import waited_for, write_whole
from utils.require import is_whole

PATIENCE = 10  # seconds that one process waits for another to finish writing
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Attempt:
    """The state of one exercise or question: how often it was answered, and whether it has ever been passed."""

    tries: int = 0
    passed: bool = False
    day: str = ""  # the day when an exercise was first passed or a question last answered; "" if unknown
    step: int = 0  # for a question, the index of its interval in SPACES


def progress_file() -> Path:
    """Return the path of the progress file: $COURSE_PROGRESS, or `.progress.json` in the course's folder."""
    return Path(os.environ.get("COURSE_PROGRESS") or ROOT / ".progress.json")


@contextmanager
def scratch_progress() -> Iterator[Path]:
    """Keep the progress of this block in a temporary folder instead of the student's file, and yield the folder."""
    before = os.environ.get("COURSE_PROGRESS")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["COURSE_PROGRESS"] = str(Path(folder) / "progress.json")
        try:
            yield Path(folder)
        finally:
            if before is None:
                del os.environ["COURSE_PROGRESS"]
            else:
                os.environ["COURSE_PROGRESS"] = before


def read_progress() -> dict[str, Attempt]:
    """Return the attempts so far, by name of exercise or question. Treat a missing or broken file as empty.

    Raise OSError if the file cannot be read at the moment.
    """
    return _read(progress_file()) or {}


def record(name: str, passed: bool) -> str | None:
    """Count one answer to the exercise `name`. Return None, or a sentence that the student has to read."""

    def change(progress: dict[str, Attempt]) -> None:
        before = progress.get(name, Attempt())
        day = _today() if passed and not before.passed else before.day
        progress[name] = Attempt(before.tries + 1, before.passed or passed, day)

    return update(change, "Your answer counts")


def tick(name: str, done: bool) -> str | None:
    """Save whether a stop of a route is done. Return None, or a sentence that the student has to read."""

    def change(progress: dict[str, Attempt]) -> None:
        progress[name] = Attempt(progress.get(name, Attempt()).tries, done, _today() if done else "")

    return update(change, "It is ticked here")


def update(change: Callable[[dict[str, Attempt]], None], holds: str) -> str | None:
    """Let `change` alter the saved progress while no other process can. Return None, or a sentence for the student.

    `holds` is the start of that sentence: a statement that is true even if nothing could be saved.
    """
    path = progress_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path):
            progress, said = _read(path), None
            if progress is None:
                kept, progress = _set_aside(path), {}
                said = f"The file with your progress was broken: it is kept as {kept.name}, and counting begins anew."
            change(progress)
            _write(path, progress)
        return said
    except Timeout:
        return f"{holds}, but your progress could not be saved: another program holds the file."
    except OSError as error:
        return f"{holds}, but your progress could not be saved: {error.strerror or error}."


def _today() -> str:
    return date.today().isoformat()


def _alone(path: Path) -> AbstractContextManager[Any]:
    """Return a lock that keeps other processes from writing the file. It raises Timeout after PATIENCE seconds."""
    if sys.platform == "emscripten":  # Python in a browser, where no file can be locked
        return nullcontext()
    return waited_for(FileLock(path.with_name(f"{path.name}.lock")), PATIENCE, "saving your progress")


def _read(path: Path) -> dict[str, Attempt] | None:
    """Return the attempts in the file, an empty dict if there is no file, or None if the file is broken.

    Raise OSError if the file cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8") if path.is_file() else "{}"
        return {name: _attempt(value) for name, value in json.loads(text).items()}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None


def _attempt(value: dict[str, Any]) -> Attempt:
    tries, passed, day, step = value["tries"], value["passed"], value.get("day", ""), value.get("step", 0)
    counts = all(is_whole(count) and count >= 0 for count in (tries, step))
    if not isinstance(passed, bool) or not counts:
        raise ValueError(f"not an attempt: {value}")
    return Attempt(tries, passed, date.fromisoformat(day).isoformat() if day else "", min(step, 3))


def _set_aside(path: Path) -> Path:
    """Rename a broken file to a free name that says so, and return the new path."""
    number = 1
    while (aside := path.with_name(f"{path.name}.broken-{number}")).exists():
        number += 1
    return path.replace(aside)


def _write(path: Path, progress: dict[str, Attempt]) -> None:
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is not a file")
    told = {
        name: {key: value for key, value in vars(attempt).items() if value or key in ("tries", "passed")}
        for name, attempt in sorted(progress.items())
    }
    text = json.dumps(told, indent=1)
    write_whole(path, text.encode())
