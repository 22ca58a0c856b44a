"""Decide whether two results are the same, whatever their types."""

from __future__ import annotations

from typing import Any

import numpy as np


def as_array(value: Any) -> np.ndarray | None:
    """Return `value` as an array of numbers or truth values, or None if it is anything else."""
    array = read(value)
    return array if array is not None and array.dtype.kind in "biuf" else None


def read(value: Any) -> np.ndarray | None:
    """Return `value`, which may contain tensors with gradients, as an array, or None if its rows differ in length."""
    try:
        return np.asarray(_detached(value))
    except Exception:
        return None


def _detached(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_detached(part) for part in value]
    return value.detach().cpu() if hasattr(value, "detach") else value


def has_parts(value: Any) -> bool:
    """Return whether `value` can stand for several returned values, as the rows of an array can."""
    return isinstance(value, tuple | list) or getattr(value, "ndim", 0) > 0


def same_value(a: Any, b: Any) -> bool:
    """Return whether `a` equals the correct `b`, as a list, tuple, array or tensor, in any type of number."""
    right = as_array(b)
    if right is not None:
        array = as_array(a)
        if array is None or (array.shape != right.shape and (right.ndim or array.size != 1)):
            return False
        return close(array.reshape(right.shape), right)
    if has_parts(b):
        return has_parts(a) and len(a) == len(b) and all(map(same_value, a, b))
    if isinstance(b, dict):
        return isinstance(a, dict) and a.keys() == b.keys() and all(same_value(a[key], b[key]) for key in b)
    try:
        return bool(np.all(a == b)) and isinstance(a, str) == isinstance(b, str)
    except Exception:  # values that cannot be compared are not the same
        return False


def close(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether two arrays of the same shape contain the same numbers, as exactly as the type of `a` allows.

    If `b` contains integers, such as ids or counts, the numbers must be equal.
    """
    if b.dtype.kind in "iu":
        return bool(np.array_equal(a, b))
    if a.size and abs(float(a.flat[0]) - float(b.flat[0])) > 0.02 * (1 + abs(float(b.flat[0]))):
        return False  # a shortcut: most arrays differ in the first entry, and a check compares thousands
    off = tolerance(a)
    return bool(np.allclose(a, b, rtol=off, atol=off, equal_nan=True))


def tolerance(array: np.ndarray) -> float | np.ndarray:
    """Return the tolerance for each number, because computing it, or a part of it, with fewer digits is no mistake."""
    if array.dtype == np.float16:  # `close` uses this twice, as absolute and relative tolerance
        with np.errstate(all="ignore"):
            return 1.5 * np.spacing(np.abs(array)).astype(float) / (1 + np.abs(array.astype(float)))
    if array.dtype == np.float32:
        return 1e-4
    if array.dtype.kind != "f":
        return 1e-8
    with np.errstate(all="ignore"):  # float32 numbers that were put into a list or a float later
        of_seven_digits = (array.astype(np.float32) == array) | np.isnan(array)
        # 0, 1 and 0.5 fit into float32, too, so among longer numbers they don't show how they were computed.
        short = (array.astype(np.float16) == array) | (np.rint(array) == array)
    return 1e-5 if of_seven_digits.all() else np.where(of_seven_digits & ~short, 1e-5, 1e-8)
