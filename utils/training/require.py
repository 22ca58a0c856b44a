"""What this room asks of numbers that come in from outside: here alone, once, and in one sentence each.

Nothing is converted: 4.0 and True are no whole numbers, and a TypeError, as text is where a number is wanted. What is
of the right kind and out of range is a ValueError.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_finite(value: Any) -> bool:
    """Whether `value` is a number, neither NaN nor infinite."""
    return (is_whole(value) or isinstance(value, float)) and math.isfinite(value)


def require_whole(name: str, value: Any, least: int = 1) -> None:
    """A whole number of at least `least`."""
    if not is_whole(value) or value < least:
        error = ValueError if is_whole(value) else TypeError
        raise error(f"{name} must be a whole number of at least {least}: it is {value!r}.")


def require_number(name: str, value: Any, wanted: str, fits: Callable[[float], bool]) -> None:
    """A finite number that `fits`, which `wanted` puts into words."""
    if not is_finite(value) or not fits(value):
        error = ValueError if is_whole(value) or isinstance(value, float) else TypeError
        raise error(f"{name} must be a number {wanted}: it is {value!r}.")


def require_one_of(name: str, value: Any, options: tuple[str, ...]) -> None:
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(options)}: it is {value!r}.")
