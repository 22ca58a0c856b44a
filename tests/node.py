"""The node that lies in Playwright: what is written for a page, run without one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import playwright

NODE = next(Path(playwright.__file__).with_name("driver").glob("node*"))  # on Windows node.exe


def node(*arguments: str | Path, source: str | None = None) -> str:
    """What node prints; it must end well."""
    done = subprocess.run([NODE, *arguments], input=source, capture_output=True, encoding="utf-8", timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
