"""Progress survives a missing file, a broken file, a folder that can't be written, and a crash in the middle."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from utils.course import progress, start
from utils.course.exercises import EXERCISES
from utils.course.progress import Attempt, read_progress, record
from utils.course.start import show_progress


def today() -> str:
    """Return the current day at each call, because a run may last past midnight."""
    return date.today().isoformat()


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "in" / "folders" / "progress.json"
    monkeypatch.setenv("COURSE_PROGRESS", str(path))
    return path


def test_read_progress_gives_what_was_recorded(file):
    assert read_progress() == {}
    assert record("05.scores", passed=False) is None
    assert record("05.scores", passed=True) is None
    assert read_progress() == {"05.scores": Attempt(tries=2, passed=True, day=today())}
    assert record("05.scores", passed=False) is None and record("01.other", passed=False) is None
    assert read_progress() == {"01.other": Attempt(1, False), "05.scores": Attempt(3, True, today())}  # once is enough


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b'{"05.scores": 3}',
        b'{"05.scores": {"tries": 1, "passed": true, "day": "soon"}}',
        b"\xff\xfe",
    ],
)
def test_broken_file_is_set_aside_and_nothing_is_lost(file, content):
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    assert read_progress() == {} and file.read_bytes() == content
    assert "progress.json.broken-1" in record("05.scores", passed=True)
    assert read_progress() == {"05.scores": Attempt(1, True, today())}
    assert file.with_name("progress.json.broken-1").read_bytes() == content


RECORDS = """
import sys
from utils.course.progress import record

for number in range(30):
    assert record(f"{sys.argv[1]}.{number}", passed=True) is None
"""


def test_two_processes_lose_nothing_of_each_other(file):
    both = [subprocess.Popen([sys.executable, "-c", RECORDS, name]) for name in ("01", "02")]
    assert [process.wait() for process in both] == [0, 0]
    names = [f"{name}.{number}" for name in ("01", "02") for number in range(30)]
    assert read_progress() == dict.fromkeys(names, Attempt(1, True, today()))


def test_sound_but_unreadable_file_is_reported_and_left_alone(file, monkeypatch):
    record("05.scores", passed=True)
    before = file.read_bytes()

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_text", refuse)
        assert record("05.weights", passed=True).endswith("could not be saved: Permission denied.")
        shown = repr(show_progress())
    assert "cannot be read at the moment: Permission denied." in shown and str(file) in shown
    assert file.read_bytes() == before and not list(file.parent.glob("*.broken-*"))


def test_crash_while_writing_leaves_the_old_file(file, monkeypatch):
    record("05.scores", passed=True)
    before = file.read_bytes()

    def power_cut(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(progress.os, "replace", power_cut)
    with pytest.raises(KeyboardInterrupt):
        record("05.weights", passed=True)
    assert file.read_bytes() == before
    assert sorted(os.listdir(file.parent)) == [file.name, f"{file.name}.lock"]


def test_unsaved_progress_is_reported_and_the_answer_counts(tmp_path, monkeypatch):
    blocker = tmp_path / "a file"
    blocker.write_text("")
    monkeypatch.setenv("COURSE_PROGRESS", str(blocker / "progress.json"))
    sentence = record("05.scores", passed=True)
    assert sentence.startswith("Your answer counts, but your progress could not be saved")


def test_start_page_counts_and_names_open_exercises(file):
    record("05.scores", passed=True)
    record("05.weights", passed=False)
    text = repr(show_progress())
    still = [name.partition(".")[2] for name, exercise in EXERCISES.items() if exercise.lesson == "05"][1:]
    bar = "■" + "□" * len(still)
    assert f"{bar}  05 Self-attention by hand: 1 of {len(still) + 1} (open: {', '.join(still)})" in text
    first, *lines = text.splitlines()
    assert first == f"Exercises passed: 1 of {len(EXERCISES)}"
    assert len(lines) == len({exercise.lesson for exercise in EXERCISES.values()})  # one each


def test_computer_check_says_what_is_missing(monkeypatch):
    ready = start.check_environment()
    assert repr(ready).startswith("This computer is ready.") and "#009E73" in ready.html
    for version, begins in (((3, 10, 14), "FAIL"), ((3, 11), "OK")):
        monkeypatch.setattr(sys, "version_info", version)
        assert f"{begins:6}Python is new enough" in repr(start.check_environment())
    checks = (*start._CHECKS, ("the moon is full", lambda: False, "Wait."), ("it runs", lambda: 1 / 0, "Mend it."))
    monkeypatch.setattr(start, "_CHECKS", checks)
    text = repr(start.check_environment())
    assert "FAIL  the moon is full. Wait." in text and "FAIL  it runs. Mend it." in text and "OK    Python" in text
