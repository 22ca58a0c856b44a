"""What a student wrote when it can no longer be read or written: it stays as it is, and the student is told."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.course.test_working_copy import FIRST, LESSON, MINE, SECOND
from utils.course.working_copy import beside, reset, update

NOBODY = 65534
SECRET = 0o000

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder of an ordinary user, as whom the test goes on: for root, nothing is forbidden."""
    root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as folder:
        if root:
            os.chown(folder, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield Path(folder)
        finally:
            if root:
                os.seteuid(0)
            for path in (Path(folder), *Path(folder).rglob("*")):
                path.chmod(stat.S_IRWXU)


@pytest.fixture
def folders(home) -> tuple[Path, Path]:
    """What is published, newer than what the student has, and the student's folder, with lines of the student's."""
    published, own = home / "notebooks", home / "my-notebooks"
    published.mkdir()
    (published / LESSON).write_bytes(FIRST)
    update(published, own)
    (own / LESSON).write_bytes(MINE)
    (published / LESSON).write_bytes(SECOND)
    return published, own


def test_unreadable_lesson_is_reported_and_stays(folders):
    published, own = folders
    (published / "06_masks.ipynb").write_bytes(FIRST)
    (own / LESSON).chmod(SECRET)
    said = update(published, own)
    assert "Permission denied" in " ".join(said)
    assert (own / "06_masks.ipynb").read_bytes() == FIRST
    with pytest.raises(PermissionError):
        reset("05", published, own)
    (own / LESSON).chmod(stat.S_IRWXU)
    assert (own / LESSON).read_bytes() == MINE and not beside(own / LESSON).exists()
