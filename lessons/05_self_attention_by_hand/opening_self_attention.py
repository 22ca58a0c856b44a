"""Lesson 05 opens with these: one query meets its keys and takes from each value its share; a table of signs."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from utils.show.colours import AMBER, ROLES, tint
from utils.show.drawing import (
    ACCENT,
    ATTENTION,
    INK,
    KEY,
    OUTPUT,
    QUERY,
    VALUE,
    WHITE,
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
_SIGNS = {"+": (ATTENTION, "plus"), "*": (tint(AMBER, 0.12), "star"), "−": (WHITE, "minus")}


def one_query(words: Sequence[str], asks: int, weights: ArrayLike) -> Figure:
    """What self-attention does for one word: its query, the key of every word, scores, softmax, values, the sum.

    weights (N,): what `words[asks]` pays to each of the N words; the arrows from the values are as thick. Raises
    ValueError when there is not one weight for each word, `asks` is no word, or the weights are no shares of 1.
    """
    weights = shares(words, weights)
    if not 0 <= asks < len(words):
        raise ValueError(f"the word that asks must be one of 0 to {len(words) - 1}: it is {asks}.")
    height = 1.05 * len(words) + 1.0
    figure, axes = sheet(12.3, height)
    rows = [height - 1.35 - 1.05 * i for i in range(len(words))]
    middle = (rows[0] + rows[-1]) / 2
    top, q, y_asks = height - 0.45, numbered("q", asks + 1), numbered("y", asks + 1)
    for x, name, colour in (
        (_QUERY, "query", ROLES["query"]), (_KEY, "keys", ROLES["key"]), (_SCORE, "scores", INK),
        (_WEIGHT, "weights", ACCENT), (_VALUE, "values", ROLES["value"]),
        (_OUTPUT, "output: their sum", ROLES["output"]),
    ):  # fmt: skip
        label(axes, (x, top), name, bold=True, colour=colour)
    box(axes, (_QUERY, middle), f"{words[asks]}\n{q}", width=1.3, height=0.95, colour=QUERY)
    box(axes, (_SOFTMAX, middle), "softmax", width=1.1, height=rows[0] - rows[-1] + 0.75, colour=ATTENTION)
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
        f"Drawing: one query meets its keys. The query of {words[asks]}, {q}, goes to the key of every word and "
        "makes a score with each, a dot product. A softmax over all scores makes weights that sum to 1: "
        f"{in_words(words, weights)}. Each word's value is multiplied by its weight, and their sum is the output, "
        f"the new vector of {words[asks]}, {y_asks}. The arrows from the values are the thicker, the larger the "
        "weight.",
    )


def table_of_signs(words: Sequence[str], rows: Sequence[str]) -> Figure:
    """A table with a sign for every pair of words, as note N4 draws one; a row for each word that asks.

    rows: for each word its N signs, each of them +, * or −. Raises ValueError for another number of them and for
    another sign.
    """
    if len(rows) != len(words) or {len(row) for row in rows} != {len(words)} or not set("".join(rows)) <= set(_SIGNS):
        raise ValueError(f"a table of {len(words)} words has as many rows of as many signs, +, * or −: {list(rows)}.")
    figure, axes = sheet(2.0 + 1.15 * len(words), 0.75 + 0.62 * len(words))
    columns = [2.35 + 1.15 * j for j in range(len(words))]
    lines = [0.35 + 0.62 * i for i in reversed(range(len(words)))]
    label(axes, (sum(columns) / len(words), lines[0] + 0.78), "who is asked")
    label(axes, (0.15, lines[0] + 0.45), "who asks", ha="left")
    for word, x, y in zip(words, columns, lines, strict=True):
        label(axes, (x, lines[0] + 0.45), word, bold=True)
        label(axes, (1.6, y), word, bold=True, ha="right")
    for y, row in zip(lines, rows, strict=True):
        for x, sign in zip(columns, row, strict=True):
            box(axes, (x, y), sign, width=1.05, height=0.52, colour=_SIGNS[sign][0], font=18)
    said = "; ".join(
        f"{word}: " + ", ".join(f"{other} {_SIGNS[sign][1]}" for other, sign in zip(words, row, strict=True))
        for word, row in zip(words, rows, strict=True)
    )
    return with_alt(figure, f"Table, a sign for every pair of words. Rows: who asks; columns: who is asked. {said}.")
