"""The opening figure of lesson 16 shows what each word sees and predicts."""

from __future__ import annotations

import pytest

from lessons.opening_gpt import next_words

WORDS = ["the", "weather", "is", "great"]


def test_predicted_words_are_input_shifted_by_one():
    named = [(text.get_text(), text.get_position()) for text in next_words(WORDS).axes[0].texts if text.get_text()]
    rows = {y: [text for text, at in sorted(named, key=lambda item: item[1][0]) if at[1] == y] for _, (_, y) in named}
    assert [WORDS[:-1], WORDS[1:]] == [row[1:] for row in rows.values() if row[0] in ("reads", "predicts")]


def test_alternative_text_says_who_sees_whom_and_what_comes_next():
    alt = next_words(WORDS).alt
    assert "At the, which sees the, it predicts weather" in alt
    assert "at is, which sees the, weather, is, it predicts great." in alt


def test_opening_refuses_single_word():
    with pytest.raises(ValueError, match="one to predict"):
        next_words(["the"])
