"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

from functools import cache

from lessons.digit_runs import answer_shares, shipped_vit
from lessons.digits import digits
from utils.course.tasks import Tasks


@cache
def misread() -> int:
    """The first test image, counted from 1, that the shipped ViT takes for another digit."""
    test = digits().test
    return int((answer_shares(shipped_vit(), test.x).argmax(dim=1) != test.y).nonzero()[0, 0]) + 1


tasks = Tasks()


@tasks.ask("Find another image that it gets wrong, with its patches in order. Would you have read it?")
def _(at, shown):
    return (
        at.patches == "in order"
        and at.image != misread()
        and int(shown[2].values.argmax()) != int(digits().test.y[at.image - 1])
    )


@tasks.ask("A blank sheet: find a head of layer 2 that pays more than half to [CLS] itself.")
def _(at, shown):
    return (at.patches, at.layer) == ("blank", 2) and at.head != "mean" and shown[1].values.sum() < 0.5
