"""The opening figure of lesson 14 has a link for each weight that is not small, in both directions of reading."""

from __future__ import annotations

import pytest

from lessons.opening_maps import crossing_links
from utils.show.drawing import thickness


def test_links_are_as_thick_as_weights_and_persian_runs_to_the_left():
    (line, other) = crossing_links(["a", "b"], ["هوا", "عالی"], [[0.95, 0.05], [0.0, 1.0]]).axes[0].lines
    assert [line.get_linewidth(), other.get_linewidth()] == [thickness(0.95), thickness(1.0)]
    assert line.get_xdata()[0] > line.get_xdata()[1] and other.get_xdata()[0] < other.get_xdata()[1]


def test_written_words_have_their_glosses():
    figure = crossing_links(["a", "b"], ["هوا"], [[0.95, 0.05]])
    assert "weather asks a 0.95" in figure.alt
    assert "weather\nهوا" in [text.get_text() for text in figure.axes[0].texts]


def test_weights_of_another_shape_are_refused():
    with pytest.raises(ValueError, match="shape"):
        crossing_links(["a", "b"], ["هوا"], [[1.0]])
