"""What lesson 19 draws and names: the drawing of a verdict, the row that meets printed numbers, and what to read."""

from __future__ import annotations

import numpy as np

from lessons.meeting import meeting_panels
from lessons.opening_notes_checked import how_a_number_is_judged
from lessons.read_on import READ_ON


def test_reading_list_has_author_year_and_purpose():
    assert all(one.authors and 2013 <= one.year <= 2023 and one.title and one.what_for for one in READ_ON)
    assert len({one.title for one in READ_ON}) == len(READ_ON)


def test_drawing_shows_all_its_texts_within_the_sheet():
    figure = how_a_number_is_judged("p", "c", "o", "s", "v")
    drawn = [text.get_text() for text in figure.axes[0].texts if text.get_text()]
    assert set("pcosv") <= set(drawn)
    assert all(words in figure.alt for words in ("prints p.", "it is c.", "it is o.", "gives: s.", "verdict: v."))
    right_end, top = figure.axes[0].get_xlim()[1], figure.axes[0].get_ylim()[1]
    for patch in figure.axes[0].patches:
        ends = patch.get_extents().transformed(figure.axes[0].transData.inverted())
        assert ends.x0 >= 0 and ends.y0 >= 0 and ends.x1 <= right_end and ends.y1 <= top


def test_comparison_highlights_met_conditions():
    printed = [(0, 0.5, 1), (1, 1.0, 1), (1, 0.98, 2)]
    matrix, note = meeting_panels("N9", printed, np.array([-0.2, 0.99]), [False, True, True], "somewhere")
    assert matrix.column_names == ("0.5", "1.0 and 0.98") and matrix.values.tolist() == [[-0.2, 0.99]]
    assert (
        set(matrix.lit_cells) == {(0, 1)}
        and note.sentence == "N9, somewhere: −0.200000, 0.990000. Met: 1.0, 0.98. Not met: 0.5."
    )
    _, note = meeting_panels("N9", printed[:1], np.array([0.5]), [True], "there")
    assert note.sentence == "N9, there: 0.500000. Met: 0.5. Not met: none."
