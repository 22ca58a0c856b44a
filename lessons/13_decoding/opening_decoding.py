"""The opening figure of lesson 13: what a beam keeps of a sentence that makes the translator hesitate."""

from __future__ import annotations

import math
from functools import cache
from importlib.resources import files

import torch

from utils.data.gloss import glossed, with_gloss
from utils.data.vocabulary import detokenize
from utils.show.live import Drawing, Note, Panel
from utils.show.shapes import bars, frames, paths, words
from utils.training.decoding import Branch, Translating, beam
from utils.training.translator import Translator

SENTENCE, MOST = "Were tasty.", 3  # it has no subject; the largest width
_AT, _WIDE, _TOP, _STEP = (59, 180, 301), 117, 48, 43  # pixels: columns, a box's width, the first box, from box to box


def kept_texts(width: int) -> list[Panel]:
    """Return the drawing of all texts that a beam of this width keeps for SENTENCE, and a sentence about the best one.

    Each column begins with one of the MOST most probable first words; below it is the probability of the whole text.
    """
    paths_of = {path[0].token: path for path in _kept(width)}
    made = words("i", 180, 15, "start", 14, True)
    firsts = sorted((path[0] for path in _kept(MOST)), key=lambda branch: -branch.log_probability)
    for x, first in zip(_AT, firsts, strict=True):
        path = paths_of.get(first.token, [first])
        made += paths("l" if len(path) == 1 else "a", [f"M180 21C180 30 {x} 18 {x} {_TOP}"], _thickness(first))
        made += _column(x, path, is_best=path is _kept(width)[0])
    told, room = _told(width), max(map(_told, range(1, MOST + 1)), key=len)
    return [Drawing(made, (360, 224), told), Note(told, room)]


def _told(width: int) -> str:
    chance, narrow = (math.exp(_kept(w)[0][-1].total) for w in (width, 1))
    more = ", more than twice as much as with width 1" if chance > 2 * narrow else ""
    text = detokenize(_writer().target_vocabulary.tokens([branch.token for branch in _kept(width)[0][:-1]]))
    return f"With a width of {width} the translator writes {glossed(text)}, with a probability of {chance:.3f}{more}."


def _column(x: float, path: list[Branch], is_best: bool) -> str:
    """Draw the words of a text without its end, each with its probability, or one word that the beam drops."""
    tokens = [with_gloss(token) for token in _writer().target_vocabulary.tokens([branch.token for branch in path])]
    if len(path) == 1:
        box = frames("l", [(x - _WIDE / 2, _TOP, _WIDE, 26)], dashed=True) + _share("s", x, _TOP, path[0])
        return box + words("s", x, _TOP + 18, tokens[0], 13) + words("s", x, _TOP + 42, "dropped", 13)
    made = ""
    for i, (branch, token) in enumerate(zip(path[:-1], tokens, strict=False)):
        y = _TOP + i * _STEP
        wide = _thickness(branch)
        made += bars("a", [(x - wide / 2, y - _STEP + 26, wide, _STEP - 26)], 0) if i else ""
        made += bars("q25" if is_best else "l30", [(x - _WIDE / 2, y, _WIDE, 26)], 6)
        made += words("i", x, y + 18, token, 13, is_best)
        made += _share("i", x, y, branch)
    whole = f"together {math.exp(path[-1].total):.3f}"
    return made + words("i", x, _TOP + len(path[1:]) * _STEP - 4, whole, 13, is_best)


def _share(hue: str, x: float, y: float, branch: Branch) -> str:
    """Write the probability of a word above its box, away from the line to it."""
    side = -1 if x < _AT[1] and y == _TOP else 1
    share = f"{math.exp(branch.log_probability):.2f}"
    return words(hue, x + 10 * side, y - 7, share, 13, at="end" if side < 0 else "start")


def _thickness(branch: Branch) -> float:
    return 1.5 + 8 * math.exp(branch.log_probability)


@cache
def _writer() -> Translator:
    return Translator.load(files("utils.training") / "translator.safetensors")


@cache
def _kept(width: int) -> list[list[Branch]]:
    """Return the branches of each text that a beam of this width keeps to the end, the best text first."""
    writer = _writer()
    predictor = Translating(writer.model.eval(), torch.tensor([writer.source_ids(SENTENCE)]))
    tree = beam(predictor, predictor.start, 12, width=width, keep_trees=True).trees[0]
    ends = [number for number, branch in enumerate(tree.branches) if branch.finished]
    return [
        [tree.branches[number] for number in tree.path(end)] for end in sorted(ends, key=lambda end: end != tree.best)
    ]
