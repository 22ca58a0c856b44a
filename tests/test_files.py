"""What each program asks of the machine: a home folder, an output that can't say every letter, a lock."""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from utils import files
from utils.files import path_of, waited_for

ROOT = Path(__file__).resolve().parents[1]


def test_path_of_expands_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert path_of("~/class") == tmp_path / "class"
    assert path_of("my ~/class") == Path("my ~/class")
    with pytest.raises(argparse.ArgumentTypeError, match="~nobody-has-this-name"):
        path_of("~nobody-has-this-name/class")


@pytest.mark.parametrize(
    "command",
    [["utils.course.classes.copies", "05"], ["utils.training.train", "--out"], ["utils.course.launch", "--notebooks"]],
)
def test_programs_never_create_a_folder_called_tilde(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who tidies it up with `rm -r ~` loses the home folder."""
    monkeypatch.chdir(tmp_path)
    module, *rest = command
    with pytest.raises(SystemExit):
        importlib.import_module(module).main([*rest, "~nobody-has-this-name/x"])
    assert "home folder" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_output_replaces_characters_it_cannot_encode(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "utils.course.working_copy", "05"],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "COURSE_NOTEBOOKS": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
    )
    assert run.returncode == 0, run.stderr
    assert b"File ? Reload" in run.stdout and b"Traceback" not in run.stderr


def test_lock_is_waited_for_with_a_message_and_a_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(files, "_IN_SILENCE", 0.01)
    path = tmp_path / "a.lock"
    with FileLock(path), pytest.raises(OSError), waited_for(FileLock(path), 0.1, "reading the news"):
        pass
    assert "reading the news" in capsys.readouterr().out
    with waited_for(FileLock(path), 0.1, "reading"), pytest.raises(OSError):
        FileLock(path, timeout=0).acquire()
    with FileLock(path, timeout=0):
        assert capsys.readouterr().out == ""
