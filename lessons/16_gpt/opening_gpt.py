"""The opening figure of lesson 16: each word sees itself and the words to its left, and predicts the next one."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from utils.show.drawing import ACCENT, ROSE, SAND, TEAL, arrow, box, label, sheet
from utils.show.figures import with_alt

_STEP, _WIDTH, _NAMES = 1.15, 1.05, 1.15  # inches: from word to word, of a box, for the names on the left
_READ, _BLOCKS, _SAID, _HIGH = 0.32, 1.38, 2.32, 2.65


def next_words(words: Sequence[str]) -> Figure:
    """Draw a causal language model that reads all of `words` but the last and predicts the word after each.

    The arrows show what the mask allows, with those into the last word drawn strong. Raise ValueError if there are
    fewer than two words.
    """
    if len(words) < 2:
        raise ValueError(f"a language model needs a word to read and one to predict, but there are {len(words)}.")
    read, said = words[:-1], words[1:]
    figure, axes = sheet(_NAMES + _STEP * len(read) + 0.2, _HIGH)
    places = [_NAMES + _STEP * (i + 0.5) for i in range(len(read))]
    for y, name in ((_READ, "reads"), (_BLOCKS, "blocks"), (_SAID, "predicts")):
        label(axes, (0.05, y), name, bold=True, ha="left")
    middle = (places[0] + places[-1]) / 2
    box(axes, (middle, _BLOCKS), "attention to the left, feed-forward, …",
        width=places[-1] - places[0] + _WIDTH, colour=SAND)  # fmt: skip
    for i, (x, before, after) in enumerate(zip(places, read, said, strict=True)):
        strong = i == len(read) - 1
        box(axes, (x, _READ), before, width=_WIDTH, colour=TEAL)
        box(axes, (x, _SAID), after, width=_WIDTH, colour=ROSE)
        arrow(axes, (x, _BLOCKS + 0.3), (x, _SAID - 0.3))
        for earlier in places[: i + 1]:
            arrow(axes, (earlier, _READ + 0.3), (x, _BLOCKS - 0.3), colour=ACCENT if strong else "#8C8C8C",
                  width=2.2 if strong else 1.2)  # fmt: skip
    told = "; ".join(
        f"at {before}, which sees {', '.join(read[: i + 1])}, it predicts {after}"
        for i, (before, after) in enumerate(zip(read, said, strict=True))
    )
    return with_alt(
        figure,
        "Drawing: a causal language model. It reads a row of words at once. An arrow goes from each word to itself and "
        f"to all words on its right, none to the left; above each is the next word, which is predicted. "
        f"{told[0].upper()}{told[1:]}.",
    )
