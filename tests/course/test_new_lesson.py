"""A lesson made by `make new-lesson` is whole: everything that reads lessons reads it, and its solutions pass."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from utils.course.build import build
from utils.course.exercises import Verdict, _of_one_lesson, diagnose
from utils.course.lessons import LESSONS, STOP, LessonError, all_lessons
from utils.course.new_lesson import new_lesson
from utils.course.questions import FILE, read_questions
from utils.course.teaching import read_plan

START = "00_start_here"


@pytest.fixture
def lessons(tmp_path: Path) -> Path:
    """A folder with the first lesson alone, which the skeleton needs."""
    (tmp_path / START).mkdir()
    shutil.copy(LESSONS / START / "lesson.md", tmp_path / START)
    return tmp_path


def test_new_lesson_is_read_by_all_readers_of_lessons(lessons: Path) -> None:
    folder = new_lesson("21", 'Rotary: "positions"', lessons)
    start, lesson = all_lessons(lessons)
    assert (folder.name, lesson.number, lesson.title) == ("21_rotary_positions", "21", 'Rotary: "positions"')
    assert lesson.text.count(f"\n{STOP} ") == 2 and [bool(s.gives) for s in lesson.sections][-2:] == [False, True]
    assert len(read_plan(lesson).parts) == 6
    questions = read_questions(folder / FILE)
    assert len(questions) == 6 and len({[c.right for c in one.choices].index(True) for one in questions}) == 3
    names = {}
    built = [cell.source for cell in build(lesson, [start, lesson], solved=True).cells if cell.cell_type == "code"]
    for code in [*built, *(block.text for block in lesson.blocks if block.is_claim)]:
        exec(code.partition("\ncheck(")[0], names)
    for exercise in _of_one_lesson(folder / "exercises.py"):
        own = names[f"my_{exercise.name.removeprefix('21.')}"]
        assert diagnose(exercise, own).verdict is Verdict.PASSED
        for wrong in exercise.wrong_answers:
            assert wrong.sentence in diagnose(exercise, wrong.function).sentence


@pytest.mark.parametrize(
    ("number", "title", "said"),
    [
        ("00", "Again", "00_start_here has the number 00"),
        ("5", "Five", "a number is two digits"),
    ],
)
def test_new_lesson_refuses_bad_names_and_leaves_nothing(lessons: Path, number: str, title: str, said: str) -> None:
    with pytest.raises(LessonError, match=said):
        new_lesson(number, title, lessons)
    assert [path.name for path in lessons.iterdir()] == [START]
