"""The opening figure of lesson 13: the first two words of a text, as a tree with the model's probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from utils.data.gloss import glosses
from utils.data.vocabulary import START
from utils.show.colours import AMBER
from utils.show.drawing import GREY, WHITE, Point, box, label, sheet, thickness
from utils.show.figures import with_alt
from utils.training.translator import Translator

_START, _FIRST, _SECOND, _BOTH = 0.45, 2.05, 4.15, 5.55  # inches from the left
_ROW, _HALF = 0.58, 0.74  # from row to row, and half the width of a word
_LEAST = 0.005  # a less probable second word is not drawn


@dataclass(frozen=True)
class Candidate:
    """A word, its probability after the words before it, and the most probable words that follow."""

    word: str
    share: float
    then: tuple[Candidate, ...] = ()


def first_two_words(translator: Translator, sentence: str, most: Sequence[int] = (3, 2)) -> Figure:
    """Draw the most probable first words of a translation, and after each the most probable second words.

    most: how many first and second words. A line is as thick as its probability; at the right is the product of the
    two. Raise ValueError unless both numbers are at least 1.
    """
    if len(most) != 2 or min(most) < 1:
        raise ValueError(f"most must be two numbers of at least 1, but is {most}.")
    return tree_of_two(sentence, _candidates(translator, sentence, [START], most))


def tree_of_two(sentence: str, firsts: Sequence[Candidate]) -> Figure:
    """Draw `firsts` and the candidates after each. Raise ValueError if a candidate has none after it."""
    if not firsts or not all(first.then for first in firsts):
        raise ValueError("the tree needs at least one first word, and a second word after each.")
    rows = sum(len(first.then) for first in firsts)
    figure, axes = sheet(6.0, _ROW * rows + 0.4)
    for x, name in ((_FIRST, "first word"), (_SECOND, "second word"), (_BOTH, "both")):
        label(axes, (x, _ROW * rows + 0.2), name, bold=True)
    middle, above, told = _ROW * rows / 2, 0, []
    box(axes, (_START, middle), "start", width=0.75, height=0.42, colour=WHITE)
    for first in firsts:
        ys = [_ROW * (rows - above - i - 0.5) for i in range(len(first.then))]
        above, y = above + len(ys), sum(ys) / len(ys)
        _branch(axes, (_START + 0.38, middle), (_FIRST, y), first)
        for second, at in zip(first.then, ys, strict=True):
            _branch(axes, (_FIRST + _HALF, y), (_SECOND, at), second)
            label(axes, (_BOTH, at), f"{first.share * second.share:.2f}")
            told.append(f"{first.word} {first.share:.2f}, then {second.word} {second.share:.2f}")
    return with_alt(
        figure, f"Tree: how a translation of “{sentence}” may begin, with probabilities. {'; '.join(told)}."
    )


def _branch(axes: Axes, start: Point, middle: Point, candidate: Candidate) -> None:
    """Draw a candidate around `middle`, and a line to it that is as thick as its probability."""
    line = {"color": AMBER, "linewidth": thickness(candidate.share), "solid_capstyle": "round"}
    axes.plot([start[0], middle[0] - _HALF], [start[1], middle[1]], **line)
    box(axes, middle, f"{candidate.word}  {candidate.share:.2f}", width=2 * _HALF, height=0.44, colour=GREY)


def _candidates(
    translator: Translator, sentence: str, written: list[int], most: Sequence[int]
) -> tuple[Candidate, ...]:
    """Return the most probable next words after the ids `written`, each glossed, with those that follow."""
    if not most:
        return ()
    source = torch.tensor([translator.source_ids(sentence)])
    with torch.inference_mode():
        logits = translator.model.eval()(source, torch.tensor([written]))[0, -1]  # (V,)
    best = logits.softmax(dim=-1).topk(most[0])
    words = glosses(translator.target_vocabulary.tokens(best.indices.tolist()))
    return tuple(
        Candidate(word, share, _candidates(translator, sentence, [*written, number], most[1:]))
        for word, number, share in zip(words, best.indices.tolist(), best.values.tolist(), strict=True)
        if share >= _LEAST
    )
