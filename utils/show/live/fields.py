"""What knobs and panels have in common: fields that are checked when one is made, and told to the page as JSON."""

from __future__ import annotations

import math
import re
from dataclasses import fields
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from utils.require import is_whole

_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


class Markup(str):
    """A text that is HTML already: it is set as it is."""


class OnPage:
    """A knob or a panel: a frozen dataclass of whose fields the page is told."""

    def state(self, **otherwise: Any) -> dict[str, Any]:
        """All that the page needs, as JSON holds it: "kind" is the class's name in lower case, then its fields."""
        given = {field.name: as_json(getattr(self, field.name)) for field in fields(self)}
        return {"kind": type(self).__name__.lower(), **given, **otherwise}

    def keep(self, **values: Any) -> None:
        """Replace the values that were given by the checked ones."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def keep_matrix(self, field: str, called: str, matrix: NDArray, most: int = 64, counted: bool = True) -> None:
        """Keep a matrix and the names of its rows and columns, numbers unless given, or raise ValueError."""
        if matrix.ndim != 2 or not matrix.size:
            raise ValueError(f"{called} must be a matrix with rows and columns: its shape is {matrix.shape}.")
        if max(matrix.shape) > most:
            raise ValueError(f"{called} has the shape {matrix.shape}: at most {most} × {most} can be shown.")
        self.keep(**{field: matrix})
        for count, axis in zip(matrix.shape, ("row_names", "column_names"), strict=True):
            names = tuple(str(name) for name in getattr(self, axis))
            if names and len(names) != count:
                raise ValueError(f"{called} has the shape {matrix.shape}, but {len(names)} {axis.replace('_', ' ')}.")
            numbers = tuple(str(i + 1) for i in range(count)) if counted else ()
            self.keep(**{axis: names or numbers})

    def table(self, matrix: NDArray) -> dict[str, Any]:
        """What the page needs to build the table of a matrix; the names as HTML."""
        names = {field: [markup(name) for name in getattr(self, field)] for field in ("row_names", "column_names")}
        return {"shape": list(matrix.shape), **names}


def markup(text: str) -> str:
    """A name as HTML: W_Q with a lowered Q, x₁ as a letter with its number, any other as it stands."""
    if isinstance(text, Markup):
        return text
    base, _, below = text.partition("_")
    if numbered := re.fullmatch(r"([^\W\d_])([₀-₉]+)", text):
        base, below = numbered[1], numbered[2].translate(_LOWERED)
    return f"<i>{escape(base)}</i><sub>{escape(below)}</sub>" if base and below else escape(text)


def as_json(value: Any) -> Any:
    """Arrays, tuples and NumPy's numbers as JSON holds them; anything else as it is."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [as_json(part) for part in value] if isinstance(value, tuple | list) else value


def finite_array(called: str, values: Any) -> NDArray[np.float64]:
    """`values` as float64, or ValueError with one sentence that says what is wrong with them."""
    try:
        array = np.asarray(values, dtype=np.float64) + 0.0  # −0 + 0 is 0, and nobody wants to read −0
    except (ValueError, TypeError):
        raise ValueError(f"{called} must hold numbers only, and rows of one length.") from None
    if not np.isfinite(array).all():
        raise ValueError(f"{called} would hold NaN or infinity, so what was shown before stays.")
    return array


def finite_number(called: str, value: Any) -> float:
    """`value` as a float, or ValueError with one sentence."""
    if not (is_whole(value) or isinstance(value, float | np.floating)) or not math.isfinite(value):
        raise ValueError(f"{called} must be a finite number: it would be {value}.")
    return float(value)
