"""The opening figure of lesson 02: each word of a sentence, its id, and its row of the table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from utils.show.colours import SIGNED, written_on
from utils.show.drawing import GREY, QUERY, arrow, box, label, sheet, two_forms
from utils.show.figures import with_alt

# Inches from the left: the middles of words and ids, where the rows begin; and the width of a cell.
_WIDE, _NARROW = (0.68, 2.35, 3.5, 1.4), (0.68, 1.85, 2.5, 0.71)
_ROW = 0.6


@two_forms
def words_to_rows(words: Sequence[str], ids: Sequence[int], rows: ArrayLike, narrow: bool = False) -> Figure:
    """Draw a line for each word of a sentence: the word, its id, and its row of the table.

    rows: (N, d_model), for N words. narrow: make the cells narrower.

    Raise ValueError unless each word has an id and a row.
    """
    rows = np.asarray(rows, dtype=float)
    if rows.ndim != 2 or not len(words) == len(ids) == len(rows):
        raise ValueError(f"each word needs an id and a row: {len(words)} words, {len(ids)} ids, rows {rows.shape}.")
    n, width = rows.shape
    at_word, at_id, at_cells, cell = _NARROW if narrow else _WIDE
    top = _ROW * n
    figure, axes = sheet(at_cells + cell * width + 0.1, top + 0.45)
    for x, name in ((at_word, "token"), (at_id, "id"), (at_cells + cell * width / 2, "its row of the table")):
        label(axes, (x, top + 0.2), name, bold=True)
    reach = np.abs(rows).max()
    for i, (word, number, row) in enumerate(zip(words, ids, rows, strict=True)):
        y = top - _ROW * (i + 0.5)
        box(axes, (at_word, y), word, width=1.2, height=0.44, colour=GREY)
        arrow(axes, (at_word + 0.64, y), (at_id - 0.36, y))
        box(axes, (at_id, y), str(number), width=0.65, height=0.44, colour=QUERY)
        arrow(axes, (at_id + 0.36, y), (at_cells - 0.05, y))
        for j, entry in enumerate(row):
            colour = SIGNED((entry / reach + 1) / 2)
            corner = (at_cells + cell * j, y - 0.22)
            axes.add_patch(Rectangle(corner, cell, 0.44, facecolor=colour, edgecolor="white", zorder=3))
            text = f"{entry:.1f}".replace("-", "−")
            label(axes, (corner[0] + cell / 2, y), text, colour=written_on(colour))
    told = "; ".join(
        f"{word} has the id {number} and the row {', '.join(f'{entry:.1f}' for entry in row)}"
        for word, number, row in zip(words, ids, rows, strict=True)
    )
    return with_alt(figure, f"Drawing: words become ids, and ids become rows of numbers. {told}.".replace("-", "−"))
