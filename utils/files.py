"""Write files whole or not at all, and handle what every program needs of the machine: paths, output, locks."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import BaseFileLock

_UNFINISHED = ".unfinished.part"
UNFINISHED_FILES = f".*{_UNFINISHED}"  # the pattern of their names: hidden ones, as nobody names a file of their own

_IN_SILENCE = 2  # seconds that a program waits before it says so


def path_of(text: str) -> Path:
    """Return the path that a person has typed, with their home folder for ~, which not every shell expands.

    Raises ArgumentTypeError if that home folder is unknown, so that no folder called ~ is made.
    """
    path = os.path.expanduser(text)
    if path.startswith("~"):
        raise argparse.ArgumentTypeError(f"the home folder in {text} is not known here: write its path in full.")
    return Path(path)


def forgive_output() -> None:
    """Make stdout and stderr write ? for a character that they can't encode."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


@contextlib.contextmanager
def waited_for(lock: BaseFileLock, seconds: float, what: str) -> Iterator[None]:
    """Hold `lock`; if another process has it, say what we wait for. Raises OSError (Timeout) after `seconds`."""
    from filelock import Timeout  # which Python in a browser doesn't have

    try:
        lock.acquire(timeout=min(_IN_SILENCE, seconds))
    except Timeout:
        if seconds <= _IN_SILENCE:
            raise
        print(f"Another program is {what}: waiting for it, {seconds:.0f} seconds at most ...", flush=True)
        lock.acquire(timeout=seconds - _IN_SILENCE)
    try:
        yield
    finally:
        lock.release()


def write_whole(path: Path, content: bytes, still: Callable[[], bool] = lambda: True) -> bool:
    """Write the file so that a crash at any moment leaves the old one or the new one; return whether it was written.

    `still` is called when the new file is ready beside the old one; if it returns False, the old one stays. A link
    stays a link, and the permissions stay as they were. Raises OSError if it cannot be written.
    """
    path = Path(os.path.realpath(path))
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(6)}{_UNFINISHED}")
    try:
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # on the disk before the name is: else a power cut could leave it empty
        if path.exists():
            shutil.copymode(path, unfinished)
        if not still():
            unfinished.unlink()
            return False
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    return True
