"""The whole ledger on one page: a catalogue of all entries, made from the data, and how they are counted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from utils.course.ledger import LEDGER, MARKS, PAGES, TONES, computed, in_numbers, printed
from utils.course.ledger.entry import Entry, Verdict, printed_numbers, recomputed_verdict
from utils.course.ledger.sections import explained_in
from utils.course.lessons import NOTES, all_lessons
from utils.show.catalogue import CatalogueExplorer, Item

VERDICTS = tuple(verdict.value for verdict in Verdict)
AS_PRINTED, IN_OUR_WORDS = "as printed", "in our words"


def totals() -> NDArray[np.int64]:
    """Count the entries of each note (rows, N1 to N5) by verdict (columns, as `VERDICTS`), recomputed now."""
    counts = np.zeros((len(NOTES), len(VERDICTS)), dtype=np.int64)
    for entry in LEDGER.values():
        counts[NOTES.index(entry.note), VERDICTS.index(recomputed_verdict(entry).value)] += 1
    return counts


# The columns in which the notes print the numbers of position 1, in the ledger's order. N4 prints its last one twice.
_COLUMNS = {"N2": (0, 1, 2), "N4": (0, 1, 2, 3, 3)}


def printed_positions() -> dict[str, list[tuple[int, float, int]]]:
    """Note -> column, number and decimals of each number that it prints for position 1 of the positional encoding."""
    pages = {}
    for note, columns in _COLUMNS.items():
        entries = [e for e in LEDGER.values() if e.note == note and e.claims is None and "position 1" in e.topic]
        read = [one for entry in entries for one in zip(*printed_numbers(entry.printed), strict=True)]
        pages[note] = [(c, float(number), int(k)) for c, (number, k) in zip(columns, read, strict=True)]
    return pages


class LedgerExplorer(CatalogueExplorer):
    """Every entry of the ledger, recomputed now, to be chosen by note, verdict, and whose words they are.

    Links lead to the section that explains it, and to its line on the companion page.
    """

    def __init__(self) -> None:
        lessons = all_lessons()
        pages = {page.number: (page.title, page.notebook_name) for page in PAGES}
        super().__init__(
            [_item(entry, explained_in(name, lessons), pages[entry.note]) for name, entry in LEDGER.items()],
            {"note": NOTES, "verdict": VERDICTS, "words": (AS_PRINTED, IN_OUR_WORDS)},
            presets={
                "wrong in N4": {"note": "N4", "verdict": Verdict.WRONG.value},
                "nobody's error: our copy is unclear": {"verdict": Verdict.UNCLEAR.value},
                "blanks, filled in": {"verdict": Verdict.BLANK.value},
                "not confirmed here": {"verdict": Verdict.UNCONFIRMED.value},
            },
            alt="All entries of the ledger as cards: what is printed, what is computed, the verdict, and why.",
        )


def _item(entry: Entry, *links: tuple[str, str] | None) -> Item:
    verdict = recomputed_verdict(entry)
    lines = [("printed", printed(entry)), ("in doubt", entry.doubt), ("computed", computed(entry))]
    lines += [("slip" if entry.slip else "why", entry.explanation)]
    lines += [("it gives", in_numbers(entry.slip()) if entry.slip else ""), ("to keep", entry.takeaway)]
    words = IN_OUR_WORDS if entry.paraphrase else AS_PRINTED
    return Item(
        name=entry.id,
        facets={"note": entry.note, "verdict": verdict.value, "words": words},
        tone=TONES[verdict],
        headline=f"{MARKS[verdict]} {entry.note}, {entry.topic}: {verdict.value}",
        lines=[(label, text) for label, text in lines if text],
        links=[link for link in links if link],
    )
