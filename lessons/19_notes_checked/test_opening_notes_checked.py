"""Lesson 19's opening drawing has the example's own texts."""

from __future__ import annotations

from lessons.opening_notes_checked import how_a_number_is_judged

TEXTS = ["0.0174", "sin 1 = 0.841471", "8241 units off", "sin 1° = 0.017452", "wrong"]


def test_it_has_the_five_texts_in_the_picture_and_in_words():
    figure = how_a_number_is_judged(*TEXTS)
    assert set(TEXTS) <= {text.get_text() for text in figure.axes[0].texts}
    assert all(text in figure.alt for text in TEXTS)
