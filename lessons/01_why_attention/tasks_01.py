"""The tasks of this lesson's interactive figures, each with a check that it is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

of_the_race = Tasks()


@of_the_race.ask(
    "Choose the whole state with five times the training, and find the longest rows of which half are right."
)
def _(at, shown):
    return at.decoder_gets == "whole state, 5 times the training" and at.letters == 15


@of_the_race.ask("Take rows longer than any in the training, and find a model that still gets half of them right.")
def _(at, shown):
    right, _, _ = shown[1].series[at.decoder_gets]
    return at.letters > 20 and right[list(shown[1].x).index(at.letters)] >= 50


of_the_reader = Tasks()


@of_the_reader.ask("In “not clean”, choose a task that the review does not mention.")
def _(at, shown):
    return at.review == "the room was not clean ." and "not mentioned" in shown[0].sentence


@of_the_reader.ask("In “no location”, choose the task that is judged good.")
def _(at, shown):
    return at.review == "great service ." and ": good" in shown[0].sentence
