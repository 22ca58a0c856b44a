"""What a control asks its reader to bring about. The control recognizes it, and a tick stays, with the progress.

tasks = Tasks({
    "Let one word take more than 0.9.": lambda at, shown: shown[0].values.max() > 0.9,
})
LiveControl(picture, knobs, presets, alt, tasks=tasks)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from utils.course.progress import read_progress, tick
from utils.show.live import Panel


class Tasks:
    """Sentences, each with the function that says whether it is done.

    It is called with what the control is set to (`at.d_k` is what the picture gets as d_k) and the panels that the
    picture has returned. Where it looks for what the picture has not returned, its LookupError or ValueError says no.
    """

    def __init__(self, asked: Mapping[str, Callable[[SimpleNamespace, Sequence[Panel]], bool]]) -> None:
        self._asked = dict(asked)
        self.texts = list(asked)

    def met(self, arguments: Mapping[str, Any], shown: Sequence[Panel]) -> list[int]:
        """Which are done at this setting, counted from 0."""
        at = SimpleNamespace(**arguments)
        return [i for i, done in enumerate(self._asked.values()) if _holds(done, at, shown)]

    def kept(self) -> list[int]:
        """Which the reader has done before."""
        try:
            progress = read_progress()
        except OSError:
            return []
        return [i for i, text in enumerate(self.texts) if _key(text) in progress]

    def keep(self, ticked: Iterable[int]) -> None:
        """Notes those in the progress. What can't be saved is ticked on the page all the same."""
        for i in ticked:
            tick(_key(self.texts[i]), True)


def _holds(done: Callable[..., bool], at: SimpleNamespace, shown: Sequence[Panel]) -> bool:
    try:
        return bool(done(at, shown))
    except (LookupError, ValueError):
        return False


def _key(text: str) -> str:
    return f"task: {text}"
