"""Load the controls' scripts and styles: ES modules, each checked and tested by itself, and style sheets."""

from __future__ import annotations

import re
from pathlib import Path

from utils.show.colours import variables

_HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def script(name: str, folder: Path = _HERE) -> str:
    """Return an ES module after all modules that it imports from `folder`, as the one text that anywidget needs.

    All modules share one scope, so no two may define the same name.
    """
    modules: dict[str, str] = {}

    def add(name: str) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        for imported in _IMPORT.findall(text):
            add(imported)
        modules[name] = _EXPORT.sub("", _IMPORT.sub("", text))

    add(name)
    return "\n".join(modules.values())


def style(kind: str, *names: str) -> str:
    """Return the shared style sheet and the sheets `names` as one text, for controls with the class `kind`.

    Two kinds may be on one page, so the second kind's copy of the shared rules must not override the first kind's own.
    """
    shared = (_HERE / "parts.css").read_text(encoding="utf-8")
    shared = shared.replace(".course-control", f".course-control:where(.{kind})")  # adds no specificity
    own = [(_HERE / name).read_text(encoding="utf-8") for name in names]
    return "\n".join([variables(".course-control"), shared, *own])
