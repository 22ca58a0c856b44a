"""Lesson 18's opening drawing says in words what it shows."""

from __future__ import annotations

import pytest

from lessons.opening_why_it_works import four_questions


def test_opening_has_blocks_questions_and_rival():
    figure = four_questions(3)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts.count("block 3") == 2
    assert {text[0] for text in texts if text[:1].isdigit()} == set("1234")
    assert "from h4 to s1" in figure.alt
    assert "3 blocks each" in figure.alt and "LSTM" in figure.alt and all(f"{i}, " in figure.alt for i in range(1, 5))


def test_opening_refuses_single_block():
    with pytest.raises(ValueError, match="the drawing needs at least two blocks on"):
        four_questions(1)
