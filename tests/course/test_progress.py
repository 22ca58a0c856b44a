"""Progress survives a missing file, a broken file, a folder that can't be written, and a crash in the middle."""

from __future__ import annotations

import os

import pytest

from utils.course import progress, start
from utils.course.exercises import EXERCISES
from utils.course.progress import Attempt, read_progress, record
from utils.course.start import show_progress


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "sub" / "progress.json"
    monkeypatch.setenv("COURSE_PROGRESS", str(path))
    return path


def test_a_missing_file_is_no_progress(file):
    assert read_progress() == {}


def test_what_is_recorded_is_read_back(file):
    assert record("05.scores", passed=False) is None
    assert record("05.scores", passed=True) is None
    assert read_progress() == {"05.scores": Attempt(tries=2, passed=True)}


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"05.scores": 3}', b'{"05.scores": {"tries": -1, "passed": true}}', b"\xff\xfe", b"null"],
)
def test_a_broken_file_is_set_aside_and_nothing_is_lost(file, content):
    file.parent.mkdir()
    file.write_bytes(content)
    assert record("05.scores", passed=True) is None
    assert read_progress() == {"05.scores": Attempt(1, True)}
    assert file.with_name("progress.json.broken-1").read_bytes() == content


def test_a_second_broken_file_does_not_replace_the_first(file):
    file.parent.mkdir()
    for content in (b"first", b"second"):
        file.write_bytes(content)
        read_progress()
    assert [p.read_bytes() for p in sorted(file.parent.glob("*.broken-*"))] == [b"first", b"second"]


def test_a_crash_while_writing_leaves_the_old_file(file, monkeypatch):
    record("05.scores", passed=True)
    before = file.read_bytes()

    def power_cut(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(progress.os, "replace", power_cut)
    with pytest.raises(KeyboardInterrupt):
        record("05.weights", passed=True)
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]


def test_progress_that_cannot_be_saved_is_said_and_the_answer_counts(tmp_path, monkeypatch):
    blocker = tmp_path / "a file"
    blocker.write_text("")
    monkeypatch.setenv("COURSE_PROGRESS", str(blocker / "progress.json"))
    sentence = record("05.scores", passed=True)
    assert sentence.startswith("Your answer counts, but your progress could not be saved")


def test_what_is_no_file_is_neither_moved_nor_replaced(tmp_path, monkeypatch):
    folder = tmp_path / "progress.json"
    folder.mkdir()
    monkeypatch.setenv("COURSE_PROGRESS", str(folder))
    assert read_progress() == {}
    assert "could not be saved" in record("05.scores", passed=True)
    assert os.listdir(tmp_path) == ["progress.json"] and folder.is_dir()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
def test_a_device_is_not_taken_for_a_broken_file(tmp_path, monkeypatch):
    """As /dev/null would be, were it named as the place for progress."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    progress._set_aside(pipe)
    assert os.listdir(tmp_path) == ["pipe"]
    with pytest.raises(OSError, match="is not a file"):
        progress._write(pipe, {})


def test_the_start_page_counts_and_names_what_is_open(file):
    record("05.scores", passed=True)
    record("05.weights", passed=False)
    text = repr(show_progress())
    assert "■□□□  05 Self-attention by hand: 1 of 4 (open: weights, attention_on_x2, output)" in text


def test_all_passed_is_good_and_less_is_not(file):
    assert "#009E73" not in show_progress().html
    for name in EXERCISES:
        record(name, passed=True)
    assert "#009E73" in show_progress().html
    assert "open:" not in repr(show_progress())


def test_the_check_of_the_computer_says_what_is_missing(monkeypatch):
    assert repr(start.check_environment()).startswith("This computer is ready.")
    checks = (*start._CHECKS, ("the moon is full", lambda: False, "Wait."), ("it runs", lambda: 1 / 0, "Mend it."))
    monkeypatch.setattr(start, "_CHECKS", checks)
    text = repr(start.check_environment())
    assert text.startswith("Something is missing.")
    assert "FAIL  the moon is full. Wait." in text and "FAIL  it runs. Mend it." in text and "OK    Python" in text
