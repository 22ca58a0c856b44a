"""The opening figure of lesson 13 shows a choice at which the most probable first word is not the best."""

from __future__ import annotations

import pytest

from lessons.opening_decoding import Candidate, first_two_words, tree_of_two
from utils.show.drawing import thickness


def test_sentence_without_subject_makes_the_translator_hesitate(translator):
    alt = first_two_words(translator, "Is not big.").alt
    assert "day 0.21, then Friday 0.35" in alt and "fish 0.12, then big 1.00" in alt


def test_tree_shows_probabilities_as_lines_and_their_product_as_number():
    axes = tree_of_two("x", [Candidate("a", 0.5, (Candidate("b", 0.5), Candidate("c", 0.3)))]).axes[0]
    assert {"0.25", "0.15"} <= {text.get_text() for text in axes.texts}
    assert [line.get_linewidth() for line in axes.lines] == [thickness(share) for share in (0.5, 0.5, 0.3)]


def test_tree_without_second_words_is_refused(translator):
    with pytest.raises(ValueError, match="second word"):
        tree_of_two("x", [Candidate("a", 0.5)])
    with pytest.raises(ValueError, match="at least 1"):
        first_two_words(translator, "Is not big.", most=(0, 2))
