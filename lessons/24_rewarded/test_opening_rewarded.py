"""The opening figure of lesson 24 rewards only right answers."""

from __future__ import annotations

import pytest

from lessons.opening_rewarded import drawn_and_rewarded


def test_only_right_answers_have_a_reward():
    figure = drawn_and_rewarded("27 + 39", ["56", "66", "66"], "66")
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts.count("27 + 39") == texts.count("56") == 1 and texts.count("66") == 2
    assert texts.count("1") == 2 and texts.count("0") == 1 and "56 0, 66 1, 66 1." in figure.alt


def test_drawing_without_answers_is_refused():
    with pytest.raises(ValueError, match="at least one answer"):
        drawn_and_rewarded("27 + 39", [], "66")
