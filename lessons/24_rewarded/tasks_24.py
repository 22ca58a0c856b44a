"""The tasks of this lesson's interactive figure, and when each is done."""

from __future__ import annotations

import numpy as np

from utils.course.tasks import Tasks

tasks = Tasks()


def _before_and_after(shown):
    return np.asarray(shown[1].values)[:, 1:].T  # (2, 8)


@tasks.ask("Without the baseline, make an answer less probable although it is rewarded.")
def _(at, shown):
    rewards = np.asarray(shown[0].values)[:, 0]
    before, after = _before_and_after(shown)
    return not at.baseline and bool((after < before)[rewards == 1].any())


@tasks.ask("With the baseline, reward seven of the eight answers. Does only the eighth become less probable?")
def _(at, shown):
    return at.baseline and np.asarray(shown[0].values).sum() == 7


@tasks.ask("With the baseline, find a setting other than “all” or “none” that gives no push at all.")
def _(at, shown):
    return at.baseline and at.rewarded not in ("all", "none") and not np.any(np.asarray(shown[1].values)[:, 0])
