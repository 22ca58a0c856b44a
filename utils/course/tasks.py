"""Define the tasks of a control. The control recognizes a finished task, and its tick is saved with the progress.

The tasks are beside the lesson, in its `tasks_NN.py`, because the function that recognizes a task gives it away:

    tasks = Tasks()

    @tasks.ask("Let one word take more than 0.9.")
    def _(at, shown):
        return shown[0].values.max() > 0.9

In the lesson's cell: `LiveControl(picture, knobs, presets, alt, tasks=tasks)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from utils.course.progress import read_progress, tick
from utils.show.live import Panel

Recognizes = Callable[[SimpleNamespace, Sequence[Panel]], bool]


class Tasks:
    """Tasks: sentences, each with a function that returns whether the task is done.

    The function is called with the control's settings (`at.d_k` is the picture's argument d_k) and the panels that the
    picture has returned. A LookupError or ValueError, from a panel that is missing, means that the task is not done.
    """

    def __init__(self) -> None:
        self._asked: dict[str, Recognizes] = {}

    @property
    def texts(self) -> list[str]:
        """The sentences of the tasks, in their order."""
        return list(self._asked)

    def ask(self, text: str) -> Callable[[Recognizes], Recognizes]:
        """Add a task, as a decorator for the function that returns whether the task is done."""

        def add(done: Recognizes) -> Recognizes:
            self._asked[text] = done
            return done

        return add

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


def _key(text: str) -> str:
    return f"task: {text}"
