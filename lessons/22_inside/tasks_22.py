"""The tasks of this lesson's interactive figure, and when each is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


def _changed(shown):
    before, after = shown[2].sentence.split(" becomes ")
    return before != after


@tasks.ask("Patch one state after a layer so that the verb keeps its meaning but gets another ending.")
def _(at, shown):
    return (at.sentence.split()[1:] == at.donor.split()[1:]) and at.layer != "words" and _changed(shown)


@tasks.ask("Patch the verb’s own state from a donor with the same verb and another pronoun. What changes?")
def _(at, shown):
    own, other = at.sentence.split(), at.donor.split()
    return own[0] != other[0] and own[1] == other[1] and at.place == 2 and at.layer != "words"


@tasks.ask("Take the verb from “I bought warm bread.”, but nothing of its noun.")
def _(at, shown):
    return at.donor.startswith("I bought") and at.place == 2 and _changed(shown)
