"""What the student has tried and passed, in one small local file.

The file is written atomically, so a crash leaves the old one or the new one. A broken file is set
aside under another name and a fresh one is begun: nothing that the student did is deleted.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Attempt:
    """How one exercise stands: how often it was answered, and whether it has ever been passed."""

    tries: int = 0
    passed: bool = False


def progress_file() -> Path:
    """Where progress is kept: $COURSE_PROGRESS, or `.progress.json` in the course's folder."""
    return Path(os.environ.get("COURSE_PROGRESS") or ROOT / ".progress.json")


def read_progress() -> dict[str, Attempt]:
    """Every exercise answered so far, by name. A missing file is empty; a broken one is set aside first."""
    path = progress_file()
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError):
        return _set_aside(path)
    try:
        return {name: _attempt(value) for name, value in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError, KeyError):
        return _set_aside(path)


def record(name: str, passed: bool) -> str | None:
    """Counts one answer to the exercise `name`. Returns None, or a sentence saying why it could not be kept."""
    try:
        progress = read_progress()
        before = progress.get(name, Attempt())
        progress[name] = Attempt(before.tries + 1, before.passed or passed)
        _write(progress_file(), progress)
    except OSError as error:
        return f"Your answer counts, but your progress could not be saved: {error.strerror or error}."
    return None


def _attempt(value: dict[str, Any]) -> Attempt:
    tries, passed = value["tries"], value["passed"]
    if not isinstance(passed, bool) or isinstance(tries, bool) or not isinstance(tries, int) or tries < 0:
        raise ValueError(f"not an attempt: {value}")
    return Attempt(tries, passed)


def _set_aside(path: Path) -> dict[str, Attempt]:
    if not path.is_file():  # a folder, or a device such as /dev/null, is not ours to move
        return {}
    number = 1
    while (aside := path.with_name(f"{path.name}.broken-{number}")).exists():
        number += 1
    path.replace(aside)
    return {}


def _write(path: Path, progress: dict[str, Attempt]) -> None:
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is not a file")
    text = json.dumps({name: vars(attempt) for name, attempt in sorted(progress.items())}, indent=1)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
