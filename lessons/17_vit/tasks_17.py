"""The tasks of this lesson's interactive figure, and when each is done."""

from __future__ import annotations

from functools import cache

from lessons.digit_runs import answer_shares, shipped_vit
from lessons.digits import digits
from utils.course.tasks import Tasks


@cache
def misread() -> int:
    """Return the number, counted from 1, of the first test image that the shipped ViT misreads."""
    test = digits().test
    return int((answer_shares(shipped_vit(), test.x).argmax(dim=1) != test.y).nonzero()[0, 0]) + 1


tasks = Tasks()


@tasks.ask("Find another image that the model gets wrong with its patches in order. Could you have read it?")
def _(at, shown):
    return (
        at.patches == "in order"
        and at.image != misread()
        and int(shown[2].values.argmax()) != int(digits().test.y[at.image - 1])
    )


@tasks.ask("On a blank sheet, find a head of layer 2 that pays more than half of its attention to [CLS] itself.")
def _(at, shown):
    return (at.patches, at.layer) == ("blank", 2) and at.head != "mean" and shown[1].values.sum() < 0.5
