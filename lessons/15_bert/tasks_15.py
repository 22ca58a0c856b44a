"""Tasks for this lesson's interactive figure, and the settings that solve each."""

from __future__ import annotations

from collections.abc import Sequence

from utils.course.tasks import Tasks
from utils.show.live import Panel

WIDE = "The animal didn't cross the street because it was too wide."


def _pays(shown: Sequence[Panel], word: str) -> dict[str, float]:
    """Return what the row of a word pays, by the names of the columns."""
    row = shown[1].row_names.index(word)
    return dict(zip(shown[1].column_names, shown[1].values[row], strict=True))


tasks = Tasks()


@tasks.ask("Take the mean of layer 3, and let “animal” ask itself most.")
def _(at, shown):
    return at.mean and at.layer == 3 and max(_pays(shown, "animal").values()) == _pays(shown, "animal")["animal"]


@tasks.ask("With “too wide”, find a head of layer 5 in which “it” pays more to “street” than to “animal”.")
def _(at, shown):
    return (
        at.layer == 5
        and not at.mean
        and at.sentence == WIDE
        and _pays(shown, "it")["street"] > _pays(shown, "it")["animal"]
    )
