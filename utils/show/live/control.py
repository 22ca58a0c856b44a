"""Define the live control, which redraws its panels whenever the reader changes a parameter."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import traitlets

from utils.show.control import Control, ControlTasks
from utils.show.live.fields import finite_number
from utils.show.live.knobs import Entries, Parameter, Row
from utils.show.live.panels import Note, Panel
from utils.show.page import script, style

_PART = re.compile(r"(\w+)\[")  # a matrix in what a panel is made of
_REPR_ROOM = 60  # letters for the parameters, because Jupyter cuts the whole line at 110 and the numbers come last


class LiveControl(Control):
    """A set of parameters and the panels that `picture` draws for them.

    picture: called as picture(**values), with one argument for each parameter. It returns a panel or a list of panels.
        If the values make no sense, it raises ValueError with one sentence; the control then keeps its old state and
        shows that sentence beside the parameter.
    presets: name -> values of some parameters. All other parameters return to their start values, except those in
        `apart`, which presets never change.
    alt: one sentence that describes the picture for readers who can't see it.
    tasks: the tasks for the reader. A task that the page has met once stays in `ticked`.

    The methods `set`, `edit`, `choose` and `reset`, and the trait `row`, change a control from Python as the page does.
    `values` (matrices as lists of rows), `panels` (a dict for each panel, for JSON), `preset` and `refusal` show its
    state. The constructor tries the start values and every preset, and raises ValueError if one is refused or if the
    parameters don't match the picture's arguments.

    Subclasses can arrange the control differently: `arrangement` is a CSS class for the page's root element, and `help`
    is shown below the control.
    """

    _esm = script("live.js")
    _css = style("live-control", "live.css")

    parameters = traitlets.List(traitlets.Dict()).tag(sync=True)
    values = traitlets.Dict().tag(sync=True)
    panels = traitlets.List(traitlets.Dict()).tag(sync=True)
    room = traitlets.List(traitlets.List(traitlets.Dict())).tag(
        sync=True
    )  # for each layout, the largest panels of all presets
    preset = traitlets.Unicode().tag(sync=True)  # empty if no preset has these values
    preset_names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)
    refusals = traitlets.Dict().tag(sync=True)  # "d_k" or "X,0,1" -> the refused request and the sentence, latest last
    row = traitlets.Int(0).tag(sync=True)  # the chosen row, from 0; the page sets it without Python
    tasks = traitlets.List(traitlets.Unicode()).tag(sync=True)
    ticked = traitlets.List(traitlets.Int()).tag(
        sync=True
    )  # indices of the tasks done; the last of `panels` has those met now
    arrangement = traitlets.Unicode().tag(sync=True)
    help = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        picture: Callable[..., Panel | Sequence[Panel]],
        parameters: Sequence[Parameter],
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str = "",
        apart: Sequence[str] = (),
        tasks: ControlTasks | None = None,
    ) -> None:
        if not alt.strip():
            raise ValueError("a control needs an alternative text: alt=… says in one sentence what is to be seen.")
        self._picture, self._tasks = picture, tasks
        names = [parameter.name for parameter in parameters]
        if len(set(names)) != len(names) or not names:
            raise ValueError(f"a control must have parameters with different names, but has {names}.")
        self._parameters = {p.name: p for p in parameters if not isinstance(p, Row)}
        row = next((parameter for parameter in parameters if isinstance(parameter, Row)), None)
        self._rows, self._start_row = (len(row.names), row.value) if row else (None, 0)
        try:
            inspect.signature(picture).bind(**self._parameters)
        except TypeError as reason:
            raise ValueError(f"the picture must take {', '.join(self._parameters)} as arguments: {reason}.") from None
        self._start = {name: parameter.start() for name, parameter in self._parameters.items()}
        panels, self._shown_text = self._panels_of(self._start)
        self._presets, settings = {}, [panels]
        for name, changes in (presets or {}).items():
            try:
                self._check_names(changes)
                values = self._start | {key: self._parameters[key].read(value) for key, value in changes.items()}
                settings.append(self._panels_of(values)[0])
            except ValueError as reason:
                raise ValueError(f"the preset “{name}” is refused: {reason}") from None
            self._presets[name] = {name: value for name, value in values.items() if name not in apart}
        super().__init__(
            parameters=[parameter.state() for parameter in parameters],
            values=self._start,
            row=self._start_row,
            panels=panels,
            room=_largest(settings),
            preset=self._preset_of(self._start),
            preset_names=list(self._presets),
            alt=alt,
            tasks=tasks.texts if tasks else [],
            ticked=tasks.kept() if tasks else [],
        )

    @property
    def refusal(self) -> str:
        """The sentence on why the latest change was refused, or "" if it was accepted."""
        return next(reversed(self.refusals.values()))["sentence"] if self.refusals else ""

    @property
    def presets(self) -> dict[str, dict[str, Any]]:
        """Name of the preset -> values of its parameters, without the parameters in `apart`."""
        return {name: dict(values) for name, values in self._presets.items()}

    def set(self, **changes: Any) -> None:
        """Set one or more parameters at once, as the page does.

        An invalid value only sets `refusal`, which the next valid change clears. Raise ValueError if there is no
        parameter of that name.
        """
        self._check_names(changes)
        read = {}
        for name, value in changes.items():
            try:
                read[name] = self._parameters[name].read(value)
            except ValueError as reason:
                return self._refuse(name, {}, reason)
        if read:
            where = next((name for name in read if read[name] != self.values[name]), next(iter(read)))
            self._try(where, {"value": read[where]}, {**self.values, **read})

    def edit(self, name: str, row: int, column: int, value: float, text: str = "") -> None:
        """Set an entry of the Entries parameter `name`, typed as `text`; row and column count from 0.

        If the number is not finite, or the picture refuses it, only `refusal` changes. Raise ValueError if there is no
        such entry.
        """
        self._check_names([name])
        parameter = self._parameters[name]
        if not isinstance(parameter, Entries):
            raise ValueError(f"{name} has no entries to edit: set it.")
        rows, columns = parameter.value.shape
        if not (0 <= row < rows and 0 <= column < columns):
            raise ValueError(f"{name} has {rows} rows and {columns} columns: none at ({row}, {column}).")
        where, asked = f"{name},{row},{column}", {"text": text or repr(value)}
        changed = [list(old) for old in self.values[name]]
        try:
            changed[row][column] = finite_number(name, value) + 0.0  # turns −0 into 0
        except ValueError as reason:
            return self._refuse(where, asked, reason)
        self._try(where, asked, {**self.values, name: changed})

    def choose(self, preset: str) -> None:
        """Apply a preset. Raise ValueError if there is no preset of that name."""
        if preset not in self._presets:
            raise ValueError(f"there is no preset “{preset}”: there are {', '.join(map(repr, self._presets))}.")
        self._try("", {}, {**self.values, **self._presets[preset]})

    def reset(self) -> None:
        """Reset all parameters and `row` to their start values."""
        with self.hold_sync():
            self._try("", {}, self._start)
            self.row = self._start_row

    def __repr__(self) -> str:
        """Return the values and the text of the first note or panel, but no address, since tests compare this line."""
        turned = ", ".join(f"{name}={self._parameters[name].text(value)}" for name, value in self.values.items())
        if len(turned) > _REPR_ROOM:
            turned = turned[: _REPR_ROOM - 1] + "…"
        return f"LiveControl({turned}: {self._shown_text})"

    def notify_change(self, change: Any) -> None:
        """Notify observers before the page, so that a change and its consequences are one message."""
        with self.hold_sync():
            super().notify_change(change)

    def serve(self, request: Mapping[str, Any]) -> None:
        match request:
            case {"kind": "set", "name": name, "value": value}:
                self.set(**{name: value})
            case {"kind": "edit", "table": name, "row": row, "column": column, "text": text, "value": value}:
                self.edit(name, row, column, value, text)
            case {"kind": "edit", "table": name, "row": row, "column": column, "text": text}:  # no number
                self._refuse(f"{name},{row},{column}", {"text": text}, request["sentence"])
            case {"kind": "preset", "name": name}:
                self.choose(name)
            case {"kind": "reset"}:
                self.reset()
        if self._tasks and (new := sorted(set(self.panels[-1]["met"]) - set(self.ticked))):
            self.ticked = sorted([*self.ticked, *new])
            self._tasks.keep(new)

    def _try(self, where: str, asked: dict[str, Any], values: dict[str, Any]) -> None:
        if values == self.values:
            self.refusals = {}
            return
        try:
            panels, text = self._panels_of(values)
        except ValueError as reason:
            return self._refuse(where, asked, reason)
        with self.hold_sync():
            self._shown_text = text
            self.values = values
            self.panels = panels
            self.preset = self._preset_of(values)
            self.refusals = {}

    def _refuse(self, where: str, asked: dict[str, Any], reason: Exception | str) -> None:
        # The refused value stays in the field, marked, so that the reader can move a slider past a refused stop.
        others = {key: refusal for key, refusal in self.refusals.items() if key != where}
        self.refusals = {**others, where: {**asked, "sentence": str(reason)}}

    def _panels_of(self, values: Mapping[str, Any]) -> tuple[list[dict[str, Any]], str]:
        arguments = {name: parameter.argument(values[name]) for name, parameter in self._parameters.items()}
        try:
            shown = self._picture(**arguments)
        except Exception as reason:  # the picture may call a student's own function, so any error is a refusal
            kind = "" if isinstance(reason, ValueError | TypeError) else f"{type(reason).__name__}: "
            raise ValueError(f"{kind}{reason}") from reason
        shown = [shown] if isinstance(shown, Panel) else list(shown or ())
        if not shown or not all(isinstance(panel, Panel) for panel in shown):
            kinds = ", ".join(type(panel).__name__ for panel in shown) or "nothing"
            raise ValueError(f"the picture must return panels such as Heatmap, Lines, Note, but returned {kinds}.")
        for panel in shown:
            if panel.rows not in (None, self._rows):
                has = f"has {self._rows}" if self._rows else "has no Row"
                raise ValueError(f"a panel is made for {panel.rows} rows to choose among: the control {has}.")
        names = {*self._parameters, *(getattr(panel, "name", "") for panel in shown)}
        for panel in shown:
            if unknown := set(_PART.findall(panel.made)) - names:
                raise ValueError(f"{panel.called} is made of {', '.join(unknown)}: the control shows {sorted(names)}.")
        telling = next((panel for panel in shown if isinstance(panel, Note)), shown[0])
        states = [panel.state() for panel in shown]
        if self._tasks:
            states.append({"kind": "tasks", "met": self._tasks.met(arguments, shown), "when": self._tasks.when})
        return states, telling.text()

    @traitlets.validate("row")
    def _only_a_row(self, proposal: Any) -> int:
        if not 0 <= proposal["value"] < (self._rows or 1):
            raise traitlets.TraitError(
                f"row must be between 0 and {(self._rows or 1) - 1}, but is {proposal['value']}."
            )
        return proposal["value"]

    def _preset_of(self, values: Mapping[str, Any]) -> str:
        return next((name for name, preset in self._presets.items() if values == {**values, **preset}), "")

    def _check_names(self, names: Any) -> None:
        for name in names:
            if name not in self._parameters:
                raise ValueError(f"there is no parameter “{name}”: there are {', '.join(self._parameters)}.")


def _largest(settings: Sequence[Sequence[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    """Return, for each sequence of panel kinds in `settings`, the largest panel at every position.

    A panel is larger if it has more rows or, with equally many rows, if its JSON is longer.
    """
    alike: dict[tuple[str, ...], list[Sequence[dict[str, Any]]]] = {}
    for panels in settings:
        alike.setdefault(tuple(panel["kind"] for panel in panels), []).append(panels)

    def size(panel: dict[str, Any]) -> tuple[int, int]:
        return len(panel.get("row_names", ())), len(json.dumps(panel, ensure_ascii=False))

    return [[max(place, key=size) for place in zip(*group, strict=True)] for group in alike.values()]
