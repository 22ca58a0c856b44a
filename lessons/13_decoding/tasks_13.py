"""Tasks of the two interactive figures of lesson 13, with their tests."""

from __future__ import annotations

from collections.abc import Sequence

from utils.course.tasks import Tasks
from utils.show.live import Panel


def _can_be_drawn(shown: Sequence[Panel]) -> int:
    return int(shown[0].sentence.split(": ")[-1])


of_a_word = Tasks()


@of_a_word.ask("With *no subject*, find a p that leaves exactly two possible first words.")
def _(at, shown):
    return (at.sentence, at.written, at.k) == ("Is not big.", 0, 356) and _can_be_drawn(shown) == 2


@of_a_word.ask("With *no subject*, bring the most probable first word below 0.1, using only the temperature.")
def _(at, shown):
    return (at.sentence, at.written, at.k, at.p) == ("Is not big.", 0, 356, 1) and shown[1].values.max() < 0.1


@of_a_word.ask("With *no subject* and p = 0.5, write more words until only one next word is left.")
def _(at, shown):
    return (at.sentence, at.k, at.p) == ("Is not big.", 356, 0.5) and at.temperature > 0 and _can_be_drawn(shown) == 1


of_a_beam = Tasks()


@of_a_beam.ask("With *no subject either*, find a wider beam whose text has a lower log-probability than with width 3.")
def _(at, shown):
    return (at.sentence, at.alpha) == ("Were tasty.", 1) and at.width > 3 and "log p = -3.05" in shown[0].sentence


@of_a_beam.ask("With *no subject* and width 3, find an alpha with which the text is longer than with alpha = 1.")
def _(at, shown):
    return (at.sentence, at.width) == ("Is not big.", 3) and "n = 6" in shown[0].sentence
