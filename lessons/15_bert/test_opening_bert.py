"""The opening of lesson 15 has one word twice, the same below and another above."""

from __future__ import annotations

import pytest
from matplotlib.text import Annotation

from lessons.opening_bert import one_word_two_vectors

SENTENCES, MEANINGS = [["I", "ate", "an", "apple"], ["apple", "makes", "phones"]], ["a fruit", "a company"]


def test_every_word_is_above_and_below_and_may_attend_to_each():
    axes = one_word_two_vectors("apple", SENTENCES, MEANINGS).axes[0]
    texts = [text.get_text() for text in axes.texts if text.get_text()]
    assert texts.count("apple") == 4 and texts.count("phones") == 2
    arrows = [text.arrow_patch for text in axes.texts if isinstance(text, Annotation)]
    assert len(arrows) == 4 * 4 + 3 * 3
    assert sum(a.get_linewidth() > 2 for a in arrows) == 4 + 3, "those that the word is made of are strong"


def test_alternative_text_has_both_sentences_and_the_meanings_of_the_word():
    alt = one_word_two_vectors("apple", SENTENCES, MEANINGS).alt
    assert "In “I ate an apple” it is made of all 4 words and becomes a fruit." in alt
    assert "In “apple makes phones” it is made of all 3 words and becomes a company." in alt


@pytest.mark.parametrize(
    ("sentences", "meanings", "sentence"),
    [
        (SENTENCES[:1], MEANINGS, "two sentences and two meanings"),
        ([["a", "pear"], SENTENCES[1]], MEANINGS, "in one 0 times"),
    ],
)
def test_drawing_refuses_invalid_arguments(sentences, meanings, sentence):
    with pytest.raises(ValueError, match=sentence):
        one_word_two_vectors("apple", sentences, meanings)
