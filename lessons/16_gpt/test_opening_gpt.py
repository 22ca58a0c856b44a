"""The opening figure of lesson 16 shows what each word sees and predicts."""

from __future__ import annotations

import pytest
from matplotlib.text import Annotation

from lessons.opening_gpt import next_words

WORDS = ["the", "weather", "is", "great"]


def test_each_word_read_has_an_arrow_from_itself_and_all_to_its_left_and_one_to_the_next_word():
    texts = next_words(WORDS).axes[0].texts
    arrows = [text for text in texts if isinstance(text, Annotation)]
    lowest = [arrow for arrow in arrows if arrow.xyann[1] < 1]
    assert len(lowest) == 3 * 4 / 2 and len(arrows) == len(lowest) + 3
    assert all(arrow.xyann[0] <= arrow.xy[0] for arrow in arrows), "none to the left"


def test_the_words_read_and_said_are_shifted_by_one():
    named = [(text.get_text(), text.get_position()) for text in next_words(WORDS).axes[0].texts if text.get_text()]
    rows = {y: [text for text, at in sorted(named, key=lambda item: item[1][0]) if at[1] == y] for _, (_, y) in named}
    assert [WORDS[:-1], WORDS[1:]] == [row[1:] for row in rows.values() if row[0] in ("reads", "predicts")]


def test_the_alternative_text_says_who_sees_whom_and_what_comes_next():
    alt = next_words(WORDS).alt
    assert "At the, which sees the, it predicts weather" in alt
    assert "at is, which sees the, weather, is, it predicts great." in alt


def test_one_word_is_too_few():
    with pytest.raises(ValueError, match="one to predict"):
        next_words(["the"])
