"""Candidates as bars: their lengths, the one that was taken, and all of it in words."""

from __future__ import annotations

import pytest

from tests.refused import refused
from utils.show.candidates import candidate_bars, drawn_bars
from utils.show.figures import COLOURS, picture_html

MARK = "\N{LEFT-TO-RIGHT MARK}"
STEPS = {"step 1": {"هوا": 0.9, "من": 0.05}, "step 2": {"a": 0.5, "b": 0.25, "c": 0.0}}


def test_bars_are_as_long_as_the_probabilities_and_told_in_words():
    figure = candidate_bars(STEPS, "Candidates", chosen={"step 1": "هوا", "step 2": "b"})
    assert [[bar.get_width() for bar in axes.patches] for axes in figure.axes] == [[0.9, 0.05], [0.5, 0.25, 0.0]]
    assert [axes.get_title() for axes in figure.axes] == ["step 1", "step 2"]
    assert figure.alt == (
        f"Bars, Candidates. step 1: هوا{MARK} 0.90, من{MARK} 0.05; taken: هوا{MARK}. "
        f"step 2: a{MARK} 0.50, b{MARK} 0.25, c{MARK} 0.00; taken: b{MARK}."
    )
    assert picture_html(figure).startswith('<img alt="Bars')


def test_what_was_taken_is_marked_by_more_than_colour():
    from matplotlib.colors import to_hex

    axes = candidate_bars(STEPS, "t", chosen={"step 2": "b"}).axes[1]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "▶ b", "c"]
    assert [to_hex(bar.get_facecolor()).upper() for bar in axes.patches] == [COLOURS[i] for i in (0, 1, 0)]


def test_what_is_not_said_to_be_taken_is_not_marked():
    figure = candidate_bars(STEPS, "t", chosen={"step 2": "b"})
    assert (
        "step 1: هوا\u200e 0.90, من\u200e 0.05. step 2" in figure.alt and "taken" not in candidate_bars(STEPS, "t").alt
    )
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["هوا", "من"]


@pytest.mark.parametrize(
    ("steps", "columns", "rows"), [(1, 1, 1), (2, 2, 1), (3, 3, 1), (4, 3, 2), (6, 3, 2), (7, 3, 3)]
)
def test_up_to_three_steps_stand_side_by_side(steps, columns, rows):
    figure = candidate_bars({f"step {i}": {"a": 1.0, "b": 0.0} for i in range(steps)}, "t")  # a word may be certain
    assert figure.axes[0].get_gridspec().get_geometry() == (rows, columns)
    assert [axes.axison for axes in figure.axes] == [i < steps for i in range(rows * columns)]
    assert figure.get_size_inches().tolist() == pytest.approx([3.9 * columns, 1.08 * rows + 0.4])


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ({}, "candidate_bars needs at least one step, and at least one word in each."),
        ({"one": {}}, "candidate_bars needs at least one step, and at least one word in each."),
        ({"one": {"a": 1.5}}, "one: the probability of a must be from 0 to 1: it is 1.5."),
        ({"one": {"a": -0.5}}, "one: the probability of a must be from 0 to 1: it is -0.5."),
        ({"one": {"a": 0.5}, "two": {}}, "candidate_bars needs at least one step, and at least one word in each."),
        ({"one": {"a": float("nan")}}, "one: the probability of a must be from 0 to 1: it is nan."),
    ],
)
def test_what_is_no_distribution_is_refused(steps, sentence):
    assert refused(candidate_bars, steps, "t") == sentence


WORDS, MODEL = ["a", "هوا", "c", "d"], [0.1, 0.5, 0.0, 0.4]


def test_what_is_drawn_from_stands_beside_what_was_dropped():
    panel = drawn_bars(WORDS, MODEL, [0.0, 1.0, 0.0, 0.0], "top-k", count=3)
    assert panel.names == ["هوا", f"d{MARK} ✗", f"a{MARK} ✗"]  # the model's order, the dropped in their places
    assert panel.values.tolist() == [1.0, 0.0, 0.0] and panel.y_range == (0, 1)


def test_the_largest_bar_fills_the_panel_where_no_range_is_given():
    state = drawn_bars(WORDS, MODEL, [0.001, 0.004, 0.002, 0.003], y_range=None).state()
    assert (state["low"], state["high"]) == (0.0, 0.004)


def test_heated_words_keep_their_places():
    panel = drawn_bars(WORDS, MODEL, [0.2, 0.3, 0.2, 0.3])
    assert panel.names == ["هوا", "d", "a", "c"]
    assert panel.values.tolist() == [0.3, 0.3, 0.2, 0.2]


def test_words_and_probabilities_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"^each word needs two probabilities: 4 words, 4 and 3\.$"):
        drawn_bars(WORDS, MODEL, MODEL[:3])
    with pytest.raises(ValueError, match=r"^each word needs two probabilities: 3 words, 4 and 4\.$"):
        drawn_bars(WORDS[:3], MODEL, MODEL)


def test_ten_words_are_shown_unless_said():
    probabilities = [0.004, 0.006] * 100
    panel = drawn_bars([str(i) for i in range(200)], probabilities, probabilities)
    assert list(panel.names) == [str(i) for i in range(1, 20, 2)]  # of equals those that come first
