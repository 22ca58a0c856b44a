"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


def _changed(shown):
    before, after = shown[2].sentence.split(" becomes ")
    return before != after


@tasks.ask("Put one state behind a layer, so that the verb gets another ending and keeps its meaning.")
def _(at, shown):
    return (at.sentence.split()[1:] == at.donor.split()[1:]) and at.layer != "words" and _changed(shown)


@tasks.ask("Put the verb’s own state from a donor with another pronoun and the same verb: what does it bring?")
def _(at, shown):
    own, other = at.sentence.split(), at.donor.split()
    return own[0] != other[0] and own[1] == other[1] and at.place == 2 and at.layer != "words"


@tasks.ask("“I bought warm bread.” shall give its verb, but nothing of its noun.")
def _(at, shown):
    return at.donor.startswith("I bought") and at.place == 2 and _changed(shown)
