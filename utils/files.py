"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

_UNFINISHED = ".unfinished.part"
UNFINISHED_FILES = f".*{_UNFINISHED}"  # the pattern of their names: hidden ones, as nobody names a file of their own


def write_whole(path: Path, content: bytes, still: Callable[[], bool] = lambda: True) -> bool:
    """Write the file so that a crash at any moment leaves the old one or the new one; say whether it was written.

    `still` is asked when the new one lies ready beside the old one, and may decide for the old one. A link stays a
    link, and who may read the file stays as it was. Raises OSError where it cannot be written.
    """
    path = Path(os.path.realpath(path))
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(6)}{_UNFINISHED}")
    try:
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # on the disk before the name is: else a power cut could leave it empty
        if path.exists():
            shutil.copymode(path, unfinished)
        if not still():
            unfinished.unlink()
            return False
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    return True
