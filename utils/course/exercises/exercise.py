"""An exercise: a reference, fresh inputs, and the known wrong answers with the sentence each deserves.

`diagnose` compares a student's function with the reference. It never raises: whatever the function
does, the outcome is a Diagnosis in words.
"""

from __future__ import annotations

import copy
import inspect
import re
import traceback
import unicodedata
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

Inputs = tuple[Any, ...]


class Verdict(Enum):
    """How an answer stands."""

    NOT_TRIED = "not tried yet"
    PASSED = "passed"
    MISTAKE = "not yet"


@dataclass(frozen=True)
class WrongAnswer:
    """A mistake that students make: the function that makes it, and what a good tutor would say."""

    name: str
    function: Callable[..., Any]
    sentence: str


@dataclass(frozen=True)
class Exercise:
    """What `check` needs to know.

    `inputs` are the argument tuples that every answer meets, the ordinary ones first; `extremes` are
    tried after them and are there for mistakes that show only at large numbers.
    """

    name: str
    title: str
    reference: Callable[..., Any]
    inputs: Sequence[Inputs]
    wrong_answers: tuple[WrongAnswer, ...]
    extremes: Sequence[Inputs] = ()

    @property
    def lesson(self) -> str:
        """The two digits of the lesson that asks it."""
        return self.name.split(".")[0]


@dataclass(frozen=True)
class Diagnosis:
    """What `check` says: the verdict, one sentence, and where there is more to see, the details."""

    verdict: Verdict
    sentence: str
    details: str = ""
    mistake: str = ""  # the name of the known wrong answer, where one fits
    input_shown: str = ""  # the input on which it differs first, for reading


@dataclass(frozen=True)
class _Outcome:
    """What a function did with one input: the value it returned, or the exception it raised."""

    value: Any = None
    error: BaseException | None = None
    changed_inputs: bool = False


def diagnose(exercise: Exercise, answer: Any) -> Diagnosis:
    """Runs `answer` on the exercise's inputs and names the mistake, if there is one.

    A function that still raises NotImplementedError counts as not tried, not as wrong.
    """
    if not callable(answer):
        return Diagnosis(
            Verdict.MISTAKE,
            f"Hand over the function itself, without calling it: this is {_kind(answer)}, not a function.",
        )
    cases = [*exercise.inputs, *exercise.extremes]
    expected = [_run(exercise.reference, case) for case in cases]
    given = [_run(answer, case) for case in cases]
    if any(isinstance(outcome.error, NotImplementedError) for outcome in given):
        return Diagnosis(Verdict.NOT_TRIED, "Not tried yet. Write your code where the stub raises, and run the cell.")
    if any(outcome.changed_inputs for outcome in given):
        return Diagnosis(
            Verdict.MISTAKE,
            "Your function changes what it is given. Build a new array instead, "
            "so that whoever called you still has theirs.",
            mistake="changes its inputs",
        )
    wrong_cases = [i for i, (a, b) in enumerate(zip(given, expected, strict=True)) if not _agree(a, b)]
    if not wrong_cases:
        return Diagnosis(Verdict.PASSED, "Right: your function agrees with the reference on every input.")
    first = wrong_cases[0]
    names = list(inspect.signature(exercise.reference).parameters)
    details, shown = _details(answer, given[first], expected[first]), _written(names, cases[first])
    known = _known_mistake(exercise, cases, given, expected)
    if known is not None:
        return Diagnosis(Verdict.MISTAKE, known.sentence, details, known.name, shown)
    sentence = _plain_words(given[first], expected[first])
    if _has_another_shape(given[first], expected[first]):
        details = f"For this input, {_shapes(names, cases[first])}.{_borrowed(answer, given[first])}"
    return Diagnosis(Verdict.MISTAKE, sentence, details, input_shown=shown)


def _run(function: Callable[..., Any], inputs: Inputs) -> _Outcome:
    own = copy.deepcopy(inputs)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            value = function(*own)
    except (Exception, SystemExit) as error:
        return _Outcome(error=error)
    return _Outcome(value, changed_inputs=not all(map(_same_value, own, inputs)))


def _known_mistake(
    exercise: Exercise, cases: Sequence[Inputs], given: Sequence[_Outcome], expected: Sequence[_Outcome]
) -> WrongAnswer | None:
    """The known wrong answer that does what the student's does: everywhere, or at least on all ordinary inputs.

    The second look catches two mistakes in one function, of which one shows only at large numbers.
    """
    outcomes = [(wrong, [_run(wrong.function, case) for case in cases]) for wrong in exercise.wrong_answers]
    for upto in (len(cases), len(exercise.inputs)):
        if _all_agree(given[:upto], expected[:upto]):
            return None  # the mistake lies in the extremes alone
        for wrong, outcome in outcomes:
            if _all_agree(given[:upto], outcome[:upto]):
                return wrong
    return None


def _all_agree(some: Sequence[_Outcome], others: Sequence[_Outcome]) -> bool:
    return all(map(_agree, some, others))


def _agree(a: _Outcome, b: _Outcome) -> bool:
    if a.error is not None or b.error is not None:
        return type(a.error) is type(b.error)
    return _same_value(a.value, b.value)


def _same_value(a: Any, b: Any) -> bool:
    if isinstance(b, tuple | list) and any(isinstance(x, np.ndarray) for x in b):
        return _has_parts(a) and len(a) == len(b) and all(map(_same_value, a, b))
    if isinstance(b, np.ndarray | np.number | float) or type(b) is int:
        array = _as_array(a)
        return array is not None and array.shape == np.shape(b) and _close(array, np.asarray(b))
    try:
        return type(a) is type(b) and bool(np.all(a == b))
    except ValueError:  # a list of arrays can't be compared with a list of lists
        return False


def _has_parts(value: Any) -> bool:
    """Whether `value` can stand for several returned things: two rows of one array are two things as well."""
    return isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _close(a: np.ndarray, b: np.ndarray) -> bool:
    # A float32 answer carries seven digits; it is no mistake to have computed in float32.
    tolerance = 1e-4 if a.dtype in (np.float32, np.float16) else 1e-8
    return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True))


def _as_array(value: Any) -> np.ndarray | None:
    try:
        array = np.asarray(value)
    except Exception:
        return None
    return array if array.dtype.kind in "biuf" else None


def _plain_words(given: _Outcome, expected: _Outcome) -> str:
    if given.error is not None:
        return f"Your function stops with {type(given.error).__name__}: {_readable(given.error)}."
    if given.value is None:
        return "Your function returns nothing. Is the `return` missing?"
    if isinstance(expected.value, tuple):
        return _plain_words_about_a_tuple(given.value, expected.value)
    if isinstance(expected.value, list) and _as_array(expected.value) is None:
        return _plain_words_about_a_list(given.value, expected.value)
    array, right = _as_array(given.value), np.asarray(expected.value)
    if array is None:
        return _plain_words_about_no_numbers(given.value, "a number" if right.ndim == 0 else "an array of numbers")
    if array.shape != right.shape:
        if right.ndim == 0:
            return f"Your function returns {array.size} numbers, of shape {array.shape}; one number is expected."
        return f"The shape is {array.shape}; it should be {right.shape}."
    if np.array_equal(array, right):
        return f"The numbers are right, but this is {_kind(given.value)}; {_kind(expected.value)} is expected."
    if np.isnan(array).any():
        return "Your result holds nan, “not a number”: something has overflowed, or 0 was divided by 0."
    if _is_rounded(array, right) or np.allclose(array, right, rtol=0.02, atol=1e-3):
        return "Very close, but not exact. Is something rounded on the way, or an ε added?"
    return "The number is not right yet." if right.ndim == 0 else "The shape is right, the numbers are not yet."


def _is_rounded(array: np.ndarray, right: np.ndarray) -> bool:
    """Whether `array` is `right` to some number of decimals, which can make a small number another one altogether."""
    if right.dtype.kind != "f":  # a count or a mask has no decimals
        return False
    return any(np.allclose(array, np.round(right, decimals), rtol=0, atol=1e-9) for decimals in range(1, 7))


def _plain_words_about_no_numbers(value: Any, expected: str) -> str:
    if not isinstance(value, tuple | list):
        return f"Your function returns {_kind(value)}; {expected} is expected."
    others = [x for x in value if not isinstance(x, tuple | list) and _as_array(x) is None]
    if others:
        return f"Your {type(value).__name__} holds {others[0]!r}, which is no number."
    return f"Your function returns {_kind(value)} whose rows differ in length; {expected} is expected."


def _readable(error: BaseException) -> str:
    """The message of `error`; those that say little to a student are put into plainer words."""
    message = str(error).strip() or "no message"
    if "truth value of an array" in message:
        return (
            "Python's own `max`, `min`, `if`, `and` and `or` want one number, and got a whole array. NumPy's "
            "`np.maximum`, `np.minimum` and `np.where` take arrays"
        )
    if re.search(r"^unsupported operand .* for \^:", message):
        return "in Python `^` is no power. To the power of is `**`"
    if "inhomogeneous shape" in message:
        return "an array needs rows of one length, and these differ in length"
    several = re.search(r"^unsupported operand .*'(MultiHead|tuple)'", message)
    if several is not None:
        which = ", such as `.output`" if several[1] == "MultiHead" else ""
        return f"a function that you call gives several things at once. Take the one that you need{which}"
    apart = re.search(r"^operands could not be broadcast together with shapes \((\d+),\) \((\d+),(\d+)\)", message)
    if apart is not None:
        hint = " To give each row its own number, make a column of them: `x[:, None]`" * (apart[1] == apart[2])
        return f"shapes ({apart[1]},) and ({apart[2]}, {apart[3]}) do not fit entry by entry.{hint}".rstrip(".")
    sizes = re.search(r"^matmul:.*size (\d+) is different from (\d+)", message, flags=re.DOTALL)
    if sizes is None:
        return message.rstrip(".")
    return (
        "the shapes of a matrix product do not fit. The left matrix has "
        f"{sizes[2]} columns, so the right one needs {sizes[2]} rows, and it has {sizes[1]}"
    )


def _has_another_shape(given: _Outcome, expected: _Outcome) -> bool:
    array, right = _as_array(given.value), _as_array(expected.value)
    return given.error is None and array is not None and right is not None and array.shape != right.shape


def _borrowed(answer: Callable[..., Any], given: _Outcome) -> str:
    """A question, if the student's code reads a value of the notebook, or writes out a size that it returns."""
    try:
        names = inspect.getclosurevars(answer).globals.items()
        constants = answer.__code__.co_consts
    except (TypeError, ValueError, AttributeError):  # a callable that is no plain function
        return ""
    used = [f"the notebook's `{name}`" for name, value in names if not callable(value) and not inspect.ismodule(value)]
    written = {size for constant in constants for size in (constant if isinstance(constant, tuple) else (constant,))}
    used += [f"the number {size}" for size in np.shape(given.value) if size > 2 and size in written]
    return f" Does your function use {used[0]}, where it should use what it is given?" if used else ""


def _shapes(names: Sequence[str], inputs: Inputs) -> str:
    described = []
    for name, value in zip(names, inputs, strict=True):
        array = _as_array(value)
        size = f"shape {array.shape}" if array is not None and array.ndim else f"the value {value!r}"
        described.append(f"{name} has {size}")
    return ", ".join(described)


def _written(names: Sequence[str], inputs: Inputs) -> str:
    """The input as a student could type it."""
    with np.printoptions(precision=4, suppress=True, floatmode="maxprec"):
        return "\n".join(f"{name} = {_as_typed(value)}" for name, value in zip(names, inputs, strict=True))


def _plain_words_about_a_tuple(value: Any, expected: tuple[Any, ...]) -> str:
    if not _has_parts(value):
        return f"Your function returns {_kind(value)}; {len(expected)} things are expected, separated by commas."
    if len(value) != len(expected):
        return f"Your function returns {len(value)} things; {len(expected)} are expected."
    number, (a, b) = next(
        (i, pair) for i, pair in enumerate(zip(value, expected, strict=True), 1) if not _same_value(*pair)
    )
    return f"Number {number} of the returned things: " + _plain_words(_Outcome(a), _Outcome(b))


def _plain_words_about_a_list(value: Any, expected: list[Any]) -> str:
    """For lists that hold no numbers, such as the pieces of a text."""
    if not isinstance(value, list):
        return f"Your function returns {_kind(value)}; a list is expected."
    if len(value) != len(expected):
        return f"Your list has {len(value)} entries; it should have {len(expected)}."
    place = next((i for i, (a, b) in enumerate(zip(value, expected, strict=True)) if not _same_value(a, b)), 0)
    return (
        f"Entry {place} of your list, counted from 0, is {_isolated(value[place])}; it should be "
        f"{_isolated(expected[place])}."
    )


def _isolated(value: Any) -> str:
    """`value` as Python writes it; with Persian words in it, set so that they leave the sentence's order alone."""
    text = _as_typed(value)
    if all(unicodedata.bidirectional(letter) not in ("R", "AL") for letter in text):
        return text
    return f"\N{LEFT-TO-RIGHT ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"


def _as_typed(value: Any) -> str:
    """`value` as Python writes it, but with the joiners of Persian words as themselves, not as escapes."""
    return repr(value).replace("\\u200c", "\N{ZERO WIDTH NON-JOINER}")


def _details(answer: Callable[..., Any], given: _Outcome, expected: _Outcome) -> str:
    if given.error is not None:
        return _student_line(answer, given.error)
    array, right = _as_array(given.value), _as_array(expected.value)
    if array is None or right is None or array.shape != right.shape:
        return ""
    different = ~np.isclose(array, right, rtol=1e-8, atol=1e-8, equal_nan=True)
    if not different.any():
        return ""
    where = tuple(int(i) for i in np.argwhere(different)[0])
    place = f"the entry at [{', '.join(map(str, where))}]" if where else "the result"
    return f"For one of the inputs {place} is {_number(array[where])}; it should be {_number(right[where])}."


def _number(x: np.number) -> str:
    """Six digits, but a large whole number in full: a count may be wrong in its last digit."""
    return f"{x:,.0f}" if abs(x) >= 1e6 and x == np.round(x) else f"{x:.6g}"


def _student_line(answer: Callable[..., Any], error: BaseException) -> str:
    """The last line of the student's cell that the exception passed through, not one of a function that it calls."""
    cell = getattr(getattr(answer, "__code__", None), "co_filename", None)
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == cell]
    if not own:
        return ""
    return f"It happens in line {own[-1].lineno} of your cell: {own[-1].line}"


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
