"""What all controls have in common: they are open as long as a cell shows them.

A control that has been replaced, since its cell was run again, would go on living: in Python, on the page, and with its
script and its styles in every notebook that is saved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import anywidget
import traitlets
from IPython import get_ipython

LONGEST_REPR = 110  # saved outputs are compared up to here
_shown: dict[str, tuple[str, list[Control]]] = {}  # cell -> the request to run it, and what it has shown since


class ControlTasks(Protocol):
    """What a control asks its reader to bring about, as `utils.course.tasks` has it; each counted from 0."""

    texts: list[str]

    def met(self, arguments: Mapping[str, Any], shown: Sequence[Any]) -> list[int]:
        """Which are done where the picture gets these arguments and has returned these panels."""

    def kept(self) -> list[int]:
        """Which have been done before."""

    def keep(self, ticked: Sequence[int]) -> None:
        """Keeps for the next time that these are done."""


class Control(anywidget.AnyWidget):
    """A widget that is closed when the last cell that showed it has been run again, and shows something else.

    Displaying it opens it again. Where cells have no names, as outside of a notebook, nothing is closed.
    """

    answer = traitlets.Unicode().tag(sync=True)  # the id of the request answered last

    def open(self) -> None:
        """Lets the page know it, with its layout."""
        self.layout.open()
        super().open()

    def close(self) -> None:
        """Takes it off the page, and its layout; it can be displayed again."""
        if self.comm is not None:  # else it may not even have been made: it is closed when Python lets go of it, too
            super().close()
            self.layout.close()
            del self._repr_mimebundle_  # ipywidgets hides the method, lest a closed widget be displayed

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        self.open()
        cell, request = _running()
        if cell:
            request_before, before = _shown.get(cell, (request, []))
            if request == request_before:
                _shown[cell] = request, [*before, self]
            else:
                _shown[cell] = request, [self]
                for control in before:
                    if not any(control in others for _, others in _shown.values()):
                        control.close()
        return super()._repr_mimebundle_(**kwargs)


class Explorer(Control):
    """A control in which one goes from place to place; each task is done at some of these places."""

    tasks = traitlets.List(traitlets.Unicode()).tag(sync=True)
    done_at = traitlets.List().tag(sync=True)  # for each task the places, as the page knows them
    ticked = traitlets.List(traitlets.Int()).tag(sync=True)
    refusal = traitlets.Unicode().tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._serve)

    def serve(self, request: Mapping[str, Any]) -> None:
        """Does what the page asks for; ValueError with a sentence where that can't be done."""
        raise NotImplementedError

    def _serve(self, _: Explorer, request: Mapping[str, Any], __: Any) -> None:
        with self.hold_sync():
            try:
                self.serve(request)
            except ValueError as reason:
                self.refusal = str(reason)[:1].upper() + str(reason)[1:]  # what was raised begins with a small letter
            except Exception as reason:  # the function may be a student's own: whatever it raises is said
                self.refusal = f"{type(reason).__name__}: {reason}"
            finally:
                self.answer = str(request.get("id", ""))

    def ask(self, tasks: ControlTasks | None, places: Iterable[tuple[Any, Mapping[str, Any], Any]]) -> None:
        """Takes up what is asked, with each place: what the page calls it, what is set there, and what is shown."""
        if not tasks:
            return
        met = [(place, tasks.met(at, [shown])) for place, at, shown in places]
        self.tasks, self.ticked = tasks.texts, tasks.kept()
        self.done_at = [[place for place, done in met if i in done] for i in range(len(tasks.texts))]
        self.observe(lambda change: tasks.keep(change["new"]), "ticked")


def one_line(text: str) -> str:
    """What a control says of itself in a saved output, cut where it would be too long to be compared."""
    return text if len(text) <= LONGEST_REPR else text[: LONGEST_REPR - 2] + "…)"


def _running() -> tuple[str, str]:
    """The cell that is being run, by the name that the page gives it, and the request to run it; empty elsewhere."""
    parent = getattr(get_ipython(), "parent_header", {})
    return parent.get("metadata", {}).get("cellId", ""), parent.get("header", {}).get("msg_id", "")
