"""One worked number or checkable claim of the lecture notes, as data with the function that recomputes it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from utils.course.ledger.compare import to_12_decimals


class Verdict(Enum):
    """What the machine says of a printed number or claim."""

    RIGHT = "right"
    ROUNDED = "right, rounded"
    LOOSE = "rounded loosely"
    WRONG = "wrong"
    BLANK = "left blank"
    UNCONFIRMED = "not confirmed here"
    UNCLEAR = "unclear in our copy"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True)
class Entry:
    """What a note says, and how a machine finds out whether it is so.

    `printed` is the note's text. Its numbers are read from that text, with the decimals that it shows;
    where the text holds no numbers to compare, `claims` says what it amounts to (a shape, True, …).
    `compute` gives the true value. `slip`, where one is known, gives the printed value from the mistake
    that explains it. Where the note leaves a blank, `filled_in` is what the lesson puts there. `elsewhere` marks a
    claim about another setting than the one that the lesson can measure: here it may hold or not, but not be refuted.
    The notes are transcripts made by a machine: `doubt` says what cannot be read with certainty in ours, and a
    difference is then nobody's error. `completed` gives what the note says once the part is added that it leaves out.
    `paraphrase` marks a `printed` in our words. `takeaway` is what a reader without the page can learn from the entry:
    its card stays open, while the card of a slip that teaches nothing is folded.
    `verdict` is what the lesson says; a test recomputes it.
    """

    id: str
    topic: str
    printed: str
    compute: Callable[[], Any]
    verdict: Verdict
    explanation: str
    claims: Any = None
    slip: Callable[[], Any] | None = None
    filled_in: str = ""
    elsewhere: bool = False
    doubt: str = ""
    completed: Callable[[], Any] | None = None
    paraphrase: bool = False
    takeaway: str = ""
    computed_text: str = ""  # how the page words a computed value that is no plain number

    @property
    def note(self) -> str:
        """The lecture note it stands in, such as N3."""
        return self.id.partition(".")[0]


def recomputed_verdict(entry: Entry) -> Verdict:
    """Return the verdict that follows from the printed and the computed value alone.

    Right: equal. Rounded: each number is within half a unit of its last printed place.
    Loosely rounded: within one unit. Left blank: the note prints nothing, and `filled_in` is right or rounded.
    Not confirmed: a claim about another setting that does not hold in ours. Anything else, or another shape, is wrong:
    but unclear where our copy is in doubt, and incomplete where adding what is left out gives what the note says.
    """
    verdict = _verdict_of_what_is_printed(entry)
    if verdict is not Verdict.WRONG:
        return verdict
    if entry.doubt:
        return Verdict.UNCLEAR
    if entry.completed is not None and _agrees(entry, entry.completed()):
        return Verdict.INCOMPLETE
    return Verdict.WRONG


def _verdict_of_what_is_printed(entry: Entry) -> Verdict:
    if entry.filled_in:
        filled = _judged_numbers(entry.filled_in, entry.compute())
        return Verdict.BLANK if filled in (Verdict.RIGHT, Verdict.ROUNDED) else Verdict.WRONG
    if entry.claims is not None:
        if _equal(entry.claims, entry.compute()):
            return Verdict.RIGHT
        return Verdict.UNCONFIRMED if entry.elsewhere else Verdict.WRONG
    return _judged_numbers(entry.printed, entry.compute())


def _agrees(entry: Entry, value: Any) -> bool:
    """Tell whether `value` is what the note claims, or prints."""
    if entry.claims is not None:
        return _equal(entry.claims, value)
    return _judged_numbers(entry.printed, value) in (Verdict.RIGHT, Verdict.ROUNDED)


def _judged_numbers(printed: str, truth: Any) -> Verdict:
    off = _units_off(printed, truth)
    if off == 0:
        return Verdict.RIGHT
    if off <= 0.5 + _HAIR:
        return Verdict.ROUNDED
    return Verdict.LOOSE if off < 1 - _HAIR else Verdict.WRONG


_HAIR = 1e-9  # float64 does not hold every half unit exactly


def _units_off(printed: str, value: Any) -> float:
    """Tell how far the printed numbers are from the value, in units of their last printed places: the farthest.

    Infinite where there are more or fewer of them.
    """
    numbers, decimals = printed_numbers(printed)
    value = np.ravel(value)
    if value.shape != numbers.shape:
        return np.inf
    # Rounded before it is scaled, or a difference in the last digit of float64 would grow with the decimals.
    return (to_12_decimals(np.abs(numbers - value)) * 10.0**decimals).max()


def slip_explains(entry: Entry) -> bool:
    """Tell whether the entry's slip gives what the note prints, to the decimals that it prints (cut or rounded)."""
    if entry.slip is None:
        raise ValueError(f"{entry.id} names no slip.")
    if entry.claims is not None:
        return _equal(entry.claims, entry.slip())
    return _units_off(entry.printed, entry.slip()) < 1 - _HAIR


def printed_numbers(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers after the last "=" (or in the whole text), flat, and how many decimals each shows.

    Raises ValueError when there are none.
    """
    found = re.findall(r"[-−]?\d+(?:\.\d+)?", text.rpartition("=")[2])
    if not found:
        raise ValueError(f"no number is printed in {text!r}")
    plain = [number.replace("−", "-") for number in found]
    return np.array(plain, dtype=float), np.array([len(number.partition(".")[2]) for number in plain])


def _equal(a: Any, b: Any) -> bool:
    return np.shape(a) == np.shape(b) and bool(np.all(np.asarray(a) == np.asarray(b)))
