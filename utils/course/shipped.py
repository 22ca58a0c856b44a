"""Recognize the course's own notebooks by their content. Only these may show saved outputs before they are run.

A saved output can contain a script, which JupyterLab runs on opening the notebook if the notebook is signed. So a
notebook that somebody else put beside the lessons must not be signed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

DIGESTS = Path(__file__).with_name("digests")  # a file for each notebook, so that changes of two lessons merge


def digest(path: Path) -> str:
    """Return the SHA-256 of a notebook's content, whatever its line ends and spaces. Raise ValueError if not JSON."""
    return digest_of(json.loads(path.read_text(encoding="utf-8")))


def digest_of(notebook: Any) -> str:
    """Return the SHA-256 of a notebook that has been read already."""
    return hashlib.sha256(json.dumps(notebook, sort_keys=True).encode()).hexdigest()


def fingerprint(notebook: Mapping[str, Any]) -> str:
    """Return a hash of the cells' sources without their outputs; a built notebook has it as `course.sources`.

    Raise KeyError or TypeError if `notebook` is no notebook.
    """
    # A file may store the lines of a cell as a list.
    text = "\0".join(f"{cell['cell_type']}\n{''.join(cell['source'])}" for cell in notebook["cells"])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def shipped_digests() -> set[str]:
    """Return the digests of the course's notebooks, which identify them whatever their file names."""
    return {path.read_text(encoding="utf-8").strip() for path in DIGESTS.glob("*.sha256")}


def keep_digests(notebooks: Iterable[Path], folder: Path | None = None) -> None:
    """Write the digests of the built `notebooks`, and delete the digests of all others.

    folder: the folder for the digests, if not this course's own but that of a class's copy.
    """
    digests = {f"{path.stem}.sha256": digest(path) for path in notebooks}
    folder = folder or DIGESTS
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.sha256"):
        if path.name not in digests:
            path.unlink()
    for name, known in digests.items():
        (folder / name).write_text(known + "\n", encoding="utf-8")
