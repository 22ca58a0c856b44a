"""The drawings of lesson 21: every arrow leads somewhere, and each has its way back."""

from __future__ import annotations

import pytest
from matplotlib.text import Annotation

from lessons.ways_back import step_back, whole_way
from tests.show.drawn import loose_ends

DRAWINGS = {
    "product": lambda: step_back("X W", {"X": "G Wᵀ", "W": "Xᵀ G"}, {"Y": "all of it"}),
    "norm": lambda: step_back("norm", {"x": "what is left", "γ": "sum of G ⊙ z", "β": "sum of G"}, {"y": "G"}),
    "fork": lambda: step_back("used twice", {"x": "G₁ + G₂"}, {"here": "G₁", "there": "G₂"}),
    "block": whole_way,
}
each_drawing = pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)


@each_drawing
@pytest.mark.parametrize("form", ["wide", "narrow"])
def test_every_arrow_joins_two_boxes_and_has_a_reverse(draw, form):
    figure = draw() if form == "wide" else draw().narrow
    assert loose_ends(figure) == []
    arrows = [text for text in figure.axes[0].texts if isinstance(text, Annotation)]
    back = [text for text in arrows if text.arrow_patch.get_linestyle() == "--"]
    assert len(back) * 2 == len(arrows) > 0
