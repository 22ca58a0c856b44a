"""What students of a class get has no solutions, and what their teacher gets has the form of nbgrader."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from tests.course.classes.handed_in import LESSON, solutions
from utils.course.build import COLLAPSED, DEEPER, STUB, build, read_notebook
from utils.course.classes import copies
from utils.course.classes.marked import SECOND, VARIABLE, Class, drawn, marked, second
from utils.course.exercises import EXERCISES, Verdict, diagnose, judged, require
from utils.course.exercises.values import same_value
from utils.course.lessons import BEGIN, NOTEBOOKS, Lesson, all_lessons
from utils.course.shipped import digest
from utils.course.working_copy import Version

LESSONS = all_lessons()
WITH_SECOND = [lesson for lesson in LESSONS if second(lesson)]


@pytest.fixture(scope="module")
def a_class(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class's two folders, lesson 05 counting."""
    to = tmp_path_factory.mktemp("copies") / "class"
    copies.make_class(["5"], to)
    return to


def folded(cells: list[nbformat.NotebookNode]) -> list[str]:
    """What JupyterLab hides below folded headings."""
    found, hides = [], False
    for cell in cells:
        if cell.source.startswith("## "):
            hides = bool(cell.metadata.get(COLLAPSED))
        elif hides:
            found.append(cell.source)
    return found


def test_student_copy_has_no_solution_or_third_hint_and_marks_graded_parts(a_class: Path) -> None:
    students = a_class / "students"
    assert not [*students.rglob("second.*"), *students.glob("lessons/*/teaching.md"), *students.rglob("test_*.py")]
    assert not [*students.glob(".ci*"), *students.glob("tests")] and (students / "classroom" / "student.py").is_file()
    theirs = all_lessons(students / "lessons")
    assert [lesson.number for lesson in theirs] == [lesson.number for lesson in LESSONS]
    for lesson, whole in zip(theirs, LESSONS, strict=True):
        assert BEGIN not in lesson.text and lesson.text.count(STUB) >= whole.text.count(BEGIN)
        assert lesson.text.count("\n3. ") == whole.text.count("\n3. ") - whole.text.count('\n+++ {"tags": ["hints"]}')
        assert [part.heading for part in lesson.sections] == [part.heading for part in whole.sections]
    for path in students.glob("notebooks/[0-9]*.ipynb"):
        said = "\n".join(cell.source for cell in read_notebook(path).cells)
        assert "<summary>Solution" not in said and "Hint 3" not in said and BEGIN not in said
        assert not Version.of(path.read_bytes()).edited
        assert said.count("**Counts: ") == (len(marked(LESSON)) if path.name == LESSON.notebook_name else 0)
    cells = read_notebook(students / "notebooks" / LESSON.notebook_name).cells
    own = next(cell.source for cell in cells if "def my_nearest" in cell.source)
    assert STUB in own and "check(" not in own and "np.exp" not in own
    hidden, end = folded(cells), next(cell.source for cell in cells if DEEPER in cell.source)
    core = {section.heading for section in LESSON.sections if not section.gives}
    below = sum(one.points for one in marked(LESSON) if one.section not in core)
    assert hidden and "**Counts" not in "".join(hidden) and end.endswith(f"what counts below has {below} points.**")
    said = (students / "README.md").read_text(encoding="utf-8")
    points = sum(one.points for one in marked(LESSON))
    assert f"- `my-notebooks/{LESSON.notebook_name}`, {points} points\n" in said
    assert not (students / "class.json").exists() and "tutor" in (students / "AGENTS.md").read_text(encoding="utf-8")


def test_student_notebooks_are_recognized_as_the_courses_own(a_class: Path) -> None:
    """Else JupyterLab would show none of their saved controls and pictures before they are run."""
    students = a_class / "students"
    known = {path.read_text(encoding="utf-8").strip() for path in students.glob("utils/course/digests/*.sha256")}
    assert known == {digest(path) for path in students.glob("notebooks/*.ipynb")}


def test_rebuilt_class_keeps_its_numbers_and_the_students_work(a_class: Path) -> None:
    before = Class.read(a_class / "teacher")
    (own := a_class / "students" / "my-notebooks" / "mine.txt").parent.mkdir()
    own.write_text("mine")
    (a_class / "students" / "utils" / "gone.py").write_text("")
    copies.make_class(["05", "08"], a_class)
    after = Class.read(a_class / "teacher")
    assert after.seed == before.seed and after.lessons == ("05", "08")
    assert own.read_text() == "mine" and not (a_class / "students" / "utils" / "gone.py").exists()
    with pytest.raises(copies.ClassError, match="belongs to the course"):
        copies.make_class(["05"], NOTEBOOKS / "class")
    with pytest.raises(copies.ClassError, match="something else"):
        copies.make_class(["05"], a_class / "students")


@pytest.mark.parametrize("lesson", WITH_SECOND, ids=lambda lesson: lesson.number)
def test_nbgrader_finds_a_solution_and_a_locked_test_for_each_exercise(lesson: Lesson) -> None:
    counts = marked(lesson)
    made = copies.for_nbgrader(
        copies.for_students(build(lesson, LESSONS, solved=True), lesson, counts, is_solved=True), counts
    )
    nbformat.validate(made)
    by_id = {cell.metadata.nbgrader.grade_id: cell for cell in made.cells if "nbgrader" in cell.metadata}
    assert len(by_id) == 2 * len(counts)
    for one in counts:
        answer, test = by_id[copies.grade_id(one.name)], by_id[f"test-{copies.grade_id(one.name)}"]
        assert BEGIN in answer.source and answer.metadata.nbgrader.solution
        assert f'require("{one.name}", {one.function})' in test.source
        assert test.metadata.nbgrader.points == one.points and test.metadata.nbgrader.locked


def test_require_uses_the_teachers_exercises_where_there_is_a_class(
    a_class: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = {inputs[0].tobytes(): EXERCISES["05.scores"].reference(*inputs) for inputs in EXERCISES["05.scores"].cases}
    learnt_by_heart = lambda Q, K: public.get(Q.tobytes(), Q)  # noqa: E731
    monkeypatch.delenv(VARIABLE, raising=False)
    require("05.scores", learnt_by_heart)
    require("05.second", None)  # a student's machine can't tell
    monkeypatch.setenv(VARIABLE, str(a_class / "teacher"))
    with pytest.raises(AssertionError):
        require("05.scores", learnt_by_heart)
    with pytest.raises(AssertionError, match="function itself"):
        require("05.second", None)
    with pytest.raises(ValueError, match="no exercise"):
        require("05.nothing", None)


@pytest.mark.parametrize("lesson", WITH_SECOND, ids=lambda lesson: lesson.number)
def test_changed_inputs_accept_a_second_solution_and_name_each_mistake(lesson: Lesson) -> None:
    names: dict = {}
    seconds = [one for one in marked(lesson) if one.is_second]
    solved = solutions(lesson)
    exec("\n".join(["import numpy as np", "import torch", *(solved[one.function] for one in seconds)]), names)
    for one in seconds:
        assert one.name.split(".")[1].startswith(SECOND) and f" {one.section}\n" in lesson.text
        cases = []
        for seed in (1, 2, 3):
            exercise = drawn(lesson.path.parent, seed)[one.name]
            cases.append([list(case) for case in exercise.cases])
            assert judged(exercise, names[one.function]).verdict is Verdict.PASSED
            for wrong in exercise.wrong_answers:
                assert diagnose(exercise, wrong.function).sentence == wrong.sentence
        assert not same_value(cases[0], cases[1])
