"""The core of a lesson stands alone, and each deeper section with it: names, minutes, words, places to stop."""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterator
from itertools import permutations

import pytest

from utils.course.build import COLLAPSED, read_notebook
from utils.course.lessons import NOTEBOOKS, STOP, Lesson, all_lessons

MINUTES, WORDS, EXERCISES, CARDS = 45, 2000, 3, 2  # at most, of a core; and open cards about the notes, of a lesson
ALL_TO_DO = {"12a"}  # whose exercises are one program
LESSONS = [lesson for lesson in all_lessons() if "01" <= lesson.number < "19"]
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.number)


def names(code: str) -> tuple[set[str], set[str]]:
    """The names that a cell reads before it has set them, and those that it sets."""
    needed: set[str] = set()
    made: set[str] = set()
    for statement in ast.parse(code).body:
        table = symtable.symtable(ast.unparse(statement), "cell", "exec")
        needed |= set(_read(table)) - made
        made |= {name.get_name() for name in table.get_symbols() if name.is_assigned() or name.is_imported()}
    return needed, made


def _read(table: symtable.SymbolTable) -> Iterator[str]:
    """The names of the notebook that a piece of code reads, in its functions, too."""
    for name in table.get_symbols():
        if name.is_referenced() and (table.get_type() == "module" or name.is_global()):
            yield name.get_name()
    for inner in table.get_children():
        yield from _read(inner)


def deeper_code(lesson: Lesson) -> Iterator[list[str]]:
    """The code cells of each deeper section, as they are built."""
    section: list[str] | None = None
    for cell in read_notebook(NOTEBOOKS / lesson.notebook_name).cells:
        if COLLAPSED in cell.metadata:
            if section is not None:
                yield section
            section = []
        elif section is not None and cell.cell_type == "code":
            section.append(cell.source)
    if section is not None:
        yield section


def of_section(cells: list[str]) -> tuple[set[str], set[str]]:
    needed, made = set(), set()
    for cell in cells:
        reads, sets = names(cell)
        needed |= reads - made
        made |= sets
    return needed, made


@each_lesson
def test_each_deeper_section_needs_the_core_alone(lesson: Lesson) -> None:
    """The core's cells come first, and are run first whenever the notebook is run: so the core stands alone."""
    sections = [of_section(cells) for cells in deeper_code(lesson)]
    assert not [needed & made for (needed, _), (_, made) in permutations(sections, 2) if needed & made]


def test_names_are_read_from_code() -> None:
    assert names("x = y\nz = x + f(1)") == ({"y", "f"}, {"x", "z"})
    assert names("def f(a):\n    b = a\n    return b + c\nimport d.e as g") == ({"c"}, {"f", "g"})
    assert names("[i * j for i in k]")[0] >= {"j", "k"} and "i" not in names("[i * j for i in k]")[0]
    assert of_section(["x = 1", "x + y"]) == ({"y"}, {"x"})


@each_lesson
def test_a_core_is_short(lesson: Lesson) -> None:
    core = "".join(section.text for section in lesson.sections if not section.gives)
    prose = re.sub(r"(?ms)^```.*?^```$|^\+\+\+ \{\"tags\": \[\"hints\"\]\}.*?^\+\+\+$", "", core)
    do_these = len(re.findall(r"^\*Do this\. ", lesson.text, re.MULTILINE))
    assert lesson.core_minutes <= (MINUTES if lesson.number not in ALL_TO_DO else 90)
    assert len(prose.split()) <= WORDS
    assert do_these == len(re.findall(r"^\*Do this\. ", core, re.MULTILINE)), "“do this” stands in the core"
    assert do_these <= EXERCISES or lesson.number in ALL_TO_DO


@each_lesson
def test_a_lesson_has_two_places_to_stop_the_last_where_its_core_ends(lesson: Lesson) -> None:
    stops = [section for section in lesson.sections for _ in range(section.text.count(f"\n{STOP} "))]
    cores = [section for section in lesson.sections if not section.gives]
    assert len(stops) == 2 and stops[-1] is cores[-1] and not stops[0].gives
    assert cores[-1].text.rstrip().splitlines()[-1].startswith(STOP)


@each_lesson
def test_the_notes_stand_aside(lesson: Lesson) -> None:
    assert len(re.findall(r"note_check\(", re.sub(r"(?m)^from .*$", "", lesson.text))) <= CARDS
