"""What the tests of this room ask again and again."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable

import numpy as np
from hypothesis import strategies as st
from numpy.typing import ArrayLike

seeds = st.integers(0, 2**32 - 1)
any_floats = st.floats(allow_nan=True, allow_infinity=True)


def close(a: ArrayLike, b: ArrayLike, tolerance: float = 1e-10) -> None:
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance)


def very_close(a: ArrayLike, b: ArrayLike, tolerance: float = 1e-12) -> None:
    close(a, b, tolerance)


def finite_or_refused(compute: Callable[[], Iterable[ArrayLike]]) -> None:
    """Whatever numbers come in, NaN and infinity included: finite ones come out, or a sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # NumPy's, of an overflow that a sentence tells of
        try:
            arrays = compute()
        except ValueError as error:
            assert str(error).endswith(".")
        else:
            assert all(np.isfinite(array).all() for array in arrays)
