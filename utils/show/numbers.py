"""Write numbers for tables, with aligned decimals and without misleading rounding, and read the numbers typed in.

A positive number never looks like 0, and a fraction never looks like an integer. Minus is the real minus sign (−), as
wide as a digit, and there is no −0.
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


def input_text(value: float) -> str:
    """Return a number as a student would type it, such as 2, −0.125 or 1e12, with at most three decimals."""
    if value == round(value) and abs(value) < _WHOLE_UP_TO:
        return _signed(f"{value:.0f}")
    if not 1e-3 <= abs(value) < _FIXED_UP_TO:
        return _scientific(value, 2)
    whole_digits = len(f"{abs(value):.0f}")
    rounded = f"{value:.{min(3, max(1, 6 - whole_digits))}f}"
    shortest = rounded.rstrip("0").rstrip(".")
    return _signed(shortest if float(shortest) == value else rounded)


def short_text(value: float) -> str:
    """Return a number as short text: an integer below 10⁷ in full, anything else with four significant digits."""
    if isinstance(value, bool | np.bool_) or not math.isfinite(value):
        return str(value)
    if value == round(value) and abs(value) < _WHOLE_UP_TO:
        return _signed(f"{value:.0f}")
    mantissa, e, exponent = f"{value:.4g}".partition("e")
    return _signed(mantissa + (e and f"e{int(exponent)}"))


def weight_texts(row: ArrayLike, percent: bool = False) -> list[str]:
    """Return the weights of one row, which sum to 1, as texts with three decimals, or in per cent with one.

    Write <0.001 or >0.999 if rounding would make a weight 0 or 1. A weight is never written as 1 if another one is
    positive, even if float64 rounds it to 1.
    """
    weights = np.asarray(row, dtype=np.float64)
    shared = int((weights > 0).sum()) > 1
    least, most, unit = ("0.1", "99.9", " %") if percent else ("0.001", "0.999", "")

    def text(weight: float) -> str:
        rounded = f"{100 * weight:.1f}" if percent else f"{weight:.3f}"
        if weight > 0 and float(rounded) == 0:
            return f"<{least}{unit}"
        return (f">{most}" if (weight < 1 or shared) and float(rounded) > float(most) else rounded) + unit

    return [text(float(weight)) for weight in weights]


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
    if float(f"{mantissa}e{exponent}") == value:  # a rounded number keeps its zeros, to show that it is rounded
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
