"""When two computed results are the same, and when they differ."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def same(one: ArrayLike, other: ArrayLike) -> bool:
    """Whether both hold the same numbers but for the last digits, nowhere more than 1e-12 apart; NaN is not."""
    return bool(np.allclose(one, other, rtol=0, atol=1e-12))


def apart(one: ArrayLike, other: ArrayLike) -> bool:
    """Whether they differ so that it can be seen, somewhere by more than 0.001; NaN does not."""
    return bool((np.abs(np.subtract(one, other)) > 1e-3).any())
