"""The tasks of this lesson's interactive figure."""

from __future__ import annotations

import numpy as np

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("Find a 4 × 4 array that isn't words × words.")
def _(at, shown):
    return at.stop == 8


@tasks.ask("With “the” twice in the sentence, make the two rows of “the” equal in the output.")
def _(at, shown):
    return at.stop == 17 and at.sentence == "the weather is the" and np.allclose(*shown[1].values[[0, 3]])


@tasks.ask("In post-norm, find the first array in which every row has mean 0 and deviation 1.")
def _(at, shown):
    return at.norm == "post-norm" and at.stop == 12
