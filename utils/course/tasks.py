"""What a control asks its reader to bring about. The control recognizes it, and a tick stays, with the progress.

They stand beside the lesson, in its `tasks_NN.py`, since what recognizes that one is done gives it away:

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
    """Sentences, each with the function that says whether it is done.

    It is called with what the control is set to (`at.d_k` is what the picture gets as d_k) and the panels that the
    picture has returned. Where it looks for what the picture has not returned, its LookupError or ValueError says no.
    """

    def __init__(self) -> None:
        self._asked: dict[str, Recognizes] = {}

    @property
    def texts(self) -> list[str]:
        """The sentences, in their order."""
        return list(self._asked)

    def ask(self, text: str) -> Callable[[Recognizes], Recognizes]:
        """Add a sentence; what is decorated says whether it is done."""

        def add(done: Recognizes) -> Recognizes:
            self._asked[text] = done
            return done

        return add

    def met(self, arguments: Mapping[str, Any], shown: Sequence[Panel]) -> list[int]:
        """Return which are done at this setting, counted from 0."""
        at = SimpleNamespace(**arguments)
        return [i for i, done in enumerate(self._asked.values()) if _holds(done, at, shown)]

    def kept(self) -> list[int]:
        """Return which the reader has done before."""
        try:
            progress = read_progress()
        except OSError:
            return []
        return [i for i, text in enumerate(self.texts) if _key(text) in progress]

    def keep(self, ticked: Iterable[int]) -> None:
        """Note those in the progress. What can't be saved is ticked on the page all the same."""
        for i in ticked:
            tick(_key(self.texts[i]), True)


def _holds(done: Callable[..., bool], at: SimpleNamespace, shown: Sequence[Panel]) -> bool:
    try:
        return bool(done(at, shown))
    except (LookupError, ValueError):
        return False


def _key(text: str) -> str:
    return f"task: {text}"
