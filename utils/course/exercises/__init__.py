"""Load the exercises of the course, and check an answer: `check` names the student's mistake."""

from __future__ import annotations

import difflib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from utils.course.exercises.diagnosis import Diagnosis, Verdict, diagnose, judged
from utils.course.exercises.exercise import Exercise
from utils.course.exercises.own_state import fixed_state
from utils.course.lessons import LESSONS, LessonError
from utils.course.progress import record
from utils.show.cards import Card, card, folded

__all__ = ["EXERCISES", "Diagnosis", "Exercise", "Verdict", "check", "diagnose", "judged", "require"]


def _of_one_lesson(path: Path) -> list[Exercise]:
    """Return the exercises of one lesson's exercises.py, which is imported as the module lessons.exercises_NN."""
    name = f"lessons.exercises_{path.parent.name.split('_')[0]}"
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.EXERCISES


def _of_all_lessons(lessons: Path = LESSONS) -> dict[str, Exercise]:
    """Return the exercises by name, in the order of the lessons.

    Raise LessonError if a name is taken or has the number of another lesson.
    """
    found: dict[str, Exercise] = {}
    for path in sorted(lessons.glob("*/exercises.py")):
        number = path.parent.name.partition("_")[0]
        for exercise in _of_one_lesson(path):
            if exercise.name in found or exercise.lesson != number:
                above = path.read_text(encoding="utf-8").rpartition(f'"{exercise.name}"')[0]
                raise LessonError(
                    path,
                    above.count("\n") + 1,
                    f"{exercise.name} is taken, or another lesson's: here each has its own, {number}.topic.",
                )
            found[exercise.name] = exercise
    return found


with fixed_state():
    EXERCISES = _of_all_lessons()

_MARKS = {Verdict.NOT_TRIED: "○", Verdict.PASSED: "✓", Verdict.MISTAKE: "✗", Verdict.FAULT: "!"}
_TONES = {Verdict.NOT_TRIED: "neutral", Verdict.PASSED: "good", Verdict.MISTAKE: "bad", Verdict.FAULT: "neutral"}


_MISSING = object()
_LINES_SHOWN = 20  # the most lines to show of a function's printed output


def check(name: str, answer: Any = _MISSING) -> Card:
    """Return the feedback on the exercise `name`: not tried yet, passed, or the mistake in a sentence.

    `answer` is the student's function. It is run on fresh inputs, and the verdict is saved as progress. For an unknown
    name the feedback suggests the closest ones. Raise ValueError if the name or the function is missing.
    """
    if not isinstance(name, str) or answer is _MISSING:
        raise ValueError('check takes the name of the exercise and your function: check("05.scores", my_scores).')
    if name in EXERCISES:
        made = _card_of(EXERCISES[name], answer)
    else:
        near = difflib.get_close_matches(name, EXERCISES, n=3, cutoff=0.5) or [*EXERCISES]
        made = card("bad", f"✗ There is no exercise {name!r}.", [f"Did you mean {' or '.join(map(repr, near))}?"])
    _show_at_the_end(made)
    return made


def _card_of(exercise: Exercise, answer: Any) -> Card:
    try:
        diagnosis = judged(exercise, answer)
    except KeyboardInterrupt:
        diagnosis = Diagnosis(Verdict.MISTAKE, "Stopped. Does a loop in your function never end?")
    shown, trouble = diagnosis.input_shown, None
    question = "Show this input and both results" if "correct result" in shown else "Show this input"
    if diagnosis.verdict in (Verdict.PASSED, Verdict.MISTAKE):
        trouble = record(exercise.name, diagnosis.verdict is Verdict.PASSED)
    return card(
        tone=_TONES[diagnosis.verdict],
        headline=f"{_MARKS[diagnosis.verdict]} Exercise {exercise.name} · {exercise.title}: {diagnosis.verdict.value}",
        lines=[line for line in (diagnosis.sentence, diagnosis.details, trouble, *_printed(diagnosis.printed)) if line],
        more=folded(shown, question=question) if shown else None,
    )


def _show_at_the_end(made: Card) -> None:
    """Show the feedback after its cell has run, unless Jupyter shows it as the value of the cell's last line."""
    ipython = sys.modules.get("IPython")  # already imported in a notebook
    notebook = ipython and ipython.get_ipython()
    if not notebook:
        return

    def show(result: Any) -> None:
        notebook.events.unregister("post_run_cell", show)
        if result.result is not made:
            ipython.display.display(made)

    notebook.events.register("post_run_cell", show)


def require(name: str, answer: Any) -> None:
    """Raise AssertionError, with the sentence of `check`, unless `answer` passes; nbgrader and Otter call this.

    A second exercise passes on any machine but the teacher's, which alone can mark it. Raise ValueError for an unknown
    name.
    """
    from utils.course.classes.marked import SECOND, exercise_for_marks  # a circular import at the top

    exercise = exercise_for_marks(name)
    if exercise is None:
        if f".{SECOND}" in name:
            print("Your teacher marks this one.")
            return
        raise ValueError(f"There is no exercise {name!r}.")
    diagnosis = judged(exercise, answer)
    assert diagnosis.verdict is Verdict.PASSED, " ".join(filter(None, [diagnosis.sentence, diagnosis.details]))


def _printed(text: str) -> list[str]:
    """Return the lines that the student's function printed on the first input, below a heading."""
    lines = text.splitlines()
    more = [f"… and {len(lines) - _LINES_SHOWN} lines more."] * (len(lines) > _LINES_SHOWN)
    return ["Your function printed:", *lines[:_LINES_SHOWN], *more] if lines else []
