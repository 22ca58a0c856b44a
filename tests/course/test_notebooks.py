"""The saved notebooks: fresh, run from top to bottom, readable without eyes, with numbers for nbval to compare."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from utils.course import build
from utils.course.build import is_fresh, read_notebook
from utils.course.lessons import NOTEBOOKS, all_lessons, companion_pages

LESSONS, COMPANIONS = all_lessons(), companion_pages()
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.number)
each = pytest.mark.parametrize("lesson", [*LESSONS, *COMPANIONS], ids=lambda lesson: lesson.number)


@cache
def saved(lesson):
    return read_notebook(NOTEBOOKS / lesson.notebook_name)


def code_cells(lesson):
    return [cell for cell in saved(lesson).cells if cell.cell_type == "code"]


@each
def test_notebook_matches_what_its_lesson_builds(lesson):
    among = [LESSONS[0], *COMPANIONS] if lesson.is_companion else LESSONS
    assert is_fresh(lesson, among), f"{lesson.notebook_name} is not what {lesson.name} builds: `make lessons`"


def test_every_notebook_has_a_lesson():
    assert not build.orphans(LESSONS), "delete these"


@each
def test_every_cell_has_been_run_in_order_without_an_error(lesson):
    """nbval passes an unrun cell in silence."""
    assert [cell.execution_count for cell in code_cells(lesson)] == list(range(1, len(code_cells(lesson)) + 1))
    assert not [o for cell in code_cells(lesson) for o in cell.outputs if o.output_type == "error"]


@each_lesson
def test_every_picture_is_shown_and_has_an_alternative_text(lesson):
    for data in (output.get("data", {}) for cell in code_cells(lesson) for output in cell.outputs):
        assert "image/png" not in data and "image/svg+xml" not in data
        assert "&lt;Figure size" not in data.get("text/html", "")
        for tag in re.findall(r"<img[^>]*>", data.get("text/html", "")):
            assert re.search(r'alt="[^"]{20,}"', tag), f"a picture says nothing to a screen reader: {tag[:80]}"


@each_lesson
def test_later_cells_take_no_name_that_a_live_control_needs(lesson):
    """A control calls its function whenever it is turned, so also after the whole notebook has been run."""
    cells = [ast.parse(cell.source) for cell in code_cells(lesson)]
    for at, cell in enumerate(cells):
        if not re.search(r"(Control|Explorer)\(", ast.unparse(cell)):
            continue
        functions = [part for part in ast.walk(cell) if isinstance(part, ast.FunctionDef | ast.Lambda)]
        names = [node for part in functions for node in ast.walk(part) if isinstance(node, ast.Name)]
        loaded = {name.id for name in names if isinstance(name.ctx, ast.Load)}
        needed = loaded & _set_outside_functions(cell)
        for later in cells[at + 1 :]:
            assert not needed & _set_outside_functions(later), f"the control needs these: {ast.unparse(later)}"


def _set_outside_functions(cell):
    """The names that a cell sets for all cells, imports aside: an import brings the same again."""
    inside = (ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    names, open_parts = set(), list(cell.body)
    while open_parts:
        part = open_parts.pop()
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            names.add(part.id)
        if isinstance(part, ast.FunctionDef | ast.ClassDef):
            names.add(part.name)
        if not isinstance(part, inside):
            open_parts += ast.iter_child_nodes(part)
    return names


@each_lesson
def test_notebook_holds_numbers_to_compare(lesson):
    compared = [cell for cell in code_cells(lesson) if "nbval-ignore-output" not in cell.metadata.get("tags", [])]
    outputs = [output for cell in compared for output in cell.outputs]
    assert re.search(r"\d", " ".join(o.get("text") or o.get("data", {}).get("text/plain", "") for o in outputs))
