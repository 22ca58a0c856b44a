"""What every room asks of the numbers that come in from outside, in one sentence each.

A whole number is an int, of Python or of NumPy: 4.0 and True are none. What is of the wrong kind is a TypeError, what
is of the right kind and out of range a ValueError. Nothing is converted in silence.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral
from typing import Any


def is_whole(value: Any) -> bool:
    """Tell whether `value` is a whole number."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_finite(value: Any) -> bool:
    """Tell whether `value` is a number, neither NaN nor infinite."""
    return (is_whole(value) or isinstance(value, float)) and math.isfinite(value)


def require_whole(name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """Return `value`, a whole number from `least` to `most`, as an int."""
    if not is_whole(value) or value < least:
        error = ValueError if is_whole(value) else TypeError
        raise error(f"{name} must be a whole number of at least {least}: it is {value!r}.")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}: it is {value}.")
    return int(value)


def require_number(name: str, value: Any, wanted: str, fits: Callable[[float], bool]) -> None:
    """Ask for a finite number that `fits`, which `wanted` puts into words."""
    if not is_finite(value) or not fits(value):
        error = ValueError if is_whole(value) or isinstance(value, float) else TypeError
        raise error(f"{name} must be a number {wanted}: it is {value!r}.")


def require_one_of(name: str, value: Any, options: tuple[Any, ...]) -> None:
    """Ask for one of these options."""
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(str, options))}: it is {value!r}.")
