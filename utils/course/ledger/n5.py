"""Entries of lecture note N5: the slides."""

from __future__ import annotations

import numpy as np

from utils.course.ledger.entry import Entry, Verdict

HEATMAP = np.array([[0.8, 0.1, 0.05, 0.05], [0.1, 0.6, 0.2, 0.1], [0.05, 0.2, 0.65, 0.1], [0.2, 0.1, 0.1, 0.6]])

ENTRIES = (
    Entry(
        id="N5.heatmap_rows",
        note="N5",
        topic="the 4 × 4 heatmap of “the weather is great”",
        printed="each of the four rows sums to 1, 1, 1, 1",
        claims=[1.0, 1.0, 1.0, 1.0],
        compute=lambda: HEATMAP.sum(axis=1).round(12),
        verdict=Verdict.RIGHT,
        explanation="Its columns sum to 1.15, 1.0, 1.0 and 0.85: what a word receives is not shared out.",
        lessons=("05",),
    ),
)
