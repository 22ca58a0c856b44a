"""The opening figure of lesson 07: heads side by side, joined by W_O."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from utils.show.drawing import GREY, OLIVE, ROSE, SAND, TEAL, arrow, box, label, sheet
from utils.show.figures import with_alt

_COLOURS = (TEAL, ROSE, OLIVE, SAND)
_HEAD, _GAP = 2.9, 0.35  # inches: how wide a head is drawn, and what is left between two
_TOKENS, _IN, _ATTEND, _OUT, _CONCAT, _PROJECT, _NEW = 6.9, 5.75, 4.65, 3.55, 2.45, 1.4, 0.4


def heads_side_by_side(questions: Sequence[str], d_model: int) -> Figure:
    """Draw two to four heads side by side, each with its own Q, K, V, its attention and its question.

    `questions` are what the heads ask, in a few words. Each head is d_model / heads wide. Raises ValueError for any
    other number of heads, or one that does not divide d_model.
    """
    n_heads = len(questions)
    if not 2 <= n_heads <= len(_COLOURS):
        raise ValueError(f"the drawing has room for two to {len(_COLOURS)} heads: it would have {n_heads}.")
    if d_model % n_heads:
        raise ValueError(f"d_model = {d_model} can't be shared evenly by {n_heads} heads.")
    width, total = d_model // n_heads, n_heads * _HEAD + (n_heads - 1) * _GAP
    left, right = 0.3, 1.5
    figure, axes = sheet(left + total + right, 7.4)
    middle = left + total / 2
    box(axes, (middle, _TOKENS), f"X: the tokens, N × {d_model}", width=4.2, colour=GREY)
    box(axes, (middle, _PROJECT), "$W_O$ mixes the heads", width=4.2, colour=GREY)
    box(axes, (middle, _NEW), f"X′: the new tokens, N × {d_model}", width=4.2, colour=GREY)
    for n, (question, colour) in enumerate(zip(questions, _COLOURS, strict=False)):
        x = left + _HEAD / 2 + n * (_HEAD + _GAP)
        arrow(axes, (middle, _TOKENS - 0.3), (x, _IN + 0.32))
        box(axes, (x, _IN), f"own Q, K, V: N × {width}", width=_HEAD, colour=colour)
        arrow(axes, (x, _IN - 0.3), (x, _ATTEND + 0.47))
        box(axes, (x, _ATTEND), f"head {n + 1}: attention\n“{question}”", width=_HEAD, height=0.9, colour=colour)
        arrow(axes, (x, _ATTEND - 0.47), (x, _OUT + 0.3))
        box(axes, (x, _OUT), f"its answer: N × {width}", width=_HEAD, colour=colour)
        piece = middle + (n - (n_heads - 1) / 2) * 1.5
        arrow(axes, (x, _OUT - 0.3), (piece, _CONCAT + 0.3))
        box(axes, (piece, _CONCAT), f"head {n + 1}", width=1.5, colour=colour)
    label(axes, (middle + 0.75 * n_heads + 0.2, _CONCAT), f"concatenated: N × {d_model}", ha="left")
    arrow(axes, (middle, _CONCAT - 0.3), (middle, _PROJECT + 0.3))
    arrow(axes, (middle, _PROJECT - 0.3), (middle, _NEW + 0.3))
    asked = "; ".join(f"head {n} asks “{question}”" for n, question in enumerate(questions, 1))
    return with_alt(
        figure,
        f"Drawing: {n_heads} heads side by side. The tokens X, N × {d_model}, go to every head. Each head has its own "
        f"Q, K and V, N × {width}, and its own attention: {asked}. Their answers, N × {width} each, are "
        f"concatenated, put side by side, to N × {d_model} again. W_O mixes the heads, "
        "and gives X′, as wide as X.",
    )
