"""Describe a wrong value or an error that no known mistake and no relation explains."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from utils.course.exercises.findings import Finding, Kind, say
from utils.course.exercises.results import Opaque, named
from utils.course.exercises.values import as_array, has_parts, read, same_value, tolerance

_LONGEST = 200  # the most letters to show of a value in a sentence
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_NOTHING = 1e-12  # smaller numbers come from rounding and are shown as 0


class FindingError(Exception):
    """The error for a mistake that an exercise itself finds in an answer, with its sentence; the answer raised none."""


def of_an_error(error: BaseException) -> Finding:
    """Return a finding on the error that a function raised, or with the sentence of a FindingError."""
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
    """Return a finding on how a wrong `value` differs in type, shape or length; `may_be_none`: None can be correct."""
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
    """Return the number of values, and the kind of each."""
    return f"{len(value)} value{'s' * (len(value) != 1)}, {' and '.join(map(_of_what, value))}"


def _of_what(part: Any) -> str:
    array = as_array(part)
    return kind(part) if array is None or array.ndim == 0 else f"an array of shape {array.shape}"


def _called(array: np.ndarray) -> str:
    return f"{'texts' if array.dtype.kind == 'U' else 'things'}, of the type {array.dtype}"


def _of_a_tuple(value: Any, expected: tuple[Any, ...]) -> Finding:
    if not isinstance(value, tuple | list):  # one array can't be correct, because the values differ in shape
        one = f"one array of shape {value.shape}" if _is_plain(value) else kind(value)
        return say(Kind.IS_FEWER, own=one, wanted=len(expected))
    if len(value) != len(expected):
        return say(Kind.IS_FEWER, own=_values(value), wanted=len(expected))
    wrong = next(pair for pair in zip(value, expected, strict=True) if not same_value(*pair))
    return of_a_value(*wrong, may_be_none=True)


def _of_a_list(value: Any, expected: Sequence[Any]) -> Finding:
    """Return a finding on a list without numbers, such as the pieces of a text."""
    if not has_parts(value):
        return say(Kind.IS_KIND, own=kind(value), wanted="a list")
    if len(value) != len(expected):
        return say(Kind.LENGTH, own=len(value), right=len(expected))
    at = next((i for i, (a, b) in enumerate(zip(value, expected, strict=True)) if not same_value(a, b)), 0)
    return say(Kind.ENTRY, at=at, own=_isolated(value[at]), right=_isolated(expected[at]))


# A plain explanation -> the pattern of an error message of Python, NumPy or PyTorch; \\1 is the pattern's first group.
_PLAINER = {
    "`and`, `or`, `not`, `if`, `max` and `min` need one value, but get a whole array. Write `&`, `|` or `~` for masks, "
    "and `maximum`, `minimum` or `where` for numbers": r"truth value of an array|Boolean value of Tensor",
    "a tensor that keeps a gradient can't become an array. Call `.detach()` on it first": r"that requires grad",
    "`cross_entropy` takes logits (positions, words) and ids (positions,), but gets more axes. Put the sentences "
    "into one long list first: `logits.flatten(0, 1)` and `ids.flatten()`": r"Expected target size",
    "`backward` finds no tensor that asks for gradients. Is `requires_grad_()` missing, or does `detach` or "
    "`no_grad` cut it off on the way?": r"does not require grad and does not have a grad_fn",
    "`backward` starts from one number, but gets several. Take their mean or sum first": r"only for scalar outputs",
    "`torch.sqrt` takes a tensor, but gets a plain number. Write its root as `** 0.5`": r"^sqrt\(\): argument",
    r"this notebook doesn't import `\1`. For a root, write `** 0.5`": r"^name '(np|math)' is not defined",
    "`nn.Sequential` takes modules, one after another and not in a list. Make each of them with parentheses, as in "
    "`nn.ReLU()`": r"is not a Module subclass",
    "in Python `^` is not a power. Write `**` instead": r"^unsupported operand .* for \^:",
    r"\1. Something that you call returns nothing: "
    r"`append` and `sort`, for example, change a list and return None": r"(?s)^(.*NoneType.*?)\.?$",
    "a size or a position must be an integer, but `/` gives "
    "a float even if nothing is left over. Use `//`": r"'float' object cannot be interpreted as an integer",
    "the list has no such position. A "
    "list of n entries has the positions 0 to n − 1: do you go one too far?": r"^list index out of range",
    "an array of integers can't hold decimals. Create it "
    "with `dtype=float`": r"Cannot cast ufunc '(\w+)' output from dtype\('float\d+'\) to dtype\('u?int\d+'\)",
    "`np.tril` and `np.triu` keep a triangle of a matrix, but get a single number. Make the matrix first, for example "
    "with `np.ones((n, n))`": r"^tri\(\) missing",
    "the second argument of `np.ones` or `np.zeros` is a type. Give the shape as one argument: "
    "`(n, n)`": r"^Cannot interpret '\d+' as a data type",
    "`.item()` gives a plain number, from which no gradient can flow back. Call `backward` on the loss "
    "itself": r"^'float' object has no attribute 'backward'",
    r"the inputs are NumPy arrays, which have no `\1`. Look for NumPy's name": (
        r"^'numpy\.ndarray' object has no attribute '(\w+)'"
    ),
    r"a call of `\1` has too few arguments, so nothing is left for \2": (
        r"^([\w.]+)\(\) missing \d+ required positional arguments?: (.*?)\.?$"
    ),
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
    r"the shapes of a matrix product do not fit. The left matrix has \1 columns, so the right one needs \1 rows, but "
    r"it has \2": r"^Expected size for first two dimensions of batch2 tensor to be: \[\d+, (\d+)\] but.*\[\d+, (\d+)\]",
    "`@` needs vectors or matrices, but gets a single number. Use `*` for a number": r"^matmul: .*enough dimensions",
}


def _readable(said: str) -> str:
    """Return the error message `said`, in plainer words if we have them, with a full stop."""
    plainer = ((pattern, re.search(pattern, said), plain) for plain, pattern in _PLAINER.items())
    found = next(((match, plain) for _, match, plain in plainer if match), None)
    readable = found[0].expand(found[1]) if found else said.rstrip(".")
    return readable if readable[-1] in "?!" else f"{readable}."


def is_close(value: Any, expected: Any) -> bool:
    """Return whether every number is within 2 % of the expected one."""
    if isinstance(expected, tuple) and as_array(expected) is None:
        return has_parts(value) and len(value) == len(expected) and all(map(is_close, value, expected))
    array, right = as_array(value), as_array(expected)
    if array is None or right is None or array.shape != right.shape:
        return False
    return array.dtype.kind == "f" and bool(np.allclose(array, right, rtol=0.02, atol=1e-9))


def comparable(value: Any, expected: Any) -> bool:
    """Return whether `value` has the expected kind, finite numbers or parts, so that a relation can be found."""
    array, right = as_array(value), as_array(expected)
    if right is None:
        of_another_number = isinstance(expected, tuple) and has_parts(value) and len(value) != len(expected)
        return has_parts(value) and has_parts(expected) and not of_another_number
    return array is not None and bool(np.isfinite(array).all() or not np.isfinite(right).all())


def has_another_shape(value: Any, expected: Any) -> bool:
    """Return whether both values are arrays of numbers and differ in shape."""
    array, right = as_array(value), as_array(expected)
    return array is not None and right is not None and array.shape != right.shape


def parts_of(values: Sequence[Any]) -> list[str]:
    """Return the names of a tuple's values in the feedback."""
    return [f"your {which} returned value" for which in _ORDINALS[: len(values)]]


def difference(value: Any, expected: Any, of: str = "your result", parts: Sequence[str] = ()) -> str:
    """Return a sentence on the first wrong entry of a result or of its `parts`, or "" if there is none to show."""
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
    """Return one entry of a list as text for a sentence."""
    if isinstance(value, np.floating | float):
        return f"{value:.6g}"
    return str(value) if isinstance(value, np.generic) else repr(value)


def _apart(a: np.generic, b: np.generic) -> tuple[str, str]:
    """Return both numbers as text, with enough digits to show that they differ."""
    for digits in range(6, 18):
        shown = _number(a, digits), _number(b, digits)
        if shown[0] != shown[1]:
            break
    return shown


def _number(x: np.generic, digits: int) -> str:
    """Return a number as text: large integers in full, since the last digit may be wrong, and rounding errors as 0."""
    if x.dtype == bool:
        return str(x)
    whole = abs(x) >= 1e6 and x == np.round(x) if np.isfinite(x) else False
    return f"{x:,.0f}" if whole else f"{0 if abs(x) < _NOTHING else x:.{digits}g}"


def shapes(names: Sequence[str], inputs: Sequence[Any]) -> str:
    """Return the shape or value of each argument, as text."""
    described = []
    for name, value in zip(names, inputs, strict=True):
        array = as_array(value)
        size = f"shape {array.shape}" if array is not None and array.ndim else f"the value {value!r}"
        described.append(f"{name} has {size}")
    return ", ".join(described)


def written(names: Sequence[str], inputs: Sequence[Any]) -> str:
    """Return the input as a student could type it."""
    with np.printoptions(precision=4, suppress=True, floatmode="maxprec"):
        return "\n".join(f"{name} = {_as_typed(value)}" for name, value in zip(names, inputs, strict=True))


def _isolated(value: Any) -> str:
    """Return the start of `value` as Python writes it, isolated so that Persian words don't reorder the sentence."""
    text = _as_typed(value)
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
    if all(unicodedata.bidirectional(letter) not in ("R", "AL") for letter in text):
        return text
    return f"\N{LEFT-TO-RIGHT ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"


def _as_typed(value: Any) -> str:
    """Return `value` as Python writes it, but with the joiners of Persian words unescaped."""
    return repr(value).replace("\\u200c", "\N{ZERO WIDTH NON-JOINER}")


def kind(value: Any) -> str:
    """Return the type or shape of `value`, with its article."""
    if isinstance(value, Opaque):
        return value.said
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}" + ("" if _is_plain(value) else f" that holds {_called(value)}")
    return named(type(value))


def _is_plain(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf"
