"""Which notebooks are the course's own, known by their content: only those may show what was saved without being run.

A saved output can hold a script. JupyterLab runs it when the notebook is opened, if the notebook is signed; so what
anybody may have put beside the lessons must not be.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

DIGESTS = Path(__file__).with_name("digests")  # a file for each notebook, so that two changes of two lessons merge


def digest(path: Path) -> str:
    """Hash what the notebook says, whatever its line ends and spaces (SHA-256). Raises ValueError for no JSON."""
    return digest_of(json.loads(path.read_text(encoding="utf-8")))


def digest_of(notebook: Any) -> str:
    """Return the same of a notebook that has been read already."""
    return hashlib.sha256(json.dumps(notebook, sort_keys=True).encode()).hexdigest()


def fingerprint(notebook: Mapping[str, Any]) -> str:
    """Return what its cells say, whatever they have put out: a built notebook notes it as `course.sources`.

    Raises KeyError or TypeError for what is no notebook.
    """
    # A file may hold the lines of a cell one by one.
    text = "\0".join(f"{cell['cell_type']}\n{''.join(cell['source'])}" for cell in notebook["cells"])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def shipped_digests() -> set[str]:
    """Return the digests of what the course ships; a notebook is known by them under whatever name it lies here."""
    return {path.read_text(encoding="utf-8").strip() for path in DIGESTS.glob("*.sha256")}


def keep_digests(notebooks: Iterable[Path], folder: Path | None = None) -> None:
    """Write down what is shipped, when the notebooks have been built, and forget what no longer is.

    folder: where, if not in this course but in a class's copy of it.
    """
    digests = {f"{path.stem}.sha256": digest(path) for path in notebooks}
    folder = folder or DIGESTS
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.sha256"):
        if path.name not in digests:
            path.unlink()
    for name, known in digests.items():
        (folder / name).write_text(known + "\n", encoding="utf-8")
