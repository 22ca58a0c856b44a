"""The opening of lesson 18b shows how many scores are held, and what is carried along."""

from __future__ import annotations

import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation

from lessons.opening_what_it_costs import in_chunks
from utils.show.drawing import ATTENTION, GREY, WHITE


def test_one_chunk_is_held_those_before_it_are_done_and_the_others_to_come():
    cells = [patch for patch in in_chunks(8, 2, (1, 2)).axes[0].patches if isinstance(patch, Rectangle)]
    *cells, done, to_come = cells
    colours = [to_hex(cell.get_facecolor()).upper() for cell in cells]
    assert len(cells) == 2 * 64
    assert colours.count(ATTENTION.upper()) == 64 + 4
    assert colours.count(GREY.upper()) == 4 * (4 + 2) and colours.count(WHITE.upper()) == 64 - 24 - 4
    assert [to_hex(square.get_facecolor()).upper() for square in (done, to_come)] == [GREY.upper(), WHITE.upper()]


@pytest.mark.parametrize("at", [(0, 0), (1, 2), (3, 3)])
def test_what_is_carried_along_leaves_from_the_square_that_is_held_and_over_the_others(at):
    axes = in_chunks(8, 2, at).axes[0]
    (arrow,) = (text for text in axes.texts if isinstance(text, Annotation))
    squares = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    held = [s for s in squares if to_hex(s.get_facecolor()).upper() == ATTENTION.upper() and s.get_x() > 5]
    left, right = min(s.get_x() for s in held), max(s.get_x() + s.get_width() for s in held)
    low, high = min(s.get_y() for s in held), max(s.get_y() + s.get_height() for s in held)
    assert left < arrow.xyann[0] < right and low < arrow.xyann[1] < high
    assert arrow.get_zorder() > max(s.get_zorder() for s in squares)


def test_the_words_and_the_alternative_text_say_how_many():
    figure = in_chunks(8, 2, (1, 2))
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert all(any(number in text for text in texts) for number in ("8 × 8", "2 × 2"))
    assert "64" in figure.alt and "2 × 2" in figure.alt


@pytest.mark.parametrize(("chunk", "at", "sentence"), [(3, (0, 0), "chunks of 3"), (2, (4, 0), "none at")])
def test_what_does_not_fit_is_refused(chunk, at, sentence):
    with pytest.raises(ValueError, match=sentence):
        in_chunks(8, chunk, at)
