"""The code is as ruff wants it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=lambda command: command[0])
def test_ruff_finds_nothing(command):
    run = subprocess.run([sys.executable, "-m", "ruff", *command, "."], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, f"{run.stdout}{run.stderr}`.venv/bin/ruff check --fix`, then `.venv/bin/ruff format`"
