"""The opening figure of lesson 08: which words each word may look at, without a mask and with two masks."""

from __future__ import annotations

import numpy as np

from utils.show.live import Drawing, Note, Panel
from utils.show.shapes import arrows, bars, frames, group, spot, words

ASKED = ("the", "weather", "is", "great", "(pad)")
ASKS = ASKED[:4]  # padding needs no answer
MASKS = {
    "none": np.ones((4, 5), dtype=bool),
    "causal": np.tri(4, 5, dtype=bool),
    "padding": np.tile(np.arange(5) < 4, (4, 1)),
}
_AT = (90, 149, 208, 267, 326)  # pixels: the middles of the words
_WIDE, _HIGH, _STEP = 55, 28, 25  # pixels: a word's box, and from row to row of the mask
_TOP, _FOOT, _GRID = 4, 104, 162  # pixels from the top: who is asked, who asks, the mask


def who_may_look_at_whom(mask: str) -> list[Panel]:
    """Return, for each word that asks, arrows to the words that this mask allows, its row, and a sentence about it."""
    allowed = MASKS[mask]
    told = [_in_words(mask, word, allowed[i]) for i, word in enumerate(ASKS)]
    return [Drawing([_drawn(allowed, i) for i in range(len(ASKS))], (360, 262), told), Note(told)]


def _in_words(mask: str, word: str, row: np.ndarray) -> str:
    if mask == "none":
        return f"Without a mask, “{word}” may look at every word, even at what comes after it."
    if mask == "padding":
        return f"“{word}” may look at every real word, but not at “(pad)”, which means nothing."
    *before, _ = (f"“{asked}”" for asked, may in zip(ASKED, row, strict=True) if may)
    if not before:
        return f"“{word}” may look only at itself, because everything else comes after it."
    return f"“{word}” may look at {', '.join(before)} and itself, but not at what comes after it."


def _drawn(allowed: np.ndarray, row: int) -> str:
    (strong,), (crossed,) = np.nonzero(allowed[row]), np.nonzero(~allowed[row])
    middle, under, over = _AT[row], _TOP + _HIGH + 4, _FOOT - 3
    cut = [f"M{middle} {over}L{_AT[j] + 0.2 * (middle - _AT[j]):g} {under + 0.2 * (over - under):g}" for j in crossed]
    made = group("l", (f'<path d="{path}"/>' for path in cut), ' stroke-width="2" stroke-dasharray="4 6"')
    made += "".join(words("s", _AT[j], under + 13, "×", 20, True) for j in crossed)
    made += arrows("a", [(middle, over, _AT[j], under) for j in strong], 4.5)
    made += words("s", _AT[0] - _WIDE / 2, _GRID - 9, "the mask, a row for each word that asks", 14, at="start")
    for y, name in ((_TOP, "is asked"), (_FOOT, "asks")):
        made += words("s", 2, y + 19, name, 14, at="start")
    for j, (x, word) in enumerate(zip(_AT, ASKED, strict=True)):
        box = (x - _WIDE / 2, _TOP, _WIDE, _HIGH)
        made += bars("a35", [box], 6) if allowed[row, j] else frames("l", [box], dashed=True)
        made += words("i" if allowed[row, j] else "s", x, _TOP + 19, word, 14)
    for i, word in enumerate(ASKS):
        y, hue = _GRID + _STEP * i, "q" if i == row else "i"
        lower = bars("q25" if i == row else "l30", [(_AT[i] - _WIDE / 2, _FOOT, _WIDE, _HIGH)], 6)
        lower += words(hue, _AT[i], _FOOT + 19, word, 14, i == row)
        line = words(hue, 2, y + 17, word, 14, i == row, at="start")
        for x, may in zip(_AT, allowed[i], strict=True):
            line += bars(("a" if i == row else "a45") if may else "l25", [(x - _WIDE / 2, y, _WIDE, _STEP - 3)], 3)
            line += words("s", x, y + 16, "×", 15) * (not may)
        line += frames("q", [(_AT[0] - _WIDE / 2 - 1, y - 1, _AT[4] - _AT[0] + _WIDE + 2, _STEP - 1)]) * (i == row)
        made += spot(i, lower) + spot(i, line)
    return made
