"""What a student has handed in: the code cells of each lesson, and in sentences, what was not taken."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat

LARGEST = 50 << 20  # bytes of a notebook, or of a zip file
_IN_ALL = 300 << 20  # bytes of one student's files
_DEEPEST = 12  # folders in folders
_ZIPS = 3  # zip files in zip files
_MOST = 3_000  # files of one student that are looked at
NOTEBOOK = re.compile(r"\.ipynb(\.txt|\.json)?$", re.IGNORECASE)
PACKED = re.compile(r"\.(zip|7z|rar|tar|t?gz|bz2|xz)$", re.IGNORECASE)
_COPY = re.compile(r"(\s*\(\d+\)|-Copy\d+)+$")
_ASKED = re.compile(r'(?:check|require)\(\s*(?:name\s*=\s*)?["\'](\d\d[a-z]?)\.')
_NUMBER = re.compile(r"(?<!\d)(\d\d[a-z]?)_")


def printable(name: str) -> str:
    """Return a file's name as any page and any terminal can show it."""
    text = os.fsencode(name).decode("utf-8", errors="replace")
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def students_name(file: str) -> str:
    """Return whose notebook a file is: its name, without what a download or Jupyter has added."""
    return _COPY.sub("", PACKED.sub("", NOTEBOOK.sub("", file))) or file


@dataclass
class HandedIn:
    """Everything of one student, read once: what is saved meanwhile is the next run's."""

    cells: dict[str, list[str]] = field(default_factory=dict)
    trouble: list[str] = field(default_factory=list)
    digest: str = ""

    @staticmethod
    def any_in(places: Sequence[Path]) -> bool:
        """Tell whether there is a file that might be, or hold, a notebook."""
        files = (name for place in places for name, _ in _walk(place, []))
        return any(NOTEBOOK.search(name) or PACKED.search(name) for name in files)

    @classmethod
    def read(cls, places: Sequence[Path]) -> HandedIn:
        """Read what lies in `places`; of several notebooks of a lesson the newest counts, and that is said."""
        handed = cls()
        seen, found, others = hashlib.sha256(), {}, []
        for name, date, data in handed._files(places, others):
            seen.update(hashlib.sha256(data).digest() + name.encode() + repr(date).encode())
            try:
                cells = _code_cells(data)
            except Exception as error:  # nbformat raises what it finds
                handed.trouble.append(f"{name} can't be read as a notebook: {str(error)[:200]}")
                continue
            asked = Counter(number for cell in cells for number in _ASKED.findall(cell))
            named = _NUMBER.findall(name.rpartition("/")[2])
            for number in [asked.most_common(1)[0][0]] if asked else named[:1]:
                found.setdefault(number, []).append((date, name, cells))
            if not asked and not named:
                handed.trouble.append(f"{name} is no notebook of the course.")
        for number, several in found.items():
            date, name, handed.cells[number] = max(several, key=lambda one: one[:2])
            if len(several) > 1:
                listed = ", ".join(sorted(one[1] for one in several))
                when = "{}-{:02}-{:02} {:02}:{:02}".format(*date)
                handed.trouble.append(f"Lesson {number} is in {listed}: the newest counts, {name} ({when}).")
        if not found:
            rest = f" There is {', '.join(others[:5])}." if others else ""
            handed.trouble.append(f"There is no notebook of the course.{rest}")
        handed.digest = seen.hexdigest() + repr((handed.trouble, others))
        return handed

    def _files(self, places: Sequence[Path], others: list[str]) -> Iterator[tuple[str, tuple[int, ...], bytes]]:
        """Return the name, the date and the bytes of each notebook, also of those in zip files."""
        room = [_IN_ALL]
        for name, path in [one for place in places for one in _walk(place, self.trouble)]:
            if not (NOTEBOOK.search(name) or PACKED.search(name)):
                others.append(name)
                continue
            try:
                with path.open("rb") as file:
                    kept = os.fstat(file.fileno())
                    data = file.read(LARGEST + 1) if kept.st_size <= min(LARGEST, room[0]) else None
            except OSError as error:
                self.trouble.append(f"{name} can't be read: {error.strerror}.")
                continue
            yield from self._one(name, _date(kept.st_mtime), data, room, 0)

    def _one(
        self, name: str, date: tuple[int, ...], data: bytes | None, room: list[int], depth: int
    ) -> Iterator[tuple[str, tuple[int, ...], bytes]]:
        if data is None or len(data) > LARGEST:
            self.trouble.append(f"{name} is too large to be read.")
        elif NOTEBOOK.search(name):
            room[0] -= len(data)
            yield name, date, data
        elif not name.lower().endswith(".zip") or depth == _ZIPS:
            self.trouble.append(f"{name} has to be unpacked first.")
        else:
            yield from self._unpacked(name, data, room, depth)

    def _unpacked(
        self, zipped: str, data: bytes, room: list[int], depth: int
    ) -> Iterator[tuple[str, tuple[int, ...], bytes]]:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                for info in archive.infolist()[:_MOST]:
                    parts, name = info.filename.split("/"), f"{zipped}/{printable(info.filename)}"
                    wanted = NOTEBOOK.search(parts[-1]) or PACKED.search(parts[-1])
                    if not wanted or any(part.startswith(".") or part == "__MACOSX" for part in parts):
                        continue
                    fits = info.file_size <= min(LARGEST, room[0])
                    inside = archive.open(info).read(LARGEST + 1) if fits else None
                    yield from self._one(name, info.date_time[:5], inside, room, depth + 1)
        except (
            zipfile.BadZipFile,
            OSError,
            RuntimeError,
            NotImplementedError,
            zlib.error,
            EOFError,
            ValueError,
        ) as error:
            self.trouble.append(f"{zipped} can't be unpacked: {str(error)[:200]}")


def _date(seconds: float) -> tuple[int, ...]:
    import time

    return time.localtime(seconds)[:5]


def _walk(place: Path, trouble: list[str]) -> Iterator[tuple[str, Path]]:
    """Return the files in a folder, by the name to show, but not what Jupyter and the course put aside."""
    if not place.is_dir():
        yield from [(printable(place.name), place)] * (place.is_file() and not place.is_symlink())
        return
    n = 0
    for folder, folders, files in os.walk(place):
        below = Path(folder).relative_to(place)
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in ("__MACOSX", "kept"))
        if len(below.parts) == _DEEPEST and folders:
            trouble.append(f"Folders below {printable(str(below))[:80]} were not looked into: they are too deep.")
            folders.clear()
        for name in sorted(files):
            path, n = Path(folder, name), n + 1
            if n > _MOST:
                trouble.append(f"More than {_MOST} files: the others were not looked at.")
                return
            if name[0] != "." and path.is_file() and not path.is_symlink():
                yield printable(str(below / name)), path


def _code_cells(data: bytes) -> list[str]:
    """Return the code of a notebook in any of Jupyter's formats. Raises what nbformat raises."""
    told: Any = json.loads(data)
    if not isinstance(told, dict) or not ("cells" in told or "worksheets" in told):
        raise ValueError("it has no cells")
    told.setdefault("nbformat", 4 if "cells" in told else 3)
    told.setdefault("nbformat_minor", 0)
    if told["nbformat"] < 4:
        told = nbformat.convert(nbformat.from_dict(told), 4)
    cells = [cell["source"] for cell in told["cells"] if cell["cell_type"] == "code"]
    texts = [source if isinstance(source, str) else "".join(source) for source in cells]
    return [text.encode("utf-8", errors="replace").decode() for text in texts]
