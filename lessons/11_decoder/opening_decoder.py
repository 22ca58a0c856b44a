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
    LETTER,
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
_FUTURE = "future\n×"  # one box for all masked words, where there is little room
_NEXT = 4.2  # inches: a narrow sheet's width at least


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
    written, later = target[: len(looks)], target[len(looks) :]
    looks, asks = shares(written, looks), shares(source, asks)
    meanings = ["", *map(gloss, target[1:])]
    columns = [*written, _FUTURE] if narrow and later else list(target)
    wide = [1.3] * len(source), [1.3] * len(columns)
    if narrow:
        wide = [_room(word) for word in source], [_room(*both) for both in zip(columns, meanings, strict=False)]
    gap = 0.09 if narrow else 0.3
    across = max(sum(widths) + gap * len(widths) for widths in wide)
    width = max(across + 0.1, _NEXT) if narrow else across + 1.2
    figure, axes = sheet(width, high)
    middle = width / 2 if narrow else 0.1 + across / 2
    xs, ys = _middles(wide[0], gap, middle), _middles(wide[1][::-1], gap, middle)[::-1]
    left, right = ys[-1] - wide[1][-1] / 2, ys[0] + wide[1][0] / 2
    row = (ys[len(written) - 1], at)
    for x, word, share, room in zip(xs, source, asks, wide[0], strict=True):
        box(axes, (x, memory), f"{word}\n{share:.2f}", room, 0.6, TEAL)
        arrow(axes, (x, memory - 0.3), (row[0] + 0.2 * (x - row[0]), row[1] + 0.32), ACCENT, thickness(share))
    for i, (x, word, room) in enumerate(zip(ys, columns, wide[1], strict=True)):
        seen = i < len(written)
        box(axes, (x, low - 0.13), "", room, 0.86, KEY if seen else WHITE, edge=EDGE if seen else "#C4C4C4")
        text = word if word == _FUTURE or meanings[i] in ("", word) else f"{word}\n{meanings[i]}"
        text += f"\n{looks[i]:.2f}" if seen else ""
        label(axes, (x, low - 0.13), text, colour="black" if seen else _PALE)
        if seen:
            arrow(axes, (x, low + 0.3), (row[0] + 0.2 * (x - row[0]), at - 0.32), ACCENT, thickness(looks[i]))
        elif word != _FUTURE:
            label(axes, (x, low + 0.43), "×", bold=True, colour=_PALE)
    box(axes, row, f"row of {written[-1]}", 1.4, 0.6, QUERY)
    end = min(row[0] + 3.2, axes.get_xlim()[1] - 0.7)
    arrow(axes, (row[0] + 0.72, at), (end - 0.62, at), INK, 2)
    box(axes, (end, at), f"{writes}\n{gloss(writes)}", 1.2, 0.6, OUTPUT)
    label(axes, (end, at + 0.45), "next word", bold=True)
    read = "memory, from the encoder" if narrow else "the memory: what the encoder has read"
    label(axes, (0.05 if narrow else 0.15, high - 0.13), read, bold=True, ha="left")
    label(axes, (right, 0.15), "written so far", bold=True, ha="right")
    if later:
        label(axes, (left, 0.15), "masked" if narrow else "masked: the future", colour=_PALE, ha="left")
    return with_alt(
        figure,
        f"Drawing: one step of a decoder. It has written {', '.join(written)}; {', '.join(later) or 'nothing'} is "
        f"masked. The row of {written[-1]} looks at what is written, {in_words(written, looks)}, and asks the memory, "
        f"the encoder's rows, {in_words(source, asks)}. The next word is {writes}.",
    )


def _room(*texts: str) -> float:
    """Return how wide a box must be for texts above each other, and a share below them."""
    return LETTER * max(4, *(len(line) for text in texts for line in text.split("\n"))) + 0.14


def _middles(widths: Sequence[float], gap: float, middle: float) -> list[float]:
    """Return the middles of boxes from left to right, which are together around `middle`."""
    left = middle - (sum(widths) + gap * (len(widths) - 1)) / 2
    return [left + sum(widths[:i]) + gap * i + wide / 2 for i, wide in enumerate(widths)]
