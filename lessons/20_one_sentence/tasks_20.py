"""What the walk of this lesson asks, and in which boxes it is done."""

from __future__ import annotations

import re

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("Go to where the decoder asks the English words: open the weights of one head.")
def _(at, shown):
    return re.fullmatch(r"decoder\.layer\d\.cross\.head\d\.weights", at.path)


@tasks.ask("Find a box in which more than half of the numbers are 0.")
def _(at, shown):
    return (shown[0] == 0).mean() > 0.5
