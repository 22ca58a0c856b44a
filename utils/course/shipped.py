"""Which notebooks are the course's own, known by their content: only those may show what was saved without being run.

A saved output can hold a script. JupyterLab runs it when the notebook is opened, if the notebook is signed; so what
anybody may have put beside the lessons must not be.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

DIGESTS = Path(__file__).with_name("shipped.json")


def digest(path: Path) -> str:
    """SHA-256 of what the notebook says, whatever its line ends and spaces. Raises ValueError for what is no JSON."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def is_shipped(path: Path) -> bool:
    """Whether the notebook is to the letter what the course ships, under whatever name it lies here."""
    return digest(path) in json.loads(DIGESTS.read_text(encoding="utf-8")).values()


def keep_digests(notebooks: Iterable[Path]) -> None:
    """Writes down what is shipped, when the notebooks have been built."""
    digests = {path.stem: digest(path) for path in sorted(notebooks)}
    DIGESTS.write_text(json.dumps(digests, indent=0) + "\n", encoding="utf-8")
