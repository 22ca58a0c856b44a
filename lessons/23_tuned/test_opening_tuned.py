"""The opening of lesson 23: the answer's pieces count, and nothing leaves the sheet."""

from __future__ import annotations

import pytest

from lessons.opening_tuned import whose_loss

QUESTION, ANSWER = ["Q:", "Which?", "A:"], ["Lesson", "08", "⏎"]


def test_each_piece_but_the_last_is_read_and_each_but_the_first_is_said():
    texts = [text.get_text() for text in whose_loss(QUESTION, ANSWER).axes[0].texts if text.get_text()]
    assert sorted(texts) == sorted([*"Q: Which? A: Lesson 08".split(), *"Which? A: Lesson 08 ⏎".split(), "reads", "is to say"])


def test_the_answer_has_a_colour_of_its_own_from_its_first_piece_to_its_last():
    boxes = [text for text in whose_loss(QUESTION, ANSWER).axes[0].texts if text.get_bbox_patch()]
    if not boxes:
        pytest.skip("boxes are drawn otherwise")
    assert len({box.get_bbox_patch().get_facecolor() for box in boxes}) == 3


def test_nothing_leaves_the_sheet():
    figure = whose_loss(QUESTION, ANSWER)
    figure.canvas.draw()
    width, height = figure.get_size_inches() * figure.dpi
    for text in figure.axes[0].texts:
        if text.get_text():
            around = text.get_window_extent()
            assert around.x0 >= 0 and around.y0 >= 0 and around.x1 <= width and around.y1 <= height, text.get_text()


@pytest.mark.parametrize(("question", "answer"), [([], ANSWER), (QUESTION, [])])
def test_both_are_needed(question, answer):
    with pytest.raises(ValueError, match="a question and an answer are needed"):
        whose_loss(question, answer)
