"""The core of a lesson stands alone, and each deeper section with it: names, minutes, words, places to stop."""

from __future__ import annotations

import ast
import re
from itertools import permutations

import pytest

from tests.needed_cells import names_of
from utils.course.build import read_notebook
from utils.course.lessons import NOTEBOOKS, STOP, Lesson, all_lessons
from utils.course.routes import EVENINGS

WORDS, EXERCISES = {stop.number: 2000 for stop in EVENINGS.stops}, 3  # at most, of a core; 2120 words elsewhere
# at most, of a core; 85 elsewhere
MINUTES = {stop.number: 45 for stop in EVENINGS.stops} | {"01": 55, "11": 60, "12": 50, "12a": 110}
IMPORTS = (ast.Import, ast.ImportFrom)
ALL_TO_DO = {"12a"}  # whose exercises are one program
LESSONS = [lesson for lesson in all_lessons() if lesson.number not in ("00", "19", "20")]
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.number)


def code_of(lesson: Lesson) -> list[list[str]]:
    """Read the code cells of the core, then those of each deeper section, as they are built."""
    parts: list[list[str]] = [[]]
    for cell in read_notebook(NOTEBOOKS / lesson.notebook_name).cells:
        if "\n\n*Optional, about " in cell.source:
            parts.append([])
        elif cell.cell_type == "code":
            parts[-1].append(cell.source)
    return parts


def of_section(cells: list[str]) -> tuple[set[str], set[str]]:
    """Find the names that a section reads before it has set them, and those that it sets."""
    needed, made = set(), set()
    for cell in cells:
        its = names_of(cell)
        needed |= its.reads - made
        made |= its.sets
    return needed, made


def imported(cells: list[str]) -> set[tuple[str, str]]:
    """Find each name that is imported, with what it stands for."""
    nodes = [node for cell in cells for node in ast.walk(ast.parse(cell)) if isinstance(node, IMPORTS)]
    found = [(name, getattr(node, "module", "")) for node in nodes for name in node.names]
    return {(name.asname or name.name.split(".")[0], f"{module}.{name.name}") for name, module in found}


@each_lesson
def test_each_optional_section_needs_only_the_core(lesson: Lesson) -> None:
    """The core's cells come first, and are run first whenever the notebook is run: so the core stands alone.

    A control imports what it needs, for its cell runs by itself: what the core has imported is then the same again.
    """
    core, *deeper = code_of(lesson)
    again = [{name for name, _ in imported(cells) & imported(core)} for cells in deeper]
    sections = [(needed, made - same) for (needed, made), same in zip(map(of_section, deeper), again, strict=True)]
    assert not [needed & made for (needed, _), (_, made) in permutations(sections, 2) if needed & made]


@each_lesson
def test_core_is_short(lesson: Lesson) -> None:
    core = "".join(section.text for section in lesson.sections if not section.gives)
    prose = re.sub(r"(?ms)^```.*?^```$|^\+\+\+ \{\"tags\": \[\"hints\"\]\}.*?^\+\+\+$", "", core)
    do_these = len(re.findall(r"^\*Do this\. ", lesson.text, re.MULTILINE))
    assert lesson.core_minutes <= MINUTES.get(lesson.number, 85)
    assert len(prose.split()) <= WORDS.get(lesson.number, 2120)
    assert do_these == len(re.findall(r"^\*Do this\. ", core, re.MULTILINE)), "“do this” stands in the core"
    assert do_these <= EXERCISES or lesson.number in ALL_TO_DO


@each_lesson
def test_lesson_has_two_stops_the_last_at_the_end_of_its_core(lesson: Lesson) -> None:
    stops = [section for section in lesson.sections for _ in range(section.text.count(f"\n{STOP} "))]
    cores = [section for section in lesson.sections if not section.gives]
    assert len(stops) == 2 and stops[-1] is cores[-1] and not stops[0].gives
    assert cores[-1].text.rstrip().splitlines()[-1].startswith(STOP)
