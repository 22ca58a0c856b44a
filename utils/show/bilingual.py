"""Tables with sentences of several scripts: each cell runs in the direction of its own letters."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from html import escape

from utils.show.cards import Card
from utils.show.tables import table

_CELL = "padding:.2em .7em;font-variant-numeric:tabular-nums;text-align:"


def bilingual_table(headers: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> Card:
    """A table of text, every cell escaped; a cell whose first letter is read from right to left runs that way.

    Those cells are Persian, and say so to a screen reader. Raises ValueError for a row of another length, and for a
    column without a name.
    """
    plain = table(headers, rows, caption)  # refuses rows that don't fit, and says the same in text
    head = "".join(_head(header, [row[i] for row in rows]) for i, header in enumerate(headers))
    body = "".join("<tr>" + "".join(_cell(text) for text in row) + "</tr>" for row in rows)
    return Card(
        f'<table style="font-size:1.1em"><caption style="text-align:left;font-weight:700">{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>",
        plain.text,
    )


def right_to_left(text: str) -> bool:
    """Whether the first letter of `text` belongs to a script that is read from right to left."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in ("L", "R", "AL"):
            return kind != "L"
    return False


def _head(header: str, column: Sequence[str]) -> str:
    # a header stands over its words: on the right where the column is mostly read from the right
    side = "right" if 2 * sum(map(right_to_left, column)) > len(column) else "left"
    return f'<th scope="col" style="{_CELL}{side}">{escape(header)}</th>'


def _cell(text: str) -> str:
    direction = ' dir="rtl" lang="fa"' if right_to_left(text) else ""
    return f'<td{direction} style="{_CELL}start">{escape(text)}</td>'
