"""What is printed: Markdown with matrices, tables to fill in, and gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import ArrayLike

GAP = '<span class="gap"></span>'
_NOTHING = "&nbsp;"


@dataclass(frozen=True)
class Sheet:
    """One side of paper: `kind` is what it is for, such as worksheet or key; its text is Markdown."""

    kind: str
    title: str
    text: str


@dataclass(frozen=True)
class Paper:
    """Sheets that belong together. In a notebook the first is shown, and the others below it, folded."""

    name: str  # of its file
    sheets: tuple[Sheet, ...]

    def _repr_markdown_(self) -> str:
        first, *others = self.sheets
        said = f"## {first.title}\n\n{first.text}"
        for sheet in others:
            said += f"\n\n<details><summary>{escape(sheet.title)}</summary>\n\n{sheet.text}\n\n</details>"
        return said

    def __repr__(self) -> str:
        return f"Paper({', '.join(sheet.title for sheet in self.sheets)})"


def number(value: float, decimals: int = 0) -> str:
    """Return a number as one writes it by hand, with a minus and never −0."""
    return f"{round(float(value), decimals) + 0.0:.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def numbers(values: ArrayLike, decimals: int = 0) -> str:
    """Return a row of numbers, with a comma between two."""
    return ", ".join(number(value, decimals) for value in np.ravel(values))


def matrix(values: ArrayLike, decimals: int = 0) -> str:
    """Return a matrix as TeX."""
    rows = (" & ".join(number(value, decimals) for value in row) for row in np.atleast_2d(values))
    return r"\begin{bmatrix}" + r"\\".join(rows) + r"\end{bmatrix}"


def table(
    rows: str | Sequence[str], columns: str | Sequence[str], values: ArrayLike | None = None, decimals: int = 0
) -> str:
    """Write a table in Markdown with names of rows and columns, in one text or several; without values it is empty.

    Values may be words, too; None in their place leaves a cell empty.
    """
    rows, columns = (names.split() if isinstance(names, str) else list(names) for names in (rows, columns))
    cells = np.full((len(rows), len(columns)), None) if values is None else np.asarray(values, dtype=object)
    lines = [["", *columns], ["---"] * (len(columns) + 1)]
    for name, row in zip(rows, cells, strict=True):
        lines.append([f"**{name}**", *(_cell(value, decimals) for value in row)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object, decimals: int) -> str:
    if value is None:
        return _NOTHING
    return value if isinstance(value, str) else number(value, decimals)


def lines(count: int = 1) -> str:
    """Return so many empty lines to write on."""
    return '<span class="line"></span>' * count
