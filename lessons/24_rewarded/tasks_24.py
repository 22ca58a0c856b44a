"""The tasks of this lesson's interactive figure, and when each is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


def _right(shown):
    """Return the probabilities of the right answer, before and after the step."""
    before, after = shown[1].values[[0, -1]] if False else (shown[2].values[0], shown[3].values[0])
    return before, after


