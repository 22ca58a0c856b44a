"""The tasks of this lesson's interactive figure."""

from __future__ import annotations

from utils.course.tasks import Tasks

tasks = Tasks()


@tasks.ask("With “The weather is great”, move *written* to the right until the model predicts the end of the sentence.")
def _(at, shown):
    return at.sentence == "The weather is great." and shown[1].names[0] == "<end>"


@tasks.ask("With *no subject*, find a position where the model is sure, with more than 0.9.")
def _(at, shown):
    return at.sentence == "Is not big." and shown[1].values.max() > 0.9
