"""Lesson 01 opens with this: an encoder and a decoder, the one summary between them, and the arrows of attention."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from utils.show.drawing import ACCENT, ATTENTION, INK, ROSE, TEAL, arrow, box, in_words, label, shares, sheet, thickness
from utils.show.figures import with_alt
from utils.show.numbers import numbered

_WIDE, _STEP = 1.35, 1.75  # a box, and from one to the next
_WORDS, _STATES, _CONTEXT, _DECODER, _WRITTEN = 0.35, 1.35, 3.1, 4.2, 5.2  # heights


def encoder_and_decoder(words: Sequence[str], written: Sequence[str], weights: ArrayLike) -> Figure:
    """An encoder that reads `words`, a decoder that writes `written`, and what its first state takes from each word.

    weights (N,): of the N states of the encoder; the arrows of attention are as thick. Raises ValueError when there is
    not one weight for each word, or when the weights are no shares of 1.
    """
    weights = shares(words, weights)
    reads = [1.9 + _STEP * j for j in range(len(words))]
    writes = [reads[-1] + 2.6 + _STEP * i for i in range(len(written))]
    figure, axes = sheet(writes[-1] + 0.9, _WRITTEN + 0.45)
    label(axes, (0.55, _STATES), "encoder", bold=True)
    label(axes, (writes[0] - 1.35, _DECODER + 0.1), "decoder", bold=True)
    for j, (x, word) in enumerate(zip(reads, words, strict=True)):
        label(axes, (x, _WORDS), word)
        arrow(axes, (x, _WORDS + 0.2), (x, _STATES - 0.3))
        box(axes, (x, _STATES), numbered("h", j + 1), _WIDE, colour=TEAL)
        if j:
            arrow(axes, (reads[j - 1] + _WIDE / 2, _STATES), (x - _WIDE / 2, _STATES))
    for i, (x, word) in enumerate(zip(writes, written, strict=True)):
        box(axes, (x, _DECODER), numbered("s", i + 1), _WIDE, colour=ROSE)
        arrow(axes, (x, _DECODER + 0.3), (x, _WRITTEN - 0.2))
        label(axes, (x, _WRITTEN), word)
        if i:
            arrow(axes, (writes[i - 1] + _WIDE / 2, _DECODER), (x - _WIDE / 2, _DECODER))
    _summary(axes, (reads[-1] + _WIDE / 2, _STATES), (writes[0], _DECODER - 0.3))
    context = (sum(reads) / len(reads), _CONTEXT)
    box(axes, context, "context for " + numbered("s", 1), 2.3, colour=ATTENTION)
    label(axes, (context[0] - 1.35, _CONTEXT), "attention", bold=True, colour=ACCENT, ha="right")
    for x, weight in zip(reads, weights, strict=True):
        end = (context[0] + 0.35 * (x - context[0]), _CONTEXT - 0.3)
        arrow(axes, (x, _STATES + 0.3), end, ACCENT, thickness(weight))
        label(axes, (x + (0.42 if x > context[0] else -0.42), _STATES + 0.5), f"{weight:.2f}")
    arrow(axes, (context[0] + 1.15, _CONTEXT + 0.1), (writes[0] - _WIDE / 2, _DECODER - 0.1))
    return with_alt(
        figure,
        f"Drawing: the encoder reads {', '.join(words)}, and has a state after each word, h₁ to "
        f"{numbered('h', len(words))}. The decoder has states of its own and writes {', '.join(written)}. A dashed "
        f"arrow leads from the encoder's last state to the decoder, which is the one summary. With attention there "
        "are arrows from all states to a context for the decoder's first state, and larger weights have thicker "
        f"arrows: {in_words(words, weights)}.",
    )


def _summary(axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """The dashed arrow from the last state to the decoder, with its name."""
    corner = (end[0], start[1])
    axes.plot([start[0], corner[0]], [start[1], corner[1]], color=INK, linewidth=1.8, linestyle="--", zorder=2)
    arrow(axes, corner, end, width=1.8, dashed=True)
    label(axes, (corner[0] + 0.15, start[1] + 0.45), "one summary,", ha="left")
    label(axes, (corner[0] + 0.15, start[1] + 0.12), "the last state", ha="left")
