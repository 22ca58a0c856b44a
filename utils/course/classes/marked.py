"""List the exercises that are graded: a lesson's own, on the teacher's inputs, and second ones.

`second.md` beside a lesson asks the second exercises in the form of a lesson, and `second.py` has their `EXERCISES`.
Students get the questions, but neither the solutions nor the references.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import json
import os
import re
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from unittest import mock

import numpy as np

from utils.course.exercises import EXERCISES
from utils.course.exercises.exercise import Exercise
from utils.course.lessons import EXERCISE_LINE, LESSONS, Lesson, code_without_claims

VARIABLE = "COURSE_CLASS"  # the environment variable with the teacher's folder of a class
FILE = "class.json"
SECOND = "second"  # the start of a second exercise's name, after the lesson's number
_POINTS = {"Easy": 1, "Medium": 2, "Harder": 3}
_HEADING = re.compile(r"^##+ (?!Exercise \d)(.+)$", re.MULTILINE)
_TITLE = re.compile(r"^##+ (.+)$", re.MULTILINE)
_SEE = re.compile(r"see “(.+?)”\)?\.\*")
_CHECK = re.compile(r'^check\("([^"]+)", (\w+)\)$', re.MULTILINE)


@dataclass(frozen=True)
class Class:
    """The settings of a class: its graded lessons, the seed of its inputs, and the share of points for half answers."""

    lessons: tuple[str, ...]
    seed: int
    half: float = 0.5  # share of the points for a known mistake, or for an answer that is right on half of the inputs

    @classmethod
    def read(cls, folder: Path) -> Class:
        """Return the class that `make class` saved in the teacher's `folder`. Raise OSError if there is none."""
        kept = json.loads((folder / FILE).read_text(encoding="utf-8"))
        return cls(**kept | {"lessons": tuple(kept["lessons"])})

    def write(self, folder: Path) -> None:
        """Save the class in the teacher's `folder`."""
        (folder / FILE).write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")


@dataclass(frozen=True)
class Marked:
    """A graded exercise."""

    name: str
    points: int
    function: str  # the name of the answer in the lesson
    title: str  # the exercise's own heading
    section: str  # the heading of the lesson's section that the exercise is in, or refers to

    @property
    def is_second(self) -> bool:
        """Whether this is a second exercise, for which students have no `check`."""
        return self.name.split(".")[1].startswith(SECOND)


def second(lesson: Lesson) -> Lesson | None:
    """Return the second exercises in the form of a lesson, or None if the lesson has none."""
    path = lesson.path.with_name("second.md")
    return replace(lesson, path=path) if path.is_file() else None


def _texts(lesson: Lesson) -> list[str]:
    return [part.text for part in (lesson, second(lesson)) if part]


def uses_of_course(lesson: Lesson) -> dict[str, list[list[str]]]:
    """Return, for each graded function, the course's functions that its solution uses: pairs of module and name."""
    imported, defined = {}, {}
    cells = [cell for text in _texts(lesson) for cell in code_without_claims(text)]
    for node in ast.walk(ast.parse("\n".join(cells))):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in ("utils", "lessons"):
            imported |= {one.asname or one.name: [node.module, one.name] for one in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
            own = {part.id for part in names if isinstance(part.ctx, ast.Store)}
            own |= {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
            defined[node.name] = {part.id for part in names} - own
    found = {}
    for one in marked(lesson):
        seen, todo = set(), {one.function}
        while todo:
            seen.add(name := todo.pop())
            todo |= defined.get(name, set()) - seen
        found[one.function] = [imported[name] for name in sorted(seen & imported.keys())]
    return found


def marked(lesson: Lesson) -> list[Marked]:
    """Return the graded exercises of a lesson in their order, with the second ones last."""
    found = []
    for text in _texts(lesson):
        for asked in _CHECK.finditer(text):
            above = text[: asked.start()]
            section = (_HEADING if text is lesson.text else _SEE).findall(above)[-1]
            points, title = _POINTS[EXERCISE_LINE.findall(above)[-1][1]], _TITLE.findall(above)[-1]
            found.append(Marked(asked[1], points, asked[2], title, section))
    return found


@functools.cache
def drawn(folder: Path, seed: int) -> dict[str, Exercise]:
    """Return the lesson's exercises and second exercises by name, with inputs drawn from the teacher's seed.

    Inputs that `exercises.py` or `second.py` writes out by hand stay the same.
    """
    made: dict[str, Exercise] = {}
    of_course = np.random.default_rng
    for path in (folder / "exercises.py", folder / "second.py"):
        if not path.is_file():
            continue
        spec = importlib.util.spec_from_file_location(f"lessons.{path.stem}_{folder.name}_drawn_from_{seed}", path)
        sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
        with mock.patch.object(np.random, "default_rng", lambda own=0: of_course([seed, *np.atleast_1d(own)])):
            spec.loader.exec_module(module)
        made |= {exercise.name: exercise for exercise in module.EXERCISES}
    return made


def exercise_for_marks(name: str) -> Exercise | None:
    """Return the exercise with the teacher's inputs if $COURSE_CLASS is set, and otherwise the one that `check` uses.

    Return None if there is no such exercise, as for a second exercise on a student's machine.
    """
    folder = next(iter(LESSONS.glob(f"{name.split('.')[0]}_*")), None) if name[:1].isdigit() else None
    teachers = os.environ.get(VARIABLE)
    if folder is None or not teachers:
        return EXERCISES.get(name)
    return drawn(folder, Class.read(Path(teachers)).seed).get(name)
