"""What the checker finds: a finding is a kind and its parts, and this is the one place that puts it into words."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

_BUT = "The numbers are right, but"


class Kind(Enum):
    """Every finding that there is, with what is said of it."""

    # a known mistake, and one change in what a right answer is given or does
    KNOWN = "{sentence}"
    TWO = "Two things at once. {one} And: {other}"
    ARGUMENT = "Your result is what comes out if {clause}."
    CHANGE = "Your result is what a right answer gives {clause}."
    # the right numbers in another arrangement
    TRANSPOSED = f"{_BUT} transposed: your rows are the columns, and your columns the rows."
    AXES = f"{_BUT} the axes stand in another order: {{order}} of what is expected."
    BACKWARDS = "The {lines} are right, but they run backwards."
    MOVED_ON = f"{_BUT} the {{lines}} have moved on by one: {{which}}."
    REORDERED = "The {lines} are right, but they stand in another order."
    RESHAPED = "The numbers are right, and in their order, but the shape is {own}; it should be {shape}."
    # too few of them, or too many
    ONE_LINE = "That is the {which} {line} alone, and it is right. All of them are asked for."
    MISSING = "The {which} {line} is missing; the others are right."
    TOO_MANY = "There is one {line} too many, the {which} one; the others are right."
    ONE_ASKED = "Only the {which} {line} of yours is asked for."
    COMBINED = "The right numbers, but {how}{along}: each of them should stay by itself."
    NOT_ADDED = "These have not been added up yet: {total} is what is asked for."
    LAST_STEP = "The last step is missing: {step}."
    SIZE = "The number of {lines} is {own} in yours; it should be {right}."
    ENDS_EARLY = "Right as far as it goes, but it ends too early."
    UP_TO = "Right up to entry {at}, counted from 0. There yours has {own}; it should be {right}."
    # every entry changed in one way
    STEP_TOO_MANY = "That is the {step} of the right result: one {short} too many."
    STEP_MISSING = "The {step} is missing: that of yours is right."
    DONE_TOO_MUCH = "You divide {what}, which is not asked for."
    YET_TO_DO = "Divide {what}: that would be right."
    INVERTED = "Yours is inverted: True where it should be False, and the reverse."
    ONE_MINUS = "Every entry is 1 minus what it should be."
    RECIPROCAL = "Yours is 1 divided by the right result: what is above and below the line has changed places."
    NO_SIGNS = "The sizes are right, but the signs are gone."
    CUT = (
        "Yours are integers, which hold no decimals, and the right numbers have some. Is there an array of integers, "
        "an `int(…)` or a `//`?"
    )
    ROUNDED = "Your result is rounded to {decimals} decimals. Keep all of them on the way."
    SIGN = "The sign is turned everywhere: a minus is missing, or one too many."
    OFF_BY = "{which} is the right one {how} {number}."
    OFF_BY_SOME = "{which} is the right one {how} one number, here {number}, and another one for each input."
    OFF_BY_LINE = "Each {line} is the right one {how} a number of its own, here {numbers}. Look at what {what}."
    SHARPNESS = "It is a softmax of the right scores, but {by} as large as they should be. Look at the scale before it."
    PLUS_ARGUMENT = "Your result is the right one {sign} `{name}`."
    UNCHANGED = "Your result is `{name}`, as it came in. Nothing has been done to it."
    CONSTANT = "All your entries are alike, {number}. They should differ."
    ONE_NUMBER = "Your number is {number} each time."
    # which part is right, and which is not
    MOSTLY = "Most of it is right: it differs in {wrong} of {size} entries, the first at {at}. What is special there?"
    TOO_MUCH_TRUE = "All that should be True is True, and more besides: the entry at {at} should be False."
    TOO_LITTLE_TRUE = "Nothing is True that should not be. But the entry at {at} should be True, and is False."
    BOTH_WAYS = "Wrong both ways: here the entry at {at} should be {right}."
    SUMS = "{which} to {sum}; it should be 1{instead}."
    NEGATIVE = "Yours holds a number below 0, {number}. Shares never are: that is what the exponential is for."
    # several things, and lists
    PARTS_ORDER = "The things that you return are right, but in another order."
    NAMED_PART = "{part}: {inner} All else is right."
    NAMED_PARTS = "Not right yet: {wrong}. {part}: {inner}"
    DIFFERS_FROM = "{own} in yours; it should be {right}."
    OF_VALUE = "{said}"
    LIST_FIRST = "Only the first entry is there, and it is right. Does a `return` end the loop after one round?"
    # for which inputs it is right, and what it takes notice of
    EQUAL_SIZES = "{well} where {a} and {b} are equal, {ill} where they differ. Is one taken for the other?"
    ONE_SIZE = "{well} where {name} is {size}, {ill} where it is another.{question}"
    UNUSED = "Your result stays the same when `{name}` changes, on each input that was tried. It has to be used."
    DEPENDS = "On this input, if {line} of `{name}` changes, your entry at {at} changes. It should not."
    STAYS = (
        "On this input, if {line} of `{name}` changes, the entry at {at} should change with it. Yours stays as it is."
    )
    SOME_INPUTS = "Right on {right} of {all} ordinary inputs. On the others: {inner}"
    ORDINARY = "On ordinary inputs: {inner}"
    EXTREMES = "Right on ordinary inputs, but not on an extreme one. {inner}"


# These tell only where a result is wrong; all others tell what was done.
_PLACES = {
    Kind.SIZE, Kind.ENDS_EARLY, Kind.UP_TO, Kind.OFF_BY_LINE, Kind.ONE_NUMBER,
    Kind.MOSTLY, Kind.TOO_MUCH_TRUE, Kind.TOO_LITTLE_TRUE, Kind.BOTH_WAYS, Kind.SUMS, Kind.NEGATIVE,
    Kind.NAMED_PARTS, Kind.DIFFERS_FROM, Kind.OF_VALUE, Kind.EQUAL_SIZES,
    Kind.ONE_SIZE, Kind.DEPENDS, Kind.STAYS, Kind.SOME_INPUTS, Kind.EXTREMES,
}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One input, by the names of its arguments, with what came of it and what should have."""

    inputs: dict[str, Any]
    given: Any
    right: Any


@dataclass(frozen=True)
class Finding:
    """What is true of an answer. `about` is the input that it speaks of, where it speaks of one alone."""

    kind: Kind
    parts: tuple[tuple[str, Hashable], ...] = ()
    about: Case | None = field(default=None, compare=False)

    @property
    def sentence(self) -> str:
        """What a card says of it."""
        said = {name: part.sentence if isinstance(part, Finding) else part for name, part in self.parts}
        return self.kind.value.format(**said)

    @property
    def is_a_place(self) -> bool:
        """Whether it tells only where the result is wrong, and not what was done."""
        inner = dict(self.parts).get("inner")
        return self.kind in _PLACES or (inner is not None and inner.is_a_place)


def say(kind: Kind, about: Case | None = None, **parts: Hashable) -> Finding:
    """Make a finding of a kind and its parts."""
    return Finding(kind, tuple(parts.items()), about)


def first_place(places: np.ndarray) -> str:
    """Write the first place at which `places` is True."""
    return str(np.argwhere(places)[0].tolist())


def number(x: float, digits: int = 4) -> str:
    """Write a number with a true minus."""
    return f"{x + 0:.{digits}g}".replace("-", "−")
