"""What a note's page is made of: which entries stand on which line, and why the other lines have none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """Some lines of a note, from `line` to the line before the next row: entries of the ledger, or why there is none.

    `what` says in a few words what stands there, `why` for what reason it is not judged.
    """

    line: int
    entries: tuple[str, ...] = ()
    what: str = ""
    why: str = ""


@dataclass(frozen=True)
class Part:
    """A part of a note from the line of its heading on; the lines before its first row are that heading."""

    line: int
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Page:
    """A lecture note, line by line; `lines` is how many our copy has."""

    number: str
    topic: str
    lines: int
    parts: tuple[Part, ...]

    @property
    def title(self) -> str:
        """What its companion page is called."""
        return f"{self.topic}, line by line"

    @property
    def name(self) -> str:
        """The name of its companion page, such as N3_eight_steps."""
        return f"{self.number}_{self.topic.lower().replace('-', ' ').replace(' ', '_')}"

    @property
    def notebook_name(self) -> str:
        """The notebook that the companion page is."""
        return f"{self.name}.ipynb"

    @property
    def rows(self) -> Iterator[Row]:
        """All rows, from top to bottom."""
        return (row for part in self.parts for row in part.rows)

    def first_line(self, name: str) -> int:
        """Return the line on which an entry stands, the first where there are several."""
        return next(row.line for row in self.rows if name in row.entries)


def on(line: int, *entries: str) -> Row:
    """Return a row with entries of the ledger, by their ids."""
    return Row(line, entries)


def aside(line: int, what: str, why: str) -> Row:
    """Return a row of something that is not judged, and why."""
    return Row(line, what=what, why=why)


def part(line: int, title: str, *rows: Row) -> Part:
    """Return a part with its rows."""
    return Part(line, title, rows)
