"""What the start page shows: whether this computer is ready, and how far the student is."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable

import numpy as np

from utils.course.exercises import EXERCISES
from utils.course.lessons import all_lessons
from utils.course.progress import progress_file, read_progress
from utils.show.cards import Card, card

_REPAIR = "Close this window and start the course again with `make lab`: it repairs itself."


def check_environment() -> Card:
    """A card with one line a check, each beginning with OK or FAIL, in plain words and without version numbers."""
    results = [(words, _passes(test), advice) for words, test, advice in _CHECKS]
    lines = [f"OK    {words}" if passed else f"FAIL  {words}. {advice}" for words, passed, advice in results]
    ready = all(passed for _, passed, _ in results)
    return card(
        "good" if ready else "bad",
        "This computer is ready." if ready else "Something is missing.",
        lines,
    )


def show_progress() -> Card:
    """A card with one line a lesson: how many of its exercises are passed, and which are open."""
    try:
        progress = read_progress()
    except OSError as error:
        why = f"The file is there, and cannot be read at the moment: {error.strerror or error}."
        return card(
            "bad", "How far you are is not known", [why, f"It is {progress_file()}. Nothing in it was changed."]
        )
    lines, passed_in_all = [], 0
    for lesson in all_lessons():
        names = [name for name, exercise in EXERCISES.items() if exercise.lesson == lesson.number]
        passed = [name for name in names if name in progress and progress[name].passed]
        passed_in_all += len(passed)
        if names:
            still = ", ".join(name.partition(".")[2] for name in names if name not in passed)
            bar = "■" * len(passed) + "□" * (len(names) - len(passed))
            lines.append(
                f"{bar}  {lesson.number} {lesson.title}: {len(passed)} of {len(names)}"
                + (f" (open: {still})" if still else "")
            )
    done = passed_in_all == len(EXERCISES)
    return card("good" if done else "note", f"Exercises passed: {passed_in_all} of {len(EXERCISES)}", lines)


def _passes(test: Callable[[], bool]) -> bool:
    try:
        return bool(test())
    except Exception:
        return False


def _has(*modules: str) -> Callable[[], bool]:
    return lambda: all(importlib.util.find_spec(module) is not None for module in modules)


_CHECKS: tuple[tuple[str, Callable[[], bool], str], ...] = (
    ("Python is new enough", lambda: sys.version_info >= (3, 11), "The course needs Python 3.11 or newer."),
    ("NumPy computes", lambda: (np.array([[1, 3]]) @ np.array([3, 2]))[0] == 9, _REPAIR),
    ("pictures can be drawn", _has("matplotlib.figure"), _REPAIR),
    ("live controls can be shown", _has("anywidget", "ipywidgets"), _REPAIR),
    ("PyTorch is there for the later lessons", _has("torch"), _REPAIR),
)
