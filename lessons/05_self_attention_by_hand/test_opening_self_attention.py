"""The opening figure of lesson 05 shows every key, the given weights, and which word asks."""

from __future__ import annotations

import pytest

from lessons.opening_self_attention import one_query

WORDS, WEIGHTS = ["the", "weather", "is", "great"], [0.1, 0.6, 0.2, 0.1]


def texts_of(figure):
    return [text for text in figure.axes[0].texts if text.get_text()]


def test_one_query_labels_key_score_weight_and_value_of_every_word():
    shown = texts_of(one_query(WORDS, 1, WEIGHTS))
    texts = [text.get_text() for text in shown]
    assert len({text.get_position()[1] for text in shown if "  k" in text.get_text()}) == len(WORDS)
    for j, (word, weight) in enumerate(zip(WORDS, WEIGHTS, strict=True)):
        key = "₁₂₃₄"[j]
        assert {f"{word}  k{key}", f"q₂ · k{key}", f"v{key}"} <= set(texts)
        assert texts.count(f"{weight:.2f}  ×") == WEIGHTS.count(weight)
    assert all(any(text.endswith(name) for text in texts) for name in ("\nq₂", "\ny₂"))


def test_one_query_describes_asking_word_and_every_weight():
    alt = one_query(WORDS, 3, [0.2, 0.1, 0.1, 0.6]).alt
    assert "query of great" in alt and "the 0.20, weather 0.10, is 0.10, great 0.60" in alt


@pytest.mark.parametrize(
    ("asks", "weights", "sentence"),
    [(1, [0.5, 0.5], "4 words"), (4, WEIGHTS, "0 to 3, but is 4"), (1, [0.9, 0.6, 0.2, 0.1], "sum to 1.8"),
     (1, [-0.1, 0.8, 0.2, 0.1], "at least 0")],
)  # fmt: skip
def test_one_query_refuses_invalid_arguments(asks, weights, sentence):
    with pytest.raises(ValueError, match=sentence):
        one_query(WORDS, asks, weights)
