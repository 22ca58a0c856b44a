"""The opening figure of lesson 05: one word asks, and takes its share of every word."""

from __future__ import annotations

import numpy as np

from utils.by_hand.attention import attention_steps
from utils.show.live import Drawing, Note, Panel
from utils.show.shapes import bars, dots, frames, paths, words

WORDS = ("coffee", "I", "need", "it")
COLUMNS = ("thing", "person", "action", "stand-in", "drink", "sound")
_ROWS = np.array([[1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0]])  # words × columns
_ASKS = np.array([[1, 0], [0, 1], [0, 1], [1, 0], [0, 0], [0, 0]])  # who asks for a thing, who for a person
_QUERIES = ("a thing?", "a person?", "a person?", "a thing?")
_AT, _WIDE = (48, 136, 224, 312), 76  # the middle and the width of a word's box, of 360 pixels


def one_query(asks: str, strength: int) -> list[Panel]:
    """Return the drawing of the query of one word, of the scores, shares and new row, and a sentence about them.

    asks: the word, one of WORDS. strength: how much a match counts, the score of a query with the key that it seeks.
    """
    i = WORDS.index(asks)
    steps = attention_steps(_ROWS, strength * _ASKS, np.eye(6, 2), np.eye(6), scale=1.0)
    shares, scores, row = steps.weights[i], steps.scores[i], steps.output[i]
    texts = [f"{100 * share:.1f} %" if share > 0.0005 else "< 0.1 %" for share in shares]
    texts = [text.replace(" ", "\N{NO-BREAK SPACE}") for text in texts]
    made = bars("q20", [(_AT[i] - _WIDE / 2, 4, _WIDE, 30)], 7) + words("q", _AT[i], 24, _QUERIES[i], bold=True)
    for x, word, share, score, said in zip(_AT, WORDS, shares, scores, texts, strict=True):
        made += paths("a", [f"M{_AT[i]} 34C{_AT[i]} 60 {x} 42 {x} 66"], 1.5 + 9 * share)
        made += dots("q" if score else "s", [(x, 78)], 13) + words("p", x, 83, f"{score:.0f}", 15, True)
        made += bars("q20" if word == asks else "l30", [(x - _WIDE / 2, 96, _WIDE, 28)], 7)
        made += words("q" if word == asks else "i", x, 115, word, 16, True)
        tall = max(2, 40 * share)
        made += bars("a", [(x - 22, 170 - tall, 44, tall)], 3) + words("i", x, 186, said, 14)
    made += paths("l", ["M8 170H352"], 1.5)
    for j, (column, number) in enumerate(zip(COLUMNS, row, strict=True)):
        x, cell = 85 + 50 * j, (62 + 50 * j, 202, 46, 26)
        made += bars(f"o{max(1, round(60 * number))}", [cell], 3) + frames("o", [cell])
        made += words("i", x, 220, f"{number:.2f}", 14) + words("s", x, 242, column, 13)
    made += words("o", 28, 212, "new", 14, True) + words("o", 28, 228, asks, 14, True)
    most = int(shares.argmax())
    told = f"“{asks}” takes {texts[most]} from “{WORDS[most]}” and {texts[most - 1]} from each of the others."
    if not strength:
        told = f"“{asks}” takes {texts[0]} from every word, because a match doesn't count."
    return [Drawing(made, (360, 247), told), Note(told)]
