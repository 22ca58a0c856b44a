"""A live control for any lesson: a pure function, what can be turned, and pictures that follow.

The function that is handed in takes one argument per parameter and returns panels; it does all the computing.
`LiveControl` calls it whenever something is turned, and `live.js` puts the panels on the page. What only looks
closer (pointing at a cell, moving along a curve, choosing a row) is answered by the page alone, so it works in a saved
notebook too.

    def picture(d_k, scale):
        ...
        return [Heatmap(weights, words, words, "weights"), Note(f"the largest weight is {weights.max():.3f}")]

    LiveControl(
        picture,
        [Slider("d_k", 1, 512, value=64, steps=[1, 4, 16, 64, 256, 512]), Choice("scale", ["none", "√d_k"])],
        presets={"no scale at 512": {"d_k": 512, "scale": "none"}},
        alt="A heatmap of attention weights: the larger d_k without the scale, the closer each row is to one word.",
    )
"""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from html import escape
from typing import Any, ClassVar

import numpy as np
import traitlets
from numpy.typing import ArrayLike, NDArray

from utils.show.bilingual import right_to_left
from utils.show.control import Asked, Control
from utils.show.numbers import input_text, parse_entry, table_text, weight_texts
from utils.show.page import script, style

_WRITTEN_UP_TO = 16  # rows and columns of a heatmap whose cells still have room for numbers
_MOST_CELLS = 256  # rows and columns of any heatmap
_MOST_STOPS = 2001  # of a slider: more than there are pixels to stop at
_POINT_COLOURS = ("blue", "vermilion", "green", "amber", "sky", "pink", "grey")  # in live.css
_POINT_SHAPES = ("circle", "square", "triangle", "diamond", "down", "cross")  # in axes.js
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_REPR_ROOM = 60  # for the parameters: Jupyter cuts the whole line at 110, and the numbers come after them

Range = tuple[float, float]


class Markup(str):
    """A text that is HTML already: it is set as it is."""


def markup(text: str) -> str:
    """A name as HTML: W_Q with a lowered Q, x₁ as a letter with its number, any other as it stands."""
    if isinstance(text, Markup):
        return text
    base, _, below = text.partition("_")
    if numbered := re.fullmatch(r"([^\W\d_])([₀-₉]+)", text):
        base, below = numbered[1], numbered[2].translate(_LOWERED)
    return f"<i>{escape(base)}</i><sub>{escape(below)}</sub>" if base and below else escape(text)


class _Shown:
    """What parameters and panels have in common: the page is told all their fields."""

    kind = property(lambda self: type(self).__name__.lower())

    def state(self, **otherwise: Any) -> dict[str, Any]:
        """All that the page needs, as JSON holds it: "kind" is the class's name in lower case, then its fields."""
        given = {field.name: _json(getattr(self, field.name)) for field in fields(self)}
        return {"kind": self.kind, **given, **otherwise}


# --- what can be turned ---


@dataclass(frozen=True, eq=False, kw_only=True)
class Parameter(_Shown):
    """What all parameters have; `name` is an argument of the picture function."""

    def start(self) -> Any:
        """The value to start from, as JSON holds it."""
        return self.read(self.value)

    def read(self, value: Any) -> Any:
        """`value`, as JSON holds it; ValueError with one sentence when it can't be taken."""
        raise NotImplementedError

    def argument(self, value: Any) -> Any:
        """What the picture function gets for a value that `read` has let through."""
        return value

    def state(self, **otherwise: Any) -> dict[str, Any]:
        return super().state(**{"label": self.label or self.name, **otherwise})

    def text(self, value: Any) -> str:
        """The value in a few characters."""
        return value if isinstance(value, str) else _shown(value)


@dataclass(frozen=True, eq=False)
class Slider(Parameter):
    """A number between `low` and `high`, both ends included.

    It stops at every `step` (1 when both ends are whole, else a round number near a hundredth of the way), or at
    the numbers listed in `steps`.
    `value` is where it starts, `low` unless given. The picture gets ints when all stops are ints, else floats.
    Raises ValueError when the range is empty, a step outside it, or `value` no stop.
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
            raise ValueError(f"the step of {self.name} must be above 0: it is {self.step}.")
        stops = self._stops()
        if len(stops) > _MOST_STOPS:
            raise ValueError(f"{self.name} would stop at {len(stops)} numbers: give it a larger step.")
        if stops[0] < self.low or stops[-1] > self.high:
            raise ValueError(f"the steps of {self.name} must lie between {self.low} and {self.high}: {list(stops)}.")
        if not all(isinstance(stop, int) for stop in stops):
            stops = [float(stop) for stop in stops]
        object.__setattr__(self, "_values", tuple(stops))
        if self.value is not None:
            self.read(self.value)

    @property
    def stops(self) -> tuple[float, ...]:
        """The numbers at which it stops, from the smallest to the largest."""
        return self._values

    def start(self) -> float:
        return self.stops[0] if self.value is None else self.read(self.value)

    def read(self, value: Any) -> float:
        number = _number(self.name, value)
        nearest = min(self.stops, key=lambda stop: abs(stop - number))
        if not _is_near(nearest, number):
            where = f"between {_shown(self.stops[0])} and {_shown(self.stops[-1])}"
            if self.stops[0] < number < self.stops[-1]:
                where = f"at its stops, the nearest being {_shown(nearest)}"
            raise ValueError(f"{self.name} must be {where}: it would be {_shown(number)}.")
        return nearest

    def state(self) -> dict[str, Any]:
        return super().state(stops=list(self.stops), texts=[_shown(stop) for stop in self.stops])

    def _stops(self) -> Sequence[float]:
        if self.steps:
            return [_json(stop) for stop in sorted(set(self.steps))]
        whole = isinstance(self.low, int) and isinstance(self.high, int)
        step = self.step if self.step is not None else 1 if whole else _round_step((self.high - self.low) / 100)
        if (self.high - self.low) / step > _MOST_STOPS:
            raise ValueError(f"{self.name} would stop at more than {_MOST_STOPS} numbers: give it a larger step.")
        count = math.floor((self.high - self.low) / step + 1e-9)
        stops = [self.low + i * step for i in range(count + 1)]
        if not (whole and isinstance(step, int)):
            stops = [float(f"{stop:.10g}") for stop in stops]  # 0.1 + 0.2 shall read 0.3
        if not _is_near(stops[-1], self.high):
            stops.append(self.high)  # both ends can be reached, whatever the step
        return stops


@dataclass(frozen=True, eq=False)
class Choice(Parameter):
    """One of a few options: texts or numbers. `value` is the first unless given.

    Up to six short ones are shown as buttons, more as a list. Raises ValueError for fewer than two, or two alike.
    """

    name: str
    options: Sequence[str | int | float]
    value: str | int | float | None = None
    label: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", tuple(_json(option) for option in self.options))
        if len({str(option) for option in self.options}) < max(2, len(self.options)):
            raise ValueError(f"{self.name} needs at least two options, all different: {list(self.options)}.")
        self.start()

    def start(self) -> str | int | float:
        return self.options[0] if self.value is None else self.read(self.value)

    def read(self, value: Any) -> str | int | float:
        for option in self.options:
            if str(option) == str(_json(value)):
                return option
        raise ValueError(f"{self.name} must be one of {', '.join(map(str, self.options))}: it would be {value}.")

    def state(self) -> dict[str, Any]:
        return super().state(texts=[self.text(option) for option in self.options])


@dataclass(frozen=True, eq=False)
class Row(Parameter):
    """Which row is looked at: chosen by its name, or by a click on a Matrix with chosen=True.

    The page answers alone, so the picture does not get it; its panels say what belongs to each row, which is lit in
    Entries and Matrix with chosen=True, shades another Matrix by `tints`, and has a sentence of its own in a Note.
    From Python it is the control's `row`, counted from 0. One for a control at most.
    """

    name: str
    names: Sequence[str]
    label: str = ""

    def state(self) -> dict[str, Any]:
        names = [markup(name) for name in self.names]
        return super().state(options=list(range(len(names))), texts=names)


@dataclass(frozen=True, eq=False)
class Toggle(Parameter):
    """Yes or no."""

    name: str
    value: bool = False
    label: str = ""

    def read(self, value: Any) -> bool:
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{self.name} must be True or False: it would be {value}.")
        return bool(value)

    def state(self) -> dict[str, Any]:
        return super().state(label=markup(self.label or self.name))


@dataclass(frozen=True, eq=False)
class Text(Parameter):
    """A text of any script, at most `max_length` characters, in a field of one line.

    With lines=4 its field is as high as four lines, and a long text wraps; it stays one paragraph. Raises ValueError
    when `value` is longer than `max_length`, or `lines` below 1.
    """

    name: str
    value: str = ""
    label: str = ""
    max_length: int = 200
    lines: int = 1

    def __post_init__(self) -> None:
        if self.lines < 1:
            raise ValueError(f"the field of {self.name} needs at least one line: it would have {self.lines}.")
        self.read(self.value)

    def read(self, value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError(f"{self.name} must be a text: it would be {value}.")
        if len(value) > self.max_length:
            raise ValueError(f"{self.name} may have {self.max_length} characters: it would have {len(value)}.")
        return value

    def text(self, value: str) -> str:
        return f"“{value if len(value) <= 20 else value[:19] + '…'}”"


@dataclass(frozen=True, eq=False)
class Paint(Parameter):
    """A grid of cells to switch on and off: by a click, by painting over them, by arrow keys and space.

    `value` (rows, columns), True where on; the picture gets it as an array of bool of its own. Without names, rows
    and columns are counted from 1. Raises ValueError when the names don't fit or it is no matrix.
    """

    name: str
    value: ArrayLike
    row_names: Sequence[str] = ()
    column_names: Sequence[str] = ()
    label: str = ""

    def __post_init__(self) -> None:
        _keep_matrix(self, self.name, np.asarray(self.value).astype(bool), 64)

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
    """A matrix of numbers to edit: typed, stepped by arrow keys, dragged sideways.

    `value` (rows, columns); the picture gets it as a float64 array of its own. Without names, rows and columns are
    counted from 1, unless counted=False: then they have none. chosen=True: the row that the control's `Row` has
    chosen is lit. Raises ValueError when the names don't fit, it is no matrix, or it holds NaN or infinity.
    """

    name: str
    value: ArrayLike
    label: str = ""
    row_names: Sequence[str] = ()
    column_names: Sequence[str] = ()
    counted: bool = True
    chosen: bool = False

    def __post_init__(self) -> None:
        _keep_matrix(self, self.name, _finite(self.name, self.value), 64, self.counted)

    def read(self, value: Any) -> list[list[float]]:
        array = _finite(self.name, value)
        if array.shape != self.value.shape:
            raise ValueError(f"{self.name} must keep its shape {self.value.shape}: it would have {array.shape}.")
        return array.tolist()

    def argument(self, value: list[list[float]]) -> NDArray[np.float64]:
        return np.array(value, dtype=np.float64)

    def state(self) -> dict[str, Any]:
        return super().state(label=markup(self.label or self.name), **_shape_and_names(self))

    def text(self, value: list[list[float]]) -> str:
        return "; ".join(" ".join(input_text(entry) for entry in row) for row in value)


# --- what is shown ---


@dataclass(frozen=True, eq=False, kw_only=True)
class Panel(_Shown):
    """What all panels have; `rows` is the number of rows to choose among that it is made for, None for any."""

    rows: ClassVar[int | None] = None

    def text(self) -> str:
        """Its first numbers in words, for the control's one-line description."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Heatmap(Panel):
    """A matrix (rows, columns) as coloured cells, with numbers in them up to 16 × 16, else where one points.

    `low` and `high` are the ends of the colours, the smallest and largest value unless given; values beyond take
    the end's colour. diverging: blue below 0, orange above, 0 in the middle, so unless said for values of both signs.
    At most 256 × 256. Empty names:
    rows or columns are counted from 1. Raises ValueError when names don't fit, or for NaN and infinity.
    """

    values: ArrayLike
    row_names: Sequence[str] = ()
    column_names: Sequence[str] = ()
    title: str = ""
    low: float | None = None
    high: float | None = None
    decimals: int = 2
    diverging: bool | None = None

    def __post_init__(self) -> None:
        called = _called("Heatmap", self.title)
        _keep_matrix(self, called, _finite(called, self.values))
        ends = {"low": self.low, "high": self.high}
        low, high = (None if end is None else _number(f"{name} of {called}", end) for name, end in ends.items())
        if self.diverging is None:
            both = self.values.min() < 0 < self.values.max() and low is None and high is None
            object.__setattr__(self, "diverging", bool(both))
        if self.diverging:
            reach = max(abs(low or 0), abs(high or 0)) or float(np.abs(self.values).max()) or 1.0
            low, high = -reach, reach
        low = float(self.values.min()) if low is None else low
        high = float(self.values.max()) if high is None else high
        if low > high:
            raise ValueError(f"{called} needs low below high: {low} and {high} were given.")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def state(self) -> dict[str, Any]:
        written = max(self.values.shape) <= _WRITTEN_UP_TO
        return super().state(
            shape=list(self.values.shape),
            values=(self.values if written else _four_digits(self.values)).tolist(),
            texts=_cell_texts(self.values, self.decimals) if written else [],
        )

    def text(self) -> str:
        return " ".join(_cell_texts(self.values[:1, :_WRITTEN_UP_TO], self.decimals)[0])


@dataclass(frozen=True, eq=False)
class Matrix(Panel):
    """A matrix (rows, columns) as a table of numbers under its `name` (W_Q is shown with a lowered Q), or `title`.

    `lit_rows` (numbers of rows, from 0) and `lit_cells` (pairs row, column) are marked. Without names there are
    none. A vector is shown as one row. With shares=True each row is weights that sum to 1: none is written as all or
    nothing without being it, and a bar below it is as long. In a control with a `Row`, chosen=True lights the chosen
    row and lets others be chosen, and `tints` (rows to choose, rows) says how much each row of this matrix is shaded,
    from 0 to 1. Raises ValueError when names or tints don't fit, or for NaN and infinity.
    """

    values: ArrayLike
    name: str
    row_names: Sequence[str] = ()
    column_names: Sequence[str] = ()
    lit_rows: Sequence[int] = ()
    lit_cells: Sequence[tuple[int, int]] = ()
    decimals: int = 3
    title: str = ""
    shares: bool = False
    chosen: bool = False
    tints: ArrayLike = ()

    def __post_init__(self) -> None:
        _keep_matrix(self, self.name, np.atleast_2d(_finite(self.name, self.values)), 64, counted=False)
        rows, columns = self.values.shape
        for row in self.lit_rows:
            if not 0 <= row < rows:
                raise ValueError(f"{self.name} has {rows} rows: there is none with number {row} to light up.")
        for row, column in self.lit_cells:
            if not (0 <= row < rows and 0 <= column < columns):
                raise ValueError(
                    f"{self.name} has the shape {rows} × {columns}: no cell ({row}, {column}) to light up."
                )
        tints = _finite(f"the tints of {self.name}", self.tints)
        if tints.size and tints.shape[1:] != (rows,):
            raise ValueError(f"{self.name} has {rows} rows: its tints {tints.shape} must have as many columns.")
        object.__setattr__(self, "tints", tints)
        object.__setattr__(self, "rows", rows if self.chosen else len(tints) or None)

    def state(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "name": self.name,
            "title": markup(self.title or self.name),
            **_shape_and_names(self),
            "texts": self.texts(),
            "lit_rows": _json(self.lit_rows),
            "lit_cells": _json(self.lit_cells),
            "shares": self.values.tolist() if self.shares else [],
            "chosen": self.chosen,
            "tints": self.tints.tolist(),
        }

    def texts(self) -> list[list[str]]:
        """Its numbers as they are written."""
        return [weight_texts(row) for row in self.values] if self.shares else table_text(self.values, self.decimals)

    def text(self) -> str:
        return f"{self.name} {'; '.join(' '.join(row) for row in self.texts())}"


@dataclass(frozen=True, eq=False)
class Lines(Panel):
    """Curves over `x` (n,): `series` is name -> y (n,), or (y, low, high), all (n,), for a curve within a band.

    `x_range`, `y_range` keep the axes still, else they follow the curves. `marks` (label -> x) are vertical lines. A
    point under the pointer is read off exactly, and by arrow keys. Raises ValueError when lengths differ, x does not
    rise, `x_range` does not hold every x and mark, or anything is NaN or infinite.
    """

    x: ArrayLike
    series: Mapping[str, ArrayLike | tuple[ArrayLike, ArrayLike, ArrayLike]]
    x_label: str = ""
    y_label: str = ""
    title: str = ""
    y_range: Range | None = None
    marks: Mapping[str, float] | None = None
    x_range: Range | None = None

    def __post_init__(self) -> None:
        called = _called("Lines", self.title)
        x = np.atleast_1d(_finite(f"{called}, x", self.x))
        if x.ndim != 1 or len(x) < 1 or not (np.diff(x) > 0).all():
            raise ValueError(f"{called} needs an x that rises from entry to entry: its shape is {x.shape}.")
        if not self.series:
            raise ValueError(f"{called} needs at least one series.")
        curves = {}
        for name, given in self.series.items():
            parts = given if isinstance(given, tuple) and len(given) == 3 and np.ndim(given[0]) else (given,)
            parts = tuple(np.atleast_1d(_finite(f"{called}, {name}", part)) for part in parts)
            for part in parts:
                if part.shape != x.shape:
                    raise ValueError(f"{called} has {len(x)} entries in x, but the shape of {name} is {part.shape}.")
            curves[str(name)] = parts
        marks = {str(label): _number(f"the mark {label}", at) for label, at in (self.marks or {}).items()}
        _check_range(called, "x_range", self.x_range)
        first, last = min([x[0], *marks.values()]), max([x[-1], *marks.values()])
        low, high = (first, last) if self.x_range is None else self.x_range
        if not low <= first <= last <= high:
            held = f"every x and every mark, from {_shown(first)} to {_shown(last)}"
            raise ValueError(f"{called} needs an x_range that holds {held}: {self.x_range} was given.")
        _check_range(called, "y_range", self.y_range)
        for field, value in (("x", x), ("series", curves), ("marks", marks)):
            object.__setattr__(self, field, value)

    def state(self) -> dict[str, Any]:
        series = [
            {"name": name, "y": _six_digits(y), "band": [_six_digits(edge) for edge in band]}
            for name, (y, *band) in self.series.items()
        ]
        return super().state(x=_six_digits(self.x), series=series, marks=[[*mark] for mark in self.marks.items()])

    def text(self) -> str:
        return ", ".join(
            f"{name} {_shown(parts[0][0])} … {_shown(parts[0][-1])}" for name, parts in self.series.items()
        )


@dataclass(frozen=True, eq=False)
class Bars(Panel):
    """A bar for each of `names`, as long as its value (n,), with the number beside it; from the top down.

    `y_range` keeps the scale still (0 is always in it), else the largest bar fills the panel. `lit`: numbers of
    bars, from 0, to mark. Raises ValueError when names and values don't fit, or for NaN and infinity.
    """

    names: Sequence[str]
    values: ArrayLike
    title: str = ""
    y_range: Range | None = None
    lit: Sequence[int] = ()
    decimals: int = 3

    def __post_init__(self) -> None:
        called = _called("Bars", self.title)
        values = _finite(called, self.values)
        if values.shape != (len(self.names),) or not len(self.names):
            raise ValueError(f"{called} has {len(self.names)} names, but its values have the shape {values.shape}.")
        _check_range(called, "y_range", self.y_range)
        _check_numbers(called, "lit", self.lit, len(values))
        object.__setattr__(self, "values", values)

    def state(self) -> dict[str, Any]:
        low, high = self.y_range if self.y_range is not None else (self.values.min(), self.values.max())
        return super().state(
            texts=table_text(self.values[None], self.decimals)[0], low=min(0.0, float(low)), high=max(0.0, float(high))
        )

    def text(self) -> str:
        texts = table_text(self.values[None], self.decimals)[0]
        return ", ".join(f"{name} {text}" for name, text in zip(self.names, texts, strict=True))


@dataclass(frozen=True, eq=False)
class Points(Panel):
    """Named points in the plane, `xy` (n, 2): a map of words.

    `groups`: one name or number for each point; a group has its colour and its shape, by first appearance. `looks`:
    group -> (colour, shape) for all groups there may be, so that they look the same whichever are there: blue,
    vermilion, green, amber, sky, pink or grey; circle, square, triangle, diamond, down or cross. `lit`: numbers of
    points, from 0, to mark; their names come first where there is no room for all. `lines`: tuples of numbers of
    points to join, (i, j) or longer. equal=True: the same unit along both axes. `x_range`, `y_range` keep the axes
    still. y_ticks=False: a tree that grows along x in `lines` (i, j). Only the order along y means something, so no
    number is shown; names stand at the right of their points, and lines begin behind them. Raises ValueError when
    lengths don't fit, a group has no look or one that there is not, or for NaN and infinity.
    """

    xy: ArrayLike
    names: Sequence[str]
    title: str = ""
    groups: Sequence[str | int] | None = None
    lit: Sequence[int] = ()
    lines: Sequence[Sequence[int]] = ()
    x_label: str = ""
    y_label: str = ""
    equal: bool = False
    x_range: Range | None = None
    y_range: Range | None = None
    looks: Mapping[str | int, tuple[str, str]] | None = None
    y_ticks: bool = True

    def __post_init__(self) -> None:
        called = _called("Points", self.title)
        xy = _finite(called, self.xy)
        if xy.shape != (len(self.names), 2) or not len(self.names):
            raise ValueError(f"{called} has {len(self.names)} names, so xy must have the shape ({len(self.names)}, 2).")
        if self.groups is not None and len(self.groups) != len(xy):
            raise ValueError(f"{called} has {len(xy)} points, but {len(self.groups)} groups.")
        if self.looks is not None:
            _check_looks(called, self.looks, self.groups or ())
        _check_numbers(called, "lit", self.lit, len(xy))
        for line in self.lines:
            _check_numbers(called, "lines", line, len(xy))
        _check_range(called, "x_range", self.x_range)
        _check_range(called, "y_range", self.y_range)
        object.__setattr__(self, "xy", xy)

    def state(self) -> dict[str, Any]:
        looks = None if self.looks is None else [[str(group), *look] for group, look in self.looks.items()]
        groups = None if self.groups is None else [str(group) for group in self.groups]
        return super().state(xy=[_six_digits(point) for point in self.xy], groups=groups, looks=looks)

    def text(self) -> str:
        return ", ".join(f"{name} ({_shown(x)}, {_shown(y)})" for name, (x, y) in zip(self.names, self.xy, strict=True))


@dataclass(frozen=True, eq=False)
class Tokens(Panel):
    """A text in pieces, each a chip with its id beneath; spaces are made visible as ·.

    `groups`: a number from 0 for each piece, which stands for a colour and a mark, after six the first again.
    `key`: what the groups are called, 0 first. ordered=True: the groups are steps from little to much, the lowest
    left plain and the others lit more and more. `rtl`: from right to left; by the script of the first letter unless
    given. Raises ValueError when lengths don't fit, a group is below 0 or not in the key, or steps have no key.
    """

    pieces: Sequence[str]
    ids: Sequence[int] | None = None
    groups: Sequence[int] | None = None
    title: str = ""
    rtl: bool | None = None
    key: Sequence[str] = ()
    ordered: bool = False

    def __post_init__(self) -> None:
        called = _called("Tokens", self.title)
        if self.ordered and len(self.key) < 2:
            raise ValueError(f"{called} has ordered=True, so its key must name at least two steps: {list(self.key)}.")
        for group in () if self.groups is None else self.groups:
            if group < 0 or (len(self.key) and group >= len(self.key)):
                named = f", and its key names {len(self.key)}" if len(self.key) else ""
                raise ValueError(f"{called} has groups counted from 0{named}: {group} is none of them.")
        for field in ("ids", "groups"):
            given = getattr(self, field)
            if given is not None and len(given) != len(self.pieces):
                raise ValueError(f"{called} has {len(self.pieces)} pieces, but {len(given)} {field}.")

    def state(self) -> dict[str, Any]:
        return super().state(rtl=right_to_left("".join(self.pieces)) if self.rtl is None else self.rtl)

    def text(self) -> str:
        return " ".join(str(i) for i in self.ids) if self.ids is not None else "|".join(self.pieces)


@dataclass(frozen=True, eq=False)
class Note(Panel):
    """A sentence with the numbers that matter, which the control says of itself in text too.

    A list of sentences is one for each row of the control's `Row`. room: a sentence as long as it may become; its
    height is kept free, so that what is below stays where it is.
    """

    sentence: str | Sequence[str]
    room: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.sentence, list | tuple):
            object.__setattr__(self, "rows", len(self.sentence))

    def state(self) -> dict[str, Any]:
        texts = [str(self.sentence)] if self.rows is None else list(self.sentence)
        return {"kind": self.kind, "texts": texts, **({"room": self.room} if self.room else {})}

    def text(self) -> str:
        return " ".join(self.state()["texts"])


# --- the control ---


class LiveControl(Control):
    """Parameters to turn, and the panels that `picture` makes of them.

    picture: called as picture(**values) with one argument for each parameter; returns a panel or a list of panels,
    and raises ValueError with one sentence for values that make no sense: then everything stays as it was, and the
    sentence stands beside what was turned. presets: name -> values of some parameters; the others go to where they
    start, except those named in `apart`, which presets leave alone. alt: what is to be seen, one sentence, for those
    who can't see it. tasks: what is asked; what the page has brought about once stays `ticked`.

    From Python as from the page: `set`, `edit`, `choose`, `reset`, `row`; to look at: `values` (matrices as lists of
    rows), `panels` (a dict for each panel, as JSON holds it), `preset`, `refusal`. Raises ValueError when the
    parameters don't fit the picture's arguments, or when the start or a preset is refused: all are tried at once.

    A subclass may put everything in a place of its own: `arrangement` is a class for the page's root, which the style
    sheet that it adds goes by; `help` stands below.
    """

    _esm = script("live.js")
    _css = style("live.css")

    parameters = traitlets.List(traitlets.Dict()).tag(sync=True)
    values = traitlets.Dict().tag(sync=True)
    entries = traitlets.Dict().tag(sync=True)  # the texts of the Entries' numbers: name -> rows of strings
    panels = traitlets.List(traitlets.Dict()).tag(sync=True)
    room = traitlets.List(traitlets.List(traitlets.Dict())).tag(sync=True)  # panels as large as those of any preset
    preset = traitlets.Unicode().tag(sync=True)  # empty where the values are those of none
    preset_names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)
    refusals = traitlets.Dict().tag(sync=True)  # "d_k" or "X,0,1" -> what was asked for and the sentence, latest last
    answer = traitlets.Unicode().tag(sync=True)  # the id of the request answered last
    row = traitlets.Int(0).tag(sync=True)  # the chosen one, from 0; set by the page alone, too
    tasks = traitlets.List(traitlets.Unicode()).tag(sync=True)
    ticked = traitlets.List(traitlets.Int()).tag(sync=True)  # which of them, from 0; the last of `panels` has those met
    arrangement = traitlets.Unicode().tag(sync=True)
    help = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        picture: Callable[..., Panel | Sequence[Panel]],
        parameters: Sequence[Parameter],
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str = "",
        apart: Sequence[str] = (),
        tasks: Asked | None = None,
    ) -> None:
        if not alt.strip():
            raise ValueError("a control needs an alternative text: alt=… says in one sentence what is to be seen.")
        self._picture, self._tasks = picture, tasks
        names = [parameter.name for parameter in parameters]
        if len(set(names)) != len(names) or not names:
            raise ValueError(f"a control needs parameters, all with different names: {names}.")
        self._parameters = {p.name: p for p in parameters if not isinstance(p, Row)}
        self._rows = next((len(p.names) for p in parameters if isinstance(p, Row)), None)
        try:
            inspect.signature(picture).bind(**self._parameters)
        except TypeError as reason:
            raise ValueError(f"the picture must take {', '.join(self._parameters)} as arguments: {reason}.") from None
        self._start = {name: parameter.start() for name, parameter in self._parameters.items()}
        panels, self._shown_text = self._panels_of(self._start)
        self._presets, settings = {}, [panels]
        for name, changes in (presets or {}).items():
            try:
                values = {**self._start, **self._read(changes)}
                settings.append(self._panels_of(values)[0])
            except ValueError as reason:
                raise ValueError(f"the preset “{name}” is refused: {reason}") from None
            self._presets[name] = {name: value for name, value in values.items() if name not in apart}
        super().__init__(
            parameters=[parameter.state() for parameter in parameters],
            values=self._start,
            entries=self._entries_of(self._start),
            panels=panels,
            room=_largest(settings),
            preset=self._preset_of(self._start),
            preset_names=list(self._presets),
            alt=alt,
            tasks=tasks.texts if tasks else [],
            ticked=tasks.kept() if tasks else [],
        )
        self.on_msg(self._serve)

    @property
    def refusal(self) -> str:
        """Why the latest change was refused, in one sentence; empty when it was not."""
        return next(reversed(self.refusals.values()))["sentence"] if self.refusals else ""

    @property
    def presets(self) -> dict[str, dict[str, Any]]:
        """name -> the values that a preset puts its parameters to; those apart are not among them."""
        return {name: dict(values) for name, values in self._presets.items()}

    def set(self, **changes: Any) -> None:
        """Turns one or more parameters at once, as the page does.

        What can't be taken changes nothing but `refusal`; the next good change clears it. Raises ValueError only
        for a name that is no parameter.
        """
        self._check_names(changes)
        for name, value in changes.items():  # the parameter at fault is named, not the first one
            try:
                self._parameters[name].read(value)
            except ValueError as reason:
                self._refuse(name, {}, reason)
                return
        if changes:
            read = self._read(changes)
            where = next((name for name in read if read[name] != self.values[name]), next(iter(read)))
            self._try(where, {"value": read[where]}, {**self.values, **read})

    def edit(self, name: str, row: int, column: int, text: str) -> None:
        """Puts what was typed into an entry of the Entries `name`, row and column counted from 0 as NumPy does.

        What is no number, or what the picture refuses, changes nothing but `refusal`. Raises ValueError when there
        is no such entry.
        """
        self._check_names([name])
        parameter = self._parameters[name]
        if not isinstance(parameter, Entries):
            raise ValueError(f"{name} has no entries to edit: set it.")
        rows, columns = parameter.value.shape
        if not (0 <= row < rows and 0 <= column < columns):
            raise ValueError(f"{name} has {rows} rows and {columns} columns: none at ({row}, {column}).")
        where, changed = f"{name},{row},{column}", [list(old) for old in self.values[name]]
        try:
            changed[row][column] = parse_entry(str(text))
        except ValueError as reason:
            self._refuse(where, {"text": str(text)}, reason)
        else:
            self._try(where, {"text": str(text)}, {**self.values, name: changed})

    def choose(self, preset: str) -> None:
        """Puts everything to where the preset wants it. Raises ValueError when there is no such preset."""
        if preset not in self._presets:
            raise ValueError(f"there is no preset “{preset}”: there are {', '.join(map(repr, self._presets))}.")
        self._try("", {}, {**self.values, **self._presets[preset]})

    def reset(self) -> None:
        """Puts everything back to the start."""
        with self.hold_sync():
            self._try("", {}, self._start)
            self.row = 0

    def __repr__(self) -> str:
        """The values, then the note's numbers or the first panel's; no address: saved outputs are compared by it."""
        turned = ", ".join(f"{name}={self._parameters[name].text(value)}" for name, value in self.values.items())
        if len(turned) > _REPR_ROOM:
            turned = turned[: _REPR_ROOM - 1] + "…"
        return f"LiveControl({turned}: {self._shown_text})"

    def notify_change(self, change: Any) -> None:
        """Tells observers first and the page afterwards, so that a change and what follows from it are one message."""
        with self.hold_sync():
            super().notify_change(change)

    def _serve(self, _: LiveControl, request: dict[str, Any], __: Any) -> None:
        with self.hold_sync():
            try:
                match request:
                    case {"kind": "set", "name": name, "value": value}:
                        self.set(**{name: value})
                    case {"kind": "edit", "table": name, "row": row, "column": column, "text": text}:
                        self.edit(name, row, column, text)
                    case {"kind": "preset", "name": name}:
                        self.choose(name)
                    case {"kind": "reset"}:
                        self.reset()
                self._tick()
            finally:  # an answer that is a refusal, or an error in the log, is one too
                self.answer = str(request.get("id", ""))

    def _tick(self) -> None:
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
            self._refuse(where, asked, reason)
            return
        with self.hold_sync():
            self._shown_text = text
            self.values = values
            self.entries = self._entries_of(values)
            self.panels = panels
            self.preset = self._preset_of(values)
            self.refusals = {}

    def _refuse(self, where: str, asked: dict[str, Any], reason: Exception) -> None:
        # What was asked for stays in the field, marked, so that a slider can be moved on past a refused stop.
        others = {key: refusal for key, refusal in self.refusals.items() if key != where}
        self.refusals = {**others, where: {**asked, "sentence": str(reason)}}

    def _panels_of(self, values: Mapping[str, Any]) -> tuple[list[dict[str, Any]], str]:
        arguments = {name: parameter.argument(values[name]) for name, parameter in self._parameters.items()}
        try:
            shown = self._picture(**arguments)
        except (ValueError, TypeError) as reason:
            raise ValueError(str(reason)) from reason
        except Exception as reason:  # it may call a student's own function: whatever that raises is a refusal
            raise ValueError(f"{type(reason).__name__}: {reason}") from reason
        shown = [shown] if isinstance(shown, Panel) else list(shown or ())
        if not shown or not all(isinstance(panel, Panel) for panel in shown):
            kinds = ", ".join(type(panel).__name__ for panel in shown) or "nothing"
            raise ValueError(f"the picture must return panels such as Heatmap, Lines, Note: it returned {kinds}.")
        for panel in shown:
            if panel.rows not in (None, self._rows):
                has = f"has {self._rows}" if self._rows else "has no Row"
                raise ValueError(f"a panel is made for {panel.rows} rows to choose among: the control {has}.")
        telling = next((panel for panel in shown if isinstance(panel, Note)), shown[0])
        met = [{"kind": "tasks", "met": self._tasks.met(arguments, shown)}] if self._tasks else []
        return [*(panel.state() for panel in shown), *met], telling.text()

    @traitlets.validate("row")
    def _only_a_row(self, proposal: Any) -> int:
        if not 0 <= proposal["value"] < (self._rows or 1):
            raise traitlets.TraitError(f"row must be between 0 and {(self._rows or 1) - 1}: it is {proposal['value']}.")
        return proposal["value"]

    def _entries_of(self, values: Mapping[str, Any]) -> dict[str, list[list[str]]]:
        fields = [name for name, parameter in self._parameters.items() if isinstance(parameter, Entries)]
        return {name: [[input_text(entry) for entry in row] for row in values[name]] for name in fields}

    def _preset_of(self, values: Mapping[str, Any]) -> str:
        return next((name for name, preset in self._presets.items() if values == {**values, **preset}), "")

    def _read(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        self._check_names(changes)
        return {name: self._parameters[name].read(value) for name, value in changes.items()}

    def _check_names(self, names: Any) -> None:
        for name in names:
            if name not in self._parameters:
                raise ValueError(f"there is no parameter “{name}”: there are {', '.join(self._parameters)}.")


def _largest(settings: Sequence[Sequence[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    """Of settings that show the same kinds of panels one, with the largest panel in each place.

    A panel is the larger the more rows it has, of equals the one of which there is more to write.
    """
    alike: dict[tuple[str, ...], list[Sequence[dict[str, Any]]]] = {}
    for panels in settings:
        alike.setdefault(tuple(panel["kind"] for panel in panels), []).append(panels)

    def size(panel: dict[str, Any]) -> tuple[int, int]:
        return len(panel.get("row_names", ())), len(json.dumps(panel, ensure_ascii=False))

    return [[max(place, key=size) for place in zip(*group, strict=True)] for group in alike.values()]


# --- numbers and names, checked and written ---


def _json(value: Any) -> Any:
    """Arrays, tuples and NumPy's numbers as JSON holds them; anything else as it is."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [_json(part) for part in value] if isinstance(value, tuple | list) else value


def _shape_and_names(matrix: Entries | Matrix) -> dict[str, Any]:
    """What the page needs to build the table of a matrix; the names as HTML."""
    shape = (matrix.value if isinstance(matrix, Parameter) else matrix.values).shape
    names = {field: [markup(name) for name in getattr(matrix, field)] for field in ("row_names", "column_names")}
    return {"shape": list(shape), **names}


def _finite(called: str, values: Any) -> NDArray[np.float64]:
    try:
        array = np.asarray(values, dtype=np.float64) + 0.0  # −0 + 0 is 0, and nobody wants to read −0
    except (ValueError, TypeError):
        raise ValueError(f"{called} must hold numbers only, and rows of one length.") from None
    if not np.isfinite(array).all():
        raise ValueError(f"{called} would hold NaN or infinity, so what was shown before stays.")
    return array


def _keep_matrix(owner: Any, called: str, matrix: NDArray, most: int = _MOST_CELLS, counted: bool = True) -> None:
    """Puts the matrix and names that fit it into a frozen dataclass."""
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(f"{called} must be a matrix with rows and columns: its shape is {matrix.shape}.")
    if max(matrix.shape) > most:
        raise ValueError(f"{called} has the shape {matrix.shape}: at most {most} × {most} can be shown.")
    object.__setattr__(owner, "value" if isinstance(owner, Parameter) else "values", matrix)
    for axis, field in enumerate(("row_names", "column_names")):
        names, count = tuple(str(name) for name in getattr(owner, field)), matrix.shape[axis]
        if names and len(names) != count:
            raise ValueError(f"{called} has the shape {matrix.shape}, but {len(names)} {field.replace('_', ' ')}.")
        if not names and counted:
            names = tuple(str(i + 1) for i in range(count))
        object.__setattr__(owner, field, names)


def _check_range(called: str, field: str, ends: Range | None) -> None:
    if ends is not None and not (len(ends) == 2 and math.isfinite(ends[0]) and ends[0] < ends[1] < math.inf):
        raise ValueError(f"{called} needs a {field} from a number to a larger one: {ends} was given.")


def _check_looks(called: str, looks: Mapping[str | int, tuple[str, str]], groups: Sequence[str | int]) -> None:
    known = [(colour, shape) for colour in _POINT_COLOURS for shape in _POINT_SHAPES]
    for group, look in looks.items():
        if look not in known:
            raise ValueError(
                f"{called} has the colours {', '.join(_POINT_COLOURS)} and the shapes {', '.join(_POINT_SHAPES)}: "
                f"{group} would look {look}."
            )
    named = {str(group) for group in looks}
    for group in groups:
        if str(group) not in named:
            raise ValueError(f"{called} has looks for {', '.join(map(str, looks))}, but none for the group {group}.")


def _check_numbers(called: str, field: str, numbers: Sequence[int], count: int) -> None:
    for number in numbers:
        if not 0 <= number < count:
            raise ValueError(f"{called} has {count} entries, counted from 0: {field} names {number}.")


def _number(called: str, value: Any) -> float:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise ValueError(f"{called} must be a number: it would be {value}.")
    if not math.isfinite(value):
        raise ValueError(f"{called} must be a finite number: it would be {value}.")
    return float(value)


def _is_near(one: float, other: float) -> bool:
    """Whether two numbers are one but for what rounding does."""
    return math.isclose(one, other, abs_tol=1e-9)


def _round_step(step: float) -> float:
    """1, 2 or 5 of the power of ten, not below `step`."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= step * (1 - 1e-9))


def _called(kind: str, title: str) -> str:
    return f"{kind} “{title}”" if title else kind


def _shown(value: float) -> str:
    """Up to five digits, written as a hand would."""
    if isinstance(value, bool | np.bool_) or not math.isfinite(value):
        return str(value)
    if value == round(value) and abs(value) < 1e7:
        return input_text(float(value))
    mantissa, _, exponent = f"{value:.4g}".partition("e")
    text = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return (text + (f"e{int(exponent)}" if exponent else "")).replace("-", "\N{MINUS SIGN}")


def _cell_texts(values: NDArray[np.float64], decimals: int) -> list[list[str]]:
    """As in a table, but what would round to 0 is ≈0: a cell has no room for powers of ten, the readout has."""
    texts = table_text(values, decimals)
    return [["≈0" if "e−" in text else text for text in row] for row in texts]


def _four_digits(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rounded to four significant digits: what the eye reads off a large heatmap, at a third of the bytes."""
    usual = (np.abs(values) > 1e-290) & (np.abs(values) < 1e290)  # beyond, the powers of ten end
    places = 3 - np.floor(np.log10(np.abs(np.where(usual, values, 1.0))))
    up, down = 10.0 ** np.maximum(places, 0), 10.0 ** np.maximum(-places, 0)
    return np.where(usual, np.round(np.where(usual, values, 1.0) * up / down) / up * down, values)


def _six_digits(values: NDArray[np.float64]) -> list[float]:
    return [float(f"{value:.6g}") for value in values.tolist()]
