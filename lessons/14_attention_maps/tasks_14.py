"""Tasks for this lesson's explorer, and the heads at which each is solved."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("In “They drink cold water”, find a head of the encoder in which every word asks “drink” most.")
def _(at, shown):
    return at.text.startswith("They drink") and at.group == "encoder" and (shown[0].argmax(axis=1) == 1).all()


@tasks.ask(
    "In “My sister does not read the old book”, find a head of the cross-attention that asks “not” most for the verb."
)
def _(at, shown):
    return at.text.startswith("My sister") and at.group == "cross" and shown[0][5].argmax() == 3
