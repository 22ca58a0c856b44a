"""What keeps a killed test run from leaving servers and kernels behind."""

from __future__ import annotations

import shutil


def ending(number: str = "TERM") -> list[str]:
    """Return the words before a command that send it this signal when its parent ends, where the system has them."""
    return ["setpriv", "--pdeathsig", number] if shutil.which("setpriv") else []
