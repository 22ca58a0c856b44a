"""What is said of a value or an error when no known mistake and no relation leads to it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from utils.course.exercises.findings import Finding, Kind, say
from utils.course.exercises.results import Opaque, named
from utils.course.exercises.values import as_array, has_parts, read, same_value, tolerance

_LONGEST = 200  # letters of a value that are shown in a sentence
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_NOTHING = 1e-12  # what is left of 0 after rounding is shown as 0


class FindingError(Exception):
    """What an exercise has seen of an answer, in a sentence of its own. Nothing of the student's has stopped."""


def of_an_error(error: BaseException) -> Finding:
    """Say that a function has stopped, and why; or what an exercise says of it."""
    if isinstance(error, FindingError):
        return say(Kind.KNOWN, sentence=str(error))
    return say(Kind.STOPS, error=type(error).__name__, message=_readable(message(error)))


def message(error: BaseException) -> str:
    """Return the text of `error`."""
    try:
        return str(error).strip() or "no message"
    except KeyboardInterrupt:
        raise
    except BaseException:
        return "it has a message that can't be read"


def of_a_value(value: Any, expected: Any, may_be_none: bool = False) -> Finding:
    """Say of a wrong `value` how it differs in kind, shape or length; `may_be_none`: None can be an answer, too."""
    if value is None and expected is not None and not may_be_none:
        return say(Kind.NOTHING)
    if value is None or expected is None or isinstance(expected, str | dict):
        return say(Kind.IS, own=_isolated(value), right=_isolated(expected))
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
            return say(Kind.IS_KIND, own=f"{array.size} numbers, of shape {array.shape}", wanted="one number")
        return say(Kind.SHAPE, own=array.shape, shape=right.shape)
    if not np.isfinite(array).all():
        if right.dtype == bool:
            return say(Kind.NO_TRUTH, own=str(array[~np.isfinite(array)][0]))
        if np.isfinite(right).all():
            return say(Kind.NAN if np.isnan(array).any() else Kind.INF)
    return say(Kind.NUMBER if right.ndim == 0 else Kind.NUMBERS)


def _of_no_numbers(value: Any, wanted: str) -> Finding:
    array = read(value)
    if array is not None and array.dtype.kind not in "OV" and has_parts(value):
        return say(Kind.IS_KIND, own=_called(array), wanted=wanted)
    if not isinstance(value, tuple | list):
        return say(Kind.IS_KIND, own=kind(value), wanted=wanted)
    others = [x for x in value if not has_parts(x) and as_array(x) is None]
    if others:
        return say(Kind.HOLDS, own=type(value).__name__, what=_isolated(others[0]))
    if isinstance(value, tuple):
        return say(Kind.IS_SEVERAL, own=_values(value), wanted=wanted)
    return say(Kind.UNEVEN, own=kind(value), wanted=wanted)


def _values(value: Sequence[Any]) -> str:
    """Return how many values these are, and what each is."""
    return f"{len(value)} value{'s' * (len(value) != 1)}, {' and '.join(map(_of_what, value))}"


def _of_what(part: Any) -> str:
    array = as_array(part)
    return kind(part) if array is None or array.ndim == 0 else f"an array of shape {array.shape}"


def _called(array: np.ndarray) -> str:
    return f"{'texts' if array.dtype.kind == 'U' else 'things'}, of the type {array.dtype}"


def _of_a_tuple(value: Any, expected: tuple[Any, ...]) -> Finding:
    if not isinstance(value, tuple | list):  # nor can one array be, since the values differ in shape
        one = f"one array of shape {value.shape}" if _is_plain(value) else kind(value)
        return say(Kind.IS_FEWER, own=one, wanted=len(expected))
    if len(value) != len(expected):
        return say(Kind.IS_FEWER, own=_values(value), wanted=len(expected))
    wrong = next(pair for pair in zip(value, expected, strict=True) if not same_value(*pair))
    return of_a_value(*wrong, may_be_none=True)


def _of_a_list(value: Any, expected: Sequence[Any]) -> Finding:
    """Say it of lists that hold no numbers, such as the pieces of a text."""
    if not has_parts(value):
        return say(Kind.IS_KIND, own=kind(value), wanted="a list")
    if len(value) != len(expected):
        return say(Kind.LENGTH, own=len(value), right=len(expected))
    at = next((i for i, (a, b) in enumerate(zip(value, expected, strict=True)) if not same_value(a, b)), 0)
    return say(Kind.ENTRY, at=at, own=_isolated(value[at]), right=_isolated(expected[at]))


# What the messages of Python, NumPy and PyTorch mean; \\1 is what the first pair of brackets holds.
_PLAINER = {
    "`and`, `or`, `if`, `max` and `min` need one value, but get a whole array. Write `&` or `|` between masks, and "
    "`maximum`, `minimum` or `where` between numbers": r"truth value of an array|Boolean value of Tensor",
    "a tensor that keeps a gradient can't become an array. Call `.detach()` on it first": r"that requires grad",
    "`cross_entropy` takes logits (positions, words) and ids (positions,), but gets more axes. Put the sentences "
    "into one long list first: `logits.flatten(0, 1)` and `ids.flatten()`": r"Expected target size",
    "`backward` finds no tensor that asks for gradients. Is `requires_grad_()` missing, or does `detach` or "
    "`no_grad` cut it off on the way?": r"does not require grad and does not have a grad_fn",
    "in Python `^` is not a power. Write `**` instead": r"^unsupported operand .* for \^:",
    r"\1. Something that you call returns nothing: "
    r"`append` and `sort`, for example, change a list and return None": r"(?s)^(.*NoneType.*?)\.?$",
    "a size or a position must be an integer, but `/` gives "
    "a float even if nothing is left over. Use `//`": r"'float' object cannot be interpreted as an integer",
    "the list has no such position. A "
    "list of n entries has the positions 0 to n − 1: do you go one too far?": r"^list index out of range",
    "an array of integers can't hold decimals. Create it "
    "with `dtype=float`": r"Cannot cast ufunc '(\w+)' output from dtype\('float\d+'\) to dtype\('u?int\d+'\)",
    r"a call of `\1` has too few arguments, so nothing is left for \2. You may have left out an earlier one: compare "
    r"their order": r"^([\w.]+)\(\) missing \d+ required positional arguments?: (.*?)\.?$",
    "the rows of an array must be equally long, but these differ in length": r"inhomogeneous shape",
    r"`\1` along an axis returns two things in PyTorch, the numbers and where they are. Take the numbers: "
    r"`.values`": r"torch\.return_types\.(max|min|sort|topk|median|mode)\b",
    "a function that you call returns several values. Take one": r"^unsupported operand .*'(tuple|MultiHead)'",
    r"shapes \1 and \2 do not fit entry by entry. Counted from the right, two axes must be equal, or one of them "
    r"1, as after `[:, None]`": r"^operands could not be broadcast together with shapes (\([\d,]+\)) (\([\d,]+\))",
    r"two tensors don't fit: along axis \3 one has \1 entries, the other \2. Print both shapes: each axis must be "
    r"equal, or 1, as after `[..., None]`": r"size of tensor a \((\d+)\) must .*tensor b \((\d+)\) .*dimension (\d+)",
    "the axes before those of a matrix product, or those of one letter in an `einsum`, "
    "do not fit each other": r"remapped shapes \[.*\]: .*->",  # not of `np.broadcast_to`, which remaps none
    r"the shapes of a matrix product do not fit. The left matrix has \2 columns, so the right one needs \2 rows, "
    r"but it has \1": r"(?s)^matmul:.*size (\d+) is different from (\d+)",
    r"the shapes of a matrix product do not fit. The left matrix has \2 columns, so the right one needs \2 rows, "
    r"but it has \3": r"^mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)",
    "`@` needs vectors or matrices, but gets a single number. Use `*` for a number": r"^matmul: .*enough dimensions",
}


def _readable(said: str) -> str:
    """What is `said`, in plainer words where it says little to a student, with a full stop."""
    plainer = ((pattern, re.search(pattern, said), plain) for plain, pattern in _PLAINER.items())
    found = next(((match, plain) for _, match, plain in plainer if match), None)
    readable = found[0].expand(found[1]) if found else said.rstrip(".")
    return readable if readable[-1] in "?!" else f"{readable}."


def is_close(value: Any, expected: Any) -> bool:
    """Return whether every number is within two hundredths of what it should be."""
    if isinstance(expected, tuple) and as_array(expected) is None:
        return has_parts(value) and len(value) == len(expected) and all(map(is_close, value, expected))
    array, right = as_array(value), as_array(expected)
    if array is None or right is None or array.shape != right.shape:
        return False
    return array.dtype.kind == "f" and bool(np.allclose(array, right, rtol=0.02, atol=1e-9))


def comparable(value: Any, expected: Any) -> bool:
    """Return whether `value` is of the expected kind, finite numbers or parts, so that more can be said of it."""
    array, right = as_array(value), as_array(expected)
    if right is None:
        of_another_number = isinstance(expected, tuple) and has_parts(value) and len(value) != len(expected)
        return has_parts(value) and has_parts(expected) and not of_another_number
    return array is not None and bool(np.isfinite(array).all() or not np.isfinite(right).all())


def has_another_shape(value: Any, expected: Any) -> bool:
    """Return whether both are arrays of numbers, and differ in shape."""
    array, right = as_array(value), as_array(expected)
    return array is not None and right is not None and array.shape != right.shape


def parts_of(values: Sequence[Any]) -> list[str]:
    """Return what the values of a tuple are called."""
    return [f"your {which} returned value" for which in _ORDINALS[: len(values)]]


def difference(value: Any, expected: Any, of: str = "your result", parts: Sequence[str] = ()) -> str:
    """Say which entry of a result, or of its `parts`, is the first to differ; "" where there is none to show."""
    if isinstance(expected, tuple) and has_parts(value) and len(value) == len(expected):
        each = zip(value, expected, parts or parts_of(expected), strict=True)
        return next((difference(a, b, part) for a, b, part in each if not same_value(a, b)), "")
    if (value is None) != (expected is None):
        return f"On the input below, {of} is {_isolated(value)}; it should be {_isolated(expected)}."
    array, right = as_array(value), as_array(expected)
    if array is None or right is None or array.shape != right.shape:
        return ""
    different = ~np.isclose(array, right, rtol=tolerance(array), atol=tolerance(array), equal_nan=True)
    if not different.any():
        return ""
    where = tuple(int(i) for i in np.argwhere(different)[0])
    place = f"entry [{', '.join(map(str, where))}] of {of}" if where else of
    is_, should = _apart(array[where], right[where])
    return f"On the input below, {place} is {is_}; it should be {should}."


def shown(value: Any) -> str:
    """Write one entry of a list as a sentence has it."""
    if isinstance(value, np.floating | float):
        return f"{value:.6g}"
    return str(value) if isinstance(value, np.generic) else repr(value)


def _apart(a: np.generic, b: np.generic) -> tuple[str, str]:
    """Write both numbers, with as many digits as it takes to see that they differ."""
    for digits in range(6, 18):
        shown = _number(a, digits), _number(b, digits)
        if shown[0] != shown[1]:
            break
    return shown


def _number(x: np.generic, digits: int) -> str:
    """Write a large whole number in full, since a count may be wrong in its last digit, and what rounding left as 0."""
    if x.dtype == bool:
        return str(x)
    whole = abs(x) >= 1e6 and x == np.round(x) if np.isfinite(x) else False
    return f"{x:,.0f}" if whole else f"{0 if abs(x) < _NOTHING else x:.{digits}g}"


def shapes(names: Sequence[str], inputs: Sequence[Any]) -> str:
    """Write the size of each argument."""
    described = []
    for name, value in zip(names, inputs, strict=True):
        array = as_array(value)
        size = f"shape {array.shape}" if array is not None and array.ndim else f"the value {value!r}"
        described.append(f"{name} has {size}")
    return ", ".join(described)


def written(names: Sequence[str], inputs: Sequence[Any]) -> str:
    """Write the input as a student could type it."""
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
