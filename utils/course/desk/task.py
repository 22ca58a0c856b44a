"""What a task with a pencil is made of, and how typed numbers are judged: right, a named mistake, or neither."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
_NEAR = 10  # units of the last place: so far off is what was rounded on the way


class Kind(Enum):
    """What can be said of typed numbers."""

    EMPTY = "nothing typed"
    UNREADABLE = "not so many numbers"
    RIGHT = "right"
    COARSE = "right as far as it goes"
    SLIP = "a known slip"
    FOLLOWS = "right after what was wrong before"
    NEAR = "rounded on the way"
    WRONG = "wrong"


_MARKS = {Kind.EMPTY: "○", Kind.UNREADABLE: "○", Kind.RIGHT: "✓", Kind.COARSE: "≈"}


@dataclass(frozen=True)
class Remark:
    """What is said of the numbers in one field."""

    kind: Kind
    sentence: str

    def __str__(self) -> str:
        return f"{_MARKS.get(self.kind, '✗')} {self.sentence}"


@dataclass(frozen=True, eq=False)
class Field:
    """Numbers that are asked for.

    `slips`: a tutor's sentence -> what comes out by that mistake, one way or more. `follows`: what is right after the
    numbers of the field before it, for those who went on with wrong ones.
    """

    name: str  # an identifier
    asks: str
    truth: Numbers
    decimals: int
    slips: Mapping[str, Sequence[Numbers]]
    follows: Callable[[Numbers], Numbers] | None = None

    def written(self, numbers: Numbers | None = None) -> str:
        """Return numbers as one would type them, the right ones unless given."""
        shown = self.truth if numbers is None else numbers
        places = self.decimals or (0 if np.allclose(shown, np.round(shown)) else 2)
        return ", ".join(f"{number + 0.0:.{places}f}" for number in np.round(shown, places))

    def slips_at(self, numbers: Numbers, places: Numbers) -> list[str]:
        """Return the mistakes that give these numbers, read to so many places each."""
        reach = 0.5 * 10.0**-places + 1e-9
        return [s for s, ways in self.slips.items() if any((abs(numbers - way) <= reach).all() for way in ways)]


@dataclass(frozen=True, eq=False)
class Task:
    """A task: what is given, in words and as matrices by their names, and the fields to fill in."""

    lesson: str
    text: str
    given: Mapping[str, Numbers]
    fields: tuple[Field, ...]
    row_names: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def is_fair(self) -> bool:
        """Tell whether each mistake gives numbers, not mere zeros, that are unlike the right ones and each other."""
        return all(
            asked.written(way).strip("0., ")
            and (verdict := judge(asked, asked.written(way))).kind is Kind.SLIP
            and verdict.sentence == sentence
            for asked in self.fields
            for sentence, ways in asked.slips.items()
            for way in ways
        )


def read_numbers(text: str) -> tuple[Numbers, Numbers]:
    """Return the numbers in a text and how many places each is written to.

    Between two of them stands a blank, a semicolon or a comma; where there are blanks, a comma in a number is a point.
    Raises ValueError with one sentence for what is not a number.
    """
    parts = [part.rstrip(",") for part in re.split(r"[\s;|\[\]()]+", text.replace("\N{MINUS SIGN}", "-"))]
    parts = [part for part in parts if part]
    if len(parts) == 1 and parts[0].count(",") > 0:
        parts = parts[0].split(",")
    numbers, places = [], []
    for part in (part.replace(",", ".") for part in parts):
        if not re.fullmatch(r"[+-]?(\d{1,9}\.?\d{0,12}|\.\d{1,12})", part):
            raise ValueError(f"“{part[:20]}” is not a number. Type them as 0.25, with a blank or a comma between two.")
        numbers.append(float(part))
        places.append(len(part.partition(".")[2]))
    return np.array(numbers), np.array(places, dtype=np.float64)


def judge_all(task: Task, typed: Sequence[str]) -> list[Remark]:
    """Judge each field. Wrong numbers that follow rightly from wrong ones before them get just that said."""
    verdicts, before = [], None
    for asked, text in zip(task.fields, typed, strict=True):
        verdicts.append(judge(asked, text, before))
        wrong = verdicts[-1].kind in (Kind.SLIP, Kind.FOLLOWS, Kind.NEAR, Kind.WRONG)
        before = read_numbers(text)[0] if wrong else None
    return verdicts


def judge(asked: Field, typed: str, before: Numbers | None = None) -> Remark:
    """Return what is to be said of `typed`, judged to the last place that is asked for.

    before: the numbers in the field before, where they are wrong.
    """
    try:
        numbers, places = read_numbers(typed)
    except ValueError as reason:
        return Remark(Kind.UNREADABLE, str(reason))
    if not len(numbers):
        return Remark(Kind.EMPTY, "nothing typed yet")
    if len(numbers) != len(asked.truth):
        return Remark(Kind.UNREADABLE, f"You typed {len(numbers)} of {len(asked.truth)} numbers.")
    last = np.full(len(numbers), float(asked.decimals)) if asked.decimals else places
    off = np.abs(numbers - asked.truth)
    right = off <= 0.5 * 10.0**-last + 1e-9
    if right.all():
        return Remark(Kind.RIGHT, "Correct.")
    if slips := asked.slips_at(numbers, last):
        return Remark(Kind.SLIP, " Or: ".join(slips))
    if (off <= 0.5 * 10.0**-places + 1e-9).all():
        return Remark(Kind.COARSE, f"Correct so far. Give {asked.decimals} decimals.")
    if slips := asked.slips_at(numbers, np.minimum(places, last)):
        return Remark(Kind.SLIP, " Or: ".join(slips))
    if asked.follows is not None and before is not None:
        with np.errstate(invalid="ignore"):  # the root of a negative number, which nothing equals
            followed = asked.follows(before)
        if (abs(numbers - followed) <= _NEAR * 10.0**-last).all():
            return Remark(Kind.FOLLOWS, "This follows correctly from your numbers above, so correct those first.")
    if asked.decimals and (off <= _NEAR * 10.0**-last).all():
        return Remark(Kind.NEAR, "Close, but the last decimals are off. Did you round on the way?")
    if not right.any():
        return Remark(Kind.WRONG, "Not correct, and not a mistake that we know. Work through the steps again.")
    which = [str(i) for i in np.flatnonzero(~right) + 1]
    again = "number " + which[0] if len(which) == 1 else f"numbers {', '.join(which[:-1])} and {which[-1]}"
    return Remark(Kind.WRONG, f"{right.sum()} of {len(right)} are correct. Look again at {again}.")
