"""What the tests of the course's own room share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a student's progress, which is not there yet."""
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "progress.json"))
    return tmp_path / "progress.json"
