"""The ledger: every worked number and checkable claim of the lecture notes, recomputed and judged."""

from __future__ import annotations

from typing import Any

import numpy as np

from lessons.notes import n1, n1_lines, n2, n2_lines, n3, n3_lines, n4, n4_lines, n5, n5_lines
from utils.course.ledger.entry import Entry, Verdict, recomputed_verdict
from utils.show.cards import Card, card

MODULES = (n1, n2, n3, n4, n5)
PAGES = tuple(module.PAGE for module in (n1_lines, n2_lines, n3_lines, n4_lines, n5_lines))
LEDGER: dict[str, Entry] = {entry.id: entry for module in MODULES for entry in module.ENTRIES}

MARKS = {
    Verdict.RIGHT: "✓",
    Verdict.ROUNDED: "✓",
    Verdict.LOOSE: "≈",
    Verdict.WRONG: "✗",
    Verdict.BLANK: "□",
    Verdict.UNCONFIRMED: "?",
    Verdict.UNCLEAR: "(?)",
    Verdict.INCOMPLETE: "…",
}
TONES = dict.fromkeys(Verdict, "note") | {Verdict.RIGHT: "good", Verdict.ROUNDED: "good", Verdict.WRONG: "bad"}
_OURS = "(in our words)"


def note_check(*entry_ids: str) -> Card:
    """Show a card for each entry: what the notes print, what the machine computes now, what explains a difference.

    What is right takes two lines. What is not stays open where it teaches something (`takeaway`), else it is one line
    to unfold.
    Raises ValueError when there is no such entry.
    """
    if not entry_ids:
        raise ValueError('note_check takes the id of an entry: note_check("N3.softmax").')
    for entry_id in entry_ids:
        if entry_id not in LEDGER:
            raise ValueError(f"The ledger has no entry {entry_id!r}. It has: {', '.join(LEDGER)}.")
    cards = [_entry_card(LEDGER[entry_id]) for entry_id in entry_ids]
    return Card("".join(c.html for c in cards), "\n".join(c.text for c in cards))


def _entry_card(entry: Entry) -> Card:
    verdict = recomputed_verdict(entry)
    if verdict in (Verdict.RIGHT, Verdict.ROUNDED):
        return card("good", f"{MARKS[verdict]} {entry.note} is {verdict.value}: {printed(entry)}", [entry.explanation])
    lines = [f"printed: {printed(entry)}", f"computed: {computed(entry)}", entry.explanation]
    if entry.doubt:
        lines.insert(1, f"in doubt: {entry.doubt}")
    if entry.takeaway:
        lines.append(f"Without the page: {entry.takeaway}")
    headline = f"{MARKS[verdict]} {entry.note}, {entry.topic}: {verdict.value}"
    return card(TONES[verdict], headline, lines, closed=not entry.takeaway)


def printed(entry: Entry) -> str:
    """Return what the note prints, marked where the words are ours."""
    return f"{_OURS} {entry.printed}" if entry.paraphrase else entry.printed


def computed(entry: Entry) -> str:
    """Return the value that the machine computes for `entry`, as text with at most six decimals."""
    return entry.computed_text or in_numbers(entry.compute())


def in_numbers(value: Any) -> str:
    """Return a number or an array of them as text with at most six decimals; anything else as it is."""
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        return str(value)
    return np.array2string(
        array.astype(float) + 0.0,
        separator=", ",
        formatter={"float_kind": lambda x: f"{x:.6f}".rstrip("0").rstrip(".").replace("-", "−")},
    )
