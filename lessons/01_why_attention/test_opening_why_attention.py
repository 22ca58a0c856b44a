"""Lesson 01's opening drawing says in words what it shows, and its arrows are as thick as the weights."""

from __future__ import annotations

import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Annotation

from lessons.opening_why_attention import encoder_and_decoder
from utils.show.drawing import ACCENT, thickness

WORDS, WRITTEN = ["the", "weather", "is", "great"], ["havā", "āli", "ast"]
WEIGHTS = [0.1, 0.6, 0.1, 0.2]


def test_opening_shows_words_states_and_weights():
    figure = encoder_and_decoder(WORDS, WRITTEN, WEIGHTS)
    texts = [text.get_text() for text in figure.axes[0].texts]
    for name in (*WORDS, *WRITTEN, "h₁", "h₄", "s₁", "s₃", "encoder", "decoder", "attention", "0.60"):
        assert name in texts
        assert name in figure.alt or name == "0.60" or name[0] in "hs"
    assert "the 0.10, weather 0.60, is 0.10, great 0.20" in figure.alt and "dashed" in figure.alt


def test_arrows_to_the_context_are_as_thick_as_the_weights():
    arrows = [
        t.arrow_patch for t in encoder_and_decoder(WORDS, WRITTEN, WEIGHTS).axes[0].texts if isinstance(t, Annotation)
    ]
    widths = [arrow.get_linewidth() for arrow in arrows if to_hex(arrow.get_edgecolor()) == ACCENT.lower()]
    assert widths == [thickness(weight) for weight in WEIGHTS]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([0.5, 0.5], "4 words, but weights has shape"),
        ([0.5, 0.5, 0.5, 0.5], "sum to 2"),
        ([1.5, -0.5, 0, 0], "at least 0"),
    ],
)
def test_opening_refuses_invalid_weights(weights, message):
    with pytest.raises(ValueError, match=message):
        encoder_and_decoder(WORDS, WRITTEN, weights)
