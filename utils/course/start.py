"""Show the start page's parts: the check of this computer, the student's progress, and the reset of a lesson."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from typing import Any

import ipywidgets
import numpy as np

from utils.course.exercises import EXERCISES
from utils.course.lessons import NOTEBOOKS, all_lessons
from utils.course.progress import progress_file, read_progress
from utils.course.working_copy import VARIABLE, own_folder, reason, reset, reset_sentence
from utils.show.cards import Card, card

_REPAIR = "Close this window and start the course again with `make lab`: it repairs itself."
_NOT_OPENED = "Open the course with `make lab` and run this cell: then it works."


def check_environment() -> Card:
    """Return a card with one line for each check of this computer. Each line begins with OK or FAIL."""
    # The lessons that run in a browser don't need PyTorch.
    checks = _CHECKS if sys.platform == "emscripten" else (*_CHECKS, _LATER)
    results = [(words, _passes(test), advice) for words, test, advice in checks]
    lines = [f"OK    {words}" if passed else f"FAIL  {words}. {advice}" for words, passed, advice in results]
    ready = all(passed for _, passed, _ in results)
    return card("good" if ready else "bad", "This computer is ready." if ready else "Something is missing.", lines)


def show_progress() -> Card:
    """Return a card with one line for each lesson: the number of passed exercises, and the names of the open ones."""
    try:
        progress = read_progress()
    except OSError as error:
        why = f"The file is there, and cannot be read at the moment: {error.strerror or error}."
        where = f"It is {progress_file()}. Nothing in it was changed."
        return card("bad", "How far you are is not known", [why, where])
    lines, passed_in_all = [], 0
    for lesson in all_lessons():
        names = [name for name, exercise in EXERCISES.items() if exercise.lesson == lesson.number]
        passed = [name for name in names if name in progress and progress[name].passed]
        passed_in_all += len(passed)
        if names:
            still = ", ".join(name.partition(".")[2] for name in names if name not in passed)
            left = f" (open: {still})" if still else ""
            bar = "■" * len(passed) + "□" * (len(names) - len(passed))
            lines.append(f"{bar}  {lesson.number} {lesson.title}: {len(passed)} of {len(names)}{left}")
    done = passed_in_all == len(EXERCISES)
    return card("good" if done else "note", f"Exercises passed: {passed_in_all} of {len(EXERCISES)}", lines)


class ResetLesson(ipywidgets.VBox):
    """A menu of lessons with a button that, after a question, resets the chosen lesson to the published version.

    The control works only if `make lab` opened the course; otherwise, and in a saved notebook, it says so. Python can
    use it as the page does, with `lesson.value`, `ask`, `agree` and `refuse`; `sentence` is the shown sentence.
    """

    def __init__(self) -> None:
        lessons = [(f"{lesson.number} {lesson.title}", lesson.number) for lesson in all_lessons()]
        opened = VARIABLE in os.environ
        self.lesson = ipywidgets.Dropdown(options=lessons, description="Lesson", disabled=not opened)
        self._ask = ipywidgets.Button(description="Reset it …", icon="undo", disabled=not opened)
        agree = ipywidgets.Button(description="Yes, reset it", button_style="warning")
        refuse = ipywidgets.Button(description="No, leave mine")
        self._answers = ipywidgets.HBox([agree, refuse])
        self._line = ipywidgets.HTML()
        self._ask.on_click(lambda _: self.ask())
        agree.on_click(lambda _: self.agree())
        refuse.on_click(lambda _: self.refuse())
        self.lesson.observe(lambda _: self.refuse(), "value")
        super().__init__([ipywidgets.HBox([self.lesson, self._ask]), self._answers, self._line])
        self._say("Choose a lesson." if opened else _NOT_OPENED)

    def ask(self) -> None:
        """Ask whether the student is sure."""
        self._say(f"Reset lesson {self.lesson.value}? Your copy of it is kept, with today's date.", asking=True)

    def agree(self) -> None:
        """Reset the lesson, and say where the student's copy is kept."""
        try:
            self._say(reset_sentence(self.lesson.value, reset(self.lesson.value, NOTEBOOKS, own_folder())))
        except OSError as error:
            self._say(f"Lesson {self.lesson.value} could not be reset ({reason(error)}). It is as you left it.")

    def refuse(self) -> None:
        """Change nothing, and say so."""
        self._say("Nothing was changed.")

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return {**super()._repr_mimebundle_(**kwargs), "text/html": card("note", _NOT_OPENED, []).html}

    def __repr__(self) -> str:
        return f"ResetLesson({self.sentence})"

    def _say(self, sentence: str, asking: bool = False) -> None:
        self._answers.layout.display = "flex" if asking else "none"
        self.sentence = sentence
        self._line.value = card("note", sentence, []).html


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
)
_LATER = ("PyTorch is there for the later lessons", _has("torch"), _REPAIR)
