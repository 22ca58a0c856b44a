"""The opening figure of lesson 02: each word of a sentence, its id, and its row of the table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from utils.show.colours import SIGNED, written_on
from utils.show.drawing import GREY, QUERY, arrow, box, label, sheet
from utils.show.figures import with_alt

_WORD, _ID, _CELLS = 0.8, 2.3, 3.15  # inches from the left: the middles of words and ids, where the rows begin
_CELL, _ROW = 0.72, 0.6


def words_to_rows(words: Sequence[str], ids: Sequence[int], rows: ArrayLike) -> Figure:
    """Draw a line for each word of a sentence: the word, its id, and its row of the table.

    rows: (N, d_model), for N words. Raise ValueError unless each word has an id and a row.
    """
    rows = np.asarray(rows, dtype=float)
    if rows.ndim != 2 or not len(words) == len(ids) == len(rows):
        raise ValueError(f"each word needs an id and a row: {len(words)} words, {len(ids)} ids, rows {rows.shape}.")
    n, width = rows.shape
    top = _ROW * n
    figure, axes = sheet(_CELLS + _CELL * width + 0.1, top + 0.45)
    for x, name in ((_WORD, "token"), (_ID, "id"), (_CELLS + _CELL * width / 2, "its row of the table")):
        label(axes, (x, top + 0.2), name, bold=True)
    reach = np.abs(rows).max()
    for i, (word, number, row) in enumerate(zip(words, ids, rows, strict=True)):
        y = top - _ROW * (i + 0.5)
        box(axes, (_WORD, y), word, width=1.45, height=0.44, colour=GREY)
        arrow(axes, (_WORD + 0.76, y), (_ID - 0.36, y))
        box(axes, (_ID, y), str(number), width=0.65, height=0.44, colour=QUERY)
        arrow(axes, (_ID + 0.36, y), (_CELLS - 0.05, y))
        for j, entry in enumerate(row):
            colour = SIGNED((entry / reach + 1) / 2)
            corner = (_CELLS + _CELL * j, y - 0.22)
            axes.add_patch(Rectangle(corner, _CELL, 0.44, facecolor=colour, edgecolor="white", zorder=3))
            text = f"{entry:.1f}".replace("-", "−")
            label(axes, (corner[0] + _CELL / 2, y), text, colour=written_on(colour))
    told = "; ".join(
        f"{word} has the id {number} and the row {', '.join(f'{entry:.1f}' for entry in row)}"
        for word, number, row in zip(words, ids, rows, strict=True)
    )
    return with_alt(figure, f"Drawing: words become ids, and ids become rows of numbers. {told}.".replace("-", "−"))
