"""The passwords of a class, and how long whoever types wrong ones has to wait."""

from __future__ import annotations

import csv
import secrets
import time
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path

TEACHER = "teacher"  # who may stop the others' servers
ANYBODY = "*"  # in the file of passwords, the name of whoever has no line of their own
NAMES = r"[a-z0-9][a-z0-9_-]{0,31}"  # it becomes the name of a folder
FREE = 5  # wrong tries that cost nothing
LONGEST = 60  # seconds between two tries at most
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # without what looks alike


class Patience:
    """Counts the wrong tries of each key, and says how long it has to wait: after five, 1 s, 2 s, 4 s and so on.

    Who waits out an hour after the last one begins anew.
    """

    def __init__(self, free: int = FREE, longest: float = LONGEST, clock: Callable[[], float] = time.monotonic) -> None:
        self._free, self._longest, self._clock = free, longest, clock
        self._wrong: dict[Hashable, tuple[int, float]] = {}  # how many, and when the last

    def wait(self, key: Hashable) -> float:
        """Seconds until the next try is looked at; 0 where it is now."""
        count, last = self._wrong.get(key, (0, 0.0))
        pause = 0 if count < self._free else min(2.0 ** (count - self._free), self._longest)
        return max(0.0, last + pause - self._clock())

    def wrong(self, key: Hashable) -> None:
        """Counts one wrong try, and forgets those of an hour ago."""
        now = self._clock()
        self._wrong = {one: (count, last) for one, (count, last) in self._wrong.items() if now - last < 3600}
        self._wrong[key] = (self._wrong.get(key, (0, now))[0] + 1, now)

    def right(self, key: Hashable) -> None:
        """Forgets the wrong tries of a key."""
        self._wrong.pop(key, None)


def read_passwords(path: Path, names: Iterable[str] | None = None) -> dict[str, str]:
    """The passwords in the file, a name and a password on each line; who has none yet is given one there.

    names: those of the class; without them all have one password. Raises ValueError for a password shorter than eight
    characters.
    """
    with open(path, "a+", newline="", encoding="utf-8") as file:
        path.chmod(0o600)
        file.seek(0)
        known = {row[0]: row[1] for row in csv.reader(file) if len(row) == 2}
        wanted = [TEACHER, *([ANYBODY] if names is None else names)]
        new = {name: new_password(20 if name == TEACHER else 12) for name in wanted if name not in known}
        csv.writer(file).writerows(new.items())
    passwords = {name: word for name, word in {**known, **new}.items() if name in wanted}
    for name, word in passwords.items():
        if len(word) < 8:
            raise ValueError(f"The password of {name} in {path} is shorter than 8 characters.")
    return passwords


def new_password(length: int) -> str:
    """A password to copy from paper, in groups of four letters."""
    letters = "".join(secrets.choice(_LETTERS) for _ in range(length))
    return "-".join(letters[at : at + 4] for at in range(0, length, 4))
