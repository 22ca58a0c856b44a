"""The tree of a beam search as a picture and as a panel: where things stand, what they are called, in words too."""

from __future__ import annotations

import math
from types import SimpleNamespace

from utils.show.beam_tree import beam_tree
from utils.show.figures import picture_html

MARK = "\N{LEFT-TO-RIGHT MARK}"


def branch(step, parent, p, kept=True):
    return SimpleNamespace(step=step, parent=parent, total=math.log(p), kept=kept)


# Two kept at each step; the best at first is not the way to the best in the end.
BRANCHES = [branch(1, -1, 0.6), branch(1, -1, 0.3), branch(1, -1, 0.05, False)]
BRANCHES += [branch(2, 1, 0.29), branch(2, 0, 0.25), branch(2, 0, 0.0004, False)]
WORDS = ["هوا", "b", "c", "d", "e", "f"]


def test_alternative_text_describes_the_whole_tree():
    figure = beam_tree(BRANCHES, WORDS, 3, "Two beams")
    assert figure.alt == (
        f"Tree, Two beams. Step 1: هوا{MARK} −0.5 after start (kept), b{MARK} −1.2 after start (the best), "
        f"c{MARK} −3.0 after start (dropped). Step 2: d{MARK} −1.2 after b{MARK} (the best), "
        f"e{MARK} −1.4 after هوا{MARK} (kept), f{MARK} −7.8 after هوا{MARK} (dropped)."
    )
    assert '<img alt="Tree' in picture_html(figure)
