"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

from utils.course.tasks import Tasks

PERSIAN = "هوا عالی است و هوا خوب است"

tasks = Tasks()


@tasks.ask("·apple was one piece after 5 merges. Bring ·apples into one piece.")
def _(at, shown):
    return " apples" in shown[1].pieces


@tasks.ask("Persian, learnt on itself: go on until each of its seven words is one piece.")
def _(at, shown):
    return at.text == at.learnt_on == PERSIAN and len(shown[1].pieces) == 7
