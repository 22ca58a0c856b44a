"""The opening figure of lesson 15: one word in two sentences, with one vector below and two above."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from utils.show.drawing import ACCENT, GREY, INK, OLIVE, ROSE, SAND, TEAL, arrow, box, label, sheet, two_forms
from utils.show.figures import with_alt

_STEP, _WORD, _MARGIN, _SIDE = 1.05, 0.95, 0.3, 1.2  # inches: from word to word, a word, between sentences, names
_TABLE, _TOP = 0.65, 2.3  # the heights of the vectors from the table and of those at the end
_PALE = "#A0A0A0"


@two_forms
def one_word_two_vectors(
    word: str, sentences: Sequence[Sequence[str]], meanings: Sequence[str], narrow: bool = False
) -> Figure:
    """Draw `word` in two sentences, each a list of words: looked up in a table, then made of all words of its sentence.

    meanings: of `word` in each. narrow: draw the sentences below each other. Raise ValueError unless there are two
    of both, and `word` is once in each sentence.
    """
    if len(sentences) != 2 or len(meanings) != 2:
        raise ValueError(
            f"there must be two sentences and two meanings, but there are {len(sentences)} and {len(meanings)}."
        )
    for words in sentences:
        if list(words).count(word) != 1:
            raise ValueError(f"{word!r} must be in each sentence once, but is in one {list(words).count(word)} times.")
    widths = [_STEP * len(words) for words in sentences]
    high = _TOP + 0.75
    figure, axes = sheet(
        _SIDE + (max(widths) if narrow else sum(widths) + _MARGIN) + 0.15, 2 * high if narrow else high
    )
    left, foot = _SIDE, high if narrow else 0.0
    for below in {foot, 0.0}:
        for y, text in ((_TABLE, "looked up"), ((_TABLE + _TOP) / 2, "6 blocks,\nno mask"), (_TOP, "at the end")):
            label(axes, (0.05, below + y), text, bold=True, ha="left")
    for words, meaning, colour, width in zip(sentences, meanings, (OLIVE, TEAL), widths, strict=True):
        table, top = foot + _TABLE, foot + _TOP
        places = [left + _STEP * (i + 0.5) for i in range(len(words))]
        its_place = places[list(words).index(word)]
        for start in places:
            for end in places:
                if end != its_place:
                    arrow(axes, (start, table + 0.3), (end, top - 0.32), _PALE, 0.8)
        for start in places:
            arrow(axes, (start, table + 0.3), (its_place, top - 0.32), ACCENT, 2.4)
        for place, other in zip(places, words, strict=True):
            box(axes, (place, table), other, width=_WORD, colour=ROSE if other == word else GREY)
            box(axes, (place, top), other, width=_WORD, colour=colour if other == word else SAND)
        label(axes, (its_place, top + 0.55), meaning, bold=True, colour=INK)
        label(axes, (its_place, table - 0.5), "the same row")
        left, foot = (left, 0.0) if narrow else (left + width + _MARGIN, foot)
    told = " ".join(
        f"In “{' '.join(words)}” it is made of all {len(words)} words and becomes {meaning}."
        for words, meaning in zip(sentences, meanings, strict=True)
    )
    return with_alt(
        figure,
        f"Drawing: {word} in two sentences. Below, both get the same row of the table. Then come 6 blocks without a "
        f"mask, so that every word asks every other, to its left and to its right. {told}",
    )
