"""Write numbers for print, with aligned decimals and without misleading rounding.

A positive number never looks like 0. Minus is the real minus sign (−), as wide as a digit, and there is no −0. Figures
get numbers, and `page/texts.js` writes them by the same rules; `tests/show/numbers.json` has examples for both.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from utils.require import require_whole

_WHOLE_UP_TO = 1e7  # from here on an integer is written as 1.23e9, because it would not fit its cell
_FIXED_UP_TO = 1e5
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def table_text(values: ArrayLike, decimals: int = 3) -> list[list[str]]:
    """Return the entries of a matrix as texts, all with the same number of decimals, so that the points align.

    If all are integers, there are no decimals. Otherwise there are `decimals`, or fewer (at least one) if the largest
    entry needs the room. An entry too large for its cell, or so small that it would round to 0, is written as 1.2e−7.
    Raise ValueError if decimals is below 0, and TypeError if it is not an integer.
    """
    require_whole("decimals", decimals, least=0)
    array = np.asarray(values, dtype=np.float64)
    whole = bool((array == np.round(array)).all())
    limit = _WHOLE_UP_TO if whole else _FIXED_UP_TO
    fixed = np.abs(array[np.abs(array) < limit])
    digits = len(str(int(fixed.max()))) if fixed.size else 1
    decimals = 0 if whole else min(decimals, max(1, 5 - digits))
    return [[_entry(float(value), decimals, limit) for value in row] for row in array]


def number_text(value: float, digits: int = 5) -> str:
    """Return one number: an integer below 10⁷ in full, anything else with up to `digits` significant digits."""
    if isinstance(value, bool | np.bool_) or not math.isfinite(value):
        return str(value)
    size = abs(value)
    if size >= _WHOLE_UP_TO or 0 < size < 1e-4:
        return _scientific(value, digits - 2)
    if value == round(value):
        return _signed(f"{value:.0f}")
    return _signed(f"{value:.{digits}g}" if size < 10**digits - 0.5 else f"{value:.0f}")


def numbered(letter: str, number: int) -> str:
    """Return a letter with its number as a subscript, such as x₁."""
    return letter + str(number).translate(_LOWERED)


def _entry(value: float, decimals: int, limit: float) -> str:
    rounded = f"{value:.{decimals}f}"
    if math.isinf(value):
        return _signed("∞" if value > 0 else "-∞")
    if abs(value) >= limit:
        return _scientific(value, 2)
    if value != 0 and float(rounded) == 0:
        return _scientific(value, 1)
    return _signed(rounded)


def _scientific(value: float, decimals: int) -> str:
    mantissa, exponent = f"{value:.{decimals}e}".split("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return _signed(f"{mantissa}e{int(exponent)}")


def _signed(text: str) -> str:
    if not text.strip("-0."):
        text = text.lstrip("-")
    return text.replace("-", "\N{MINUS SIGN}")
