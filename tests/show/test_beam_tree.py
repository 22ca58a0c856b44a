"""The tree of a beam search as a picture and as a panel: where things stand, what they are called, in words too."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from tests.refused import refused
from utils.show.beam_tree import beam_tree, beam_tree_panel, tree_places
from utils.show.figures import picture_html

MARK = "\N{LEFT-TO-RIGHT MARK}"


def branch(step, parent, p, kept=True):
    return SimpleNamespace(step=step, parent=parent, total=math.log(p), kept=kept)


# Two kept at each step; the best at first is not the way to the best in the end.
BRANCHES = [branch(1, -1, 0.6), branch(1, -1, 0.3), branch(1, -1, 0.05, False)]
BRANCHES += [branch(2, 1, 0.29), branch(2, 0, 0.25), branch(2, 0, 0.0004, False)]
WORDS = ["هوا", "b", "c", "d", "e", "f"]


def test_each_step_is_a_column_and_what_was_kept_stands_above():
    np.testing.assert_array_equal(tree_places(BRANCHES), [[1, 0], [1, -1], [1, -2], [2, 0], [2, -1], [2, -2]])
    upside_down = [branch(1, -1, 0.1), branch(1, -1, 0.5, False), branch(1, -1, 0.3)]
    np.testing.assert_array_equal(tree_places(upside_down), [[1, -1], [1, -2], [1, 0]])


def test_the_way_to_the_best_begins_at_any_branch():
    panel = beam_tree_panel([branch(1, -1, 0.6), branch(2, 0, 0.5)], ["a", "b"], 1)
    assert panel.groups == ["the best"] * 3 and panel.lines == [(2, 0), (0, 1)]
    assert list(panel.names) == ["a", f"b{MARK} −0.7", "start"]
    assert (panel.x_range, panel.x_label, panel.y_label) == ((-0.1, 2.85), "step", "rank in the step")
    assert panel.state()["xy"] == [[1, 0], [2, 0], [0, 0]]


def test_the_alternative_text_tells_the_whole_tree():
    figure = beam_tree(BRANCHES, WORDS, 3, "Two beams")
    assert figure.alt == (
        f"Tree, Two beams. Step 1: هوا{MARK} −0.5 after start (kept), b{MARK} −1.2 after start (the best), "
        f"c{MARK} −3.0 after start (dropped). Step 2: d{MARK} −1.2 after b{MARK} (the best), "
        f"e{MARK} −1.4 after هوا{MARK} (kept), f{MARK} −7.8 after هوا{MARK} (dropped)."
    )
    assert picture_html(figure).startswith('<img alt="Tree')


def test_every_branch_has_a_line_to_its_parent_in_the_look_of_its_kind():
    axes = beam_tree(BRANCHES, WORDS, 3, "t").axes[0]
    drawn = [(tuple(line.get_xdata()), tuple(line.get_ydata())) for line in axes.lines]
    starts = [((0, 1), (0, y)) for y in (0, -1, -2)]
    assert drawn == [*starts, ((1, 2), (-1, 0)), ((1, 2), (0, -1)), ((1, 2), (0, -2))]
    assert [line.get_linestyle() for line in axes.lines] == ["-", "-", ":", "-", "-", ":"]
    assert [line.get_linewidth() for line in axes.lines] == [1.2, 3, 1.2, 3, 1.2, 1.2]


def test_the_panel_holds_the_same_tree():
    panel = beam_tree_panel(BRANCHES, WORDS, 3, "tree")
    totals = {"d": "−1.2", "e": "−1.4"}  # ln 0.29, ln 0.25, where a kept text ends
    labels = [f"{word}{MARK} {totals[word]}" if word in totals else word for word in WORDS]
    assert list(panel.names) == [*labels, "start"]
    assert panel.groups == ["kept", "the best", "dropped", "the best", "kept", "dropped", "the best"]
    assert panel.lines == [(6, 0), (6, 1), (1, 3), (0, 4)]
    assert panel.lit == [1, 3] and panel.title == "tree"
    assert panel.looks == {
        "the best": ("vermilion", "diamond"),
        "kept": ("blue", "circle"),
        "dropped": ("grey", "cross"),
    }
    assert panel.y_ticks is False  # a rank of its step is no number to read off
    assert panel.x_range[1] > BRANCHES[-1].step + 0.5  # the last words stand at the right of their points
    assert panel.state()["xy"][-1] == [0, 0]


@pytest.mark.parametrize(
    ("branches", "words", "best", "sentence"),
    [
        ([], [], 0, "a tree needs branches, and a word for each: 0 branches, 0 words."),
        (BRANCHES, WORDS[:4], 0, "a tree needs branches, and a word for each: 6 branches, 4 words."),
        (BRANCHES[:1], [], 0, "a tree needs branches, and a word for each: 1 branches, 0 words."),
        (BRANCHES, WORDS, 6, "the tree has 6 branches, counted from 0: there is no branch 6."),
        (BRANCHES, WORDS, -1, "the tree has 6 branches, counted from 0: there is no branch -1."),
    ],
)
def test_what_is_no_tree_is_refused(branches, words, best, sentence):
    for draw in (lambda: beam_tree(branches, words, best, "t"), lambda: beam_tree_panel(branches, words, best)):
        assert refused(draw) == sentence
