"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("Four heads: find the one in which “is” and “great” find themselves.")
def _(at, shown):
    return at.n_heads == 4 and at.sentence == "the weather is great" and shown[1].values[2:, 2:].trace() > 1.9


@tasks.ask("Eight heads: find the one that finds nothing, and pays a quarter to everybody in every row.")
def _(at, shown):
    return at.n_heads == 8 and at.sentence == "the weather is great" and shown[1].values.max() < 0.26


@tasks.ask("“The” twice, two heads: find the head that tells the last “the” from the first.")
def _(at, shown):
    return at.n_heads == 2 and at.sentence == "the weather is the" and at.head > 1
