"""Define the tasks of a control. The control recognizes a finished task, and its tick is saved with the progress.

The tasks are beside the lesson, in its `tasks_NN.py`, because the function that recognizes a task gives it away:

    tasks = Tasks()

    @tasks.ask("Let one word take more than 0.9.")
    def _(at, shown):
        return shown[0].values.max() > 0.9

In the lesson's cell: `LiveControl(picture, knobs, presets, alt, tasks=tasks)`.

A figure whose function has a JavaScript port recognizes its tasks without Python, too. So their conditions are data,
which the page gets:

    tasks.ask_when("Make row 2 look only at word 3.", ("weights[1][2]", ">", 0.999))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from utils.course.progress import read_progress, tick
from utils.show.live import Panel
from utils.show.live.fields import as_json

Recognizes = Callable[[SimpleNamespace, Sequence[Panel]], bool]
Condition = tuple[str, str, Any]  # a setting or a panel with its indices, a sign, and what each of its numbers must be

_SIGNS = {"=": np.equal, ">": np.greater, "≈": np.isclose}  # as in utils/site/twins/tasks.js


class Tasks:
    """Tasks: sentences, each with a function that returns whether the task is done.

    The function is called with the control's settings (`at.d_k` is the picture's argument d_k) and the panels that the
    picture has returned. A LookupError or ValueError, from a panel that is missing, means that the task is not done.
    """

    def __init__(self) -> None:
        self._asked: dict[str, Recognizes] = {}
        self._when: dict[str, Sequence[Condition]] = {}

    @property
    def texts(self) -> list[str]:
        """The sentences of the tasks, in their order."""
        return list(self._asked)

    @property
    def when(self) -> list[list[Any] | None]:
        """Return the conditions of each task for JSON, or None if only a function of Python recognizes it."""
        return [[_as_data(*one) for one in self._when[text]] if text in self._when else None for text in self._asked]

    def ask(self, text: str) -> Callable[[Recognizes], Recognizes]:
        """Add a task, as a decorator for the function that returns whether the task is done."""

        def add(done: Recognizes) -> Recognizes:
            self._asked[text] = done
            return done

        return add

    def ask_when(self, text: str, *conditions: Condition) -> None:
        """Add a task that is done when all `conditions` hold, such as ("x[0]", "not =", [1, 2]); "≈" allows 1e−5."""
        self._when[text] = conditions
        self._asked[text] = lambda at, shown: all(_is_met(one, at, shown) for one in conditions)

    def met(self, arguments: Mapping[str, Any], shown: Sequence[Panel]) -> list[int]:
        """Return the indices of the tasks that are done at these settings."""
        at = SimpleNamespace(**arguments)
        return [i for i, done in enumerate(self._asked.values()) if _holds(done, at, shown)]

    def kept(self) -> list[int]:
        """Return the indices of the tasks that the reader has done before."""
        try:
            progress = read_progress()
        except OSError:
            return []
        return [i for i, text in enumerate(self.texts) if _key(text) in progress]

    def keep(self, ticked: Iterable[int]) -> None:
        """Save the tasks at the indices `ticked` as done. Ignore failures, because the page shows the ticks anyway."""
        for i in ticked:
            tick(_key(self.texts[i]), True)


def _holds(done: Callable[..., bool], at: SimpleNamespace, shown: Sequence[Panel]) -> bool:
    try:
        return bool(done(at, shown))
    except (LookupError, ValueError):
        return False


def _is_met(condition: Condition, at: SimpleNamespace, shown: Sequence[Panel]) -> bool:
    (name, *indices), sign, wanted = _as_data(*condition)
    value = {**vars(at), **{getattr(panel, "name", ""): getattr(panel, "values", None) for panel in shown}}[name]
    holds = _SIGNS[sign.removeprefix("not ")](np.asarray(value)[tuple(indices)], wanted)
    return bool(np.all(holds)) != sign.startswith("not ")


def _as_data(place: str, sign: str, wanted: Any) -> list[Any]:
    name, *indices = re.findall(r"\w+", place)
    return [[name, *map(int, indices)], sign, as_json(wanted)]


def _key(text: str) -> str:
    return f"task: {text}"
