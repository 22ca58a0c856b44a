"""Define a pencil task, and judge typed numbers as right, as a known mistake, or as neither."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
_NEAR = 10  # units of the last place: the error that rounding on the way may cause


class Kind(Enum):
    """The kinds of verdict on typed numbers."""

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
    """The verdict on the numbers in one field, in one sentence."""

    kind: Kind
    sentence: str

    def __str__(self) -> str:
        return f"{_MARKS.get(self.kind, '✗')} {self.sentence}"


@dataclass(frozen=True, eq=False)
class Field:
    """A field of a task, and the correct numbers for it (`truth`).

    `slips` maps a tutor's sentence on a mistake to the results of that mistake, one or more. `follows` returns the
    numbers that follow from the numbers in the previous field, for a student who continued with wrong ones.
    """

    name: str  # an identifier
    asks: str
    truth: Numbers
    decimals: int
    slips: Mapping[str, Sequence[Numbers]]
    follows: Callable[[Numbers], Numbers] | None = None

    def written(self, numbers: Numbers | None = None) -> str:
        """Return `numbers`, or else the correct ones, as a student would type them."""
        shown = self.truth if numbers is None else numbers
        places = self.decimals or (0 if np.allclose(shown, np.round(shown)) else 2)
        return ", ".join(f"{number + 0.0:.{places}f}" for number in np.round(shown, places))

    def slips_at(self, numbers: Numbers, places: Numbers) -> list[str]:
        """Return the sentences on the mistakes that give `numbers`, each compared to its number of decimal `places`."""
        reach = 0.5 * 10.0**-places + 1e-9
        return [s for s, ways in self.slips.items() if any((abs(numbers - way) <= reach).all() for way in ways)]


@dataclass(frozen=True, eq=False)
class Task:
    """A task: its text, the given matrices by name, and the fields to fill in."""

    lesson: str
    text: str
    given: Mapping[str, Numbers]
    fields: tuple[Field, ...]
    row_names: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def is_fair(self) -> bool:
        """Return whether no mistake results in only zeros, in the correct numbers or in those of another mistake."""
        return all(
            asked.written(way).strip("0., ")
            and (verdict := judge(asked, asked.written(way))).kind is Kind.SLIP
            and verdict.sentence == sentence
            for asked in self.fields
            for sentence, ways in asked.slips.items()
            for way in ways
        )


def read_numbers(text: str) -> tuple[Numbers, Numbers]:
    """Return the numbers in a text and the number of decimal places of each.

    A blank, a semicolon or a comma separates two numbers; if there are blanks, a comma in a number is a decimal point.
    Raise ValueError with one sentence if a part is not a number.
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
    """Return a remark on each field, with credit for wrong numbers that follow correctly from wrong ones before."""
    verdicts, before = [], None
    for asked, text in zip(task.fields, typed, strict=True):
        verdicts.append(judge(asked, text, before))
        wrong = verdicts[-1].kind in (Kind.SLIP, Kind.FOLLOWS, Kind.NEAR, Kind.WRONG)
        before = read_numbers(text)[0] if wrong else None
    return verdicts


def judge(asked: Field, typed: str, before: Numbers | None = None) -> Remark:
    """Return the remark on the text `typed`, judged to the number of decimals that the field asks for.

    before: the numbers in the previous field, if they are wrong.
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
        with np.errstate(invalid="ignore"):  # the root of a negative number is NaN, which equals no number
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
