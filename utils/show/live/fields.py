"""Define the base of parameters and panels: fields that the constructor checks and the page gets as JSON."""

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
    """A text that is already HTML and isn't escaped."""


class OnPage:
    """A parameter or a panel: a frozen dataclass whose fields the page gets."""

    def state(self, **otherwise: Any) -> dict[str, Any]:
        """Return the page's data for JSON: "kind", the class's name in lower case, the fields, and `otherwise`."""
        given = {field.name: as_json(getattr(self, field.name)) for field in fields(self)}
        return {"kind": type(self).__name__.lower(), **given, **otherwise}

    def keep(self, **values: Any) -> None:
        """Replace the fields by these checked values."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def keep_matrix(self, field: str, called: str, matrix: NDArray, most: int = 64, counted: bool = True) -> None:
        """Keep a matrix and the names of its rows and columns; without names, count from 1 if `counted`.

        Raise ValueError if it is no matrix, is larger than `most` × `most`, or has the wrong number of names.
        """
        if matrix.ndim != 2 or not matrix.size:
            raise ValueError(f"{called} must be a matrix with rows and columns, but has shape {matrix.shape}.")
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
        """Return the page's data for the table of a matrix: its shape, and its names as HTML."""
        names = {field: [markup(name) for name in getattr(self, field)] for field in ("row_names", "column_names")}
        return {"shape": list(matrix.shape), **names}


def markup(text: str) -> str:
    """Return a name as HTML: W_Q and x₁ with a subscript, any other name unchanged."""
    if isinstance(text, Markup):
        return text
    base, _, below = text.partition("_")
    if numbered := re.fullmatch(r"([^\W\d_])([₀-₉]+)", text):
        base, below = numbered[1], numbered[2].translate(_LOWERED)
    return f"<i>{escape(base)}</i><sub>{escape(below)}</sub>" if base and below else escape(text)


def as_json(value: Any) -> Any:
    """Return arrays, tuples and NumPy's numbers as lists and Python numbers, for JSON, and anything else unchanged."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [as_json(part) for part in value] if isinstance(value, tuple | list) else value


def finite_array(called: str, values: Any) -> NDArray[np.float64]:
    """Return `values` as float64. Raise ValueError, with one sentence, if they are not finite numbers."""
    try:
        array = np.asarray(values, dtype=np.float64) + 0.0  # turns −0 into 0
    except (ValueError, TypeError):
        raise ValueError(f"{called} must hold numbers only, and rows of one length.") from None
    if not np.isfinite(array).all():
        raise ValueError(f"{called} would hold NaN or infinity, so what was shown before stays.")
    return array


def finite_number(called: str, value: Any) -> float:
    """Return `value` as a float. Raise ValueError, with one sentence, if it is not a finite number."""
    if not (is_whole(value) or isinstance(value, float | np.floating)) or not math.isfinite(value):
        raise ValueError(f"{called} must be a finite number, but would be {value}.")
    return float(value)
