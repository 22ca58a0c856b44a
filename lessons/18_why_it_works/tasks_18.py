"""The tasks of this lesson's interactive figure, and when each is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask(
    "With *encoder 2* and *numbers*, take away so many that fewer than half of the sentences are correct, but not none."
)
def _(at, shown):
    return (at.block, at.taken) == ("encoder 2", "numbers") and 0.01 < shown[1].values[0] < 0.5


@tasks.ask(
    "With *encoder 2* and *main directions*, how few do you have to take away to leave fewer than half of the "
    "sentences correct?"
)
def _(at, shown):
    return (at.block, at.taken, at.k) == ("encoder 2", "main directions", 2)
