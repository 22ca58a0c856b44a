"""The lessons as they are written: their files, their front matter, their order."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
LESSONS = ROOT / "lessons"
NOTEBOOKS = ROOT / "notebooks"
NOTES = ("N1", "N2", "N3", "N4", "N5")

_Fits = Callable[[Any], bool]
# What each field of the front matter must be, in words and as a test.
_FIELDS: dict[str, tuple[str, _Fits]] = {
    "title": ("a text", lambda value: isinstance(value, str)),
    "question": ("a text", lambda value: isinstance(value, str)),
    "notes": ("a list of N1 to N5 in brackets", lambda value: _is_list_of(value, lambda x: x in NOTES)),
    "minutes_to_read": ("a whole number above 0", lambda value: _is_count(value) and value > 0),
    "minutes_to_do": ("a whole number above 0", lambda value: _is_count(value) and value > 0),
    "needs": ("a list of lesson numbers in brackets", lambda value: _is_list_of(value, _is_number_of_a_lesson)),
}


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number_of_a_lesson(value: Any) -> bool:
    return _is_count(value) or (isinstance(value, str) and value.isdecimal())  # YAML reads 08 as text, 05 as 5


def _is_list_of(value: Any, fits: _Fits) -> bool:
    return isinstance(value, list) and all(map(fits, value))


class LessonError(Exception):
    """A lesson that cannot be built: says which file, which line and why."""

    def __init__(self, path: Path, line: int, reason: str) -> None:
        super().__init__(f"{path.parent.name}/{path.name}, line {line}: {reason}")


@dataclass(frozen=True)
class Lesson:
    """One lesson file with the front matter that feeds start page, links and README."""

    path: Path
    title: str
    question: str
    notes: tuple[str, ...]  # the lecture notes that it follows, "N1" to "N5"
    minutes_to_read: int
    minutes_to_do: int
    needs: tuple[str, ...]  # the two digits of the lessons to have done before

    @property
    def number(self) -> str:
        """The two digits that its name begins with."""
        return self.path.name[:2]

    @property
    def notebook_name(self) -> str:
        """The name of the notebook that is built from it."""
        return f"{self.path.stem}.ipynb"

    @cached_property
    def text(self) -> str:
        """The whole file."""
        return self.path.read_text(encoding="utf-8")


def all_lessons(folder: Path = LESSONS) -> list[Lesson]:
    """Every lesson in `folder`, in the order of the numbers.

    Raises LessonError for a front matter that lacks something, for a number used twice, and for a
    prerequisite that is not there or comes later.
    """
    lessons = [read_lesson(path) for path in sorted(folder.glob("*.md"))]
    seen: dict[str, Lesson] = {}
    for lesson in lessons:
        if lesson.number in seen:
            raise LessonError(lesson.path, 1, f"{seen[lesson.number].path.name} has the number {lesson.number} too.")
        for needed in lesson.needs:
            if needed not in seen:
                line = _line_of(lesson.text, "needs", first=1)
                raise LessonError(
                    lesson.path, line, f"it needs lesson {needed}, but no lesson before it has that number."
                )
        seen[lesson.number] = lesson
    return lessons


def read_lesson(path: Path) -> Lesson:
    """The lesson in `path`. Raises LessonError when its name or its front matter is not what a lesson needs."""
    if not re.fullmatch(r"\d\d_[a-z0-9_]+\.md", path.name):
        raise LessonError(path, 1, "the file name must be two digits and a topic, such as 05_self_attention.md.")
    text = path.read_text(encoding="utf-8")
    match = re.match(r"---\n(.*?\n)---\n", text, flags=re.DOTALL)
    if match is None:
        raise LessonError(path, 1, "the front matter is missing: the file must begin with --- and fields, then ---.")
    fields = _front_matter(path, match[1])
    return Lesson(
        path,
        fields["title"],
        fields["question"],
        tuple(fields["notes"]),
        fields["minutes_to_read"],
        fields["minutes_to_do"],
        tuple(f"{int(number):02d}" for number in fields["needs"]),
    )


def _front_matter(path: Path, text: str) -> dict[str, Any]:
    try:
        fields = yaml.safe_load(text)
    except yaml.YAMLError as error:
        line = error.problem_mark.line + 2 if getattr(error, "problem_mark", None) else 1
        raise LessonError(path, line, f"the front matter is not YAML: {getattr(error, 'problem', error)}.") from None
    if not isinstance(fields, dict):
        raise LessonError(path, 2, "the front matter must be fields with values, such as `title: Masks`.")
    for name in fields:
        if name not in _FIELDS:
            close = difflib.get_close_matches(str(name), _FIELDS, n=1)
            meant = f"; is `{close[0]}` meant?" if close else "."
            raise LessonError(path, _line_of(text, name), f"the front matter has `{name}`, which no page uses{meant}")
    for name, (wanted, fits) in _FIELDS.items():
        if name not in fields or not fits(fields[name]):
            raise LessonError(path, _line_of(text, name), f"the front matter needs `{name}`, {wanted}.")
    return fields


def _line_of(text: str, field: str, first: int = 2) -> int:
    """The line on which `field` stands in `text`, whose own first line has the number `first`; 1 if it is nowhere."""
    return next((i for i, line in enumerate(text.splitlines(), first) if line.startswith(f"{field}:")), 1)


def map_of_lessons(lessons: Sequence[Lesson], link_to: str = "") -> str:
    """The map of the course as a Markdown table; `link_to` is the folder of the notebooks as seen from the page."""
    rows = [
        f"| {lesson.number} | [{lesson.title}]({link_to}{lesson.notebook_name}) | {lesson.question} "
        f"| {lesson.minutes_to_read + lesson.minutes_to_do} | {', '.join(lesson.needs) or '–'} "
        f"| {', '.join(lesson.notes)} |"
        for lesson in lessons
    ]
    return "\n".join(
        ["| | lesson | its question | minutes | do first | notes |", "| --- | --- | --- | --- | --- | --- |", *rows]
    )
