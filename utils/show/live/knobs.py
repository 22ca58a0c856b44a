"""Define the parameters of a live control. Each reads a value, or says in one sentence why the value is invalid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from utils.show.live.fields import OnPage, as_json, finite_array, finite_number, markup
from utils.show.numbers import number_text

_MOST_STOPS = 2001  # the most stops of a slider, more than it has pixels


@dataclass(frozen=True, eq=False, kw_only=True)
class Parameter(OnPage):
    """The base of all parameters; `name` is an argument of the picture function."""

    def start(self) -> Any:
        """Return the start value, for JSON."""
        return self.read(self.value)

    def read(self, value: Any) -> Any:
        """Return `value`, for JSON. Raise ValueError, with one sentence, if it is invalid."""
        raise NotImplementedError

    def argument(self, value: Any) -> Any:
        """Return the picture function's argument for a value that `read` has returned."""
        return value

    def state(self, **otherwise: Any) -> dict[str, Any]:
        return super().state(**{"label": self.label or self.name, **otherwise})

    def text(self, value: Any) -> str:
        """Return the value in a few characters."""
        return value if isinstance(value, str) else number_text(value)


@dataclass(frozen=True, eq=False)
class Slider(Parameter):
    """A number between `low` and `high`, both ends included.

    The slider stops at every `step` (by default 1 if both ends are integers, else a round number near a hundredth of
    the range), or at the numbers in `steps`. `value` is the start, by default the first stop. The picture gets ints if
    all `stops` are ints, else floats. Raise ValueError if the range is empty, a step is outside it, or `value` is not a
    stop.
    """

    name: str
    low: float
    high: float
    value: float | None = None
    label: str = ""
    step: float | None = None
    steps: Sequence[float] = ()

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"{self.name} must go from a number to a larger one: from {self.low} to {self.high}.")
        if self.step is not None and not self.step > 0:
            raise ValueError(f"the step of {self.name} must be above 0, but is {self.step}.")
        stops = self._listed()
        if len(stops) > _MOST_STOPS:
            raise ValueError(f"{self.name} would stop at more than {_MOST_STOPS} numbers: give it a larger step.")
        if stops[0] < self.low or stops[-1] > self.high:
            raise ValueError(f"the steps of {self.name} must lie between {self.low} and {self.high}: {list(stops)}.")
        if not all(isinstance(stop, int) for stop in stops):
            stops = [float(stop) for stop in stops]
        self.keep(stops=tuple(stops))
        self.keep(value=stops[0] if self.value is None else self.read(self.value))

    def read(self, value: Any) -> float:
        number = finite_number(self.name, value)
        nearest = min(self.stops, key=lambda stop: abs(stop - number))
        if not _is_near(nearest, number):
            where = f"between {number_text(self.stops[0])} and {number_text(self.stops[-1])}"
            if self.stops[0] < number < self.stops[-1]:
                where = f"at its stops, the nearest being {number_text(nearest)}"
            raise ValueError(f"{self.name} must be {where}, but would be {number_text(number)}.")
        return nearest

    def state(self) -> dict[str, Any]:
        return super().state(stops=list(self.stops))

    def _listed(self) -> Sequence[float]:
        if self.steps:
            return [as_json(stop) for stop in sorted(set(self.steps))]
        whole = isinstance(self.low, int) and isinstance(self.high, int)
        step = self.step if self.step is not None else 1 if whole else _round_step((self.high - self.low) / 100)
        count = math.floor(min((self.high - self.low) / step + 1e-9, _MOST_STOPS))
        stops = [self.low + i * step for i in range(count + 1)]
        if not (whole and isinstance(step, int)):
            stops = [float(f"{stop:.10g}") for stop in stops]  # so that 0.1 + 0.2 reads 0.3
        if not _is_near(stops[-1], self.high):
            stops.append(self.high)  # so that both ends can be reached, whatever the step
        return stops


@dataclass(frozen=True, eq=False)
class Choice(Parameter):
    """One of a few options, texts or numbers. `value` is the start, by default the first option.

    Up to six short options are shown as buttons, more as a list. Raise ValueError if there are fewer than two, or if
    two are equal.
    """

    name: str
    options: Sequence[str | int | float]
    value: str | int | float | None = None
    label: str = ""

    def __post_init__(self) -> None:
        self.keep(options=tuple(as_json(option) for option in self.options))
        if len({str(option) for option in self.options}) < max(2, len(self.options)):
            raise ValueError(f"{self.name} needs at least two options, all different: {list(self.options)}.")
        self.keep(value=self.options[0] if self.value is None else self.read(self.value))

    def read(self, value: Any) -> str | int | float:
        for option in self.options:
            if str(option) == str(as_json(value)):
                return option
        raise ValueError(f"{self.name} must be one of {', '.join(map(str, self.options))}, but would be {value}.")


@dataclass(frozen=True, eq=False)
class Row(Parameter):
    """The row in focus, which the reader chooses by its name or by a click on a Matrix with chosen=True.

    The page handles the choice itself, so the picture does not get it. The chosen row is lit in Entries and Matrix with
    chosen=True, shades another Matrix by `tints`, and has its own sentence in a Note and its own Drawing. In Python it
    is the control's `row`, counted from 0, and `value` is the start. A control has at most one Row.
    """

    name: str
    names: Sequence[str]
    label: str = ""
    value: int = 0

    def state(self) -> dict[str, Any]:
        return super().state(options=list(range(len(self.names))), names=[markup(name) for name in self.names])


@dataclass(frozen=True, eq=False)
class Toggle(Parameter):
    """A choice between True and False."""

    name: str
    value: bool = False
    label: str = ""

    def read(self, value: Any) -> bool:
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{self.name} must be True or False, but would be {value}.")
        return bool(value)

    def state(self) -> dict[str, Any]:
        return super().state(label=markup(self.label or self.name))


@dataclass(frozen=True, eq=False)
class Text(Parameter):
    """A text of any script, at most `max_length` characters, in a field of one line.

    With lines=4 the field is four lines high and a long text wraps, but stays one paragraph. Raise ValueError if
    `value` is longer than `max_length` or `lines` is below 1.
    """

    name: str
    value: str = ""
    label: str = ""
    max_length: int = 200
    lines: int = 1

    def __post_init__(self) -> None:
        if self.lines < 1:
            raise ValueError(f"the field of {self.name} must have at least one line, but would have {self.lines}.")
        self.read(self.value)

    def read(self, value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError(f"{self.name} must be a text, but would be {value}.")
        if len(value) > self.max_length:
            raise ValueError(f"{self.name} may have at most {self.max_length} characters, but would have {len(value)}.")
        return value

    def text(self, value: str) -> str:
        return f"“{value if len(value) <= 20 else value[:19] + '…'}”"


@dataclass(frozen=True, eq=False)
class Paint(Parameter):
    """A grid of cells that the reader switches on and off by clicking, by painting, or with arrow keys and space.

    `value` (rows, columns) is True for cells that are on; the picture gets a bool array of its own. Without names, rows
    and columns count from 1. Raise ValueError if the names don't fit or `value` is no matrix.
    """

    name: str
    value: ArrayLike
    row_names: Sequence[str] = ()
    column_names: Sequence[str] = ()
    label: str = ""

    def __post_init__(self) -> None:
        self.keep_matrix("value", self.name, np.asarray(self.value).astype(bool))

    def read(self, value: Any) -> list[list[bool]]:
        try:
            array = np.asarray(value)
        except ValueError:
            array = np.empty(0)
        if array.shape != self.value.shape or array.dtype.kind not in "bi" or not np.isin(array, (0, 1)).all():
            raise ValueError(f"{self.name} must be a matrix {self.value.shape} of True and False.")
        return array.astype(bool).tolist()

    def argument(self, value: list[list[bool]]) -> NDArray[np.bool_]:
        return np.array(value, dtype=bool)

    def text(self, value: list[list[bool]]) -> str:
        rows, columns = self.value.shape
        return f"{sum(map(sum, value))} of {rows * columns} on"


@dataclass(frozen=True, eq=False)
class Entries(Parameter):
    """A matrix of numbers that the reader edits by typing, with arrow keys, or by dragging sideways.

    `value` (rows, columns); the picture gets a float64 array of its own. Without names, rows and columns count from 1,
    or have no names with counted=False. With chosen=True, the row that the control's `Row` has chosen is lit. Raise
    ValueError if the names don't fit, `value` is no matrix, or it contains NaN or infinity.
    """

    name: str
    value: ArrayLike
    label: str = ""
    row_names: Sequence[str] = ()
    column_names: Sequence[str] = ()
    counted: bool = True
    chosen: bool = False

    def __post_init__(self) -> None:
        self.keep_matrix("value", self.name, finite_array(self.name, self.value), counted=self.counted)

    def read(self, value: Any) -> list[list[float]]:
        array = finite_array(self.name, value)
        if array.shape != self.value.shape:
            raise ValueError(f"{self.name} must keep its shape {self.value.shape}, but would have {array.shape}.")
        return array.tolist()

    def argument(self, value: list[list[float]]) -> NDArray[np.float64]:
        return np.array(value, dtype=np.float64)

    def state(self) -> dict[str, Any]:
        return super().state(label=markup(self.label or self.name), **self.table(self.value))

    def text(self, value: list[list[float]]) -> str:
        return "; ".join(" ".join(map(number_text, row)) for row in value)


def _is_near(one: float, other: float) -> bool:
    """Return whether two numbers are equal except for rounding."""
    return math.isclose(one, other, abs_tol=1e-9)


def _round_step(step: float) -> float:
    """Return the smallest number of at least `step` that is 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= step * (1 - 1e-9))
