"""The opening of lesson 18b shows how many scores are held, and what is carried along."""

from __future__ import annotations

import pytest

from lessons.opening_what_it_costs import in_chunks


def test_words_and_alternative_text_give_the_counts():
    figure = in_chunks(8, 2, (1, 2))
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert all(any(number in text for text in texts) for number in ("8 × 8", "2 × 2"))
    assert "64" in figure.alt and "2 × 2" in figure.alt


@pytest.mark.parametrize(("chunk", "at", "sentence"), [(3, (0, 0), "chunks of 3"), (2, (4, 0), "none at")])
def test_drawing_refuses_invalid_arguments(chunk, at, sentence):
    with pytest.raises(ValueError, match=sentence):
        in_chunks(8, chunk, at)
