"""The opening figure of lesson 01: an encoder and a decoder, one summary between them, and the arrows of attention."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from utils.show.drawing import (
    ACCENT,
    ATTENTION,
    INK,
    ROSE,
    TEAL,
    Point,
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
from utils.show.numbers import numbered

_WIDE, _NARROW = (1.2, 1.9), (0.9, 1.08)  # the width of a box, and from one to the next
_WORDS, _STATES, _CONTEXT, _DECODER, _WRITTEN = 0.17, 0.88, 2.05, 2.95, 3.55  # heights


@two_forms
def encoder_and_decoder(
    words: Sequence[str], written: Sequence[str], weights: ArrayLike, narrow: bool = False
) -> Figure:
    """Draw an encoder of `words`, a decoder of `written`, and what the decoder's first state takes from each word.

    weights (N,): of the encoder's N states, drawn as the thickness of the arrows. narrow: put the boxes
    closer together. Raise ValueError unless there is one weight for each word, and the weights are shares of 1.
    """
    weights = shares(words, weights)
    wide, step = _NARROW if narrow else _WIDE
    reads = [1.5 + step * j for j in range(len(words))]
    writes = [1.5 + step * i for i in range(len(written))]
    right = max(reads[-1], writes[-1]) + wide / 2 + 0.2
    figure, axes = sheet(right + 0.1, _WRITTEN + 0.2)
    label(axes, (0.05, _STATES), "encoder", bold=True, ha="left")
    label(axes, (0.05, _DECODER), "decoder", bold=True, ha="left")
    for j, (x, word) in enumerate(zip(reads, words, strict=True)):
        label(axes, (x, _WORDS), word)
        arrow(axes, (x, _WORDS + 0.17), (x, _STATES - 0.28))
        box(axes, (x, _STATES), numbered("h", j + 1), wide, colour=TEAL)
        if j:
            arrow(axes, (reads[j - 1] + wide / 2, _STATES), (x - wide / 2, _STATES))
    for i, (x, word) in enumerate(zip(writes, written, strict=True)):
        box(axes, (x, _DECODER), numbered("s", i + 1), wide, colour=ROSE)
        arrow(axes, (x, _DECODER + 0.28), (x, _WRITTEN - 0.17))
        label(axes, (x, _WRITTEN), word)
        if i:
            arrow(axes, (writes[i - 1] + wide / 2, _DECODER), (x - wide / 2, _DECODER))
    _summary(axes, (reads[-1] + wide / 2, _STATES), right, (writes[0] - 0.25, _DECODER - 0.28))
    under = reads[: max(3, len(reads) - 1)]  # of more than three words not the last, above which is the summary's name
    context = (sum(under) / len(under), _CONTEXT)
    box(axes, context, "context for " + numbered("s", 1), 1.85, colour=ATTENTION)
    label(axes, (0.05, _CONTEXT), "attention", bold=True, colour=ACCENT, ha="left")
    reach = max(abs(x - context[0]) for x in reads) or 1
    for x, weight in zip(reads, weights, strict=True):
        end = (context[0] + 0.75 * (x - context[0]) / reach, _CONTEXT - 0.3)
        arrow(axes, (x, _STATES + 0.3), end, ACCENT, thickness(weight))
        label(axes, (x + (0.34 if x > context[0] else -0.38), _STATES + 0.41), f"{weight:.2f}")
    arrow(axes, (context[0] - 0.6, _CONTEXT + 0.28), (writes[0] + 0.2, _DECODER - 0.28))
    return with_alt(
        figure,
        f"Drawing: the encoder reads {', '.join(words)}, and has a state after each word, h₁ to "
        f"{numbered('h', len(words))}. The decoder has states of its own and writes {', '.join(written)}. A dashed "
        f"arrow leads from the encoder's last state to the decoder, which is the one summary. With attention there "
        "are arrows from all states to a context for the decoder's first state, and larger weights have thicker "
        f"arrows: {in_words(words, weights)}.",
    )


def _summary(axes: Axes, start: Point, right: float, end: Point) -> None:
    """Draw the dashed arrow from the last state, around the right-hand side, to the decoder, with its name."""
    path = [start, (right, start[1]), (right, end[1] - 0.18), (end[0], end[1] - 0.18)]
    for one, other in pairwise(path):
        axes.plot(*zip(one, other, strict=True), color=INK, linewidth=1.8, linestyle="--", zorder=2)
    arrow(axes, path[-1], end, width=1.8)
    label(axes, (right - 0.1, _CONTEXT + 0.25), "one summary,", ha="right")
    label(axes, (right - 0.1, _CONTEXT - 0.02), "the last state", ha="right")
