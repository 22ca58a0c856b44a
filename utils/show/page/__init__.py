"""What the controls look like and do on a page: ES modules, each checked and tested by itself, and style sheets."""

from __future__ import annotations

import re
from pathlib import Path

from utils.show.colours import variables

_HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def script(name: str, folder: Path = _HERE) -> str:
    """An ES module of a folder behind all that it imports there, as one text: anywidget takes no more than that.

    They come to share one scope, so no two modules may give a name of theirs to different things.
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
    """Return what all controls share and the sheets of these names, as one text, for controls with the class `kind`.

    Two kinds may stand on one page. What the second brings of what all share must not come behind the first's own.
    """
    shared = (_HERE / "parts.css").read_text(encoding="utf-8")
    shared = shared.replace(".course-control", f".course-control:where(.{kind})")  # which weighs nothing
    own = [(_HERE / name).read_text(encoding="utf-8") for name in names]
    return "\n".join([variables(".course-control"), shared, *own])
