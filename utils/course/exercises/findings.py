"""Define every sentence of the feedback. A finding is a kind of sentence and the parts to insert.

Each sentence says what the code does, why that is wrong, and what to do next. It names the student's result, line or
arguments, but no name that occurs only in the course's solution.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

_BUT = "The numbers are correct, but"
_COMPARE = "Compare both results on the input below, then open the next hint."


class Kind(Enum):
    """The kinds of finding, each with its sentence."""

    # before the results are compared
    NO_FUNCTION = "Pass the function itself, without calling it: this is {what}, not a function."
    NOT_TRIED = "Not tried yet. Replace the `raise` line with your code, and run the cell."
    NO_LETTER = "Not tried yet. Replace the `raise` line with a `return` of your letter, and run the cell."
    CALLS_STUB = (
        "Not tried yet: your function calls `{name}`, which is not written yet. Write `{name}` first, and run its cell."
    )
    STUB_ABOVE = (
        "Not tried yet: the `raise` in line {line} of your cell stops it. Replace it with your code, or delete it."
    )
    FAULT = "The fault is ours: the course's own solution stops here with {error}. Yours was not checked."
    CHANGES_INPUT = "Your function changes `{name}`, which belongs to the caller. Build a new {kind} instead."
    TWO_RESULTS = (
        "Called twice with the same input, your function returns two different results. Compute the result from the "
        "arguments alone: no random draw and no global variable."
    )
    KEEPS = "Your function adds to the default `{name}`, which is kept from call to call. Create it inside instead."
    ID_IS_FLOAT = "The number is correct, but it is a float, and `table[3.0]` raises an error. Return an int."
    PASSED = "Correct: your function agrees with the reference on every input."
    PASSED_AS_USUAL = (
        "Correct with the usual settings. This notebook has set {unusual}, with which your function {does}: undo that "
        "before you continue."
    )
    CHOSEN = "Correct: {because}"
    CHOICES = "Return one of these letters, in quotation marks: {letters}."
    # a known mistake, or a FindingError of an exercise
    KNOWN = "{sentence}"
    KNOWN_AND = "You have two mistakes. {sentence} When you have corrected that, this one will be left: {inner}"
    # the function raises an error, or returns something other than numbers
    STOPS = "Your function stops with {error}: {message}"
    WITHOUT_SELF = "You call `{name}`, but the part that you made in `__init__` is `self.{name}`. Put `self.` in front."
    ALL_AXES = "`{name}.T` reverses all {n} axes of `{name}`. Swap only the last two: `{name}.swapaxes(-1, -2)`."
    NOTHING = "Your function returns nothing. Is the `return` missing? (`append` and `sort` return None.)"
    NOTHING_HERE = "Your function returns nothing on this input. Which path through your code has no `return`?"
    IS = "Your function returns {own}; it should be {right}."
    IS_KIND = "Your function returns {own}, but {wanted} is expected."
    IS_SEVERAL = (
        "Your function returns {own}, but {wanted} is expected. Return only the one that the exercise asks for."
    )
    IS_FEWER = "Your function returns {own}, but {wanted} values are expected, separated by commas."
    UNEVEN = "Your function returns {own} whose parts differ in length or kind, but {wanted} is expected."
    HOLDS = "Your {own} contains {what}, but it should contain only numbers. Which case does your code leave out?"
    SHAPE = "Your result has shape {own}; it should be {shape}."
    NO_TRUTH = "Your result contains {own}, but it should contain only True and False."
    INF = (
        "Your result contains inf: a number too large for the computer. Look for e to a large power, a division by 0 "
        "or the logarithm of 0."
    )
    NAN = (
        "Your result contains nan, “not a number”. It comes from 0/0, ∞ − ∞, ∞/∞ or 0 · ∞, or from the root or the "
        "logarithm of a negative number. Print each step on the input below: which is the first with nan or inf?"
    )
    LENGTH = "Your list has {own} entries; it should have {right}."
    ENTRY = "Entry {at} of your list (counting from 0) is {own}; it should be {right}."
    # the correct numbers in another arrangement
    TRANSPOSED = f"{_BUT} transposed: your rows should be columns, and your columns rows."
    AXES = f"{_BUT} the axes are in a different order: yours are axes {{order}} of the expected array."
    BACKWARDS = "The {lines} are correct, but in reverse order. Reverse the order."
    MOVED_ON = f"{_BUT} all {{lines}} have moved by one: {{which}}. Check where you start counting."
    REORDERED = "The {lines} are correct, but in a different order."
    RESHAPED = f"{_BUT} their shape is {{own}}; it should be {{shape}}. Reshape them."
    # too few numbers, or too many
    ONE_LINE = "You return only the {which} {line}, which is correct. Return all of them."
    MISSING = "The {which} {line} is missing; the others are correct."
    TOO_MANY = "You have one {line} too many, the {which} one. The others are correct."
    ONE_ASKED = "Return only the {which} {line} of your result."
    COMBINED = "These are the correct numbers, but {how}{along}. Keep them separate."
    NOT_ADDED = "Your numbers are not added up yet. Return {total}."
    LAST_STEP = "One step is missing at the end: {step}."
    ENDS_EARLY = "Correct so far, but your result stops too early."
    UP_TO = "Correct up to entry {at} (counting from 0), where you have {own}; it should be {right}."
    FIRST_ONLY = "You return only the first entry, which is correct. Does a `return` end your loop after one round?"
    # every entry changed in one way
    STEP_TOO_MANY = "You get the {step} of the correct result. Leave that step out."
    STEP_MISSING = "Take the {step} of your result: that step is missing."
    DONE_TOO_MUCH = "You divide {what}, but this exercise doesn't need that."
    YET_TO_DO = "Your result is not divided yet. Divide {what}."
    INVERTED = "You have True where it should be False, and False where it should be True. Invert your condition."
    ONE_MINUS = "Each entry is 1 minus the correct one."
    RECIPROCAL = "You get 1 divided by the correct result. Have you swapped numerator and denominator?"
    NO_SIGNS = "Your numbers have the correct size, but they have lost their signs."
    CUT = (
        "You get integers, which drop the decimals of the correct result. Look for an array of integers "
        "(`dtype=int`, or one made from whole numbers), an `int(…)` or a `//`."
    )
    ROUNDED = "You round your result to {decimals} decimals. Keep all of them."
    SIGN = "Every number has the opposite sign: you have a minus too many, or one is missing."
    OFF_BY = (
        "{which} is the correct one {how} {number}. Find the step that does this, or the missing one that undoes it."
    )
    OFF_BY_SOME = (
        "{which} is the correct one {how} a number that changes from input to input, {number} on the one below. Where "
        "does it come from?"
    )
    OFF_BY_LINE = "Each {line} is the correct one {how} a number of its own, here {numbers}. Look at what {what}."
    SHARPNESS = "You apply the softmax to scores that are {by} as large as the correct ones. Check the scale before it."
    PLUS_ARGUMENT = "You get the correct result {sign} `{name}`."
    UNCHANGED = "You return `{name}` as it came in. Nothing has been done to it."
    CONSTANT = "All your entries are {number}, but they should differ."
    ONE_NUMBER = "You return {number} for every input, but it should differ."
    # the use of an argument
    SWAPPED = "You have swapped `{a}` and `{b}`: each is where the other should be."
    TAKEN_FOR = "You use `{b}` where `{a}` should be."
    UNUSED = "Changing `{name}` never changed your result. Does your function use it?"
    BORROWED = "Your function uses the notebook's `{name}`. Should it use one of its arguments instead?"
    # which part is correct, and which is not
    MOSTLY = "Mostly correct: {wrong} of {size} entries differ, the first at {at}. What is special there?"
    TOO_MUCH_TRUE = "Every entry that should be True is True, but so are others: the one at {at} should be False."
    TOO_LITTLE_TRUE = "Every entry that should be False is False, but so are others: the one at {at} should be True."
    SUMS = "{which} to {sum}, but shares sum to 1{instead}. Check what you divide by, and along which axis."
    NEGATIVE = "You have a negative number, {number}, but shares can't be negative. Is the exponential missing?"
    PART_IS = "You have {own}; it should be {right}."
    PARTS_ORDER = "The values that you return are correct, but in the wrong order."
    ONE_PART = "Only this is not correct yet: {part}. {inner}"
    SOME_PARTS = "Not correct yet: {wrong}. Start with the first of them. {inner}"
    EXTREMES = "Correct on ordinary inputs, but not on an extreme one. {inner}"
    # no explanation: the result is only wrong
    CLOSE = (
        "Very close: within 2 % everywhere, but not exact. Look for an ε that is missing, misplaced or one "
        "too many, a rounded number, half precision, or a slope from a small step instead of the formula."
    )
    SOME_INPUTS = f"Correct on {{right}} of {{all}} inputs, but not on all. {_COMPARE}"
    COMPARE = _COMPARE
    NUMBER = f"The number is not correct yet. {_COMPARE}"
    NUMBERS = f"The shape is correct, but the numbers are not yet. {_COMPARE}"


@dataclass(frozen=True)
class Case:
    """One input, by the names of its arguments, with the given and the correct result."""

    inputs: dict[str, Any]
    given: Any
    right: Any


@dataclass(frozen=True)
class Finding:
    """A diagnosis of an answer: its kind, and the parts of its sentence."""

    kind: Kind
    parts: dict[str, Any] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """The sentence of the feedback."""
        said = {name: part.sentence if isinstance(part, Finding) else part for name, part in self.parts.items()}
        return self.kind.value.format(**said).rstrip()


def say(kind: Kind, /, **parts: Any) -> Finding:
    """Return a finding of this kind with these parts."""
    return Finding(kind, parts)


def first_place(places: np.ndarray) -> str:
    """Return the index of the first True in `places`, as text."""
    return str(np.argwhere(places)[0].tolist())


def number(x: float, digits: int = 4) -> str:
    """Return a number as text, with a real minus sign."""
    return f"{x + 0:.{digits}g}".replace("-", "−")
