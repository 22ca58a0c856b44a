"""Entries of lecture note N4: the walk through the paper."""

from __future__ import annotations

import numpy as np

from utils.course.ledger.entry import Entry, Verdict


def _weights_or_scores(row: list[float]) -> str:
    """What a row of positive numbers can be: weights sum to 1."""
    return "weights" if np.isclose(np.sum(row), 1) else "scores"


ENTRIES = (
    Entry(
        id="N4.handwriting_row",
        note="N4",
        topic="the row of numbers for “Who has bad handwriting?”",
        printed="0.1, 0.01, 0.05, 0.02, 0.02 above QKᵀ/√d_model",
        claims="scores",
        compute=lambda: _weights_or_scores([0.1, 0.01, 0.05, 0.02, 0.02]),
        computed_text="they sum to 0.20: scores",
        verdict=Verdict.RIGHT,
        explanation="They sum to 0.20, so they are no shares yet. They are scores before the softmax, and that is what "
        "the note writes below them. (0.8/√64 would be the 0.1 at Vasanth; the others do not follow from the "
        "line above.)",
        lessons=("05",),
    ),
)
