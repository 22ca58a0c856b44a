"""The opening figure of lesson 12: a pair of sentences, and the loss of a training run that learns from such pairs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from utils.data.gloss import glosses
from utils.data.vocabulary import tokenize
from utils.show.colours import ROLES
from utils.show.drawing import GREY, INK, OLIVE, TEAL, arrow, box, label, sheet
from utils.show.figures import with_alt

_PAIR, _BASE, _ROOM = 2.55, 0.5, 1.2  # inches: how high the pair is, where a loss of 0 is, the height of the first loss
_LEFT, _RIGHT = 0.95, 4.75  # where the curve begins and ends


def pair_and_loss(source: str, target: str, losses: Sequence[float], every: int, right: float) -> Figure:
    """Draw a sentence, the model and the translation with its gloss, and below them a run's loss.

    losses: the mean loss of each `every` steps. right: the share of validation sentences that the model translates
    exactly at the end. Raise ValueError unless there are two losses and the share is from 0 to 1.
    """
    if len(losses) < 2 or not 0 <= right <= 1:
        raise ValueError(f"at least two losses and a share from 0 to 1 are needed, not {len(losses)} and {right}.")
    figure, axes = sheet(6.0, 2.95)
    box(axes, (1.2, _PAIR), source, width=2.3, height=0.5, colour=TEAL)
    box(axes, (3.1, _PAIR), "model", width=0.8, height=0.5, colour=GREY)
    gloss = " ".join(glosses(tokenize(target)))
    box(axes, (4.95, _PAIR), f"{target}\n{gloss}", width=1.9, height=0.72, colour=OLIVE)
    arrow(axes, (2.37, _PAIR), (2.68, _PAIR))
    arrow(axes, (3.52, _PAIR), (3.98, _PAIR))
    steps = every * np.arange(1, len(losses) + 1)
    x = _LEFT + (_RIGHT - _LEFT) * (steps - every) / (steps[-1] - every)
    y = _BASE + _ROOM * np.array(losses) / losses[0]
    axes.plot([_LEFT, _RIGHT], [_BASE, _BASE], color=INK, linewidth=1.2)
    axes.plot(x, y, color=ROLES["query"], linewidth=3, marker="o", zorder=3)
    label(axes, (_LEFT - 0.12, y[0]), f"loss {losses[0]:.1f}", ha="right")
    label(axes, (_RIGHT + 0.12, y[-1] + 0.02), f"{losses[-1]:.1f}", ha="left")
    for at, text in ((0, f"{steps[0]} steps"), (-1, f"{steps[-1]} steps")):
        label(axes, (x[at], _BASE - 0.25), text)
    label(
        axes,
        ((_LEFT + _RIGHT) / 2 + 0.35, _BASE + 0.95),
        f"then {100 * right:.0f} % of new sentences\nare exactly right",
        ha="left",
    )
    told = ", ".join(f"{loss:.2f} after {step}" for loss, step in zip(losses, steps, strict=True))
    return with_alt(
        figure,
        f"Drawing: a model reads “{source}” and should write {target}, in words “{gloss}”. Below it is the loss of "
        f"a training run, by steps: {told}. At the end {100 * right:.0f} % of the validation sentences are right.",
    )
