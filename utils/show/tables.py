"""Show tables of text, and matrices with their names, shapes and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from utils.show.cards import Card
from utils.show.colours import ROLES
from utils.show.numbers import table_text

_ROLES = dict(zip("QKV", ROLES, strict=False))
_CELL = "padding:.2em .7em;text-align:{align};font-variant-numeric:tabular-nums"
_LIT = ";background:rgba(230,159,0,.28);font-weight:700;outline:2px solid rgba(230,159,0,.9);outline-offset:-2px"


def table(headers: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> Card:
    """Return a table of text, every cell escaped, with a caption.

    Raise ValueError if a row has another length than `headers`, or if a column has no name, which a screen reader reads
    before each cell.
    """
    if not all(header.strip() for header in headers):
        raise ValueError(f"every column of a table needs a name: {list(headers)}.")
    for row in rows:
        if len(row) != len(headers):
            raise ValueError(f"the table has {len(headers)} columns, but a row has {len(row)} cells: {list(row)}.")
    style = _CELL.format(align="left")
    head = "".join(f'<th scope="col" style="{style}">{escape(h)}</th>' for h in headers)
    body = "".join("<tr>" + "".join(f'<td style="{style}">{escape(c)}</td>' for c in row) + "</tr>" for row in rows)
    html = (
        f'<table style="font-size:1em"><caption style="text-align:left;font-weight:700">{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )
    text = "\n".join([caption, " | ".join(headers), *(" | ".join(row) for row in rows)])
    return Card(html, text)


def matrices(
    *, row_names: Sequence[str] = (), lit: Mapping[str, int] | None = None, decimals: int = 3, **named: ArrayLike
) -> Card:
    """Return matrices side by side, each below its name and shape.

    named: `Q=…, K=…`; a vector is shown as one row. `row_names` are written beside the matrices with as many rows.
    `lit={"Q": 1}` marks the row of Q with this index. Raise ValueError for more than two dimensions or rows of
    different lengths, and TypeError if an entry is not a real number.
    """
    shown = {}
    for name, value in named.items():
        try:
            shown[name] = matrix = np.atleast_2d(value)
        except ValueError:
            raise ValueError(f"{name} must have rows of one length, to be shown as a table.") from None
        if matrix.dtype.kind not in "biuf":
            raise TypeError(f"{name} must hold real numbers, to be shown as a table.")
        if matrix.ndim > 2:
            raise ValueError(f"{name} has shape {matrix.shape}: only vectors and matrices can be shown as tables.")
    tables = "".join(_matrix_html(name, m, row_names, (lit or {}).get(name), decimals) for name, m in shown.items())
    html = f'<div style="display:flex;flex-wrap:wrap;gap:1em 2.2em;align-items:flex-start;margin:.3em 0">{tables}</div>'
    return Card(html, "\n".join(_matrix_text(name, m, decimals) for name, m in shown.items()))


def _matrix_html(name: str, matrix: np.ndarray, row_names: Sequence[str], lit_row: int | None, decimals: int) -> str:
    named_rows = len(row_names) == len(matrix)
    rows = []
    for i, entries in enumerate(table_text(matrix, decimals)):
        lit = _LIT if i == lit_row else ""
        head = (
            f'<th scope="row" style="{_CELL.format(align="right")}">{escape(row_names[i])}</th>' if named_rows else ""
        )
        cells = "".join(f'<td style="{_CELL.format(align="right")}{lit}">{text}</td>' for text in entries)
        rows.append(f"<tr>{head}{cells}</tr>")
    role = _ROLES.get(name.removeprefix("W_"))
    colour = (
        f' style="color:var(--{role},inherit)"' if role else ""
    )  # only the site defines these variables, not JupyterLab
    caption = f"<em{colour}>{_with_subscripts(name)}</em> <small>({matrix.shape[0]} × {matrix.shape[1]})</small>"
    return (
        '<table style="font-size:1.15em;margin:0"><caption style="text-align:left;white-space:nowrap">'
        f"{caption}</caption><tbody>{''.join(rows)}</tbody></table>"
    )


def _with_subscripts(name: str) -> str:
    """Return a name as HTML, W_Q with a subscript Q."""
    base, _, below = escape(name).partition("_")
    return f"{base}<sub>{below}</sub>" if below else base


def _matrix_text(name: str, matrix: np.ndarray, decimals: int) -> str:
    rows = "; ".join(" ".join(row) for row in table_text(matrix, decimals))
    return f"{name} ({matrix.shape[0]} × {matrix.shape[1]}): {rows}"
