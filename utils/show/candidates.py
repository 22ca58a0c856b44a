"""Draw the most probable next words as bars, for one step or for several steps side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from utils.show.colours import AMBER
from utils.show.drawing import FONT, two_forms
from utils.show.figures import with_alt
from utils.show.live import Bars

_LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"  # keeps a number after a Persian word on its right
_COLUMNS = 3  # the most panels in a row, because more would be too small to read


@two_forms
def candidate_bars(
    steps: Mapping[str, Mapping[str, float]], title: str, chosen: Mapping[str, str] | None = None, narrow: bool = False
) -> Figure:
    """Return a panel of bars for each of `steps`: heading -> {word: probability}, in the given order from the top down.

    chosen: heading -> the chosen word, which has a mark and a frame. In every panel the bars go from 0 to 1, so
    that they can be compared. The alternative text lists all of them.
    """
    columns = 1 if narrow else min(len(steps), _COLUMNS)
    rows = -(-len(steps) // columns)
    most = max(map(len, steps.values()))
    figure = Figure(figsize=(3.9 * columns, (0.5 + 0.29 * most) * rows + 0.4), layout="constrained")
    figure.suptitle(fill(title, 36) if narrow else title)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    readings = []
    for axes, (heading, words) in zip(grid, steps.items(), strict=False):
        taken = (chosen or {}).get(heading)
        edges = ["black" if word == taken else AMBER for word in words]
        places = range(len(words))
        axes.barh(places, list(words.values()), color=AMBER, edgecolor=edges, linewidth=2)
        axes.set_yticks(places, [f"▶ {word}" if word == taken else word for word in words], fontsize=FONT)
        axes.invert_yaxis()
        axes.set_xlim(0, 1.4)  # room for the number beside the longest bar
        axes.set_xticks([])  # the numbers are beside their bars
        axes.spines[["top", "right", "bottom"]].set_visible(False)
        axes.tick_params(length=0)
        axes.set_title(heading, fontsize=FONT)
        for place, p in zip(places, words.values(), strict=True):
            axes.text(p + 0.02, place, f"{p:.2f}", va="center", fontsize=FONT)
        said = ", ".join(f"{word}{_LEFT_TO_RIGHT} {p:.2f}" for word, p in words.items())
        readings.append(f"{heading}: {said}" + (f"; taken: {taken}{_LEFT_TO_RIGHT}" if taken else ""))
    for axes in grid[len(steps) :]:
        axes.set_axis_off()
    return with_alt(figure, f"Bars, {title}. " + ". ".join(readings) + ".")


def drawn_bars(
    words: Sequence[str],
    model: ArrayLike,
    drawn: ArrayLike,
    title: str = "",
    count: int = 10,
    y_range: tuple[float, float] | None = (0, 1),
) -> Bars:
    """Return a panel of a `LiveControl` with the model's `count` most probable words and bars for `drawn`.

    words: the vocabulary. model (V,): the model's probabilities. drawn (V,): the probabilities after temperature, k and
    p. The words and their order are the model's, so that dropped words stay visible, with a bar of 0 and a ✗. y_range:
    the range of the bars, or None to let the largest fill the panel. Raise ValueError if the three differ in length.
    """
    model, drawn = np.asarray(model, dtype=float), np.asarray(drawn, dtype=float)
    if not len(words) == len(model) == len(drawn):
        raise ValueError(f"each word needs two probabilities: {len(words)} words, {len(model)} and {len(drawn)}.")
    best = np.argsort(-model, kind="stable")[:count]
    names = [words[i] if drawn[i] > 0 else f"{words[i]}{_LEFT_TO_RIGHT} ✗" for i in best]
    return Bars(names, drawn[best], title, y_range=y_range, shares=True)


def percent(share: float) -> str:
    """Return a probability in whole percent; one that is neither 0 nor 1 never looks so."""
    rounded = round(100 * share)
    text = "< 1 %" if share > 0 and not rounded else "> 99 %" if share < 1 and rounded == 100 else f"{rounded} %"
    return text.replace(" ", "\N{NO-BREAK SPACE}")
