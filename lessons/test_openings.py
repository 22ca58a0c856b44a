"""What lessons open with: each drawing says in words what it shows, stays on its sheet, and can be read from afar."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from lessons.opening_bert import one_word_two_vectors
from lessons.opening_decoding import Candidate, tree_of_two
from lessons.opening_masks import Panel, who_may_look_at_whom
from lessons.opening_multi_head import heads_side_by_side
from lessons.opening_notes_checked import how_a_number_is_judged
from lessons.opening_pytorch import one_step
from lessons.opening_residuals import add_and_norm
from lessons.opening_rewarded import drawn_and_rewarded
from lessons.opening_self_attention import one_query
from lessons.opening_tokens import words_to_rows
from lessons.opening_training import pair_and_loss
from lessons.opening_tuned import whose_loss
from lessons.opening_vit import image_as_tokens
from lessons.opening_what_it_costs import in_chunks
from lessons.opening_why_attention import encoder_and_decoder
from lessons.opening_why_it_works import four_questions
from lessons.opening_word2vec import window
from lessons.positional_pictures import clock_hands
from utils.show.drawing import FONT, NARROW

WORDS, SHARES = ["the", "weather", "is", "great"], [0.1, 0.6, 0.1, 0.2]
PANELS = [Panel("a", "b", WORDS, WORDS, np.tri(4)), Panel("c", "d", ["x", "y"], WORDS, [[1, 1, 0, 0]] * 2)]
TREE = [
    Candidate("day", 0.2, (Candidate("Friday", 0.4), Candidate("Monday", 0.3))),
    Candidate("is", 0.1, (Candidate(".", 1.0),)),
]
DRAWINGS: dict[str, Callable[[], Figure]] = {
    "01": lambda: encoder_and_decoder(WORDS, ["havā", "āli", "ast"], SHARES),
    "02": lambda: words_to_rows(WORDS, range(4), np.eye(4)),
    "03": lambda: window(["we", "eat", "a", "ripe", "pear", "with", "it"], 4, 2),
    "04": lambda: clock_hands(6, 100),
    "05": lambda: one_query(WORDS, 1, SHARES),
    "07": lambda: heads_side_by_side(["a?", "b?"], 8),
    **{f"08, {n} panels": lambda n=n: who_may_look_at_whom((2 * PANELS)[:n]) for n in (1, 2, 3, 4)},
    "09": lambda: add_and_norm([0.4, -0.3, 0.8], [2.1, 0.6, -0.9]),
    "09b": lambda: one_step(2, 3, 3, 0.05),
    "12": lambda: pair_and_loss("The weather is great.", "هوا عالی است.", [4.9, 1.0, 0.2], 30, 0.6),
    "13": lambda: tree_of_two("Is it?", TREE),
    "15": lambda: one_word_two_vectors("apple", [["an", "apple"], ["apple", "sells"]], ["a fruit", "a company"]),
    "17": lambda: image_as_tokens(np.eye(8), 2, "7"),
    "18": lambda: four_questions(3),
    "18b": lambda: in_chunks(8, 2, (1, 2)),
    "19": lambda: how_a_number_is_judged("0.98", "0.995004", "1.5 units", "cut off", "another number"),
    "24": lambda: drawn_and_rewarded("27 + 39", ["65", "66", "67", "68"], "66"),
    "23": lambda: whose_loss(["Q:", "Which?", "A:"], ["Lesson", "08", "⏎"]),
}


@pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)
def test_opening_has_valid_arrows_stays_on_sheet_and_is_legible_from_the_back_row(draw: Callable[[], Figure]) -> None:
    wide = draw()
    narrow = getattr(wide, "narrow", wide)
    assert narrow.get_figwidth() <= NARROW + 0.1, "letters would be below 11 px on a phone"
    for figure in (wide, narrow):
        figure.canvas.draw()
        boxes = [patch.get_window_extent() for patch in figure.axes[0].patches if isinstance(patch, FancyBboxPatch)]
        assert all(figure.bbox.contains(*box.min) and figure.bbox.contains(*box.max) for box in boxes)
        assert min(text.get_fontsize() for text in figure.axes[0].texts if text.get_text()) >= FONT
