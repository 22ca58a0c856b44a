"""The opening figure of lesson 03: the window around a word, and how near other words come to it by training.

The cosines are saved in `opening_word2vec.json`, written by `python -m lessons.opening_word2vec`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from utils.by_hand.word2vec import cosines, count_words, train, training_pairs, vocabulary
from utils.data.kept import keep, read_kept
from utils.data.small_text import small_text
from utils.show.colours import ROLES
from utils.show.drawing import EDGE, GREY, INK, QUERY, TEAL, WHITE, arrow, box, label, sheet, two_forms
from utils.show.figures import with_alt

_FILE = Path(__file__).with_suffix(".json")
_LETTER, _AROUND, _GAP = 0.112, 0.2, 0.06  # inches: of a letter, around a word in its box, and from box to box
_HIGH, _ROW, _UNIT = 2.4, 0.34, 0.95  # inches: of the window and of the bars, from bar to bar, and of a cosine of 1


def near_pear() -> dict[str, list[float]]:
    """Return the saved cosines of words with pear: word -> before and after the training of lesson 03."""
    return read_kept(_FILE)


def trained_cosines(word: str, others: Sequence[str]) -> dict[str, list[float]]:
    """Train as lesson 03 does, and return the cosines of other words with `word`, before and after."""
    text = small_text()
    counts = count_words(text)
    words = vocabulary(counts)
    given = training_pairs(text, words, window=5), [counts[known] for known in words]
    row = words.index(word)
    before, after = (
        cosines(train(*given, d=16, negatives=5, epochs=epochs, batch=32, rate=rate).W_in)[row]
        for epochs, rate in ((1, 1e-9), (150, 0.05))
    )
    places = [words.index(other) for other in others]
    return {words[i]: [round(float(cosine[i]), 2) for cosine in (before, after)] for i in places}


@two_forms
def window(
    words: Sequence[str], middle: int, reach: int, near: Mapping[str, Sequence[float]], narrow: bool = False
) -> Figure:
    """Draw a sentence, with arrows from the word at the index `middle` to those at most `reach` positions away.

    near: word -> its cosine with the middle word before and after training, drawn as bars.
    narrow: draw the bars below the sentence.

    Raise ValueError unless there is such a word, and at least one other in its window.
    """
    if not 0 <= middle < len(words):
        raise ValueError(f"middle must be 0 to {len(words) - 1}, but is {middle}.")
    seen = [i for i in range(len(words)) if 0 < abs(i - middle) <= reach]
    if not seen:
        raise ValueError(f"the window must have a word beside the middle one, but its reach is {reach}.")
    widths = [_LETTER * len(word) + _AROUND for word in words]
    across = sum(widths) + _GAP * (len(words) + 1)
    floor = _HIGH * narrow
    figure, axes = sheet(max(across, 4.6) if narrow else across + 0.7 + 4.5, _HIGH + floor)
    places = [_GAP * (i + 1) + sum(widths[:i]) + widths[i] / 2 for i in range(len(words))]
    first, last = min(*seen, middle), max(*seen, middle)
    left, right = places[first] - widths[first] / 2 - 0.06, places[last] + widths[last] / 2 + 0.06
    row = floor + 0.95
    foot = row - 0.42
    axes.plot([left, left, right, right], [foot + 0.1, foot, foot, foot + 0.1], color=ROLES["query"], linewidth=2)
    told = f"the window: {reach} on each side (5 in training)"
    label(axes, ((left + right) / 2, row - 0.65), told, colour=ROLES["query"])
    for i, (x, word, width) in enumerate(zip(places, words, widths, strict=True)):
        colour = QUERY if i == middle else GREY if i in seen else WHITE
        box(axes, (x, row), word, width=width, height=0.5, colour=colour, bold=i == middle)
    for i in seen:
        bend = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0}
        bend["connectionstyle"] = f"arc3,rad={-0.55 if i > middle else 0.55}"
        side = 0.12 if i > middle else -0.12
        axes.annotate("", (places[i], row + 0.27), (places[middle] + side, row + 0.27), arrowprops=bend)
    label(axes, (across / 2, floor + _HIGH - 0.2), f"guess the words beside {words[middle]}", bold=True)
    if not narrow:
        arrow(axes, (across + 0.15, row), (across + 0.6, row), width=2)
    _draw_bars(axes, 0.1 if narrow else across + 0.7, near, words[middle])
    found = "; ".join(f"{word} {before:.2f} before and {after:.2f} after" for word, (before, after) in near.items())
    return with_alt(
        figure,
        f"Drawing: the sentence “{' '.join(words)}”. From {words[middle]} an arrow goes to each word in its window, "
        f"{reach} on each side: {', '.join(words[i] for i in seen)}. "
        f"The cosines with {words[middle]} before and after training: {found}.".replace(" -", " −"),
    )


def _draw_bars(axes: Axes, left: float, near: Mapping[str, Sequence[float]], word: str) -> None:
    """Draw two columns of bars, which begin at `left` and need 4.5 inches."""
    label(axes, (left + 2.1, _HIGH - 0.2), f"how near to {word}? (cosine)", bold=True)
    zeros = left + 1.3, left + 2.85
    for zero, name in zip(zeros, ("before", "after training"), strict=True):
        label(axes, (zero - 0.03, _HIGH - 0.5), name, ha="left")
        axes.plot([zero, zero], [0.08, _HIGH - 0.66], color=EDGE, linewidth=1.2)
    for i, (other, values) in enumerate(near.items()):
        y = _HIGH - 0.86 - _ROW * i
        label(axes, (left + 0.9, y), other, ha="right")
        for zero, value, colour in zip(zeros, values, (GREY, TEAL), strict=True):
            bar = (zero + min(0, value) * _UNIT, y - 0.11)
            axes.add_patch(Rectangle(bar, abs(value) * _UNIT, 0.22, facecolor=colour, edgecolor=EDGE, zorder=3))
            text = f"{value:.2f}".replace("-", "−")
            label(axes, (zero + max(0, value) * _UNIT + 0.07, y), text, ha="left")


if __name__ == "__main__":
    cosines_of = trained_cosines("pear", ["banana", "cherry", "apple", "nokia", "king"])
    keep(_FILE, {word: lambda both=both: both for word, both in cosines_of.items()})
