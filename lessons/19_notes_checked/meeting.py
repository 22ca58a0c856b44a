"""The interactive figure of lesson 19: one computed row, and above it the numbers that a note prints there."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from utils.show.live import Matrix, Note, Panel


def meeting_panels(
    page: str, printed: Sequence[tuple[int, float, int]], row: ArrayLike, met: Sequence[bool], where: str
) -> list[Panel]:
    """Show the row (d_model,) below the printed numbers, with agreeing numbers lit, and as a sentence.

    printed: column, number and decimals of each. met: whether the row has it. where: the setting, in words.
    """
    texts = [f"{number:.{decimals}f}" for _, number, decimals in printed]
    columns = [column for column, _, _ in printed]
    above = [" and ".join(t for t, c in zip(texts, columns, strict=True) if c == i) for i in range(len(row))]
    lit = [(0, column) for column, yes in zip(columns, met, strict=True) if yes]
    found, missed = (
        ", ".join(t for t, yes in zip(texts, met, strict=True) if yes is wanted) or "none" for wanted in (True, False)
    )
    numbers = ", ".join(f"{number:.6f}" for number in row).replace("-", "\N{MINUS SIGN}")
    title = f"{page}: printed above, computed below"
    return [
        Matrix(row, "PE", ["computed"], above, lit_cells=lit, decimals=4, title=title),
        Note(f"{page}, {where}: {numbers}. Met: {found}. Not met: {missed}."),
    ]
