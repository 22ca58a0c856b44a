"""The opening of lesson 23: the answer's pieces count, and nothing leaves the sheet."""

from __future__ import annotations

import pytest

from lessons.opening_tuned import whose_loss

QUESTION, ANSWER = ["Q:", "Which?", "A:"], ["Lesson", "08", "⏎"]


def test_pieces_read_and_predicted_are_shifted_by_one():
    texts = [text.get_text() for text in whose_loss(QUESTION, ANSWER).axes[0].texts if text.get_text()]
    read, said = ["Q:", "Which?", "A:", "Lesson", "08"], ["Which?", "A:", "Lesson", "08", "⏎"]
    assert sorted(texts) == sorted([*read, *said, "reads", "predicts", "counts in the loss"])


@pytest.mark.parametrize(("question", "answer"), [([], ANSWER), (QUESTION, [])])
def test_opening_refuses_missing_question_or_answer(question, answer):
    with pytest.raises(ValueError, match="a question and an answer are needed"):
        whose_loss(question, answer)
