"""The opening figure of lesson 05: one query meets every key and takes its share of every value."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from utils.show.colours import ROLES
from utils.show.drawing import (
    ACCENT,
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

_QUERY, _KEY, _WEIGHT, _VALUE, _OUTPUT = 0.52, 1.95, 3.13, 3.85, 4.95  # inches from the left
_ROW = 0.72  # inches from word to word


def one_query(words: Sequence[str], asks: int, weights: ArrayLike) -> Figure:
    """Draw self-attention for one word: its query, the key of every word, scores, softmax, values and their sum.

    weights (N,): the attention that `words[asks]` pays to each of the N words, drawn as the thickness of the arrows.
    Raise ValueError unless there is one weight per word, they are shares of 1, and `asks` is the index of a word.
    """
    weights = shares(words, weights)
    if not 0 <= asks < len(words):
        raise ValueError(f"asks must be 0 to {len(words) - 1}, but is {asks}.")
    height = _ROW * len(words) + 0.95
    figure, axes = sheet(5.5, height)
    q, y_asks = numbered("q", asks + 1), numbered("y", asks + 1)
    rows = [height - 0.95 - _ROW * i for i in range(len(words))]
    middle = (rows[0] + rows[-1]) / 2
    for x, name, colour in (
        (_QUERY, "query", ROLES["query"]), (_KEY, "keys", ROLES["key"]), (_WEIGHT, "weights", ACCENT),
        (_VALUE + 0.1, "values", ROLES["value"]), (_OUTPUT, "output", ROLES["output"]),
    ):  # fmt: skip
        label(axes, (x, height - 0.25), name, bold=True, colour=colour)
    box(axes, (_QUERY, middle), f"{words[asks]}\n{q}", width=0.95, height=0.8, colour=QUERY)
    box(axes, (_OUTPUT, middle), f"new\n{words[asks]}\n{y_asks}", width=1.0, height=1.0, colour=OUTPUT)
    for j, (word, y, weight) in enumerate(zip(words, rows, weights, strict=True)):
        arrow(axes, (_QUERY + 0.5, middle), (_KEY - 0.68, y))
        box(axes, (_KEY, y), f"{word}  {numbered('k', j + 1)}", width=1.3, height=0.5, colour=KEY)
        arrow(axes, (_KEY + 0.68, y), (_WEIGHT - 0.25, y))
        label(axes, (_WEIGHT + 0.05, y), f"{weight:.2f} ×")
        box(axes, (_VALUE, y), numbered("v", j + 1), width=0.5, height=0.5, colour=VALUE)
        arrow(axes, (_VALUE + 0.27, y), (_OUTPUT - 0.55, middle), ACCENT, thickness(weight))
    label(axes, ((_KEY + _WEIGHT) / 2 + 0.1, 0.13), "query · key, then softmax")
    return with_alt(
        figure,
        f"Drawing: one query meets the keys. The query of {words[asks]}, {q}, meets the key of every word, and each "
        "dot product is a score. A softmax turns all scores into weights that sum to 1: "
        f"{in_words(words, weights)}. Each word's value is multiplied by its weight, and their sum is the output, "
        f"the new vector of {words[asks]}, {y_asks}. The larger the weight, the thicker the arrow from the value.",
    )
