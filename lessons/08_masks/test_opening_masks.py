"""The drawing that opens lesson 08: one arrow for each pair that is allowed, the same in words, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Annotation

from lessons.opening_masks import Panel, who_may_look_at_whom
from utils.show.drawing import ACCENT

WORDS = ["a", "b", "c", "d"]
CAUSAL = Panel("decoder", "itself and before", WORDS, WORDS, np.tril(np.ones((4, 4), dtype=bool)))
PADDED = Panel("cross", "real words", ["x", "y"], WORDS, [[1, 1, 0, 0]] * 2)


def arrows(figure):
    return [text for text in figure.axes[0].texts if isinstance(text, Annotation)]


def test_every_allowed_pair_has_an_arrow_and_one_word_has_strong_ones():
    figure = who_may_look_at_whom([CAUSAL, PADDED])
    assert len(arrows(figure)) == 10 + 4
    assert (
        sum(to_hex(arrow.arrow_patch.get_edgecolor()) == ACCENT.lower() for arrow in arrows(figure)) == 3 + 2
    )  # those of c and of x


def test_alternative_text_says_who_may_attend_to_whom():
    alt = who_may_look_at_whom([CAUSAL, PADDED]).alt
    assert "decoder, itself and before: a may look at a; b may look at a, b; c may look at a, b, c;" in alt
    assert "cross, real words: x may look at a, b; y may look at a, b." in alt
    nobody = Panel("t", "r", ["a"], ["b"], [[False]])
    assert "a may look at nobody" in who_may_look_at_whom([nobody]).alt


def test_opening_refuses_wrong_mask_and_empty_drawing():
    with pytest.raises(ValueError, match="t: the mask has shape"):
        who_may_look_at_whom([Panel("t", "r", WORDS, WORDS, np.eye(2))])
    with pytest.raises(ValueError, match="at least one panel"):
        who_may_look_at_whom([])
