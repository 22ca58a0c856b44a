"""The opening figure of lesson 08: who may look at whom, with an arrow for each pair that the mask allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from utils.show.bilingual import right_to_left
from utils.show.drawing import ACCENT, GREY, KEY, QUERY, WHITE, Point, arrow, box, label, sheet, two_forms
from utils.show.figures import with_alt

_STEP, _WORD = 0.97, 0.88  # inches from word to word, and of a word
_ASKED, _REMARK, _TITLE, _HIGH = 0.95, 1.38, 1.63, 2.3  # above the words that ask, and a panel in all
_MARGIN = 0.3
_PALE = "#8C8C8C"


@dataclass(frozen=True)
class Panel:
    """One kind of attention: the words that ask, the words that are asked, and the mask between them."""

    title: str
    remark: str
    asks: Sequence[str]
    asked: Sequence[str]
    mask: ArrayLike  # (asks, asked), True where looking is allowed


@two_forms
def who_may_look_at_whom(panels: Sequence[Panel], narrow: bool = False) -> Figure:
    """Draw the panels, two in a row. In each, the last but one of the words that ask has strong arrows.

    A word hidden from all stays white. Persian words are drawn from right to left.
    narrow: draw the panels below each other. Raise ValueError if there is
    no panel, or if a mask doesn't fit.
    """
    if not panels:
        raise ValueError("the drawing needs at least one panel.")
    masks = [_mask_of(panel) for panel in panels]
    widths = [_STEP * max(len(panel.asks), len(panel.asked)) for panel in panels]
    across = 1 if narrow else min(2, len(panels))
    margin = _MARGIN if narrow else 1.0
    columns = [max(widths[column::across]) for column in range(across)]
    rows = -(-len(panels) // across)
    figure, axes = sheet(sum(columns) + margin * (len(columns) + 1), _HIGH * rows + 0.1)
    told = []
    for i, (panel, mask) in enumerate(zip(panels, masks, strict=True)):
        row, column = divmod(i, across)
        left = margin + column * (columns[0] + margin)
        _draw(axes, (left + columns[column] / 2, _HIGH * (rows - 1 - row) + 0.3), panel, mask)
        told.append(f"{panel.title}, {panel.remark}: {_in_words(panel, mask)}.")
    return with_alt(figure, "Drawing: who may look at whom. Arrows go up from each word that asks. " + " ".join(told))


def _mask_of(panel: Panel) -> np.ndarray:
    mask = np.asarray(panel.mask, dtype=bool)
    if mask.shape != (len(panel.asks), len(panel.asked)):
        raise ValueError(
            f"{panel.title}: the mask has shape {mask.shape}, the words are for {(len(panel.asks), len(panel.asked))}."
        )
    return mask


def _draw(axes: Axes, foot: Point, panel: Panel, mask: np.ndarray) -> None:
    """Draw one panel; `foot` is the middle of its lowest row, the words that ask."""
    x, y = foot
    first = x - (max(mask.shape) - 1) / 2 * _STEP
    above, below = (_places(first, words) for words in (panel.asked, panel.asks))
    strong = max(len(below) - 2, 0)
    for i, j in sorted(np.argwhere(mask).tolist(), key=lambda pair: pair[0] == strong):  # the strong ones on top
        colour, width = (ACCENT, 2.6) if i == strong else (_PALE, 1.0)
        arrow(axes, (below[i], y + 0.29), (above[j], y + _ASKED - 0.29), colour, width)
    for place, word, seen in zip(above, panel.asked, mask.any(axis=0), strict=True):
        box(axes, (place, y + _ASKED), word, width=_WORD, colour=KEY if seen else WHITE)
    for i, (place, word) in enumerate(zip(below, panel.asks, strict=True)):
        box(axes, (place, y), word, width=_WORD, colour=QUERY if i == strong else GREY)
    label(axes, (x, y + _TITLE), panel.title, bold=True)
    label(axes, (x, y + _REMARK), panel.remark)


def _places(first: float, words: Sequence[str]) -> list[float]:
    """Return where each word is, in the direction in which it is read."""
    places = [first + i * _STEP for i in range(len(words))]
    return places[::-1] if right_to_left("".join(words)) else places


def _in_words(panel: Panel, mask: np.ndarray) -> str:
    return "; ".join(
        f"{word} may look at {', '.join(panel.asked[j] for j in np.flatnonzero(row)) or 'nobody'}"
        for word, row in zip(panel.asks, mask, strict=True)
    )
