"""Check the arguments of the functions by hand, only here and only once, where values come in from outside.

One rule for all: numbers may be lists or arrays and become float64, but nothing else is converted. As in
`utils.require`, text where a number is wanted is a TypeError; what is of the right kind and out of range, or of another
shape, is a ValueError. Each says in one sentence what was wrong and what was expected.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from utils.require import require_whole as require_whole  # part of what this room asks

Array = NDArray[np.float64]
Ids = NDArray[np.int64]
Mask = NDArray[np.bool_]

MOST_NUMBERS = 2**27  # in an array that is made as large as its sizes say: a gigabyte of them

quietly = np.errstate(over="ignore", under="ignore", invalid="ignore")
"""Decorates functions whose results go through `finite`: they say in a sentence what has overflowed."""


@quietly
def require_numbers(name: str, value: Any) -> Array:
    """Return `value` as a finite float64 array of any shape.

    Raises ValueError for ragged rows, and for NaN and infinity with their place, counted from 0; TypeError for entries
    that are not real numbers.
    """
    array = _rectangle(name, value)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold real numbers: it holds {_kind_of(array)}.")
    numbers = array.astype(np.float64)
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        raise ValueError(f"{_first(name, wrong)} is {numbers[wrong][0]}: every entry must be a finite number.")
    return numbers


def require_matrix(name: str, value: Any) -> Array:
    """Return `value` as a matrix of numbers with at least one row and one column. Raises as `require_numbers` does."""
    matrix = require_numbers(name, value)
    if matrix.ndim != 2:
        raise ValueError(f"{name} must be a matrix, one row per token: its shape is {matrix.shape}.")
    if matrix.size == 0:
        raise ValueError(f"{name} is empty: its shape is {matrix.shape}, and attention needs at least one token.")
    return matrix


def require_matrices(**matrices: Any) -> list[Array]:
    """Return `require_matrix` of each, by name: `X, W_Q = require_matrices(X=X, W_Q=W_Q)`."""
    return [require_matrix(name, value) for name, value in matrices.items()]


def require_shape(name: str, value: Any, shape: tuple[int | None, ...], since: str = "") -> Array:
    """Return `value` as numbers of this shape, None being any length; `since` says in words where it comes from."""
    numbers = require_numbers(name, value)
    if numbers.ndim != len(shape) or any(n not in (None, m) for n, m in zip(shape, numbers.shape, strict=True)):
        wanted = ", ".join("any" if n is None else str(n) for n in shape) + "," * (len(shape) == 1)
        because = since and f", since {since}"
        raise ValueError(f"{name} must have shape ({wanted}){because}: its shape is {numbers.shape}.")
    return numbers


def require_along(name: str, value: Any, axis: int) -> Array:
    """Return `value` as numbers. Raises ValueError if it has no `axis`, or is empty along it."""
    numbers = require_numbers(name, value)
    if not -numbers.ndim <= axis < numbers.ndim:
        raise ValueError(f"{name} has shape {numbers.shape}, which has no axis {axis}.")
    if numbers.shape[axis] == 0:
        raise ValueError(f"{name} has shape {numbers.shape}, which is empty along axis {axis}.")
    return numbers


def require_number(name: str, value: Any, least: float = -np.inf, above: float = -np.inf) -> float:
    """Return `value` as one finite number, at least `least` and larger than `above`."""
    number = float(require_shape(name, value, ()))
    if number < least:
        raise ValueError(f"{name} must be at least {least:g}: it is {number:g}.")
    if number <= above:
        raise ValueError(f"{name} must be above {above:g}: it is {number:g}.")
    return number


def require_room(name: str, *shape: int) -> None:
    """Raise ValueError if an array of this shape, called `name`, needs more than a gigabyte."""
    if prod(shape) > MOST_NUMBERS:
        raise ValueError(f"{name} would have the shape {shape}, which is more than a gigabyte of numbers.")


def require_wholes(name: str, value: Any, shape: tuple[int | None, ...] | None = None, most: int | None = None) -> Ids:
    """Return `value` as an array of whole numbers from 0 to `most`, of this shape if one is given."""
    array = _rectangle(name, value)
    whole = array.astype(np.int64) if array.size == 0 else array
    if whole.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers: their dtype is {whole.dtype}.")
    if shape is not None:
        require_shape(name, whole, shape)
    wrong = whole < 0 if most is None else (whole < 0) | (whole > most)
    if wrong.any():
        expected = "at least 0" if most is None else f"from 0 to {most}"
        raise ValueError(f"{_first(name, wrong)} must be {expected}: it is {whole[wrong][0]}.")
    return whole.astype(np.int64)


def require_mask(name: str, value: Any, *shapes: tuple[int, ...]) -> Mask:
    """Return `value` as booleans, of one of these shapes if any is given: a row per query and a column per key."""
    mask = np.asarray(value)
    if mask.dtype != bool:
        raise TypeError(f"{name} must be boolean, True where attention is allowed: its dtype is {mask.dtype}.")
    if shapes and mask.shape not in shapes:
        wanted = f"a row per query and a column per key, {shapes[0]}"
        raise ValueError(f"{name} must have {wanted}: its shape is {mask.shape}.")
    return mask


def finite(name: str, array: Array) -> Array:
    """Return `array`, the result called `name`. Raises ValueError when it exceeds the range of float64."""
    if not np.isfinite(array).all():
        raise ValueError(f"{name} overflows: some entry is beyond 1.8e308, the largest number that float64 holds.")
    return array


@quietly
def product(**factors: Array) -> Array:
    """Return the product of two checked matrices, given by name: `product(X=X, W_Q=W_Q)`.

    Raises ValueError when they don't fit, or when it overflows.
    """
    (left, A), (right, B) = factors.items()
    if A.shape[1] != len(B):
        raise ValueError(
            f"{left} {right} needs as many columns in {left} as rows in {right}: "
            f"{left} has shape {A.shape}, {right} has shape {B.shape}."
        )
    return finite(f"{left} {right}", A @ B)


def _rectangle(name: str, value: Any) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except RuntimeError:  # PyTorch's: what by hand computes, it could not follow back
        sentence = f"{name} must hold plain numbers: this tensor requires a gradient, and {name}.detach() does not."
        raise TypeError(sentence) from None
    except ValueError:
        *most, last = (str(len(row) if hasattr(row, "__len__") else 0) for row in value)
        lengths = f"{', '.join(most)} and {last}" if most else last
        raise ValueError(f"{name} is ragged: its rows have {lengths} entries, and all must have as many.") from None


def _first(name: str, wrong: Mask) -> str:
    """Return the place of the first True in `wrong`, written as an index: A[0, 1]."""
    where = ", ".join(map(str, np.argwhere(wrong)[0].tolist()))
    return f"{name}[{where}]" if where else name


def _kind_of(array: NDArray[Any]) -> str:
    return {"U": "text", "S": "bytes", "c": "complex numbers"}.get(array.dtype.kind, "something else")
