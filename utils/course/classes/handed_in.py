"""Read a student's submission: the code cells of each lesson, and a sentence for each file that was not read."""

from __future__ import annotations

import functools
import hashlib
import io
import json
import os
import re
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import nbformat

LARGEST = 50 << 20  # the most bytes of a notebook or a zip file
_IN_ALL = 300 << 20  # the most bytes of one student's notebooks
_DEEPEST = 12  # the most levels of nested folders
_ZIPS = 3  # the most levels of nested zip files
NOTEBOOK = re.compile(r"\.ipynb(\.txt|\.json)?$", re.IGNORECASE)
PACKED = re.compile(r"\.(zip|7z|rar|tar|t?gz|bz2|xz)$", re.IGNORECASE)
_COPY = re.compile(r"(\s*\(\d+\)|-Copy\d+)+$")
_ASKED = re.compile(r'(?:check|require)\(\s*(?:name\s*=\s*)?["\'](\d\d[a-z]?)\.')
_NUMBER = re.compile(r"(?<!\d)(\d\d[a-z]?)_")
_SPACES = "\xa0\u202f\u200c\u200d"  # narrow and joining spaces, which some languages need


def printable(text: str, lines: bool = False) -> str:
    """Return a text that any page and terminal can show: no control characters, except newlines and tabs if `lines`."""
    more = _SPACES + "\n\t" * lines
    return "".join(letter if letter.isprintable() or letter in more else "\N{REPLACEMENT CHARACTER}" for letter in text)


def students_name(file: str) -> str:
    """Return the student's name: the file's name without its ending and the additions of a download or Jupyter."""
    return _COPY.sub("", PACKED.sub("", NOTEBOOK.sub("", file))) or file


def is_wanted(name: str) -> bool:
    """Return whether a file may be a notebook or contain one."""
    return bool(NOTEBOOK.search(name) or PACKED.search(name))


class HandedIn:
    """One student's submission, read once, so that later changes count only in the next run.

    Of several notebooks of a lesson the newest counts, and `trouble` says so.
    """

    def __init__(self, places: Sequence[Path]) -> None:
        self.cells: dict[str, list[str]] = {}
        self.trouble: list[str] = []
        self._others, self._room, self._seen = [], _IN_ALL, hashlib.sha256()
        self._found: dict[str, list[tuple[tuple[int, ...], str, list[str]]]] = {}
        for name, path in (one for place in places for one in files_in(place, self.trouble)):
            kept = path.stat()
            self._take(name, time.localtime(kept.st_mtime)[:5], kept.st_size, functools.partial(path.open, "rb"))
        for number, several in self._found.items():
            date, name, self.cells[number] = max(several, key=lambda one: one[:2])
            if len(several) > 1:
                listed = ", ".join(sorted(one[1] for one in several))
                when = "{}-{:02}-{:02} {:02}:{:02}".format(*date)
                self.trouble.append(f"Lesson {number} is in {listed}: the newest counts, {name} ({when}).")
        if not self._found:
            rest = f" There is {', '.join(self._others[:5])}." if self._others else ""
            self.trouble.append(f"There is no notebook of the course.{rest}")
        self.digest = self._seen.hexdigest() + repr((self.trouble, self._others))

    def _take(
        self, name: str, date: tuple[int, ...], size: int, opened: Callable[[], IO[bytes]], zips: int = 0
    ) -> None:
        """Read a notebook, or the notebooks in a zip file, and add a sentence to `trouble` for each unreadable file."""
        if not is_wanted(name):
            self._others.append(name)
            return
        try:
            with opened() as file:
                data = file.read(LARGEST + 1) if size <= min(LARGEST, self._room) else None
            if data is None or len(data) > LARGEST:
                self.trouble.append(f"{name} is too large to be read.")
            elif NOTEBOOK.search(name):
                self._room -= len(data)
                self._seen.update(hashlib.sha256(data).digest() + name.encode() + repr(date).encode())
                self._sort_in(name, date, _code_cells(data))
            elif not name.lower().endswith(".zip") or zips == _ZIPS:
                self.trouble.append(f"{name} has to be unpacked first.")
            else:
                with zipfile.ZipFile(io.BytesIO(data)) as archive:
                    for info in archive.infolist():
                        if not info.is_dir() and not any(map(_is_aside, info.filename.split("/"))):
                            inside, at = f"{name}/{printable(info.filename)}", info.date_time[:5]
                            self._take(inside, at, info.file_size, functools.partial(archive.open, info), zips + 1)
        except Exception as error:  # nbformat and zipfile raise errors of many types
            self.trouble.append(f"{name} can't be read: {str(getattr(error, 'strerror', None) or error)[:200]}")

    def _sort_in(self, name: str, date: tuple[int, ...], cells: list[str]) -> None:
        """Keep a notebook under its lesson: the one that most of its checks name, or else the one in its file name."""
        asked = Counter(number for cell in cells for number in _ASKED.findall(cell))
        numbers = [asked.most_common(1)[0][0]] if asked else _NUMBER.findall(name.rpartition("/")[2])[:1]
        for number in numbers:
            self._found.setdefault(number, []).append((date, name, cells))
        if not numbers:
            self.trouble.append(f"{name} is no notebook of the course.")


def _is_aside(name: str) -> bool:
    """Return whether a file or folder of this name is not part of a submission: hidden, kept copies, or __MACOSX."""
    return name.startswith(".") or name in ("__MACOSX", "kept")


def files_in(place: Path, trouble: list[str]) -> Iterator[tuple[str, Path]]:
    """Yield the printable name and the path of each file in the folder `place`, or of the file `place` itself."""
    if not place.is_dir():
        yield from [(printable(place.name), place)] * (place.is_file() and not place.is_symlink())
    for folder, folders, files in os.walk(place):
        below = Path(folder).relative_to(place)
        folders[:] = sorted(name for name in folders if not _is_aside(name))
        if len(below.parts) == _DEEPEST and folders:
            trouble.append(f"Folders below {printable(str(below))[:80]} were not looked into: they are too deep.")
            folders.clear()
        for name in sorted(files):
            path = Path(folder, name)
            if not _is_aside(name) and path.is_file() and not path.is_symlink():
                yield printable(str(below / name)), path


def _code_cells(data: bytes) -> list[str]:
    """Return the code cells of a notebook in any of Jupyter's formats.

    Raise ValueError if the data are not JSON or have no cells; let nbformat's errors pass.
    """
    told: Any = json.loads(data)
    if not isinstance(told, dict) or not ("cells" in told or "worksheets" in told):
        raise ValueError("it has no cells")
    told.setdefault("nbformat", 4 if "cells" in told else 3)
    told.setdefault("nbformat_minor", 0)
    if told["nbformat"] < 4:
        told = nbformat.convert(nbformat.from_dict(told), 4)
    cells = [cell["source"] for cell in told["cells"] if cell["cell_type"] == "code"]
    return ["".join(source).encode("utf-8", errors="replace").decode() for source in cells]
