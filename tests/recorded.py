"""What was looked at once and found right, kept beside the tests; a test says what has changed since."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from utils.data.kept import read_kept, write_kept

AGAIN = "Look at it: if it is as it should be, run this test once with RECORD=new."


def recorded(now: list[Any], path: Path) -> list[Any]:
    """What the file at `path` holds, a line for each entry, nothing where there is none; with RECORD=new in the
    environment, though never in CI, that is `now`.
    """
    if os.environ.get("RECORD") == "new" and not os.environ.get("CI"):
        write_kept(path, now)
    return read_kept(path) if path.is_file() else []
