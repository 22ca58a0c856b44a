"""Whatever a student hands in is read, or named; nothing of it ends the reading."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path

import pytest

from tests.course.classes.handed_in import FILE, cells_of, scores
from utils.course.classes.handed_in import LARGEST, HandedIn, printable, students_name

RIGHT = json.dumps(cells_of(scores("return Q @ K.T")))


def zipped(name: str, content: str | bytes) -> bytes:
    """A zip file with one file in it."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(name, content)
    return made.getvalue()


def read(folder: Path) -> tuple[str, str]:
    """What is taken as lesson 05, and what is said."""
    handed = HandedIn([folder])
    return "\n".join(handed.cells.get("05", [])), "\n".join(handed.trouble)


OLD = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}}
OLD["worksheets"] = [
    {"cells": [{"cell_type": "code", "input": scores("return Q @ K.T"), "language": "python", "outputs": []}]}
]


@pytest.mark.parametrize(
    ("name", "content"),
    {
        "homework.IPYNB": RIGHT,
        "homework.ipynb.txt": RIGHT,
        "with a mark.ipynb": "\N{ZERO WIDTH NO-BREAK SPACE}" + RIGHT,
        "two bytes.ipynb": RIGHT.encode("utf-16"),
        "of version 3.ipynb": json.dumps(OLD),
        "uploads.zip": zipped("deep/er/x.ipynb", RIGHT),
        "nested.ZIP": zipped("in/inner.zip", zipped("x.ipynb", RIGHT)),
        "keywords.ipynb": RIGHT.replace("check(", "check(name="),
    }.items(),
)
def test_notebook_is_read_from_any_packing(tmp_path: Path, name: str, content: str | bytes) -> None:
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    cells, said = read(tmp_path)
    assert "return Q @ K.T" in cells and not said


def test_files_added_by_archives_and_editors_are_ignored(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "hw.zip", "w") as archive:
        archive.writestr("hw/05_x.ipynb", RIGHT)
        archive.writestr("__MACOSX/hw/._05_x.ipynb", b"\0\5\26\7")
        archive.writestr("hw/.ipynb_checkpoints/05_x-checkpoint.ipynb", "{")
    (tmp_path / "._05_x.ipynb").write_bytes(b"\0\5\26\7")
    cells, said = read(tmp_path)
    assert cells and not said


def test_newest_of_several_copies_is_graded_and_reported(tmp_path: Path) -> None:
    for days, name in enumerate(["05_x-Copy1.ipynb", "05_x.ipynb", "05_x (1).ipynb"]):
        (tmp_path / name).write_text(json.dumps(cells_of(scores(f"return {days}"))))
        os.utime(tmp_path / name, (1e9 + 86400 * days, 1e9 + 86400 * days))
    os.utime(tmp_path / "05_x-Copy1.ipynb", (2e9, 2e9))
    cells, said = read(tmp_path)
    assert "return 0" in cells and "newest" in said and "05_x-Copy1.ipynb (2033" in said
    assert students_name("Al Oak (1).ipynb") == students_name("Al Oak-Copy2.IPYNB") == "Al Oak"


def test_unreadable_file_is_named(tmp_path: Path) -> None:
    contents = {
        "a.ipynb": b"{",
        "b.ipynb": b"[]",
        "c.ipynb": b"[" * 100_000,
        "d.ipynb": b"",
        "e.ipynb": b'{"cells": [1]}',
    }
    contents |= {"f.zip": b"PK", "g.7z": b"", "h.rar": b"", "i.ipynb": RIGHT.replace("05.", "").encode()}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "essay.pdf").write_bytes(b"")
    cells, said = read(tmp_path)
    assert not cells and all(name in said for name in contents) and "essay.pdf" in said
    assert "unpacked first" in said and "no notebook of the course" in said


def test_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / FILE).open("wb") as file:
        file.truncate(6 << 30)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(FILE, b" " * (LARGEST + 1))
    cells, said = read(tmp_path)
    assert not cells and said.count("too large") == 2


def test_too_deeply_nested_folders_are_named(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("n", dir_fd=here)
        below = os.open("n", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    assert "too deep" in read(tmp_path)[1]


@pytest.mark.skipif(os.name == "nt" or os.uname().sysname == "Darwin", reason="names are text there")
def test_any_bytes_are_accepted_as_a_name(tmp_path: Path) -> None:
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\x1b.ipynb"))).write_text(RIGHT)
    assert read(tmp_path)[0]
    assert printable(os.fsdecode(b"\xff\n")) == "\N{REPLACEMENT CHARACTER}" * 2


def test_file_saved_during_grading_is_marked_as_first_read(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(RIGHT)
    before = HandedIn([tmp_path])
    (tmp_path / FILE).write_text(json.dumps(cells_of(scores("return K"))))
    assert "return Q @ K.T" in "".join(before.cells["05"])
    assert HandedIn([tmp_path]).digest != before.digest
