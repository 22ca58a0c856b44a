"""The opening figure of lesson 15: one word in two sentences, with one vector below and two above."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from utils.show.drawing import ACCENT, GREY, INK, OLIVE, ROSE, SAND, TEAL, arrow, box, label, sheet
from utils.show.figures import with_alt

_STEP, _WORD, _MARGIN, _SIDE = 1.5, 1.3, 0.45, 1.9  # inches: from word to word, of a word, between, on the left
_TABLE, _TOP = 0.75, 3.2  # how high the vectors of the table stand, and those at the end
_PALE = "#A0A0A0"


def one_word_two_vectors(word: str, sentences: Sequence[Sequence[str]], meanings: Sequence[str]) -> Figure:
    """Draw `word` in two sentences, each a list of words: looked up in a table, then made of all words of its sentence.

    meanings: of `word` in each. Raise ValueError unless there are two of both, and `word` is once in each sentence.
    """
    if len(sentences) != 2 or len(meanings) != 2:
        raise ValueError(
            f"there must be two sentences and two meanings, but there are {len(sentences)} and {len(meanings)}."
        )
    for words in sentences:
        if list(words).count(word) != 1:
            raise ValueError(f"{word!r} must be in each sentence once, but is in one {list(words).count(word)} times.")
    widths = [_STEP * len(words) for words in sentences]
    figure, axes = sheet(_SIDE + sum(widths) + 2 * _MARGIN, _TOP + 1.0)
    left = _SIDE
    for y, text in ((_TABLE, "looked up"), ((_TABLE + _TOP) / 2, "6 blocks,\nno mask"), (_TOP, "at the end")):
        label(axes, (_SIDE / 2, y), text, bold=True)
    for words, meaning, colour, width in zip(sentences, meanings, (OLIVE, TEAL), widths, strict=True):
        places = [left + _STEP * (i + 0.5) for i in range(len(words))]
        its_place = places[list(words).index(word)]
        for start in places:
            for end in places:
                if end != its_place:
                    arrow(axes, (start, _TABLE + 0.3), (end, _TOP - 0.32), _PALE, 0.8)
        for start in places:
            arrow(axes, (start, _TABLE + 0.3), (its_place, _TOP - 0.32), ACCENT, 2.4)
        for place, other in zip(places, words, strict=True):
            box(axes, (place, _TABLE), other, width=_WORD, colour=ROSE if other == word else GREY)
            box(axes, (place, _TOP), other, width=_WORD, colour=colour if other == word else SAND)
        label(axes, (its_place, _TOP + 0.55), meaning, bold=True, colour=INK)
        label(axes, (its_place, _TABLE - 0.5), "the same row")
        left += width + _MARGIN
    told = " ".join(
        f"In “{' '.join(words)}” it is made of all {len(words)} words and becomes {meaning}."
        for words, meaning in zip(sentences, meanings, strict=True)
    )
    return with_alt(
        figure,
        f"Drawing: {word} in two sentences. Below, both get the same row of the table. Then come 6 blocks without a "
        f"mask, so that every word asks every other, to its left and to its right. {told}",
    )
