"""The lessons as they are written: their files, their front matter, their order."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from utils.require import is_whole

ROOT = Path(__file__).resolve().parents[2]
LESSONS = ROOT / "lessons"
NOTEBOOKS = ROOT / "notebooks"
NOTES = ("N1", "N2", "N3", "N4", "N5")

# What a student needs for what: our own estimate, the same for all lessons.
# Fitted to a new learner with a clock, who took 238 minutes for eleven stops; by these it is 239, a stop 1 minute off.
WORDS_A_MINUTE = 100  # of mathematics, so some of them are read twice
LINES_A_MINUTE = 5  # of code, read and run
MINUTES_A_PICTURE = 1.2  # or a table, a folded answer, a formula on a line of its own: each needs a thought
TRIES = 1.2  # what an exercise takes with its wrong tries, where its text says 1
MINUTES_A_FIGURE = 5  # an interactive one, with its tasks
MINUTES_OF_QUESTIONS = 2  # at a lesson's beginning, and at its end: an offer, so no part of a core
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
SOLUTION = rf"(?ms:^([ \t]*){BEGIN}\n(.*?)^[ \t]*{END})"
_HINTS = r"(?ms:^\+\+\+ \{\"tags\": \[\"hints\"\]\}.*?^\+\+\+$)"
_CLAIM = r"(?ms:^```\{code-cell\}[^\n]*\n:tags: \[claim.*?^```$)"
_EXERCISE = re.compile(r"^\*(Do this\. )?(?:Easy|Medium|Harder), about (\d+) minutes", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_CONTROL = re.compile(r"(?:Control|Explorer)\(")
_SHOWING = re.compile(r"^from (?:utils\.show|lessons)\S* import (\([^)]*\)|.*)$", re.MULTILINE)
_LINE = re.compile(r"^(?!```|:tags|from |import |use_course_style)[^\n]*\S", re.MULTILINE)  # of code that is read
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_GIVES = re.compile(r"\A## .+\n\n\*Optional: (.+)\*$", re.MULTILINE)
STOP = "**A good place to stop.**"

_Fits = Callable[[Any], bool]
# What each field of the front matter must be, in words and as a test.
_FIELDS: dict[str, tuple[str, _Fits]] = {
    "title": ("a text", lambda value: isinstance(value, str)),
    "question": ("a text", lambda value: isinstance(value, str)),
    "needs": ("a list of lesson numbers in brackets", lambda value: _is_list_of(value, _is_number_of_a_lesson)),
    "place": ("{box: a box of the walk, words: its name}", lambda value: _is_place(value)),
}
_OPTIONAL = {"place"}


def _in_fives(minutes: float) -> int:
    """Round `minutes` up to the next five."""
    return 5 * max(1, math.ceil(minutes / 5))


def two_digits(number: int | str) -> str:
    """Return a lesson's number as its file has it: 5, "5" and "05" are "05"; "2b" is "02b"; other text stays."""
    digits = re.match(r"\d*", str(number))[0]
    return digits.zfill(2) + str(number)[len(digits) :] if digits else str(number)


def _minutes(text: str, showing: frozenset[str], do_these_alone: bool = False) -> tuple[float, float]:
    """Return the minutes to read a text of a lesson, at a student's pace, and to do its exercises and figures.

    Solutions, hints, claims and imports are left out, and with `do_these_alone` all exercises but those marked “Do
    this”. The code of an interactive figure has to be run, not read. showing: the functions that show a picture.
    """
    shown = re.sub(rf"{SOLUTION}|{_HINTS}|{_CLAIM}", "", text)
    cells = re.findall(r"^```\{code-cell\}.*?^```$", shown, flags=re.DOTALL | re.MULTILINE)
    words = len(re.findall(r"\w+", shown)) - len(re.findall(r"\w+", "".join(cells)))
    read = [cell for cell in cells if not _CONTROL.search(cell)]
    lines = len(_LINE.findall("\n".join(read)))
    calls = [set(re.findall(r"(?<![.\w])(\w+)\(", cell)) for cell in read]
    pictures = shown.count("$$") // 2 + sum(bool(showing & called) for called in calls)
    exercises = sum(int(minutes) for asked, minutes in _EXERCISE.findall(text) if asked or not do_these_alone)
    return (
        words / WORDS_A_MINUTE + lines / LINES_A_MINUTE + MINUTES_A_PICTURE * pictures,
        TRIES * exercises + MINUTES_A_FIGURE * (len(cells) - len(read)),
    )


def _showing(text: str) -> frozenset[str]:
    """Return the names of the functions that show pictures, tables and folded answers in a lesson."""
    names = re.findall(r"\w+", " ".join(_SHOWING.findall(text)))
    return frozenset(names) - {"use_course_style"}


def _is_number_of_a_lesson(value: Any) -> bool:
    if is_whole(value):  # YAML reads 08 as text, 05 as 5
        return value >= 0
    return isinstance(value, str) and re.fullmatch(r"\d\d?[a-z]?", value) is not None


def _is_list_of(value: Any, fits: _Fits) -> bool:
    return isinstance(value, list) and all(map(fits, value))


def _is_place(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == set(Place._fields) and set(map(type, value.values())) == {str}


class LessonError(Exception):
    """A lesson that cannot be built: says which file, which line and why."""

    def __init__(self, path: Path, line: int, reason: str) -> None:
        super().__init__(f"{path.parent.name}/{path.name}, line {line}: {reason}")


class UnknownLesson(Exception):
    """A lesson was asked for that is not there."""

    def __init__(self, numbers: Iterable[str], there: Iterable[str]) -> None:
        super().__init__(f"There is no lesson {', '.join(numbers)}. There are: {', '.join(there)}.")


def known_numbers(asked: Iterable[int | str], lessons: Iterable[Lesson]) -> list[str]:
    """Return the numbers that are asked for as the files have them. Raises UnknownLesson for one that no lesson has."""
    there, numbers = [lesson.number for lesson in lessons], [two_digits(number) for number in asked]
    if unknown := [number for number in numbers if number not in there]:
        raise UnknownLesson(unknown, there)
    return numbers


class Place(NamedTuple):
    """Where a lesson stands in the whole machine: the box of the walk (lesson 20) that shows what it teaches."""

    box: str  # its path there; "" is the whole machine
    words: str  # what it is called on the pages


@dataclass(frozen=True)
class Section:
    """A part of a lesson from one `##` heading to the next; what stands before the first has no heading."""

    heading: str
    gives: str  # what a deeper section gives, in a line; "" for a core section, which the next lesson needs
    text: str
    showing: frozenset[str]  # the functions that show a picture in this lesson

    @property
    def minutes(self) -> int:
        """To read all of it and do all that it asks, up to the next whole one."""
        return math.ceil(sum(_minutes(self.text, self.showing)))

    @property
    def core_minutes(self) -> float:
        """To read it and do what it marks “Do this”; 0 for a deeper section."""
        return 0.0 if self.gives else sum(_minutes(self.text, self.showing, do_these_alone=True))


@dataclass(frozen=True)
class Lesson:
    """One lesson file with the front matter that feeds start page, links and README."""

    path: Path  # its text, lesson.md in a folder of its own
    title: str
    question: str
    needs: tuple[str, ...]  # the two digits of the lessons to have done before
    place: Place | None  # none for the start page and for the walk itself

    @property
    def name(self) -> str:
        """The name of its folder, such as 05_self_attention_by_hand."""
        return self.path.parent.name

    @property
    def number(self) -> str:
        """The two digits that its name begins with, and the letter of a lesson that was put between two others."""
        return self.name.split("_")[0]

    @property
    def is_companion(self) -> bool:
        """Whether it goes through a lecture note line by line: its number is the note's, such as N1."""
        return self.number in NOTES

    @property
    def notebook_name(self) -> str:
        """The name of the notebook that is built from it."""
        return f"{self.name}.ipynb"

    @cached_property
    def text(self) -> str:
        """The whole file."""
        return self.path.read_text(encoding="utf-8")

    @property
    def needs_weights(self) -> bool:
        """Whether it reads the real BERT's weights, which a computer may lack (`make weights`)."""
        return "read_minilm" in self.text

    @cached_property
    def body(self) -> str:
        """Its text behind the front matter."""
        return self.text.split("---\n", 2)[2]

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Its parts, from heading to heading: the core first, then what is deeper."""
        code = [found.span() for found in FENCED.finditer(self.body)]
        headings = [found.start() for found in _HEADING.finditer(self.body)]
        starts = [at for at in headings if not any(first < at < last for first, last in code)]
        texts = [self.body[first:last] for first, last in pairwise([0, *starts, len(self.body)])]
        return tuple(_section(text, _showing(self.body)) for text in texts)

    @property
    def minutes(self) -> int:
        """To read it and to do all its exercises and controls, each in fives; and to answer its questions."""
        reading, doing = _minutes(self.body, _showing(self.body))
        path = self.path.with_name("questions.md")
        asked = path.read_text(encoding="utf-8") if path.is_file() else ""
        times = asked.startswith("before:") + ("## " in asked)
        return _in_fives(reading) + _in_fives(doing + MINUTES_OF_QUESTIONS * times)

    @property
    def core_minutes(self) -> int:
        """To read its core, turn its controls there and do what is marked “Do this”; in fives."""
        return _in_fives(sum(section.core_minutes for section in self.sections))


def _section(text: str, showing: frozenset[str]) -> Section:
    heading, deeper = _HEADING.match(text), _GIVES.match(text)
    return Section(heading[1] if heading else "", deeper[1] if deeper else "", text, showing)


def all_lessons(folder: Path = LESSONS) -> list[Lesson]:
    """Return the lesson of every folder in `folder`, in the order of the numbers.

    Raises LessonError for a front matter that lacks something, for a number used twice, and for a
    prerequisite that is not there or comes later.
    """
    paths = [path for path in sorted(folder.glob("*/lesson.md")) if path.parent.name.split("_")[0] not in NOTES]
    lessons = [read_lesson(path) for path in paths]
    seen: dict[str, Lesson] = {}
    for lesson in lessons:
        if lesson.number in seen:
            raise LessonError(lesson.path, 1, f"{seen[lesson.number].name} has the number {lesson.number} too.")
        for needed in lesson.needs:
            if needed not in seen:
                line = _line_of(lesson.text, "needs", first=1)
                said = f"it needs lesson {needed}, but no lesson before it has that number."
                raise LessonError(lesson.path, line, said)
        seen[lesson.number] = lesson
    return lessons


def companion_pages(folder: Path = LESSONS) -> list[Lesson]:
    """Return the pages that go through the lecture notes line by line, N1 to N5, each written as a lesson is."""
    return [read_lesson(path) for note in NOTES for path in folder.glob(f"{note}_*/lesson.md")]


def read_lesson(path: Path) -> Lesson:
    """Return the lesson in `path`. Raises LessonError when its name or its front matter is not what a lesson needs."""
    if not re.fullmatch(rf"(\d\d[a-z]?|{'|'.join(NOTES)})_[a-z0-9_]+", path.parent.name):
        said = "its folder must be named by two digits and a topic, such as 05_self_attention or 02b_mathematics."
        raise LessonError(path, 1, said)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise LessonError(path, line, f"the file is not UTF-8: byte {error.object[error.start]:#x} is none.") from None
    return _lesson(path, text)


@lru_cache(maxsize=100)  # each part of the course asks for all of them
def _lesson(path: Path, text: str) -> Lesson:
    match = re.match(r"---\n(.*?\n)---\n", text, flags=re.DOTALL)
    if match is None:
        raise LessonError(path, 1, "the front matter is missing: the file must begin with --- and fields, then ---.")
    fields = _front_matter(path, match[1])
    lesson = Lesson(
        path,
        fields["title"],
        fields["question"],
        tuple(two_digits(number) for number in fields["needs"]),
        Place(**fields["place"]) if "place" in fields else None,
    )
    kinds = [bool(section.gives) for section in lesson.sections]
    if kinds != sorted(kinds):
        late = lesson.sections[kinds.index(False, kinds.index(True))].heading
        line = text.splitlines().index(f"## {late}") + 1
        raise LessonError(path, line, f"“{late}” is core, and stands behind a deeper section: the core comes first.")
    return lesson


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
            close = difflib.get_close_matches(str(name), _FIELDS)
            meant = f"; is `{close[0]}` meant?" if close else "."
            raise LessonError(path, _line_of(text, name), f"the front matter has `{name}`, which no page uses{meant}")
    for name, (wanted, fits) in _FIELDS.items():
        if not (fits(fields[name]) if name in fields else name in _OPTIONAL):
            raise LessonError(path, _line_of(text, name), f"the front matter needs `{name}`, {wanted}.")
    return fields


def _line_of(text: str, field: str, first: int = 2) -> int:
    """Find the line on which `field` stands in `text`, whose first line has the number `first`; 1 if nowhere."""
    return next((i for i, line in enumerate(text.splitlines(), first) if line.startswith(f"{field}:")), 1)


def map_of_lessons(lessons: Sequence[Lesson], link_to: str = "") -> str:
    """Draw the map of the course as a Markdown table; `link_to` is the folder of the notebooks as seen from the page.

    It holds what rarely changes: minutes stand at the head of each lesson.
    """
    rows = [
        f"| {lesson.number} | [{lesson.title}]({link_to}{lesson.notebook_name}) | {lesson.question} "
        f"| {', '.join(lesson.needs) or '–'} |"
        for lesson in lessons
    ]
    return "\n".join(["| no. | lesson | its question | do first |", "| --- " * 4 + "|", *rows])
