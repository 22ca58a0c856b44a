"""What lesson 19 draws: the row that meets printed numbers."""

from __future__ import annotations

import numpy as np

from lessons.meeting import meeting_panels


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
