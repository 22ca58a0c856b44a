"""Candidates as bars: their lengths, the one that was taken, and all of it in words."""

from __future__ import annotations

from utils.show.candidates import candidate_bars, drawn_bars, percent
from utils.show.figures import picture_html

MARK = "\N{LEFT-TO-RIGHT MARK}"
STEPS = {"step 1": {"هوا": 0.9, "من": 0.05}, "step 2": {"a": 0.5, "b": 0.25, "c": 0.0}}


def test_bar_lengths_are_probabilities_and_alternative_text_names_them():
    figure = candidate_bars(STEPS, "Candidates", chosen={"step 1": "هوا", "step 2": "b"})
    assert [[bar.get_width() for bar in axes.patches] for axes in figure.axes] == [[0.9, 0.05], [0.5, 0.25, 0.0]]
    assert [axes.get_title() for axes in figure.axes] == ["step 1", "step 2"]
    assert figure.alt == (
        f"Bars, Candidates. step 1: هوا{MARK} 0.90, من{MARK} 0.05; taken: هوا{MARK}. "
        f"step 2: a{MARK} 0.50, b{MARK} 0.25, c{MARK} 0.00; taken: b{MARK}."
    )
    assert '<img alt="Bars' in picture_html(figure)


WORDS, MODEL = ["a", "هوا", "c", "d"], [0.1, 0.5, 0.0, 0.4]


def test_drawn_bars_mark_dropped_words():
    panel = drawn_bars(WORDS, MODEL, [0.0, 1.0, 0.0, 0.0], "top-k", count=3)
    assert panel.names == ["هوا", f"d{MARK} ✗", f"a{MARK} ✗"]  # the model's order, the dropped in their places
    assert panel.values.tolist() == [1.0, 0.0, 0.0] and panel.y_range == (0, 1)


def test_percent_hides_neither_a_chance_nor_a_doubt():
    texts = [percent(share).replace("\N{NO-BREAK SPACE}", " ") for share in (0, 0.004, 0.25, 0.997, 1)]
    assert texts == ["0 %", "< 1 %", "25 %", "> 99 %", "100 %"]
