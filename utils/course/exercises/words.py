"""What is said of a result when no mistake is known that leads to it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from utils.course.exercises.results import Opaque, named
from utils.course.exercises.values import as_array, has_parts, read, same_value, tolerance

_LONGEST = 200  # letters of a value that are shown in a sentence
VERY_CLOSE = (
    "Very close, but not exact: within 2 % everywhere. Is an ε too many, missing or misplaced, a number cut short, or "
    "a slope taken by a step where a formula is asked for?"
)
TWO_RESULTS = (
    "Called twice with the same input, your function gives two results: compute them from the arguments alone, and "
    "neither draw at random nor keep anything from one call to the next, in a default such as `read=[]` or in a global."
)
STOPS_HERE = "On this input your function stops with an error."


class FindingError(Exception):
    """What an exercise has seen of an answer, in a sentence of its own. Nothing of the student's has stopped."""


def of_an_error(error: BaseException) -> str:
    """Say that a function has stopped, and why; or what an exercise says of it."""
    if isinstance(error, FindingError):
        return str(error)
    return f"Your function stops with {type(error).__name__}: {_readable(message(error))}"


def message(error: BaseException) -> str:
    """What `error` itself says."""
    try:
        return str(error).strip() or "no message"
    except KeyboardInterrupt:
        raise
    except BaseException:
        return "it has a message that can't be read"


def of_a_value(value: Any, expected: Any, may_be_none: bool = False) -> str:
    """One sentence about a wrong `value`; `may_be_none` says that None is an answer, too, not a missing return."""
    if value is None and expected is not None and not may_be_none:
        said = "Your function returns nothing. Is the `return` missing?"
        return f"{said} (`append` and `sort` change a list, and give None.)"
    if value is None or expected is None or isinstance(expected, str | dict):
        return f"Your function returns {_isolated(value)}; it should be {_isolated(expected)}."
    array, right = as_array(value), as_array(expected)
    if isinstance(expected, tuple) and (array is None or right is None):
        return _of_a_tuple(value, expected)
    if right is None and has_parts(expected):
        return _of_a_list(value, expected)
    right = np.asarray(expected)
    if array is None:
        called = "True and False" if right.dtype == bool else "numbers"
        several = f"{'a list' if isinstance(expected, list) else 'an array'} of {called}"
        return _of_no_numbers(value, "a number" if right.ndim == 0 else several)
    if array.shape != right.shape:
        if right.ndim == 0:
            return f"Your function returns {array.size} numbers, of shape {array.shape}; one number is expected."
        return f"The shape is {array.shape}; it should be {right.shape}."
    if right.dtype == bool and not np.isfinite(array).all():
        return f"Your result holds {array[~np.isfinite(array)][0]}; True and False are asked for."
    if not np.isfinite(array).all() and np.isfinite(right).all():
        return _of_no_finite_numbers(array)
    return "The number is not right yet." if right.ndim == 0 else "The shape is right, the numbers are not yet."


def _of_no_finite_numbers(array: np.ndarray) -> str:
    if not np.isnan(array).any():
        return (
            "Your result holds inf: a number too large for the computer, such as e to a large power, a division by 0, "
            "or the logarithm of 0."
        )
    return (
        "Your result holds nan, “not a number”. That is what 0/0, ∞ − ∞, ∞/∞ and 0 · ∞ give, and a root or a logarithm "
        "of a number below 0. Print the steps on this input: which is the first to hold inf or nan?"
    )


def _of_no_numbers(value: Any, expected: str) -> str:
    array = read(value)
    if array is not None and array.dtype.kind not in "OV" and has_parts(value):
        return f"Your function returns {_called(array)}; {expected} is expected."
    if not isinstance(value, tuple | list):
        return f"Your function returns {kind(value)}; {expected} is expected."
    others = [x for x in value if not has_parts(x) and as_array(x) is None]
    if others:
        return f"Your {type(value).__name__} holds {_isolated(others[0])}, which is no number."
    if isinstance(value, tuple):
        parts = " and ".join(_of_what(part) for part in value)
        return (
            f"Your function returns {len(value)} things, {parts}; {expected} is expected. Return only the one "
            "asked for."
        )
    return f"Your function returns {kind(value)} whose parts differ in length or in kind; {expected} is expected."


def _of_what(part: Any) -> str:
    array = as_array(part)
    return kind(part) if array is None or array.ndim == 0 else f"an array of shape {array.shape}"


def _called(array: np.ndarray) -> str:
    return f"{'texts' if array.dtype.kind == 'U' else 'things'}, of the type {array.dtype}"


def _of_a_tuple(value: Any, expected: tuple[Any, ...]) -> str:
    asked = f"{len(expected)} things are expected, separated by commas"
    if not isinstance(value, tuple | list):  # nor can one array be, since the things differ in shape
        one = f"one array of shape {value.shape}" if _is_plain(value) else kind(value)
        return f"Your function returns {one}; {asked}."
    if len(value) != len(expected):
        things = "one thing" if len(value) == 1 else f"{len(value)} things"
        return f"Your function returns {things}, {' and '.join(map(_of_what, value))}; {asked}."
    wrong = [(i, pair) for i, pair in enumerate(zip(value, expected, strict=True), 1) if not same_value(*pair)]
    number, (a, b) = wrong[0]
    if len(wrong) == len(expected) > 1:
        return f"None of the {len(wrong)} returned things is right yet. Number {number}: {of_a_value(a, b, True)}"
    return f"Number {number} of the returned things: {of_a_value(a, b, True)}"


def _of_a_list(value: Any, expected: Sequence[Any]) -> str:
    """For lists that hold no numbers, such as the pieces of a text."""
    if not has_parts(value):
        return f"Your function returns {kind(value)}; a list is expected."
    if len(value) != len(expected):
        return f"Your list has {len(value)} entries; it should have {len(expected)}."
    place = next((i for i, (a, b) in enumerate(zip(value, expected, strict=True)) if not same_value(a, b)), 0)
    return (
        f"Entry {place} of your list, counted from 0, is {_isolated(value[place])}; it should be "
        f"{_isolated(expected[place])}."
    )


# What Python, NumPy and PyTorch say, and what it means; \\1 is what stands in the first pair of brackets.
_PLAINER = (
    (
        r"truth value of an array",
        "Python's own `max`, `min`, `if`, `and` and `or` want one number, and got a whole array. NumPy's `np.maximum`, "
        "`np.minimum` and `np.where` take arrays",
    ),
    (r"that requires grad", "a tensor that keeps a gradient can't become an array. Let it go first: `.detach()`"),
    (
        r"Expected target size",
        "`cross_entropy` wants logits (places, words) and ids (places,), and got more axes. Put the sentences into one "
        "long list first: `logits.flatten(0, 1)` and `ids.flatten()`",
    ),
    (
        r"does not require grad and does not have a grad_fn",
        "what `backward` is called on hangs on no tensor that asks for gradients: `requires_grad_()` is missing, or "
        "something on the way is detached from it, by `detach` or `no_grad`",
    ),
    (r"^unsupported operand .* for \^:", "in Python `^` is no power. To the power of is `**`"),
    (
        r"(?s)^(.*NoneType.*?)\.?$",
        r"\1. Something that you call gives nothing: `append` and `sort` change a list, and give None",
    ),
    (
        r"'float' object cannot be interpreted as an integer",
        "a size or a place has to be a whole number. `/` gives a float even where it comes out even: `//`",
    ),
    (
        r"^list index out of range",
        "the list has no such place. One of n entries has the places 0 to n − 1: is the one behind the last asked for?",
    ),
    (
        r"Cannot cast ufunc '(\w+)' output from dtype\('float\d+'\) to dtype\('u?int\d+'\)",
        "an array of integers can't take decimals. Make it of floats: `dtype=float`",
    ),
    (r"inhomogeneous shape", "an array needs rows of one length, and these differ in length"),
    (
        r"^unsupported operand .*'(tuple|MultiHead)'",
        "a function that you call gives several things at once. Take the one that you need",
    ),
    (
        r"^operands could not be broadcast together with shapes \((\d+),\) \(\1,(\d+)\)",
        r"shapes (\1,) and (\1, \2) do not fit entry by entry. To give each row its own number, make a column of them: "
        "`x[:, None]`",
    ),
    (
        r"remapped shapes \[.*\]: .*->",  # not of `np.broadcast_to`, which remaps none
        "the sizes of the axes in front of a matrix product, or of one letter in an `einsum`, do not fit each other",
    ),
    (
        r"(?s)^matmul:.*size (\d+) is different from (\d+)",
        r"the shapes of a matrix product do not fit. The left matrix has \2 columns, so the right one needs \2 rows, "
        r"and it has \1",
    ),
)


def _readable(said: str) -> str:
    """What is `said`, in plainer words where it says little to a student, with a full stop."""
    plainer = ((pattern, re.search(pattern, said), plain) for pattern, plain in _PLAINER)
    found = next(((match, plain) for _, match, plain in plainer if match), None)
    readable = found[0].expand(found[1]) if found else said.rstrip(".")
    return readable if readable[-1] in "?!" else f"{readable}."


def is_close(value: Any, expected: Any) -> bool:
    """Whether every number is within two hundredths of what it should be."""
    if isinstance(expected, tuple) and as_array(expected) is None:
        return has_parts(value) and len(value) == len(expected) and all(map(is_close, value, expected))
    array, right = as_array(value), as_array(expected)
    if array is None or right is None or array.shape != right.shape:
        return False
    return array.dtype.kind == "f" and bool(np.allclose(array, right, rtol=0.02, atol=1e-9))


def comparable(value: Any, expected: Any) -> bool:
    """Whether `value` is of the kind that is expected, so that more can be said of it: finite numbers, or parts."""
    array, right = as_array(value), as_array(expected)
    if right is None:
        of_another_number = isinstance(expected, tuple) and has_parts(value) and len(value) != len(expected)
        return has_parts(value) and has_parts(expected) and not of_another_number
    return array is not None and bool(np.isfinite(array).all() or not np.isfinite(right).all())


def has_another_shape(value: Any, expected: Any) -> bool:
    """Whether both are arrays of numbers, and differ in shape."""
    array, right = as_array(value), as_array(expected)
    return array is not None and right is not None and array.shape != right.shape


def first_difference(value: Any, expected: Any) -> str:
    """The first entry that differs, and what it should be; "" where there is none to show."""
    array, right = as_array(value), as_array(expected)
    if array is None or right is None or array.shape != right.shape:
        return ""
    different = ~np.isclose(array, right, rtol=tolerance(array), atol=tolerance(array), equal_nan=True)
    if not different.any():
        return ""
    where = tuple(int(i) for i in np.argwhere(different)[0])
    place = f"the entry at [{', '.join(map(str, where))}]" if where else "the result"
    is_, should = _apart(array[where], right[where])
    return f"For one of the inputs {place} is {is_}; it should be {should}."


def one_is_none(value: Any, expected: Any) -> str:
    """Both answers, where one of them is None; "" where none is, or both are."""
    if (value is None) == (expected is None):
        return ""
    return f"For one of the inputs the result is {_isolated(value)}; it should be {_isolated(expected)}."


def shown(value: Any) -> str:
    """One entry of a list, as a sentence has it."""
    if isinstance(value, np.floating | float):
        return f"{value:.6g}"
    return str(value) if isinstance(value, np.generic) else repr(value)


def _apart(a: np.generic, b: np.generic) -> tuple[str, str]:
    """Both numbers, with as many digits as it takes to see that they differ."""
    for digits in range(6, 18):
        shown = _number(a, digits), _number(b, digits)
        if shown[0] != shown[1]:
            break
    return shown


def _number(x: np.generic, digits: int) -> str:
    """A large whole number in full: a count may be wrong in its last digit."""
    whole = abs(x) >= 1e6 and x == np.round(x) if np.isfinite(x) else False
    return f"{x:,.0f}" if whole else f"{x!s}" if x.dtype == bool else f"{x:.{digits}g}"


def shapes(names: Sequence[str], inputs: Sequence[Any]) -> str:
    """The size of each argument."""
    described = []
    for name, value in zip(names, inputs, strict=True):
        array = as_array(value)
        size = f"shape {array.shape}" if array is not None and array.ndim else f"the value {value!r}"
        described.append(f"{name} has {size}")
    return ", ".join(described)


def written(names: Sequence[str], inputs: Sequence[Any]) -> str:
    """The input as a student could type it."""
    with np.printoptions(precision=4, suppress=True, floatmode="maxprec"):
        return "\n".join(f"{name} = {_as_typed(value)}" for name, value in zip(names, inputs, strict=True))


def _isolated(value: Any) -> str:
    """The beginning of `value` as Python writes it; Persian words in it leave the sentence's order alone."""
    text = _as_typed(value)
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
    if all(unicodedata.bidirectional(letter) not in ("R", "AL") for letter in text):
        return text
    return f"\N{LEFT-TO-RIGHT ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"


def _as_typed(value: Any) -> str:
    """`value` as Python writes it, but with the joiners of Persian words as themselves, not as escapes."""
    return repr(value).replace("\\u200c", "\N{ZERO WIDTH NON-JOINER}")


def kind(value: Any) -> str:
    """What `value` is, with its article."""
    if isinstance(value, Opaque):
        return value.said
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}" + ("" if _is_plain(value) else f" that holds {_called(value)}")
    return named(type(value))


def _is_plain(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf"
