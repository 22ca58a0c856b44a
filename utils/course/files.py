"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

UNFINISHED = ".part"  # what the name of a file ends with until it is whole


def write_whole(path: Path, content: bytes, still: Callable[[], bool] = lambda: True) -> bool:
    """Writes the file so that a crash at any moment leaves the old one or the new one; says whether it was written.

    `still` is asked when the new one lies ready beside the old one, and may decide for the old one. Only one process
    at a time may write to `path`. Raises OSError where it cannot be written.
    """
    unfinished = path.with_name(path.name + UNFINISHED)
    try:
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # on the disk before the name is: else a power cut could leave it empty
        if not still():
            unfinished.unlink()
            return False
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    return True
