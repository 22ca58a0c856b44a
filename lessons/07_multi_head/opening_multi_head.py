"""The opening figure of lesson 07: heads side by side, joined by W_O."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from utils.show.drawing import GREY, OLIVE, ROSE, SAND, TEAL, arrow, box, label, sheet
from utils.show.figures import with_alt

_COLOURS = (TEAL, ROSE, OLIVE, SAND)
_HEAD, _GAP = 2.8, 0.2  # inches: how wide a head is drawn, and what is left between two
_TOKENS, _ATTEND, _CONCAT, _NEW = 3.3, 2.2, 1.08, 0.28


def heads_side_by_side(questions: Sequence[str], d_model: int) -> Figure:
    """Draw two to four heads side by side, each with its own Q, K, V, its attention and its question.

    `questions` are what the heads ask, in a few words. Each head is d_model / heads wide. Raise ValueError for any
    other number of heads, or one that does not divide d_model.
    """
    n_heads = len(questions)
    if not 2 <= n_heads <= len(_COLOURS):
        raise ValueError(f"the drawing has room for two to {len(_COLOURS)} heads: it would have {n_heads}.")
    if d_model % n_heads:
        raise ValueError(f"d_model = {d_model} can't be shared evenly by {n_heads} heads.")
    width, total = d_model // n_heads, n_heads * _HEAD + (n_heads - 1) * _GAP
    left, right = 0.1, 0.1
    figure, axes = sheet(left + total + right, 3.62)
    middle = left + total / 2
    box(axes, (middle, _TOKENS), f"X: the tokens, N × {d_model}", width=4.2, colour=GREY)
    box(axes, (middle, _NEW), f"$W_O$ mixes the heads: X′, N × {d_model}", width=4.6, colour=GREY)
    for n, (question, colour) in enumerate(zip(questions, _COLOURS, strict=False)):
        x = left + _HEAD / 2 + n * (_HEAD + _GAP)
        arrow(axes, (middle, _TOKENS - 0.28), (x, _ATTEND + 0.54))
        text = f"head {n + 1}: own Q, K, V, N × {width}\n“{question}”\nits answer: N × {width}"
        box(axes, (x, _ATTEND), text, width=_HEAD, height=1.05, colour=colour)
        piece = middle + (n - (n_heads - 1) / 2) * 1.5
        arrow(axes, (x, _ATTEND - 0.53), (piece, _CONCAT + 0.28))
        box(axes, (piece, _CONCAT), f"head {n + 1}", width=1.5, height=0.5, colour=colour)
    label(axes, (middle + 0.75 * n_heads + 0.15, _CONCAT), f"N × {d_model}", ha="left")
    arrow(axes, (middle, _CONCAT - 0.26), (middle, _NEW + 0.28))
    asked = "; ".join(f"head {n} asks “{question}”" for n, question in enumerate(questions, 1))
    return with_alt(
        figure,
        f"Drawing: {n_heads} heads side by side. The tokens X, N × {d_model}, go to every head. Each head has its own "
        f"Q, K and V, N × {width}, and its own attention: {asked}. Their answers, N × {width} each, are "
        f"concatenated, put side by side, to N × {d_model} again. W_O mixes the heads, "
        "and gives X′, as wide as X.",
    )
