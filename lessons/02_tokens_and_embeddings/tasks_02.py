"""The tasks of this lesson's interactive figure, each with a check that it is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

PERSIAN = "هوا عالی است و هوا خوب است"

tasks = Tasks()


@tasks.ask("·apple became one piece after 5 merges. Turn ·apples into one piece as well.")
def _(at, shown):
    return " apples" in shown[1].pieces


@tasks.ask("Choose “Persian, learnt on itself” and add merges until each of its seven words is one piece.")
def _(at, shown):
    return at.text == at.learnt_on == PERSIAN and len(shown[1].pieces) == 7
