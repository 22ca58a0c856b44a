"""Turning what a student typed into float64 arrays, or saying in one sentence why it is none."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def as_matrix(name: str, value: Any) -> Array:
    """`value` as a finite float64 matrix with at least one row and one column, shape (rows, columns).

    Lists of integers are welcome. Raises ValueError when the rows differ in length, when the rank is
    not 2, when nothing is in it, and when an entry is NaN or infinite (with its position, counted
    from 0); raises TypeError when an entry is not a real number.
    """
    matrix = as_numbers(name, value)
    if matrix.ndim != 2:
        raise ValueError(f"{name} must be a matrix, one row per token: its shape is {matrix.shape}.")
    if matrix.size == 0:
        raise ValueError(f"{name} is empty: its shape is {matrix.shape}, and attention needs at least one token.")
    return matrix


def as_numbers(name: str, value: Any) -> Array:
    """`value` as a finite float64 array of any shape.

    Raises ValueError for ragged rows, NaN and infinity, TypeError for entries that are not real numbers.
    """
    array = _as_rectangle(name, value)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold real numbers: it holds {_kind_of(array)}.")
    with np.errstate(over="ignore"):
        numbers = array.astype(np.float64)
    finite = np.isfinite(numbers)
    if not finite.all():
        where = tuple(int(i) for i in np.argwhere(~finite)[0])
        place = f"{name}[{', '.join(map(str, where))}]" if where else name
        raise ValueError(f"{place} is {numbers[where]}: every entry must be a finite number.")
    return numbers


def as_count(name: str, value: Any) -> int:
    """`value` as a whole number of at least 1. Raises TypeError when it is not whole, ValueError when it is below 1."""
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number: it is {value!r}.") from None
    if number < 1:
        raise ValueError(f"{name} must be at least 1: it is {number}.")
    return number


def finite(name: str, array: Array) -> Array:
    """`array`, or ValueError when a result called `name` has grown beyond what float64 holds."""
    if not np.isfinite(array).all():
        raise ValueError(f"{name} overflows: some entry is beyond 1.8e308, the largest number that float64 holds.")
    return array


def product(name: str, left: Array, right: Array) -> Array:
    """The matrix product of `left` and `right`, or ValueError when it overflows; `name` is what it is called."""
    with np.errstate(over="ignore", invalid="ignore"):
        return finite(name, left @ right)


def _as_rectangle(name: str, value: Any) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except ValueError:
        lengths = [len(row) if hasattr(row, "__len__") else 0 for row in value]
        raise ValueError(
            f"{name} is ragged: its rows have {_listed(lengths)} entries, and all must have as many."
        ) from None


def _listed(lengths: list[int]) -> str:
    return ", ".join(map(str, lengths[:-1])) + f" and {lengths[-1]}" if len(lengths) > 1 else str(lengths[0])


def _kind_of(array: NDArray[Any]) -> str:
    return {"U": "text", "S": "bytes", "c": "complex numbers"}.get(array.dtype.kind, "something else")
