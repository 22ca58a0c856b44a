"""The opening figure of lesson 03 marks the window of the word in the middle."""

from __future__ import annotations

import pytest
from matplotlib.text import Annotation

from lessons.opening_word2vec import window

WORDS = ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(("middle", "reach", "seen"), [(2, 1, "b, d"), (0, 2, "b, c"), (4, 9, "a, b, c, d")])
def test_an_arrow_goes_to_each_word_of_the_window(middle, reach, seen):
    figure = window(WORDS, middle, reach)
    places = {text.get_position()[0]: text.get_text() for text in figure.axes[0].texts if text.get_text() in WORDS}
    ends = [note.xy[0] for note in figure.axes[0].texts if isinstance(note, Annotation)]
    assert ", ".join(places[end] for end in ends) == seen and figure.alt.endswith(f"each side: {seen}.")


@pytest.mark.parametrize(("middle", "reach", "match"), [(5, 2, "0 to 4"), (2, 0, "beside")])
def test_window_without_middle_or_neighbour_is_refused(middle, reach, match):
    with pytest.raises(ValueError, match=match):
        window(WORDS, middle, reach)
