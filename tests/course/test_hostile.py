"""Whatever is handed to `check`, it gives a card, in time, and leaves everything else as it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from utils.course.lessons import ROOT


@pytest.mark.skipif(sys.platform == "win32", reason="not tried there")
@pytest.mark.parametrize("where", [[], ["browser"]], ids=["on a computer", "in a browser"])
def test_hostile_and_clumsy_answers_get_a_card_and_change_nothing(tmp_path: Path, where: list[str]) -> None:
    command = [sys.executable, "-m", "tests.course.hostile", str(tmp_path), *where]
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    child = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=600)
    assert child.returncode == 0 and not child.stderr, child.stderr[-2000:]
    told = json.loads(child.stdout)
    assert told["answers"] >= 60 and told["wrong"] == []
    if sys.platform == "linux":  # elsewhere it isn't asked
        assert 50_000 < told["kilobytes"] < 1_000_000
