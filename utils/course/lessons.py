"""Read the lessons: their files, their front matter and their order."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from utils.course.claims import CLAIM, LONG
from utils.require import is_whole

ROOT = Path(__file__).resolve().parents[2]
LESSONS = ROOT / "lessons"
NOTEBOOKS = ROOT / "notebooks"
NOTES = ("N1", "N2", "N3", "N4", "N5")

# Our own estimate of a student's time, the same for all lessons.
# Fitted to a new learner with a clock, who took 238 minutes for eleven stops; by these it is 239, a stop 1 minute off.
WORDS_A_MINUTE = 100  # words of mathematics, some of which students read twice
LINES_A_MINUTE = 5  # lines of code, read and run
MINUTES_A_PICTURE = 1.2  # minutes for a picture, table, folded answer or displayed formula
TRIES = 1.2  # an exercise takes this many times the minutes in its text, because of wrong tries
MINUTES_A_FIGURE = 5  # minutes for an interactive figure with its tasks
MINUTES_OF_QUESTIONS = 2  # minutes for the questions at a lesson's start or end, which are no part of its core
GOALS = "After this lesson you will be able to"
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
SOLUTION = rf"(?ms:^([ \t]*){BEGIN}\n(.*?)^[ \t]*{END})"
EXERCISE_LINE = re.compile(r"^\*(Do this\. )?(Easy|Medium|Harder), about (\d+) minutes", re.MULTILINE)
STOP = "**A good place to stop.**"
HINTS = "hints"
TAGS = (CLAIM, LONG, HINTS, "one-seed", "nbval-ignore-output")
_FRONT_MATTER = re.compile(r"---\n(.*?\n)---\n", re.DOTALL)
_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
FENCE, _CELL = "```", "```{code-cell}"
# What ends a piece of prose: a heading with its summary, a cell, or +++ with the tags of what follows. Code in another
# fence, which matches no group, belongs to the prose.
_PIECE = re.compile(
    rf"^{re.escape(_CELL)}[^\n]*\n(?::tags: \[(?P<tags>[^\]]*)\]\n)?(?P<code>.*?)^```$|^```.*?^```$"
    r"|^\+\+\+(?P<mark>[^\n]*)$|^## (?P<heading>[^\n]+)(?:\n\n\*Optional: (?P<gives>[^\n]+)\*)?$",
    re.DOTALL | re.MULTILINE,
)
_MARK = re.compile(r' \{"tags": \[([^\]]*)\]\}|\s*')
_GOALS = re.compile(rf"{GOALS}\n\n(?:[-+*] .+\n?)+(?:\nIn front of a class\? .*)?")
_CHECK = re.compile(r'^check\("([^"]+)"', re.MULTILINE)
_CONTROL = re.compile(r"(?:Control|Explorer)\(")
_SHOWING = re.compile(r"^from (?:utils\.show|lessons)\S* import (\([^)]*\)|.*)$", re.MULTILINE)
_LINE = re.compile(r"^(?!from |import |use_course_style)[^\n]*\S", re.MULTILINE)  # a line of code that students read

_Fits = Callable[[Any], bool]
# Each field of the front matter -> its required value, in words and as a test.
_FIELDS: dict[str, tuple[str, _Fits]] = {
    "title": ("a text", lambda value: isinstance(value, str)),
    "question": ("a text", lambda value: isinstance(value, str)),
    "needs": ("a list of lesson numbers in brackets", lambda value: _is_list_of(value, _is_number_of_a_lesson)),
    "place": ("{box: a box of the walk, words: its name}", lambda value: _is_place(value)),
}
_OPTIONAL = {"place"}


def _in_fives(minutes: float) -> int:
    """Return `minutes` rounded up to the next multiple of five."""
    return 5 * max(1, math.ceil(minutes / 5))


def two_digits(number: int | str) -> str:
    """Return a lesson's number as in its folder's name: "05" for 5, "5" and "05", "02b" for "2b". Keep other text."""
    digits = re.match(r"\d*", str(number))[0]
    return digits.zfill(2) + str(number)[len(digits) :] if digits else str(number)


def _minutes(section: Section, do_these_alone: bool = False) -> tuple[float, float]:
    """Return a student's minutes to read a section, and the minutes to do its exercises and figures.

    Leave out solutions, hints, claims and imports, and with `do_these_alone` all exercises except those marked “Do
    this”. The code of an interactive figure is not read, and one without tasks takes no more time than a picture.
    """
    prose, cells = section.prose, [re.sub(SOLUTION, "", block.text) for block in section.blocks if block.is_cell]
    read = [cell for cell in cells if not _CONTROL.search(cell)]
    calls = [set(re.findall(r"(?<![.\w])(\w+)\(", cell)) for cell in read]
    figures = [cell for cell in cells if _CONTROL.search(cell)]
    with_tasks = sum("tasks" in cell for cell in figures)
    pictures = prose.count("$$") // 2 + sum(bool(section.showing & called) for called in calls)
    pictures += len(figures) - with_tasks
    exercises = sum(int(minutes) for asked, _, minutes in EXERCISE_LINE.findall(prose) if asked or not do_these_alone)
    return (
        len(re.findall(r"\w+", prose)) / WORDS_A_MINUTE
        + len(_LINE.findall("\n".join(read))) / LINES_A_MINUTE
        + MINUTES_A_PICTURE * pictures,
        TRIES * exercises + MINUTES_A_FIGURE * with_tasks,
    )


def _is_number_of_a_lesson(value: Any) -> bool:
    if is_whole(value):  # YAML reads 08 as text, 05 as 5
        return value >= 0
    return isinstance(value, str) and re.fullmatch(r"\d\d?[a-z]?", value) is not None


def _is_list_of(value: Any, fits: _Fits) -> bool:
    return isinstance(value, list) and all(map(fits, value))


def _is_place(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == set(Place._fields) and set(map(type, value.values())) == {str}


class LessonError(Exception):
    """The error for a lesson that cannot be built, with file, line and reason."""

    def __init__(self, path: Path, line: int, reason: str) -> None:
        super().__init__(f"{path.parent.name}/{path.name}, line {line}: {reason}")


class UnknownLesson(Exception):
    """The error for a lesson number that does not exist."""

    def __init__(self, numbers: Iterable[str], there: Iterable[str]) -> None:
        super().__init__(f"There is no lesson {', '.join(numbers)}. There are: {', '.join(there)}.")


def known_numbers(asked: Iterable[int | str], lessons: Iterable[Lesson]) -> list[str]:
    """Return the numbers `asked` as in the folders' names. Raise UnknownLesson if no lesson has one of them."""
    there, numbers = [lesson.number for lesson in lessons], [two_digits(number) for number in asked]
    if unknown := [number for number in numbers if number not in there]:
        raise UnknownLesson(unknown, there)
    return numbers


class Place(NamedTuple):
    """The position of a lesson in the whole model: the module of the walkthrough (lesson 20) that it teaches."""

    box: str  # the module's path in the walkthrough; "" for the whole model
    words: str  # the module's name in the notebooks


@dataclass(frozen=True)
class Block:
    """A piece of a lesson: prose, the learning goals, code, or an exercise's hints."""

    kind: str  # "prose", "goals", "code" or "hints"
    text: str  # Markdown or code
    line: int  # its first line in the file; for code, the line of the fence
    tags: tuple[str, ...] = ()
    is_folded: bool = False  # whether a notebook hides it until a reader opens it

    @property
    def is_claim(self) -> bool:
        """Whether this is a claim, which only the tests run."""
        return CLAIM in self.tags

    @property
    def is_cell(self) -> bool:
        """Whether this is a code cell of the notebook."""
        return self.kind == "code" and not self.is_claim

    @property
    def is_exercise(self) -> bool:
        """Whether this is a cell in which students replace a stub."""
        return self.is_cell and BEGIN in self.text


@dataclass(frozen=True)
class Section:
    """A part of a lesson from one `##` heading to the next."""

    heading: str  # "" for the part before the first heading
    gives: str  # the summary of an optional section; "" for a core section, which the next lesson needs
    line: int  # the heading's line in the file
    blocks: tuple[Block, ...]
    showing: frozenset[str] = frozenset()  # the functions that show a picture in this lesson

    @property
    def prose(self) -> str:
        """The headings, the summary and the text of the section in Markdown, without code and hints."""
        heading = f"## {self.heading}" if self.heading else ""
        said = [block.text for block in self.blocks if block.kind in ("prose", "goals")]
        return "\n\n".join(part for part in (heading, self.gives and f"*Optional: {self.gives}*", *said) if part)

    @property
    def minutes(self) -> int:
        """The minutes for the section with all its exercises, rounded up."""
        return math.ceil(sum(_minutes(self)))

    @property
    def do_these(self) -> list[str]:
        """The names of the exercises marked “Do this”."""
        names, asked = [], False
        for block in self.blocks:
            if block.kind == "prose" and (lines := EXERCISE_LINE.findall(block.text)):
                asked = bool(lines[-1][0])
            elif block.is_exercise and asked:
                names += _CHECK.findall(block.text)
        return names

    @property
    def core_minutes(self) -> float:
        """The minutes for the section with its exercises marked “Do this”; 0 for an optional section."""
        return 0.0 if self.gives else sum(_minutes(self, do_these_alone=True))


@dataclass(frozen=True)
class Lesson:
    """A lesson file, with the front matter that the start page, the links and the README use."""

    path: Path  # the file lesson.md in the lesson's folder
    title: str
    question: str
    needs: tuple[str, ...]  # the numbers of the lessons to do first
    place: Place | None  # None for the start page and for the walkthrough itself

    @property
    def name(self) -> str:
        """The name of the lesson's folder, such as 05_self_attention_by_hand."""
        return self.path.parent.name

    @property
    def number(self) -> str:
        """The number at the start of the name: two digits, and a letter if the lesson was inserted later."""
        return self.name.split("_")[0]

    @property
    def is_companion(self) -> bool:
        """Whether this page explains a lecture note line by line; then its number is the note's, such as N1."""
        return self.number in NOTES

    @property
    def notebook_name(self) -> str:
        """The name of the notebook built from the lesson."""
        return f"{self.name}.ipynb"

    @cached_property
    def text(self) -> str:
        """The text of the whole file."""
        return self.path.read_text(encoding="utf-8")

    @property
    def needs_weights(self) -> bool:
        """Whether the lesson reads the real BERT's weights, which `make weights` fetches."""
        return "read_minilm" in self.text

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The sections of the lesson: the core ones first, then the optional ones."""
        front = _FRONT_MATTER.match(self.text)  # files of second exercises have none
        return tuple(_sections(self.path, self.text, front.end() if front else 0))

    @property
    def blocks(self) -> list[Block]:
        """The blocks of all sections."""
        return [block for section in self.sections for block in section.blocks]

    @property
    def headings(self) -> list[str]:
        """The headings of all sections and of their parts."""
        prose = _FENCED.sub("", "\n".join(section.prose for section in self.sections))
        return re.findall(r"^#{2,3} (.+)$", prose, flags=re.MULTILINE)

    @property
    def minutes(self) -> int:
        """The minutes for the whole lesson: reading, and exercises, figures and questions, each rounded up to fives."""
        reading, doing = (sum(part) for part in zip(*map(_minutes, self.sections), strict=True))
        path = self.path.with_name("questions.md")
        asked = path.read_text(encoding="utf-8") if path.is_file() else ""
        times = asked.startswith("before:") + ("## " in asked)
        return _in_fives(reading) + _in_fives(doing + MINUTES_OF_QUESTIONS * times)

    @property
    def core_minutes(self) -> int:
        """The minutes for the core with its figures and its exercises marked “Do this”, rounded up to fives."""
        return _in_fives(sum(section.core_minutes for section in self.sections))


def _sections(path: Path, text: str, start: int) -> Iterator[Section]:
    """Yield the sections of a lesson's `text` after its front matter, which ends at `start`.

    Raise LessonError for a cell that never ends, and for a tag or mark that no lesson has.
    """
    showing = frozenset(re.findall(r"\w+", " ".join(_SHOWING.findall(text)))) - {"use_course_style"}
    heading, gives, begins, tags, blocks = "", "", start, (), []
    for found in [*_PIECE.finditer(text, start), None]:
        if found and not found.lastgroup:
            continue
        before = text[start : found.start() if found else len(text)]
        for unread in (before, (found and found["code"]) or ""):
            if _CELL in unread:  # what should have ended it is the end of another cell, or missing
                line = _line_at(text, text.index(_CELL, start))
                raise LessonError(path, line, "the code cell that begins here never ends.")
        at = start + len(before) - len(before.lstrip())
        if prose := before.strip():
            if not (heading or blocks) and (goals := _GOALS.match(prose)):
                blocks.append(Block("goals", goals[0].strip(), _line_at(text, at)))
                after = prose[goals.end() :]
                at, prose = at + goals.end() + len(after) - len(after.lstrip()), after.strip()
            if prose:
                blocks.append(Block("hints" if HINTS in tags else "prose", prose, _line_at(text, at), tags))
        if found is None or found["heading"]:
            yield Section(heading, gives, _line_at(text, begins), tuple(blocks), showing)
        if found is None:
            return
        start, line = found.end(), _line_at(text, found.start())
        mark = _MARK.fullmatch(found["mark"] or "")
        if mark is None:
            raise LessonError(path, line, f'after +++ comes nothing, or {{"tags": ["{HINTS}"]}}.')
        tags = _tags(path, line, found["tags"] or mark[1] or "")
        if found["heading"]:
            heading, gives, begins, blocks = found["heading"], found["gives"] or "", found.start(), []
        elif found["code"] is not None:
            blocks.append(Block("code", found["code"].strip("\n"), line, tags))
            tags = ()


def _line_at(text: str, at: int) -> int:
    return 1 + text.count("\n", 0, at)


def _tags(path: Path, line: int, text: str) -> tuple[str, ...]:
    tags = tuple(tag.strip(' "') for tag in text.split(",") if tag)
    if unknown := set(tags) - set(TAGS):
        said = f"the cell that begins here has a tag {min(unknown)!r}, not {', '.join(TAGS)}."
        raise LessonError(path, line, said)
    return tags


def all_lessons(folder: Path = LESSONS) -> list[Lesson]:
    """Return the lessons in `folder`, in the order of their numbers, without the companion pages.

    Raise LessonError if a front matter is incomplete, a number is used twice, or a prerequisite does not exist or comes
    later.
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
    """Return the companion pages N1 to N5, which explain the lecture notes line by line, in the form of lessons."""
    return [read_lesson(path) for note in NOTES for path in folder.glob(f"{note}_*/lesson.md")]


def read_lesson(path: Path) -> Lesson:
    """Return the lesson in the file `path`. Raise LessonError if its name, encoding, front matter or order is wrong."""
    if not re.fullmatch(rf"(\d\d[a-z]?|{'|'.join(NOTES)})_[a-z0-9_]+", path.parent.name):
        said = "its folder must be named by two digits and a topic, such as 05_self_attention or 02b_mathematics."
        raise LessonError(path, 1, said)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise LessonError(path, line, f"the file is not UTF-8: byte {error.object[error.start]:#x} is none.") from None
    return _lesson(path, text)


@lru_cache(maxsize=100)  # each part of the course reads all lessons
def _lesson(path: Path, text: str) -> Lesson:
    match = _FRONT_MATTER.match(text)
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
        late = lesson.sections[kinds.index(False, kinds.index(True))]
        said = f"“{late.heading}” is core, and stands behind a deeper section: the core comes first."
        raise LessonError(path, late.line, said)
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
    """Return the line number of `field` in `text`, whose lines count from `first`, or 1 if the field is missing."""
    return next((i for i, line in enumerate(text.splitlines(), first) if line.startswith(f"{field}:")), 1)


def map_of_lessons(lessons: Sequence[Lesson], link_to: str = "") -> str:
    """Return the map of the course as a Markdown table; `link_to` is the notebooks' folder relative to the page.

    The map contains only facts that rarely change, so the minutes are at the head of each lesson instead.
    """
    rows = [
        f"| {lesson.number} | [{lesson.title}]({link_to}{lesson.notebook_name}) | {lesson.question} "
        f"| {', '.join(lesson.needs) or '–'} |"
        for lesson in lessons
    ]
    return "\n".join(["| no. | lesson | its question | do first |", "| --- " * 4 + "|", *rows])
