"""Pictures that stand still: matplotlib figures with an alternative text that holds their numbers."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from io import BytesIO

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from utils.show.numbers import table_text

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7")  # Okabe and Ito
COLOUR_MAP = "cividis"  # told apart by colour-blind eyes, and in a grey print


def use_course_style() -> None:
    """Sets how this notebook shows numbers and pictures: call it once, in the first cell.

    Arrays print with six fixed decimals. Figures are shown as pictures with an alternative text; one without
    such a text raises ValueError instead of being shown, so that no reader is left out.
    """
    np.set_printoptions(precision=6, suppress=True, floatmode="maxprec")
    matplotlib.use("agg")
    matplotlib.rcParams.update({"font.size": 13, "figure.dpi": 100, "axes.titlesize": 14})
    shell = _ipython()
    if shell is not None:
        shell.display_formatter.formatters["text/html"].for_type(Figure, picture_html)


def with_alt(figure: Figure, text: str) -> Figure:
    """`figure`, with `text` as what a screen reader says of it. Raises ValueError for an empty text."""
    if not text.strip():
        raise ValueError(
            "a figure needs an alternative text that says what is to be seen, with the numbers that matter"
        )
    figure.alt = text
    return figure


def picture_html(figure: Figure) -> str:
    """An <img> with the picture inside and its alternative text. Raises ValueError when the figure has none."""
    text = getattr(figure, "alt", "")
    if not text:
        raise ValueError("this figure has no alternative text: pass it through utils.show.figures.with_alt")
    buffer = BytesIO()
    figure.savefig(buffer, format="png", bbox_inches="tight", metadata={"Software": None})
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return f'<img alt="{escape(text, quote=True)}" src="data:image/png;base64,{data}">'


def heatmap(
    matrix: ArrayLike,
    row_names: Sequence[str],
    column_names: Sequence[str],
    title: str,
    decimals: int = 3,
    row_axis: str = "",
    column_axis: str = "",
) -> Figure:
    """A matrix as coloured squares with the number written in each; the alternative text lists them row by row.

    matrix (rows, columns). `row_axis` and `column_axis` say what the rows
    and the columns are. Raises ValueError when the names do not fit the shape.
    """
    matrix = np.asarray(matrix, dtype=float)
    if matrix.shape != (len(row_names), len(column_names)):
        raise ValueError(
            f"the matrix has shape {matrix.shape}, the names are for {(len(row_names), len(column_names))}"
        )
    figure = Figure(figsize=(1.6 + 0.9 * len(column_names), 1.0 + 0.7 * len(row_names)))
    axes = figure.add_subplot()
    image = axes.imshow(matrix, cmap=COLOUR_MAP)
    axes.set_xticks(range(len(column_names)), column_names)
    axes.set_yticks(range(len(row_names)), row_names)
    axes.tick_params(length=0)
    axes.set_title(title)
    axes.set_ylabel(row_axis)
    axes.set_xlabel(column_axis)
    texts = table_text(matrix, decimals)
    for (i, j), value in np.ndenumerate(matrix):
        axes.text(j, i, texts[i][j], ha="center", va="center", color=_readable_on(image.to_rgba(value)))
    rows = (
        f"{name}: " + ", ".join(f"{column} {text}" for column, text in zip(column_names, row, strict=True))
        for name, row in zip(row_names, texts, strict=True)
    )
    reading = f"Rows: {row_axis}; columns: {column_axis}. " if row_axis else ""
    return with_alt(figure, f"Heatmap, {title}. {reading}" + "; ".join(rows) + ".")


def _readable_on(colour: tuple[float, float, float, float]) -> str:
    red, green, blue = colour[:3]
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"


def _ipython():
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()
