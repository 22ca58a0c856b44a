"""Write numbers for print, with aligned decimals and without misleading rounding, and read the numbers typed in.

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


def parse_entry(text: str) -> float:
    """Return the number that a student typed.

    Accept what float() accepts (Persian digits, too) and a real minus sign. Raise ValueError, with one sentence that
    names the text and the reason, for NaN, infinity, numbers too large or too small for float64, underscores, and a
    comma in place of the point.
    """
    plain = " ".join(text.split())  # one line
    shown = f"“{plain[:20]}{'…' if len(plain) > 20 else ''}”"
    plain = plain.replace("\N{MINUS SIGN}", "-").replace("\N{ARABIC DECIMAL SEPARATOR}", ".")
    if not plain:
        raise ValueError("This entry is empty: type a number such as 2 or −0.5.")
    if "_" in plain:
        raise ValueError(f"{shown} has an underscore: write the digits without it.")
    try:
        value = float(plain)
    except ValueError:
        raise ValueError(f"{shown} {_why_no_number(plain)}") from None
    if math.isnan(value) or (math.isinf(value) and not any(sign.isdecimal() for sign in plain)):
        raise ValueError(f"{shown} is not a finite number: type one such as 2 or −0.5.")
    if math.isinf(value):
        raise ValueError(f"{shown} is too large: float64 holds numbers up to 1.8e308.")
    mantissa = plain.lower().partition("e")[0]
    if value == 0 and any(sign.isdecimal() and int(sign) for sign in mantissa):
        raise ValueError(f"{shown} is too small: float64 holds nothing between 0 and 4.9e−324.")
    return value + 0.0  # turns −0 into 0


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


def _why_no_number(plain: str) -> str:
    with_point = plain.replace(",", ".")
    if plain.count(",") == 1:
        try:
            float(with_point)
        except ValueError:
            pass
        else:
            return f"has a comma: write a point, {with_point}."
    return "is not a number: type one such as 2 or −0.5."
