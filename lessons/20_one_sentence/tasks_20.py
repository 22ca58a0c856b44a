"""Tasks of the walkthrough of lesson 20, and in which boxes they are done."""

from __future__ import annotations

import re

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("Find the boxes in which the decoder looks at the English words, and open the weights of one head.")
def _(at, shown):
    return re.fullmatch(r"decoder\.layer\d\.cross\.head\d\.weights", at.path)


@tasks.ask("Find a box in which more than half of the numbers are 0.")
def _(at, shown):
    return (shown[0] == 0).mean() > 0.5
