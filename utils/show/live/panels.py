"""Define the panels of a live control. Each checks its arrays, converts them for the page, and puts them into words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from utils.show.bilingual import right_to_left
from utils.show.live.fields import OnPage, as_json, finite_array, finite_number, markup
from utils.show.numbers import number_text, table_text

_WRITTEN_UP_TO = 16  # the most rows and columns of a heatmap whose cells have room for numbers
_POINT_COLOURS = ("blue", "vermilion", "green", "amber", "sky", "pink", "grey")  # in live.css
_POINT_SHAPES = ("circle", "square", "triangle", "diamond", "down", "cross")  # in axes.js

Range = tuple[float, float]


@dataclass(frozen=True, eq=False, kw_only=True)
class Panel(OnPage):
    """The base of all panels; `rows` is the number of rows that the control's `Row` must have, or None for any.

    made: what makes entry (i, j) of this panel, as a formula such as "Q[i,:] · K[j,:]" or "softmax(scores[i,:])", with
        the names of panels and parameters. When the reader points at an entry, the page frames what makes it and what
        it makes, and works out a sum of products or a softmax. Entry i of Bars and Tokens is [i].
    """

    rows: ClassVar[int | None] = None
    made: str = ""

    @property
    def called(self) -> str:
        """The name of the panel in error messages: its kind, and its title if there is one."""
        return type(self).__name__ + (f" “{self.title}”" if self.title else "")

    def text(self) -> str:
        """Return the panel's first numbers in words, for the control's one-line description."""
        raise NotImplementedError

    def check_range(self, field: str) -> None:
        """Raise ValueError unless the field is None or goes from a finite number to a larger one."""
        ends = getattr(self, field)
        if ends is not None and not (len(ends) == 2 and math.isfinite(ends[0]) and ends[0] < ends[1] < math.inf):
            raise ValueError(f"{self.called} needs a {field} from a number to a larger one: {ends} was given.")

    def check_numbers(self, field: str, numbers: Sequence[int], count: int) -> None:
        """Raise ValueError unless all `numbers` are from 0 to `count` − 1."""
        for number in numbers:
            if not 0 <= number < count:
                raise ValueError(f"{self.called} has {count} entries, counted from 0: {field} names {number}.")


@dataclass(frozen=True, eq=False)
class Heatmap(Panel):
    """A matrix (rows, columns) as coloured cells, with numbers up to 16 × 16, and otherwise under the pointer.

    shares: each row has the shares that it gives to the columns, so the colours go from 0 to 1. name: as in `made`.

    `low` and `high` are the ends of the colour scale, by default the smallest and largest value; values beyond get the
    end's colour. With diverging=True, 0 is in the middle, smaller values are blue and larger ones orange; by default
    this holds for values of both signs if neither end is given. Without names, rows and columns count from 1. Raise
    ValueError if the matrix is larger than 256 × 256, if names don't fit, or for NaN and infinity.
    """

    values: ArrayLike
    row_names: Sequence[str] = ()
    column_names: Sequence[str] = ()
    title: str = ""
    low: float | None = None
    high: float | None = None
    decimals: int = 2
    diverging: bool | None = None
    shares: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        called = self.called
        self.keep_matrix("values", called, finite_array(called, self.values), most=256)
        if self.shares:
            self.keep(low=0, high=1)
        ends = {"low": self.low, "high": self.high}
        low, high = (None if end is None else finite_number(f"{name} of {called}", end) for name, end in ends.items())
        if self.diverging is None:
            both = self.values.min() < 0 < self.values.max() and low is None and high is None
            self.keep(diverging=bool(both))
        if self.diverging:
            reach = max(abs(low or 0), abs(high or 0)) or float(np.abs(self.values).max()) or 1.0
            low, high = -reach, reach
        low = float(self.values.min()) if low is None else low
        high = float(self.values.max()) if high is None else high
        if low > high:
            raise ValueError(f"{called} needs low below high: {low} and {high} were given.")
        self.keep(low=low, high=high)

    def state(self) -> dict[str, Any]:
        written = max(self.values.shape) <= _WRITTEN_UP_TO
        return super().state(
            shape=list(self.values.shape),
            values=(self.values if written else _four_digits(self.values)).tolist(),
            written=written,
        )

    def text(self) -> str:
        return " ".join(table_text(self.values[:1, :_WRITTEN_UP_TO], self.decimals)[0])


@dataclass(frozen=True, eq=False)
class Matrix(Panel):
    """A matrix (rows, columns) as a table of numbers below its `title`, or its `name` (W_Q has a subscript).

    `lit_rows` (indices of rows) and `lit_cells` (pairs row, column) are marked. Names may be missing. A vector is shown
    as one row. With shares=True each row has weights that sum to 1; no weight is rounded to 0 or 1, and a bar below it
    shows its size. heads=(n, h): the columns belong to h heads, and what is `made` and marked is head n, counted from
    1. In a control with a `Row`, chosen=True lights the chosen row and lets the reader choose others, and
    `tints` (rows to choose, rows) gives the shade of each row of this matrix, from 0 to 1. Raise ValueError if names or
    tints don't fit, or for NaN and infinity.
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
    heads: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        self.keep_matrix("values", self.name, np.atleast_2d(finite_array(self.name, self.values)), counted=False)
        rows, columns = self.values.shape
        for row, column in [*((row, 0) for row in self.lit_rows), *self.lit_cells]:
            if not (0 <= row < rows and 0 <= column < columns):
                raise ValueError(f"{self.name} has {rows} rows, {columns} columns: no cell ({row}, {column}) to light.")
        if self.heads is not None:
            head, count = self.heads
            if not 1 <= head <= count or columns % count:
                raise ValueError(
                    f"{self.name} has {columns} columns: heads={self.heads} names none of equally many each."
                )
            mine = range((head - 1) * columns // count, head * columns // count)
            self.keep(lit_cells=[(row, column) for row in range(rows) for column in mine])
        tints = finite_array(f"the tints of {self.name}", self.tints)
        if tints.size and tints.shape[1:] != (rows,):
            raise ValueError(f"{self.name} has {rows} rows: its tints {tints.shape} must have as many columns.")
        self.keep(tints=tints, rows=rows if self.chosen else len(tints) or None)

    def state(self) -> dict[str, Any]:
        return super().state(title=markup(self.title or self.name), **self.table(self.values))

    def text(self) -> str:
        return f"{self.name} {'; '.join(map(' '.join, table_text(self.values, self.decimals)))}"


@dataclass(frozen=True, eq=False)
class Lines(Panel):
    """Curves over `x` (n,): `series` is name -> y (n,), or (y, low, high), all (n,), for a curve within a band.

    `x_range` and `y_range` fix the axes, which otherwise follow the curves. `marks` (label -> x) are vertical lines.
    The pointer or the arrow keys read off the exact numbers of a point. `shares` makes all curves amber, as shares are
    everywhere, so that only their dashes differ, and `one_hue` does the same in blue. Raise ValueError if lengths
    differ, x does not rise, `x_range` leaves out an x or a mark, or a number is NaN or infinite.
    """

    x: ArrayLike
    series: Mapping[str, ArrayLike | tuple[ArrayLike, ArrayLike, ArrayLike]]
    x_label: str = ""
    y_label: str = ""
    title: str = ""
    y_range: Range | None = None
    marks: Mapping[str, float] | None = None
    x_range: Range | None = None
    shares: bool = False
    one_hue: bool = False

    def __post_init__(self) -> None:
        called = self.called
        x = np.atleast_1d(finite_array(f"{called}, x", self.x))
        if x.ndim != 1 or len(x) < 1 or not (np.diff(x) > 0).all():
            raise ValueError(f"{called} must have an x that rises from entry to entry, but its shape is {x.shape}.")
        if not self.series:
            raise ValueError(f"{called} needs at least one series.")
        curves = {}
        for name, given in self.series.items():
            parts = given if isinstance(given, tuple) and len(given) == 3 and np.ndim(given[0]) else (given,)
            parts = tuple(np.atleast_1d(finite_array(f"{called}, {name}", part)) for part in parts)
            for part in parts:
                if part.shape != x.shape:
                    raise ValueError(f"{called} has {len(x)} entries in x, but the shape of {name} is {part.shape}.")
            curves[str(name)] = parts
        marks = {str(label): finite_number(f"the mark {label}", at) for label, at in (self.marks or {}).items()}
        self.check_range("x_range")
        first, last = min([x[0], *marks.values()]), max([x[-1], *marks.values()])
        low, high = (first, last) if self.x_range is None else self.x_range
        if not low <= first <= last <= high:
            held = f"every x and every mark, from {number_text(first)} to {number_text(last)}"
            raise ValueError(f"{called} needs an x_range that holds {held}: {self.x_range} was given.")
        self.check_range("y_range")
        self.keep(x=x, series=curves, marks=marks)

    def state(self) -> dict[str, Any]:
        series = [
            {"name": name, "y": _six_digits(y), "band": [_six_digits(edge) for edge in band]}
            for name, (y, *band) in self.series.items()
        ]
        marks = [[*mark] for mark in self.marks.items()]
        hue = {"hue": "amber"} if self.shares else {"hue": "blue"} if self.one_hue else {}
        return super().state(x=_six_digits(self.x), series=series, marks=marks, **hue)

    def text(self) -> str:
        return ", ".join(f"{name} {number_text(y[0])} … {number_text(y[-1])}" for name, (y, *_) in self.series.items())


@dataclass(frozen=True, eq=False)
class Bars(Panel):
    """A bar for each of `names`, from the top down, as long as its value (n,), with the number beside it.

    `y_range` fixes the scale, which always includes 0; otherwise the largest bar fills the panel. `lit` has the indices
    of bars to mark. shares: the values are shares or probabilities, which are amber. name: as
    in `made`. Raise ValueError if names and values don't fit, or for NaN and infinity.
    """

    names: Sequence[str]
    values: ArrayLike
    title: str = ""
    y_range: Range | None = None
    lit: Sequence[int] = ()
    decimals: int = 3
    shares: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        values = finite_array(self.called, self.values)
        if values.shape != (len(self.names),) or not len(self.names):
            raise ValueError(
                f"{self.called} has {len(self.names)} names, but its values have the shape {values.shape}."
            )
        self.check_range("y_range")
        self.check_numbers("lit", self.lit, len(values))
        self.keep(values=values)

    def state(self) -> dict[str, Any]:
        low, high = self.y_range if self.y_range is not None else (self.values.min(), self.values.max())
        return super().state(low=min(0.0, float(low)), high=max(0.0, float(high)))

    def text(self) -> str:
        texts = table_text(self.values[None], self.decimals)[0]
        return ", ".join(f"{name} {text}" for name, text in zip(self.names, texts, strict=True))


@dataclass(frozen=True, eq=False)
class Points(Panel):
    """Named points in the plane, `xy` (n, 2), such as a map of words.

    groups: a name or number for each point. Each group has its own colour and shape, in the order of appearance.
    looks: group -> (colour, shape) for all possible groups, so that a group always looks the same. The colours are
        blue, vermilion, green, amber, sky, pink and grey; the shapes are circle, square, triangle, diamond, down and
        cross.
    lit: indices of points to mark; if there is no room for all names, these come first.
    lines: tuples of indices of points to join, (i, j) or longer.
    equal: use the same unit along both axes.
    x_range, y_range: fix the axes.
    y_ticks: with False, draw a tree that grows along x in `lines` (i, j). Then only the order along both axes has a
        meaning, so the y-axis has no numbers, each step along x is as wide as its names, which are on the right of
        their points, and lines begin after the names.

    Raise ValueError if lengths don't fit, a group has no look or an unknown one, or for NaN and infinity.
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
        xy = finite_array(self.called, self.xy)
        if xy.shape != (len(self.names), 2) or not len(self.names):
            raise ValueError(
                f"{self.called} has {len(self.names)} names, so xy must have the shape ({len(self.names)}, 2)."
            )
        if self.groups is not None and len(self.groups) != len(xy):
            raise ValueError(f"{self.called} has {len(xy)} points, but {len(self.groups)} groups.")
        if self.looks is not None:
            self._check_looks()
        self.check_numbers("lit", self.lit, len(xy))
        for line in self.lines:
            self.check_numbers("lines", line, len(xy))
        self.check_range("x_range")
        self.check_range("y_range")
        self.keep(xy=xy)

    def state(self) -> dict[str, Any]:
        looks = None if self.looks is None else [[str(group), *look] for group, look in self.looks.items()]
        groups = None if self.groups is None else [str(group) for group in self.groups]
        return super().state(xy=[_six_digits(point) for point in self.xy], groups=groups, looks=looks)

    def text(self) -> str:
        return ", ".join(
            f"{name} ({', '.join(map(number_text, at))})" for name, at in zip(self.names, self.xy, strict=True)
        )

    def _check_looks(self) -> None:
        for group, look in self.looks.items():
            if look[0] not in _POINT_COLOURS or look[1] not in _POINT_SHAPES:
                known = f"the colours {', '.join(_POINT_COLOURS)} and the shapes {', '.join(_POINT_SHAPES)}"
                raise ValueError(f"{self.called} has {known}: {group} would look {look}.")
        for group in self.groups or ():
            if str(group) not in map(str, self.looks):
                known = ", ".join(map(str, self.looks))
                raise ValueError(f"{self.called} has looks for {known}, but none for the group {group}.")


@dataclass(frozen=True, eq=False)
class Tokens(Panel):
    """A text in pieces, each a chip with its id below; spaces are shown as ·.

    groups: a number from 0 for each piece, which gives it a colour and a mark; after six, they repeat.
    key: the names of the groups, from group 0 on.
    ordered: the groups are steps from little to much; the lowest is plain, and the others are lit more and more.
    rtl: set the pieces from right to left; by default, the script of the first letter decides.
    name: as in `made`.

    Raise ValueError if lengths don't fit, a group is below 0 or not in the key, or ordered groups have no key.
    """

    pieces: Sequence[str]
    ids: Sequence[int] | None = None
    groups: Sequence[int] | None = None
    title: str = ""
    rtl: bool | None = None
    key: Sequence[str] = ()
    ordered: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        if self.ordered and len(self.key) < 2:
            raise ValueError(
                f"{self.called} has ordered=True, so its key must name at least two steps: {list(self.key)}."
            )
        for group in () if self.groups is None else self.groups:
            if group < 0 or (len(self.key) and group >= len(self.key)):
                named = f", and its key names {len(self.key)}" if len(self.key) else ""
                raise ValueError(f"{self.called} has groups counted from 0{named}: {group} is none of them.")
        for field in ("ids", "groups"):
            given = getattr(self, field)
            if given is not None and len(given) != len(self.pieces):
                raise ValueError(f"{self.called} has {len(self.pieces)} pieces, but {len(given)} {field}.")

    def state(self) -> dict[str, Any]:
        return super().state(rtl=right_to_left("".join(self.pieces)) if self.rtl is None else self.rtl)

    def text(self) -> str:
        return " ".join(str(i) for i in self.ids) if self.ids is not None else "|".join(self.pieces)


@dataclass(frozen=True, eq=False)
class Drawing(Panel):
    """A drawing of its own, in the shapes of `utils/show/shapes.py`, as an image of `size` (width, height).

    It is as wide as its column, from 300 pixels on, so a width of 360 with letters from 13 is legible on a phone. alt:
    the drawing in words. Lists of both have a drawing for each row of the control's `Row`, which the reader also
    chooses by pointing at its spots (`shapes.spot`). Raise ValueError unless each drawing has an alternative text.
    """

    shapes: str | Sequence[str]
    size: tuple[int, int]
    alt: str | Sequence[str]

    def __post_init__(self) -> None:
        shapes, texts = ([given] if isinstance(given, str) else given for given in (self.shapes, self.alt))
        if self.shapes is shapes:
            self.keep(rows=len(shapes))
        if len(texts) != len(shapes) or not all(text.strip() for text in texts):
            raise ValueError(f"{len(shapes)} drawings must have an alternative text each, but alt is {self.alt!r}.")

    def text(self) -> str:
        return self.alt if isinstance(self.alt, str) else " ".join(self.alt)


@dataclass(frozen=True, eq=False)
class Note(Panel):
    """A sentence with the important numbers, which the control's plain text contains, too.

    A list has one sentence for each row of the control's `Row`. room: the longest possible sentence, whose height is
    kept free so that the parts below don't move.
    values: for each {} in the sentence a number, a text, or a list of them; for a list of sentences, a list of these.
    digits: the significant digits of the numbers. shares: the values are weights that sum to 1, shown in per cent.
    Raise ValueError unless there are no values or one for each {}.
    """

    sentence: str | Sequence[str]
    room: str = ""
    values: Sequence[Any] = ()
    digits: int = 5
    shares: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.sentence, list | tuple):
            self.keep(rows=len(self.sentence))
        for sentence, values in zip_longest(*self._listed(), fillvalue=()):
            if len(values) and len(values) != (places := sentence.count("{}")):
                raise ValueError(
                    f"a note needs a value for each {{}}: “{sentence}” has {places}, but {len(values)} were given."
                )

    def state(self) -> dict[str, Any]:
        sentences, values = self._listed()
        state = super().state(sentences=as_json(sentences), values=as_json(values))
        del state["sentence"]
        return state

    def text(self) -> str:
        state = self.state()
        return " ".join(self._filled(*both) for both in zip_longest(state["sentences"], state["values"], fillvalue=()))

    def _listed(self) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
        """Return the sentences, and the values of each."""
        return ([self.sentence], [self.values]) if self.rows is None else (self.sentence, self.values)

    def _filled(self, sentence: str, values: Sequence[Any]) -> str:
        if not values:  # a text that a model wrote may have braces of its own
            return sentence
        parts = sentence.split("{}")
        return "".join(map(str.__add__, parts, [*(_value_text(value, self.digits) for value in values), ""]))


def _value_text(value: Any, digits: int, joint: str = ", ") -> str:
    """Return a value of a Note as text; the entries of a list within a list have only a space between them."""
    if isinstance(value, list):
        return joint.join(_value_text(one, digits, " ") for one in value)
    return value if isinstance(value, str) else number_text(value, digits)


def _four_digits(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the numbers rounded to four significant digits, which suffice for a large heatmap and save two thirds."""
    usual = (np.abs(values) > 1e-290) & (np.abs(values) < 1e290)  # beyond, powers of ten under- or overflow
    places = 3 - np.floor(np.log10(np.abs(np.where(usual, values, 1.0))))
    up, down = 10.0 ** np.maximum(places, 0), 10.0 ** np.maximum(-places, 0)
    return np.where(usual, np.round(np.where(usual, values, 1.0) * up / down) / up * down, values)


def _six_digits(values: NDArray[np.float64]) -> list[float]:
    return [float(f"{value:.6g}") for value in values.tolist()]
