"""Entries of lecture note N4: the walk through the paper."""

from __future__ import annotations

import numpy as np

from utils.course.ledger.entry import Entry, Verdict

ENTRIES = (
    Entry(
        id="N4.handwriting_weights",
        note="N4",
        topic="the row of numbers for “Who has bad handwriting?”",
        printed="0.1, 0.01, 0.05, 0.02, 0.02, … as a row of attention",
        claims=1.0,
        compute=lambda: round(float(np.sum([0.1, 0.01, 0.05, 0.02, 0.02])), 12),
        computed_text="the five legible numbers sum to 0.20",
        verdict=Verdict.WRONG,
        explanation="A row of weights sums to 1, and here the largest should stand at Vasanth: on the line "
        "above, his product "
        "is 0.8, not 0.1. Read them as raw products before the softmax, or as a slip of the pen.",
        lessons=("05",),
    ),
)
