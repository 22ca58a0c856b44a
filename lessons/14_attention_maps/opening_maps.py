"""The opening figure of lesson 14: which word of the sentence each written word looks at, as links that cross."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from utils.data.gloss import glosses
from utils.show.bilingual import right_to_left
from utils.show.colours import AMBER
from utils.show.drawing import KEY, QUERY, box, sheet, thickness
from utils.show.figures import with_alt

_STEP, _WORD, _SIDE = 0.98, 0.9, 0.1
_READ, _WRITTEN, _HIGH = 2.2, 0.45, 2.5
_LEAST = 0.1  # smaller weights have no link


def crossing_links(source: Sequence[str], writes: Sequence[str], weights: ArrayLike) -> Figure:
    """Draw the words of a sentence above, the written words below, and a link for each weight of at least 0.1.

    weights (M, N): the attention of M written words to N words. Links are as thick as their weights, and each written
    word has its gloss. Persian runs from right to left. Raise ValueError unless the shapes fit.
    """
    weights = np.asarray(weights, dtype=float)
    if weights.shape != (len(writes), len(source)):
        raise ValueError(f"there are {len(writes)} × {len(source)} words, but weights has shape {weights.shape}.")
    wide = _STEP * max(weights.shape)
    figure, axes = sheet(wide + 2 * _SIDE, _HIGH)
    above, below = (_places(wide, words) for words in (source, writes))
    for i, j in np.argwhere(weights >= _LEAST):
        line = {"color": AMBER, "linewidth": thickness(weights[i, j]), "solid_capstyle": "round"}
        axes.plot([below[i], above[j]], [_WRITTEN + 0.4, _READ - 0.28], **line)
    for x, word in zip(above, source, strict=True):
        box(axes, (x, _READ), word, width=_WORD, height=0.46, colour=KEY)
    for x, word, english in zip(below, writes, glosses(writes), strict=True):
        two_lines = f"{english.split('(')[0]}\n{word}" if english != word else word
        box(axes, (x, _WRITTEN), two_lines, width=_WORD, height=0.7, colour=QUERY)
    told = "; ".join(
        f"{english} asks " + ", ".join(f"{source[j]} {row[j]:.2f}" for j in np.flatnonzero(row >= _LEAST))
        for english, row in zip(glosses(writes), weights, strict=True)
    )
    return with_alt(figure, f"Drawing: the words that are written, each with links to the words that it asks. {told}.")


def _places(wide: float, words: Sequence[str]) -> list[float]:
    """Return where each word is, centred, in the direction in which the words are read."""
    first = _SIDE + (wide - _STEP * (len(words) - 1)) / 2
    places = [first + _STEP * i for i in range(len(words))]
    return places[::-1] if right_to_left("".join(words)) else places
