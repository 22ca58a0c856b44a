"""The opening figure of lesson 12: a pair of sentences, and the loss of a training run that learns from such pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from utils.data.gloss import glosses
from utils.data.vocabulary import tokenize
from utils.show.colours import ROLES
from utils.show.drawing import GREY, INK, OLIVE, TEAL, arrow, box, label, sheet, two_forms
from utils.show.figures import with_alt

_PAIR, _BASE, _ROOM = 2.55, 0.5, 1.2  # inches: how high the pair is, where a loss of 0 is, the height of the first loss
_LEFT, _RIGHT = 0.95, 0.95  # inches on both sides of the curve


@two_forms
def pair_and_loss(
    source: str, target: str, losses: Sequence[float], every: int, right: float, narrow: bool = False
) -> Figure:
    """Draw a sentence, the model and the translation with its gloss, and below them a run's loss.

    losses: the mean loss of each `every` steps. right: the share of validation sentences that the model translates
    exactly at the end. narrow: make it less wide, for a phone. Raise ValueError unless there are two losses and the
    share is from 0 to 1.
    """
    if len(losses) < 2 or not 0 <= right <= 1:
        raise ValueError(f"at least two losses and a share from 0 to 1 are needed, not {len(losses)} and {right}.")
    wide = 5.45 if narrow else 9.7
    figure, axes = sheet(wide, 2.95)
    model, written, end = wide / 2 + 0.1, wide - 0.9, wide - _RIGHT
    box(axes, (1.1, _PAIR), source, width=2.1, height=0.5, colour=TEAL)
    box(axes, (model, _PAIR), "model", width=0.75, height=0.5, colour=GREY)
    gloss = " ".join(glosses(tokenize(target)))
    box(axes, (written, _PAIR), f"{target}\N{RIGHT-TO-LEFT MARK}\n{gloss}", width=1.7, height=0.72, colour=OLIVE)
    arrow(axes, (2.17, _PAIR), (model - 0.39, _PAIR))
    arrow(axes, (model + 0.39, _PAIR), (written - 0.87, _PAIR))
    steps = every * np.arange(1, len(losses) + 1)
    x = _LEFT + (end - _LEFT) * (steps - every) / (steps[-1] - every)
    y = _BASE + _ROOM * np.array(losses) / losses[0]
    axes.plot([_LEFT, end], [_BASE, _BASE], color=INK, linewidth=1.2)
    axes.plot(x, y, color=ROLES["query"], linewidth=3, marker="o", zorder=3)
    label(axes, (_LEFT - 0.12, y[0]), f"loss {losses[0]:.1f}", ha="right")
    label(axes, (end + 0.12, y[-1] + 0.02), f"{losses[-1]:.1f}", ha="left")
    for at, text in ((0, f"{steps[0]} steps"), (-1, f"{steps[-1]} steps")):
        label(axes, (x[at], _BASE - 0.25), text)
    label(
        axes,
        (0.42 * wide, _BASE + 0.95),
        f"then {100 * right:.0f} % of new sentences\nare exactly right",
        ha="left",
    )
    told = ", ".join(f"{loss:.2f} after {step}" for loss, step in zip(losses, steps, strict=True))
    return with_alt(
        figure,
        f"Drawing: a model reads “{source}” and should write {target}, in words “{gloss}”. Below it is the loss of "
        f"a training run, by steps: {told}. At the end {100 * right:.0f} % of the validation sentences are right.",
    )
