"""Define the base of all controls: a control is open as long as a cell shows it.

Otherwise a control would survive when its cell is run again: in Python, on the page, and with its script and styles in
every saved notebook.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import anywidget
import traitlets
from IPython import get_ipython

LONGEST_REPR = 110  # letters up to which tests compare saved outputs
_shown: dict[str, tuple[str, list[Control]]] = {}  # cell -> the latest request to run it, and the controls shown since


class ControlTasks(Protocol):
    """The tasks of a control, as in `utils.course.tasks`; indices count from 0."""

    texts: list[str]
    when: list[list[Any] | None]  # the conditions of each task, if they are data

    def met(self, arguments: Mapping[str, Any], shown: Sequence[Any]) -> list[int]:
        """Return the indices of the tasks that are done with these arguments of the picture and these panels."""

    def kept(self) -> list[int]:
        """Return the indices of the tasks that have been done before."""

    def keep(self, ticked: Sequence[int]) -> None:
        """Save the indices of the tasks that are done."""


class Control(anywidget.AnyWidget):
    """A widget that is closed when the last cell that showed it is run again and shows something else.

    Displaying a control opens it again. If cells have no names, as outside a notebook, no control is closed.
    """

    answer = traitlets.Unicode().tag(sync=True)  # the id of the request answered last

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.on_msg(self._serve)

    def serve(self, request: Mapping[str, Any]) -> None:
        """Carry out the page's request."""
        raise NotImplementedError

    def _serve(self, _: Control, request: Mapping[str, Any], __: Any) -> None:
        with self.hold_sync():
            try:
                self.serve(request)
            finally:  # a refusal, or an error in the log, is an answer, too
                self.answer = str(request.get("id", ""))

    def open(self) -> None:
        """Connect the control and its layout to the page."""
        self.layout.open()
        super().open()

    def close(self) -> None:
        """Remove the control and its layout from the page, so that it can be displayed again."""
        if self.comm is not None:  # Python also closes a control on deletion, even if its construction failed
            super().close()
            self.layout.close()
            del self._repr_mimebundle_  # ipywidgets shadows the method, so that no closed widget is displayed

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
    """A control in which the reader moves between places; each task is done at some of them."""

    tasks = traitlets.List(traitlets.Unicode()).tag(sync=True)
    done_at = traitlets.List().tag(sync=True)  # for each task, the page's names of the places where it is done
    ticked = traitlets.List(traitlets.Int()).tag(sync=True)
    refusal = traitlets.Unicode().tag(sync=True)

    def move(self, request: Mapping[str, Any]) -> None:
        """Go where the page's request leads. Raise ValueError, with a sentence, if there is no such place."""
        raise NotImplementedError

    def serve(self, request: Mapping[str, Any]) -> None:
        try:
            self.move(request)
        except ValueError as reason:
            self.refusal = str(reason)[:1].upper() + str(reason)[1:]  # error messages begin with a small letter
        except Exception as reason:  # the function may be a student's own, so show any error
            self.refusal = f"{type(reason).__name__}: {reason}"

    def ask(self, tasks: ControlTasks | None, places: Iterable[tuple[Any, Mapping[str, Any], Any]]) -> None:
        """Set up `tasks`. Each of `places` has the page's name for it, its settings, and the panel that it shows."""
        if not tasks:
            return
        met = [(place, tasks.met(at, [shown])) for place, at, shown in places]
        self.tasks, self.ticked = tasks.texts, tasks.kept()
        self.done_at = [[place for place, done in met if i in done] for i in range(len(tasks.texts))]
        self.observe(lambda change: tasks.keep(change["new"]), "ticked")


def one_line(text: str) -> str:
    """Return `text` cut to the length up to which tests compare saved outputs."""
    return text if len(text) <= LONGEST_REPR else text[: LONGEST_REPR - 2] + "…)"


def _running() -> tuple[str, str]:
    """Return the running cell's id and the id of the request to run it, or empty texts outside a notebook."""
    parent = getattr(get_ipython(), "parent_header", {})
    return parent.get("metadata", {}).get("cellId", ""), parent.get("header", {}).get("msg_id", "")
