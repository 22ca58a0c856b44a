"""The opening of lesson 23: the answer's pieces count, and nothing leaves the sheet."""

from __future__ import annotations

import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import FancyBboxPatch

from lessons.opening_tuned import whose_loss
from utils.show.drawing import ROSE

QUESTION, ANSWER = ["Q:", "Which?", "A:"], ["Lesson", "08", "⏎"]


def test_each_piece_but_the_last_is_read_and_each_but_the_first_is_said():
    texts = [text.get_text() for text in whose_loss(QUESTION, ANSWER).axes[0].texts if text.get_text()]
    read, said = ["Q:", "Which?", "A:", "Lesson", "08"], ["Which?", "A:", "Lesson", "08", "⏎"]
    assert sorted(texts) == sorted([*read, *said, "reads", "predicts", "counts in the loss"])


def test_as_many_boxes_as_the_answer_has_pieces_have_the_colour_of_what_counts():
    patches = whose_loss(QUESTION, ANSWER).axes[0].patches
    boxes = [patch for patch in patches if isinstance(patch, FancyBboxPatch)]
    counts = [box.get_facecolor() == to_rgba(ROSE) for box in boxes[1::2]]  # read and said take turns
    assert counts == [False, False, True, True, True]


@pytest.mark.parametrize(("question", "answer"), [([], ANSWER), (QUESTION, [])])
def test_both_are_needed(question, answer):
    with pytest.raises(ValueError, match="a question and an answer are needed"):
        whose_loss(question, answer)
