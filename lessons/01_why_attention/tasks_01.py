"""What the controls of this lesson ask, and what is done when it is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

of_the_race = Tasks()


@of_the_race.ask("The whole state, with five times the training: find the longest rows of which half are right.")
def _(at, shown):
    return at.decoder_gets == "whole state, 5 times the training" and at.letters == 15


@of_the_race.ask("Rows longer than any of the training: find who still gets half of them right.")
def _(at, shown):
    right, _, _ = shown[1].series[at.decoder_gets]
    return at.letters > 20 and right[list(shown[1].x).index(at.letters)] >= 50


of_the_reader = Tasks()


@of_the_reader.ask("The room that was not clean: choose a task that this review does not mention.")
def _(at, shown):
    return at.review == "the room was not clean ." and "not mentioned" in shown[0].sentence


@of_the_reader.ask("Great service: choose the task that is judged good.")
def _(at, shown):
    return at.review == "great service ." and ": good" in shown[0].sentence
