"""The saved notebooks: fresh, run from top to bottom, readable without eyes, solvable, and guarded by nbval."""

from __future__ import annotations

import re
import subprocess
import sys

import nbformat
import pytest

from utils.course import build as road
from utils.course.build import build, execute, is_fresh, read_notebook
from utils.course.exercises import EXERCISES
from utils.course.lessons import NOTEBOOKS, ROOT, all_lessons
from utils.course.progress import read_progress

LESSONS = all_lessons()
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.number)


def saved(lesson):
    return read_notebook(NOTEBOOKS / lesson.notebook_name)


def code_cells(lesson):
    return [cell for cell in saved(lesson).cells if cell.cell_type == "code"]


@each_lesson
def test_the_notebook_is_what_its_lesson_builds(lesson):
    assert is_fresh(lesson, LESSONS), f"{lesson.notebook_name} is not what {lesson.path.name} builds: `make lessons`"


def test_no_notebook_is_without_a_lesson():
    assert {p.name for p in NOTEBOOKS.glob("*.ipynb")} == {lesson.notebook_name for lesson in LESSONS}


@each_lesson
def test_every_cell_has_been_run_in_order_without_an_error(lesson):
    """nbval passes an unrun cell in silence."""
    assert [cell.execution_count for cell in code_cells(lesson)] == list(range(1, len(code_cells(lesson)) + 1))
    assert not [o for cell in code_cells(lesson) for o in cell.outputs if o.output_type == "error"]


@each_lesson
def test_every_picture_has_an_alternative_text(lesson):
    for cell in code_cells(lesson):
        for output in cell.outputs:
            data = output.get("data", {})
            assert "image/png" not in data and "image/svg+xml" not in data
            for tag in re.findall(r"<img[^>]*>", data.get("text/html", "")):
                assert re.search(r'alt="[^"]{20,}"', tag), f"a picture says nothing to a screen reader: {tag[:80]}"


@each_lesson
def test_no_cell_is_longer_than_a_student_can_hold_in_mind(lesson):
    assert max(len(cell.source.splitlines()) for cell in code_cells(lesson)) <= 25


@each_lesson
def test_every_solution_passes_its_checker(lesson, tmp_path, monkeypatch):
    monkeypatch.setattr(road, "_scratch_folder", lambda: _folder(tmp_path))
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "progress.json"))
    execute(build(lesson, LESSONS, solved=True), lesson)
    asked = {name for name, exercise in EXERCISES.items() if exercise.lesson == lesson.number}
    passed = {name for name, attempt in read_progress().items() if attempt.passed}
    assert passed == asked
    assert all(f'check("{name}"' in lesson.text for name in asked)


class _folder:
    """A scratch folder that stays, so that the test can read the progress in it."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        return None


@each_lesson
def test_a_live_control_runs_by_itself(lesson, tmp_path):
    """Its page says "run the cell", and in a fresh kernel nothing else has been run."""
    for source in (cell.source for cell in code_cells(lesson) if "Control(" in cell.source):
        program = tmp_path / "cell.py"
        program.write_text(source, encoding="utf-8")
        subprocess.run([sys.executable, str(program)], check=True, cwd=ROOT)


def test_the_numpy_lessons_do_not_import_torch():
    lines = [
        line
        for lesson in LESSONS
        if lesson.number < "10" and lesson.number != "01"
        for line in re.findall(r"^(?:from|import) .*", lesson.text, flags=re.MULTILINE)
    ]
    program = "\n".join([*lines, "import sys", "assert 'torch' not in sys.modules"])
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


@each_lesson
def test_a_number_that_was_tampered_with_is_found(lesson, tmp_path):
    notebook = saved(lesson)
    _tamper(notebook)
    path = tmp_path / lesson.notebook_name
    nbformat.write(notebook, path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml")]
    run = subprocess.run([*command, f"--rootdir={tmp_path}", str(path)], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 1, run.stdout[-2000:]
    assert re.search(r"^FAILED ", run.stdout, flags=re.MULTILINE) and "1 failed" in run.stdout


def _tamper(notebook):
    """Changes the last digit of one output, as a wrong computation would."""
    for cell in reversed(notebook.cells):
        for output in cell.get("outputs", []):
            where = output if "text" in output else output.get("data", {})
            key = "text" if "text" in output else "text/plain"
            digits = list(re.finditer(r"\d", where.get(key, "")))
            if digits:
                at = digits[-1].start()
                text = where[key]
                where[key] = text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :]
                return
    raise AssertionError("no output holds a number")
