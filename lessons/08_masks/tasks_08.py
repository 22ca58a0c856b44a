"""The tasks of the interactive figure of lesson 08."""

from __future__ import annotations

import numpy as np

from utils.course.tasks import Tasks

LOW = np.tril(np.ones((4, 4), dtype=bool))  # look-ahead
PEEK = LOW | (np.arange(16).reshape(4, 4) == 3)

tasks = Tasks()
tasks.ask_when("Make row 2 look only at word 3.", ("weights[1][2]", ">", 0.999))
tasks.ask_when(
    "Start from look-ahead and allow only one more thing: Vasanth may see handwriting. Which rows change?",
    *(("allowed", "=", PEEK), ("length", "=", 4), ("way", "=", "−∞"), ("loud", "=", 1)),
)
tasks.ask_when(
    "With look-ahead forbidden by −10⁴, find a loudness at which some rows leak, but not all three.",
    *(("allowed", "=", LOW), ("length", "=", 4), ("way", "=", "−10⁴"), ("loud", "=", 5000)),
)
