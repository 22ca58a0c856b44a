"""Show tables with sentences in several scripts, each cell in the direction of its own letters."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from html import escape

from utils.show.cards import Card
from utils.show.tables import table

_CELL = "padding:.2em .7em;font-variant-numeric:tabular-nums;text-align:"


def bilingual_table(headers: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> Card:
    """Return a table of text, every cell escaped, with cells set from right to left if their first letter is.

    Those cells are marked as Persian for screen readers. Raise ValueError if a row has another length than `headers` or
    a column has no name.
    """
    plain = table(headers, rows, caption)  # raises ValueError for rows that don't fit, and provides the plain text
    head = "".join(_head(header, [row[i] for row in rows]) for i, header in enumerate(headers))
    body = "".join("<tr>" + "".join(_cell(text) for text in row) + "</tr>" for row in rows)
    return Card(
        f'<table style="font-size:1.1em"><caption style="text-align:left;font-weight:700">{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>",
        plain.text,
    )


def right_to_left(text: str) -> bool:
    """Return whether the first letter of `text` belongs to a right-to-left script."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in ("L", "R", "AL"):
            return kind != "L"
    return False


def _head(header: str, column: Sequence[str]) -> str:
    # A header is above its words: on the right if most cells of the column run from right to left.
    side = "right" if 2 * sum(map(right_to_left, column)) > len(column) else "left"
    return f'<th scope="col" style="{_CELL}{side}">{escape(header)}</th>'


def _cell(text: str) -> str:
    direction = ' dir="rtl" lang="fa"' if right_to_left(text) else ""
    return f'<td{direction} style="{_CELL}start">{escape(text)}</td>'
