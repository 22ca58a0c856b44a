"""Check the numbers that come in from outside, for every layer; each error is one sentence.

A whole number is an int, of Python or of NumPy: 4.0 and True are not. A value of the wrong kind raises
TypeError, one of the right kind but out of range ValueError. Nothing is converted silently.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral
from typing import Any


def is_whole(value: Any) -> bool:
    """Return whether `value` is a whole number."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_finite(value: Any) -> bool:
    """Return whether `value` is a number, neither NaN nor infinite."""
    return (is_whole(value) or isinstance(value, float)) and math.isfinite(value)


def require_whole(name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """Return `value` as an int. Raises TypeError or ValueError unless it is a whole number from `least` to `most`."""
    if not is_whole(value) or value < least:
        error = ValueError if is_whole(value) else TypeError
        raise error(f"{name} must be a whole number of at least {least}: it is {value!r}.")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}: it is {value}.")
    return int(value)


def require_number(name: str, value: Any, wanted: str, fits: Callable[[float], bool]) -> None:
    """Raise TypeError or ValueError unless `value` is a finite number that `fits`; `wanted` puts that into words."""
    if not is_finite(value) or not fits(value):
        error = ValueError if is_whole(value) or isinstance(value, float) else TypeError
        raise error(f"{name} must be a number {wanted}: it is {value!r}.")


def require_one_of(name: str, value: Any, options: tuple[Any, ...]) -> None:
    """Raise ValueError unless `value` is one of `options`."""
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(str, options))}: it is {value!r}.")
