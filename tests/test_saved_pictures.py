"""A saved picture is compared by its words: one that changed is seen, and the last digit of a number is not."""

from __future__ import annotations

from matplotlib.figure import Figure

from tests.pictures import with_words
from utils.show.figures import picture_html, with_alt


def compared(title: str, *labels: str) -> str:
    figure = Figure()
    axes = figure.subplots()
    axes.set_title(title, weight="bold")
    for place, label in enumerate(labels):
        axes.text(0, place, label)
    return with_words(picture_html(with_alt(figure, "A picture.")))


def test_comparison_detects_a_changed_word_but_no_last_digit():
    saved = compared("Weights", "it pays 0.91", "havā", "new it: y₄")
    assert "['it pays', 'havā', 'new it y₄', 'Weights']" in saved
    assert saved == compared("Weights", "it pays 0.92", "havā", "new it: y₄")
    for title, label in (("Weight", "it pays 0.91"), ("Weights", "it says 0.91"), ("Weights", "0.91")):
        assert saved != compared(title, label, "havā", "new it: y₄")
