"""The prose of the course's own lessons as a corpus: English that everybody here has read.

`course_text()` reads a frozen copy, course_text.txt beside this file, so that what a model has learnt from it stays
what it was when a lesson is edited. `python -m lessons.course_text` makes the copy anew; what was trained on the old
one, small_writer.safetensors and the json files of this folder, must then be trained anew too.
"""

from __future__ import annotations

import re
from pathlib import Path

HELD_OUT = ("06", "10", "13")  # lessons that no model and no tokenizer of lesson 16 has seen
_FILE = Path(__file__).with_name("course_text.txt")
_HEADING = "=== lesson "  # begins the line before each lesson in the file
_LAST = "14"  # the last lesson that is in the copy

_LEFT_OUT = (
    r"(?ms)^```.*?^```$",  # cells
    r"(?ms)^\$\$.*?\$\$$",  # formulas on lines of their own
    r"(?m)^(\||\+\+\+|<).*$",  # tables, the fences of hints, HTML
    r"\*\*|[\u200e\u200f]",
)
_LINK = r"!?\[([^\]]*)\]\([^)]*\)"


def course_text() -> tuple[str, str]:
    """The prose of the course as it was when it was frozen: (to learn from, held out), lessons in their order."""
    lessons = course_lessons()
    held_out = "".join(lessons[number] for number in HELD_OUT)
    return "".join(text for number, text in lessons.items() if number not in HELD_OUT), held_out


def course_lessons() -> dict[str, str]:
    """The same lesson by lesson: number -> text."""
    parts = re.split(rf"(?m)^{_HEADING}(\w+)\n", _FILE.read_text(encoding="utf-8"))[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def prose(markdown: str) -> str:
    """What a lesson says between its cells: no front matter, code, tables, formulas on lines of their own."""
    text = markdown.split("---\n", 2)[2]
    for pattern in _LEFT_OUT:
        text = re.sub(pattern, "", text)
    return re.sub(r"\n{3,}", "\n\n", re.sub(_LINK, r"\1", text)).strip() + "\n\n"


def _freeze() -> None:
    folders = [path for path in sorted(_FILE.parents[1].glob("*/lesson.md")) if path.parent.name.split("_")[0] <= _LAST]
    texts = [(path.parent.name.split("_")[0], prose(path.read_text(encoding="utf-8"))) for path in folders]
    _FILE.write_text("".join(f"{_HEADING}{number}\n{text}" for number, text in texts), encoding="utf-8")


if __name__ == "__main__":
    _freeze()
