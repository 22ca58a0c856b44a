"""Watching one's own loop: the curve and some sentences as they become right, drawn anew after every few steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from IPython.display import display

from utils.data.gloss import gloss
from utils.show.bilingual import bilingual_table
from utils.show.cards import Card
from utils.training.curves import curves_svg, recent

_PLAIN = "Curves and sentences of the training"  # what stands for them where nobody looks: the same in every run


class Learning:
    """Shows a training of `steps` steps: its losses, a held-out score, and what `translate` makes of `sentences`."""

    def __init__(self, steps: int, sentences: Sequence[str], translate: Callable[[str], list[str]]) -> None:
        self._steps, self._sentences, self._translate = steps, sentences, translate
        self._scores: list[tuple[int, float]] = []
        self._place: Any = None

    def show(self, losses: Sequence[float], score: float) -> None:
        """Draws all losses so far, the score after the last of them, and the sentences with a gloss word for word."""
        self._scores.append((len(losses), score))
        curves = curves_svg(losses, self._scores, self._steps, "share of sentences right")
        now = f"step {len(losses)} of {self._steps}, loss {recent(losses):.2f}, {score:.0%} right"
        picture = Card(f"{curves}{told(self._sentences, self._translate, now).html}", _PLAIN)
        if self._place is None:
            self._place = display(picture, display_id=True)
        else:
            self._place.update(picture)


def told(sentences: Sequence[str], translate: Callable[[str], list[str]], caption: str) -> Card:
    """What `translate` writes for each sentence, a list of words, with the English for each of them."""
    rows = []
    for sentence in sentences:
        text = " ".join(translate(sentence)) or "(nothing)"
        rows.append([sentence, text, gloss(text) if text != "(nothing)" else ""])
    return bilingual_table(["English", "written", "word for word"], rows, caption)


@contextmanager
def replaced(part: Any, **others: Any) -> Iterator[None]:
    """For the time of the block, what `part`, a class or a function, calls by these names are the others."""
    names = getattr(part, "forward", part).__globals__
    kept = {name: names[name] for name in others}
    names.update(others)
    try:
        yield
    finally:
        names.update(kept)
