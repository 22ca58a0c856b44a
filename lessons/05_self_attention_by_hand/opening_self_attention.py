"""The opening figure of lesson 05: one query meets every key and takes its share of every value."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from utils.show.colours import ROLES
from utils.show.drawing import (
    ACCENT,
    ATTENTION,
    INK,
    KEY,
    OUTPUT,
    QUERY,
    VALUE,
    arrow,
    box,
    in_words,
    label,
    shares,
    sheet,
    thickness,
)
from utils.show.figures import with_alt
from utils.show.numbers import numbered

_QUERY, _KEY, _SCORE, _SOFTMAX, _WEIGHT, _VALUE, _OUTPUT = 0.95, 3.15, 5.05, 6.45, 7.85, 9.1, 11.1
_ROW = 0.85  # inches from word to word


def one_query(words: Sequence[str], asks: int, weights: ArrayLike) -> Figure:
    """Draw self-attention for one word: its query, the key of every word, scores, softmax, values and their sum.

    weights (N,): the attention that `words[asks]` pays to each of the N words, drawn as the thickness of the arrows.
    Raise ValueError unless there is one weight per word, they are shares of 1, and `asks` is the index of a word.
    """
    weights = shares(words, weights)
    if not 0 <= asks < len(words):
        raise ValueError(f"asks must be 0 to {len(words) - 1}, but is {asks}.")
    height = _ROW * len(words) + 0.75
    figure, axes = sheet(12.3, height)
    rows = [height - 1.05 - _ROW * i for i in range(len(words))]
    middle = (rows[0] + rows[-1]) / 2
    top, q, y_asks = height - 0.3, numbered("q", asks + 1), numbered("y", asks + 1)
    for x, name, colour in (
        (_QUERY, "query", ROLES["query"]), (_KEY, "keys", ROLES["key"]), (_SCORE, "scores", INK),
        (_WEIGHT, "weights", ACCENT), (_VALUE, "values", ROLES["value"]),
        (_OUTPUT, "output: their sum", ROLES["output"]),
    ):  # fmt: skip
        label(axes, (x, top), name, bold=True, colour=colour)
    box(axes, (_QUERY, middle), f"{words[asks]}\n{q}", width=1.3, height=0.95, colour=QUERY)
    box(axes, (_SOFTMAX, middle), "softmax", width=1.1, height=rows[0] - rows[-1] + 0.55, colour=ATTENTION)
    box(axes, (_OUTPUT, middle), f"new {words[asks]}\n{y_asks}", width=1.6, height=0.95, colour=OUTPUT)
    for j, (word, y, weight) in enumerate(zip(words, rows, weights, strict=True)):
        k = numbered("k", j + 1)
        arrow(axes, (_QUERY + 0.68, middle), (_KEY - 0.92, y))
        box(axes, (_KEY, y), f"{word}  {k}", width=1.8, colour=KEY)
        arrow(axes, (_KEY + 0.92, y), (_SCORE - 0.48, y))
        label(axes, (_SCORE, y), f"{q} · {k}")
        arrow(axes, (_SCORE + 0.5, y), (_SOFTMAX - 0.57, y))
        arrow(axes, (_SOFTMAX + 0.57, y), (_WEIGHT - 0.4, y))
        label(axes, (_WEIGHT, y), f"{weight:.2f}  ×")
        box(axes, (_VALUE, y), numbered("v", j + 1), width=0.8, colour=VALUE)
        arrow(axes, (_VALUE + 0.42, y), (_OUTPUT - 0.85, middle), ACCENT, thickness(weight))
    return with_alt(
        figure,
        f"Drawing: one query meets the keys. The query of {words[asks]}, {q}, meets the key of every word, and each "
        "dot product is a score. A softmax turns all scores into weights that sum to 1: "
        f"{in_words(words, weights)}. Each word's value is multiplied by its weight, and their sum is the output, "
        f"the new vector of {words[asks]}, {y_asks}. The larger the weight, the thicker the arrow from the value.",
    )
