"""When two computed results are the same, and when they differ."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from utils.by_hand.arrays import Array


def same(one: ArrayLike, other: ArrayLike) -> bool:
    """Tell whether both hold the same numbers but for the last digits, nowhere more than 1e-12 apart; NaN is not."""
    return bool(np.allclose(one, other, rtol=0, atol=1e-12))


def apart(one: ArrayLike, other: ArrayLike) -> bool:
    """Tell whether they differ so that it can be seen, somewhere by more than 0.001; NaN does not."""
    return bool((np.abs(np.subtract(one, other)) > 1e-3).any())


def to_12_decimals(numbers: ArrayLike) -> Array:
    """Return the numbers without the last digits, which `same` leaves out too."""
    return np.round(numbers, 12)


def are_shares(numbers: Array) -> bool:
    """Tell whether the numbers, or those in each row of a matrix, can be shares of 1: all above 0, and their sum 1."""
    return bool((numbers > 0).all()) and same(numbers.sum(axis=-1), 1)


def all_rows_differ(table: Array) -> bool:
    """Tell whether no two rows hold the same numbers."""
    return len(np.unique(to_12_decimals(table), axis=0)) == len(table)


def rows_apart(one: Array, other: Array) -> list[int]:
    """Return which rows of two tables of one size are apart, counted from 0.

    Raises ValueError where a row is neither apart nor the same: what is said of it then would be chance.
    """
    places = [place for place, rows in enumerate(zip(one, other, strict=True)) if not same(*rows)]
    near = [place for place in places if not apart(one[place], other[place])]
    if near:
        raise ValueError(f"rows {near} are neither the same nor apart.")
    return places


def all_above(ones: Iterable[float], others: Iterable[float]) -> bool:
    """Tell whether the least of the ones is larger than the largest of the others."""
    return min(ones) > max(others)
