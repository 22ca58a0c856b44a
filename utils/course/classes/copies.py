"""Make the two folders of a class, one for the students and one for their teacher: `make class LESSONS=05 TO=folder`.

`students/` has the course without solutions, and with second exercises that are graded. `teacher/` has the seed from
which the inputs for grading are drawn, and the same lessons in the form that nbgrader needs.
"""

from __future__ import annotations

import argparse
import re
import secrets
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from utils.course.build import COLLAPSED, DEEPER, STUB, build, read_notebook, with_stubs
from utils.course.classes.marked import FILE, VARIABLE, Class, Marked, drawn, marked, second
from utils.course.exercises.asking import all_agree, run
from utils.course.lessons import (
    BEGIN,
    EXERCISE_LINE,
    NOTEBOOKS,
    ROOT,
    Lesson,
    UnknownLesson,
    all_lessons,
    known_numbers,
)
from utils.course.shipped import fingerprint, keep_digests
from utils.files import forgive_output, path_of

_FOLDED = re.compile(r"\s*<details><summary>(?:Hint 3|Solution)</summary>.*?</details>", re.DOTALL)
_THIRD_HINT = re.compile(r"(^\+\+\+ \{\"tags\": \[\"hints\"\]\}$.*?)^3\. .*?(?=^\+\+\+$)", re.DOTALL | re.MULTILINE)
_CHECK = re.compile(r'^check\("([^"]+)", .+\)$', re.MULTILINE)
_MADE = ("__pycache__", ".ipynb_checkpoints")
# Files that students don't need or that contain answers. exercises.py stays, because `check` needs its references.
_TEACHERS = ("test_*", "conftest.py", "second.*", "teaching.md")
_WRITTEN_ANEW = ("lessons", "notebooks", "utils", "etc")
_KEPT = [
    ".gitattributes",
    ".gitignore",
    "classroom",
    "Makefile",
    "pyproject.toml",
    "constraints.txt",
    "environment.yml",
]
_KEPT += ["LICENSE", "LICENSE-LESSONS"]
_OF_NBGRADER = {"schema_version": 3, "grade": False, "solution": False, "locked": False, "task": False}
_TRIES = 50
FOR_MARKS = "## For marks\n\n*Your teacher marks these. There is no `check` for them: try them on numbers of your own.*"
README = """# Transformers, by hand

You need Python 3.11 or newer, and `make`. `make lab` sets everything up, once, and opens the course in your browser; on
Windows it is `py etc\\environment.py lab`.

You work in `my-notebooks/`, a copy of your own. What counts for marks says so, with its points{seconds}.
Solutions and third hints are with your teacher. Keep the names of the functions. Save (Ctrl+S), and hand in

{files}

If your teacher gives out a new version, put it over this folder and run `make lab`: what you have written stays.
A lesson that you have changed then has its new version beside it, `….new.ipynb`. If you go on in it, hand in both.
"""


class ClassError(Exception):
    """The error for a class that can't be made, with one sentence for the teacher."""


def without_solutions(text: str) -> str:
    """Return the text of a lesson or of one cell with stubs in place of solutions, and without the third hints."""
    return _THIRD_HINT.sub(r"\g<1>\n", with_stubs(text))


def _points(n: int) -> str:
    return f"{n} point{'s' * (n > 1)}"


def for_students(
    notebook: NotebookNode, lesson: Lesson, counts: Sequence[Marked], is_solved: bool = False
) -> NotebookNode:
    """Return a copy of a built notebook that marks the graded exercises `counts` and adds the second ones.

    Leave out the folded solutions and the third hints. If `is_solved`, keep the solutions in the code cells; otherwise
    give the second exercises stubs and no `check`.
    """
    points, below = {one.name: one.points for one in counts}, 0
    cells = [nbformat.from_dict(cell) for cell in notebook.cells]
    if points:
        cells[-1:-1] = _second_cells(lesson)
    asked = section = core_end = None
    for cell in cells:
        if "hints" in cell.metadata.get("tags", []):
            cell.source = _FOLDED.sub("", cell.source)
        if cell.cell_type == "markdown":
            section = cell if cell.source.startswith("## ") else section
            core_end = cell if DEEPER in cell.source else core_end
            asked = cell if EXERCISE_LINE.search(cell.source) else asked
        elif asked and (found := _CHECK.search(cell.source)) and (n := points.get(found[1])):
            start = [*EXERCISE_LINE.finditer(asked.source)][-1].start()
            asked.source = f"{asked.source[:start]}**Counts: {_points(n)}.** {asked.source[start:]}"
            asked = None
            if core_end:
                below += n
                section.metadata.pop(COLLAPSED, None)
        if cell.id.startswith("second-") and cell.cell_type == "code" and not is_solved:
            cell.source = _CHECK.sub("", without_solutions(cell.source)).rstrip()
    if below:
        core_end.source += f"\n\n**For marks, go on: what counts below has {_points(below)}.**"
    made = nbformat.v4.new_notebook(cells=cells, metadata=notebook.metadata)
    made.metadata["course"]["sources"] = fingerprint(made)  # the fingerprint of the new notebook
    return made


def _second_cells(lesson: Lesson) -> Iterator[NotebookNode]:
    """Yield the cells of the second exercises, with their solutions."""
    asked = second(lesson)
    if asked:
        yield new_markdown_cell(FOR_MARKS, id=f"second-{lesson.number}")
    for at, block in enumerate(asked.blocks if asked else []):
        make = new_code_cell if block.kind == "code" else new_markdown_cell
        yield make(block.text, id=f"second-{lesson.number}-{at}")


# --- the form of nbgrader ---


def grade_id(name: str) -> str:
    """Return nbgrader's id of the exercise `name`."""
    return name.replace(".", "-")


def for_nbgrader(notebook: NotebookNode, counts: Sequence[Marked]) -> NotebookNode:
    """Return a solved notebook for nbgrader, with a solution cell for each exercise and a locked test cell after it."""
    by_name, cells = {one.name: one for one in counts}, []
    for cell in notebook.cells:
        cells.append(cell)
        cell.metadata.pop("line", None)
        if cell.cell_type != "code" or BEGIN not in cell.source:
            continue
        one = by_name[_CHECK.search(cell.source)[1]]
        if one.is_second:
            cell.source = _CHECK.sub("", cell.source).rstrip()
        cell.metadata["nbgrader"] = {**_OF_NBGRADER, "grade_id": grade_id(one.name), "solution": True}
        test = new_code_cell(
            f"# {one.points} of the points: your teacher runs this cell, on other numbers.\n"
            f'from utils.course.exercises import require\n\nrequire("{one.name}", {one.function})',
            id=f"test-{grade_id(one.name)}",
        )
        of_test = {"grade_id": test.id, "grade": True, "locked": True, "points": one.points}
        test.metadata["nbgrader"] = {**_OF_NBGRADER, **of_test}
        cells.append(test)
    return nbformat.v4.new_notebook(cells=cells, metadata=notebook.metadata)


def nbgrader_config(teacher: Path) -> str:
    """Return the text of the nbgrader configuration for the class whose teacher's folder is `teacher`."""
    return f'''"""nbgrader's settings for this class; made by `make class`."""

import os

os.environ["{VARIABLE}"] = {str(teacher)!r}  # where other numbers and second exercises come from
os.environ["PYTHONPATH"] = {str(ROOT)!r}

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "transformers"
c.ClearSolutions.code_stub = {{"python": {STUB!r}}}
c.ExecutePreprocessor.timeout = 900
c.ExecutePreprocessor.allow_errors = True
'''


# --- the folders ---


def _shows_all(lesson: Lesson, seed: int) -> bool:
    """Return whether, on inputs drawn from `seed`, the references never fail and every known mistake shows."""
    for exercise in drawn(lesson.path.parent, seed).values():
        right = [run(exercise.reference, case) for case in exercise.cases]
        wrong = ([run(one.function, case) for case in exercise.cases] for one in exercise.wrong_answers)
        if any(outcome.error for outcome in right) or any(all_agree(outcomes, right) for outcomes in wrong):
            return False
    return True


def copy_course(folder: Path, names: Sequence[str]) -> None:
    """Copy the course's folders and files `names` to `folder`, without solutions, third hints and tests."""
    for name in names:
        if (ROOT / name).is_dir():
            left_out = shutil.ignore_patterns(*_MADE, *(_TEACHERS if name == "lessons" else ()))
            shutil.copytree(ROOT / name, folder / name, dirs_exist_ok=True, ignore=left_out)
        else:
            shutil.copyfile(ROOT / name, folder / name)
    for path in folder.glob("lessons/*/lesson.md"):
        path.write_text(without_solutions(path.read_text(encoding="utf-8")), encoding="utf-8")


def make_students(folder: Path, lessons: Sequence[Lesson], counting: Sequence[str]) -> None:
    """Write the students' course to `folder`. Leave alone what students add there, such as `my-notebooks/`."""
    for name in _WRITTEN_ANEW:
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "notebooks").mkdir(parents=True)
    copy_course(folder, ("lessons", "utils", "etc", *_KEPT))
    by_notebook = {lesson.notebook_name: lesson for lesson in lessons}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook, lesson = read_notebook(path), by_notebook.get(path.name)
        if lesson is not None:
            notebook = for_students(notebook, lesson, marked(lesson) if lesson.number in counting else [])
        nbformat.write(notebook, folder / "notebooks" / path.name)
    keep_digests((folder / "notebooks").glob("*.ipynb"), folder / "utils/course/digests")
    shutil.copyfile(Path(__file__).with_name("AGENTS.md"), folder / "AGENTS.md")
    names = [lesson for lesson in lessons if lesson.number in counting]
    numbers = ", ".join(lesson.number for lesson in names if second(lesson))
    seconds = f"; so does the part “For marks” at the end of {numbers}" if numbers else ""
    points = {lesson: _points(sum(one.points for one in marked(lesson))) for lesson in names}
    files = "\n".join(f"- `my-notebooks/{lesson.notebook_name}`, {n}" for lesson, n in points.items())
    (folder / "README.md").write_text(README.format(seconds=seconds, files=files), encoding="utf-8")


def make_teachers(folder: Path, lessons: Sequence[Lesson], chosen: Class) -> None:
    """Write the teacher's folder: the class's settings, and the nbgrader sources and configuration."""
    folder.mkdir(parents=True, exist_ok=True)
    chosen.write(folder)
    for lesson in [lesson for lesson in lessons if lesson.number in chosen.lessons]:
        counts = marked(lesson)
        solved = for_students(build(lesson, lessons, solved=True), lesson, counts, is_solved=True)
        path = folder / "nbgrader" / "source" / lesson.name / lesson.notebook_name
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(for_nbgrader(solved, counts), path)
    (folder / "nbgrader" / "nbgrader_config.py").write_text(nbgrader_config(folder.resolve()), encoding="utf-8")


def make_class(numbers: Sequence[str], to: Path) -> Class:
    """Make a class's two folders in `to`, or update them without changing the seed, and return the class.

    Raise UnknownLesson for a wrong number and ClassError if the class can't be made, with a sentence for the teacher.
    """
    lessons = all_lessons()
    numbers = known_numbers(numbers, lessons)
    if not numbers:
        raise ClassError("Say which lessons count: `make class LESSONS=05,06`.")
    if any(to.resolve().is_relative_to(ROOT / name) for name in _WRITTEN_ANEW):
        raise ClassError(f"{to} belongs to the course: choose another folder.")
    counting = [lesson for lesson in lessons if lesson.number in numbers]
    without = [lesson.number for lesson in counting if not lesson.path.with_name("exercises.py").is_file()]
    if without:
        raise ClassError(f"Lesson {', '.join(without)} has no exercises.")
    teacher, students = to / "teacher", to / "students"
    before = Class.read(teacher) if (teacher / FILE).is_file() else None
    if before is None and to.exists() and any(to.iterdir()):
        raise ClassError(f"{to} has something else in it: choose another folder.")
    seeds = [before.seed] if before else [secrets.randbelow(1 << 31) for _ in range(_TRIES)]
    seed = next((seed for seed in seeds if all(_shows_all(lesson, seed) for lesson in counting)), None)
    if seed is None:
        raise ClassError(f"Of {len(seeds)} seeds none shows every mistake: choose another folder, or other lessons.")
    chosen = Class(tuple(lesson.number for lesson in counting), seed, before.half if before else 0.5)
    make_students(students, lessons, chosen.lessons)
    make_teachers(teacher, lessons, chosen)
    return chosen


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the class that the command line describes and return the exit status."""
    forgive_output()
    parser = argparse.ArgumentParser(prog="make class", description="Make what students get, and what their teacher.")
    parser.add_argument("lessons", help="the lessons that count, such as 05,06,12a")
    parser.add_argument("to", type=path_of, help="the folder of the class")
    options = parser.parse_args(arguments)
    try:
        chosen = make_class([one for one in re.split(r"[,\s]+", options.lessons) if one], options.to)
    except (ClassError, UnknownLesson, OSError) as error:
        sys.exit(str(error))
    points = {lesson.number: sum(one.points for one in marked(lesson)) for lesson in all_lessons()}
    print(f"{options.to / 'students'}: give this out.")
    print(f"{options.to / 'teacher'}: keep this. Its {FILE} has the numbers of your class.")
    print("Points:", ", ".join(f"lesson {number}: {points[number]}" for number in chosen.lessons))
    return 0


if __name__ == "__main__":
    sys.exit(main())
