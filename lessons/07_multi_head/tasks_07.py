"""The tasks of the interactive figure of lesson 07."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("With four heads, find the head in which “is” and “great” find themselves.")
def _(at, shown):
    return at.n_heads == 4 and at.sentence == "the weather is great" and shown[1].values[2:, 2:].trace() > 1.9


@tasks.ask("With eight heads, find the head that finds nothing, so that all weights are a quarter.")
def _(at, shown):
    return at.n_heads == 8 and at.sentence == "the weather is great" and shown[1].values.max() < 0.26


@tasks.ask("With “the” twice and two heads, find the head that tells the last “the” from the first.")
def _(at, shown):
    return at.n_heads == 2 and at.sentence == "the weather is the" and at.head > 1
