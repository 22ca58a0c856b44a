"""The opening figure of lesson 02 shows every word's id and row."""

from __future__ import annotations

import pytest

from lessons.opening_tokens import words_to_rows


def test_each_word_has_its_id_and_row():
    figure = words_to_rows(["a", "b"], [7, 9], [[0.25, -1.5], [3.0, 0.0]])
    shown = sorted((-text.get_position()[1], text.get_position()[0], text.get_text()) for text in figure.axes[0].texts)
    texts = [text for *_, text in shown if text]
    assert texts[3:] == ["a", "7", "0.2", "−1.5", "b", "9", "3.0", "0.0"]  # after the three headings
    assert "b has the id 9 and the row 3.0, 0.0" in figure.alt


@pytest.mark.parametrize(("ids", "rows"), [([1], [[1.0], [2.0]]), ([1, 2], [[1.0]]), ([1, 2], [1.0, 2.0])])
def test_words_without_id_or_row_are_refused(ids, rows):
    with pytest.raises(ValueError, match="id and a row"):
        words_to_rows(["a", "b"], ids, rows)
