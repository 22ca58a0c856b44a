"""The opening figure of lesson 22: one state is taken from a donor sentence and put into another one."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from utils.show.colours import ROLES
from utils.show.drawing import GREY, INK, QUERY, WHITE, arrow, box, label, sheet
from utils.show.figures import with_alt

_STEP, _WORD, _NAMES = 0.87, 0.8, 1.05  # inches: from state to state, a state's width, space for names
_DONOR, _OTHER, _OUT, _HIGH = 2.55, 1.5, 0.4, 2.95


def one_patch(donor: Sequence[str], other: Sequence[str], at: int, before: str, question: str) -> Figure:
    """Draw the states of two sentences, with an arrow that puts the donor's state at the index `at` into the other.

    before: the word that the decoder writes without the patch. question: what is asked about it with the patch. Raise
    ValueError unless both sentences have the same number of words, and one at `at`.
    """
    if len(donor) != len(other) or not 0 <= at < len(other):
        raise ValueError(f"two sentences of one length with a word {at} are needed: {len(donor)}, {len(other)} words.")
    figure, axes = sheet(_NAMES + _STEP * len(other) + 0.1, _HIGH)
    for y, name in ((_DONOR, "donor"), (_OTHER, "sentence"), (_OUT, "writes")):
        label(axes, (0.05, y), name, bold=True, ha="left")
    places = [_NAMES + _STEP * (i + 0.5) for i in range(len(other))]
    for i, x in enumerate(places):
        box(axes, (x, _DONOR), donor[i], width=_WORD, height=0.5, colour=QUERY)
        box(axes, (x, _OTHER), other[i], width=_WORD, height=0.5, colour=QUERY if i == at else GREY)
    arrow(axes, (places[at], _DONOR - 0.28), (places[at], _OTHER + 0.28), ROLES["query"], 4)
    label(axes, (places[at] + 0.15, (_DONOR + _OTHER) / 2), "its state, put in place", ha="left", colour=ROLES["query"])
    half = _STEP * len(other) / 2
    for x, word, colour in ((_NAMES + half / 2, before, GREY), (_NAMES + 1.5 * half, question, WHITE)):
        box(axes, (x, _OUT), word, width=half - 0.3, height=0.5, colour=colour)
    arrow(axes, (_NAMES + half - 0.12, _OUT), (_NAMES + half + 0.12, _OUT), INK, 2)
    arrow(axes, (places[len(other) // 2], _OTHER - 0.28), (places[len(other) // 2], _OUT + 0.35), INK, 1.4)
    return with_alt(
        figure,
        f"Drawing: the states of “{' '.join(donor)}” and of “{' '.join(other)}”, one for each word. The state of "
        f"{donor[at]} is taken from the first sentence, the donor, and put into the second in place of its own. "
        f"Without it the decoder writes {before}. With it: {question}",
    )
