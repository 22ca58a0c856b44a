"""The opening figure of lesson 11: one step of the decoder, with the words that it may see and the memory."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from utils.data.gloss import gloss
from utils.show.drawing import (
    ACCENT,
    EDGE,
    INK,
    KEY,
    NARROW,
    OUTPUT,
    QUERY,
    TEAL,
    WHITE,
    arrow,
    box,
    in_words,
    label,
    shares,
    sheet,
    thickness,
    two_forms,
)
from utils.show.figures import with_alt
from utils.training.inside import look_inside
from utils.training.translator import Translator

_HEIGHTS = 0.89, 1.87, 2.85, 3.42  # of the written words, the row that asks, the memory, and of the sheet
_PALE = "#737373"


def step_of(translator: Translator, text: str, at: int) -> Figure:
    """Draw the step `at`, counted from 0, of a translation: what the last layer looks at, the mean over its heads."""
    shown = look_inside(translator, text)
    looks, asks = (shown.maps[place][-1].mean(axis=0)[at] for place in ("decoder", "cross"))
    return one_step(shown.source, shown.target, looks[: at + 1], asks, shown.writes[at])


@two_forms
def one_step(
    source: Sequence[str], target: Sequence[str], looks: ArrayLike, asks: ArrayLike, writes: str, narrow: bool = False
) -> Figure:
    """Draw what the decoder's last row sees: the words written so far, from right to left, and the memory.

    source: N words that the encoder has read. target: M words, of which only the first ones are written.
    looks: shares of those, from the self-attention. asks (N,): shares of the source, from the cross-attention.
    writes: the next word. Raise ValueError unless the shares sum to 1 and there is a word for each.
    """
    low, at, memory, high = (y + 0.25 * k * narrow for k, y in enumerate(_HEIGHTS))
    step, wide = (1.06, 0.96) if narrow else (1.6, 1.3)
    written, later = target[: len(looks)], target[len(looks) :]
    looks, asks = shares(written, looks), shares(source, asks)
    across = max(len(source), len(target))
    figure, axes = sheet(NARROW if narrow else step * across + 1.2, high)
    middle = 0.1 + step * across / 2
    right = middle + step * (len(target) - 1) / 2
    row = (right - step * (len(written) - 1), at)
    for i, (word, share) in enumerate(zip(source, asks, strict=True)):
        x = middle + step * (i - (len(source) - 1) / 2)
        box(axes, (x, memory), f"{word}\n{share:.2f}", wide, 0.6, TEAL)
        arrow(axes, (x, memory - 0.3), (row[0] + 0.2 * (x - row[0]), row[1] + 0.32), ACCENT, thickness(share))
    for i, word in enumerate(target):
        x = right - step * i
        meaning = gloss(word) if i else ""
        seen = i < len(written)
        box(axes, (x, low - 0.13), "", wide, 0.86, KEY if seen else WHITE, edge=EDGE if seen else "#C4C4C4")
        text = f"{word}\n{meaning}" if meaning not in ("", word) else word
        text += f"\n{looks[i]:.2f}" if seen else ""
        label(axes, (x, low - 0.13), text, colour="black" if seen else _PALE)
        if seen:
            arrow(axes, (x, low + 0.3), (row[0] + 0.2 * (x - row[0]), at - 0.32), ACCENT, thickness(looks[i]))
        else:
            label(axes, (x, low + 0.43), "×", bold=True, colour=_PALE)
    box(axes, row, f"row of {written[-1]}", 1.4, 0.6, QUERY)
    end = min(row[0] + 3.2, axes.get_xlim()[1] - 0.7)
    arrow(axes, (row[0] + 0.72, at), (end - 0.62, at), INK, 2)
    box(axes, (end, at), f"{writes}\n{gloss(writes)}", 1.2, 0.6, OUTPUT)
    label(axes, (end, at + 0.45), "next word", bold=True)
    label(
        axes,
        (middle - step * across / 2 + 0.05, high - 0.13),
        "the memory: what the encoder has read",
        bold=True,
        ha="left",
    )
    label(axes, (right + wide / 2, 0.15), "written so far", bold=True, ha="right")
    if later:
        label(axes, (right - step * (len(target) - 1) - wide / 2, 0.15), "masked: the future", colour=_PALE, ha="left")
    return with_alt(
        figure,
        f"Drawing: one step of a decoder. It has written {', '.join(written)}; {', '.join(later) or 'nothing'} is "
        f"masked. The row of {written[-1]} looks at what is written, {in_words(written, looks)}, and asks the memory, "
        f"the encoder's rows, {in_words(source, asks)}. The next word is {writes}.",
    )
