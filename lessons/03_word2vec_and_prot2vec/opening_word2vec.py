"""The opening figure of lesson 03: a sentence, the word in its middle, and the window around it."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from utils.show.colours import ROLES
from utils.show.drawing import GREY, INK, QUERY, WHITE, box, label, sheet, two_forms
from utils.show.figures import with_alt

_LETTER = 0.112  # inches
_WIDE, _NARROW = (0.5, 0.3), (0.2, 0.06)  # around a word in its box, and from box to box
_SENTENCE, _HIGH = 0.95, 2.3


@two_forms
def window(words: Sequence[str], middle: int, reach: int, narrow: bool = False) -> Figure:
    """Draw a sentence, with arrows from the word at the index `middle` to those at most `reach` positions away.

    narrow: put the words closer together.

    Raise ValueError unless there is such a word, and at least one other in its window.
    """
    if not 0 <= middle < len(words):
        raise ValueError(f"middle must be 0 to {len(words) - 1}, but is {middle}.")
    seen = [i for i in range(len(words)) if 0 < abs(i - middle) <= reach]
    if not seen:
        raise ValueError(f"the window must have a word beside the middle one, but its reach is {reach}.")
    around, gap = _NARROW if narrow else _WIDE
    widths = [_LETTER * len(word) + around for word in words]
    figure, axes = sheet(sum(widths) + gap * (len(words) + 1), _HIGH)
    places = [gap * (i + 1) + sum(widths[:i]) + widths[i] / 2 for i in range(len(words))]
    first, last = min(*seen, middle), max(*seen, middle)
    left, right = places[first] - widths[first] / 2 - 0.06, places[last] + widths[last] / 2 + 0.06
    foot = _SENTENCE - 0.42
    bracket = [foot + 0.1, foot, foot, foot + 0.1]
    axes.plot([left, left, right, right], bracket, color=ROLES["query"], linewidth=2)
    label(axes, ((left + right) / 2, _SENTENCE - 0.65), f"the window: {reach} on each side", colour=ROLES["query"])
    for i, (x, word, width) in enumerate(zip(places, words, widths, strict=True)):
        colour = QUERY if i == middle else GREY if i in seen else WHITE
        box(axes, (x, _SENTENCE), word, width=width, height=0.5, colour=colour, bold=i == middle)
    for i in seen:
        bend = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0}
        bend["connectionstyle"] = f"arc3,rad={-0.55 if i > middle else 0.55}"
        side = 0.12 if i > middle else -0.12
        axes.annotate("", (places[i], _SENTENCE + 0.27), (places[middle] + side, _SENTENCE + 0.27), arrowprops=bend)
    label(axes, (axes.get_xlim()[1] / 2, _HIGH - 0.2), f"which words are beside {words[middle]}?", bold=True)
    return with_alt(
        figure,
        f"Drawing: the sentence “{' '.join(words)}”. From {words[middle]} an arrow goes to each word in its window, "
        f"{reach} on each side: {', '.join(words[i] for i in seen)}.",
    )
