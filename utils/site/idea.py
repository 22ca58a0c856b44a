"""Draw the one idea of attention for the start page: three pictures that move while they are scrolled into view.

They show the example of lesson 05: in “Coffee! I need it.” the word *it* asks every word. A picture is complete without
motion; a group that moves has a class that says how, and in `--i` the step in which it moves.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from utils.show.shapes import bars, dots, frames, paths, words

WORDS = ("coffee", "I", "need", "it")
COLUMNS = ("thing", "person", "action", "stand-in", "drink", "sound")
ROWS = np.array([[1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0]])  # words × columns
_TO_QUERY = np.array([[5, 0], [0, 5], [0, 5], [5, 0], [0, 0], [0, 0]])  # who asks for a thing, who for a person
_TO_KEY = np.eye(6, 2)  # who is a thing, who is a person
SCORES = ROWS[-1] @ _TO_QUERY @ (ROWS @ _TO_KEY).T  # of *it*: (words,)
SHARES = np.exp(SCORES) / np.exp(SCORES).sum()
OUTPUT = SHARES @ ROWS  # (columns,)

_KEYS = ("a thing", "a person", "neither", "neither")
_AT, _WIDE = (52, 143, 224, 308), (88, 66, 76, 66)  # the middle and the width of each word's box, of 360 pixels


@dataclass(frozen=True)
class Scene:
    """A picture with its title and text."""

    title: str
    text: str  # HTML
    alt: str
    svg: str


def scenes() -> list[Scene]:
    """Return the three pictures, with the numbers of lesson 05."""
    percent = [f"{100 * share:.{0 if share > 0.1 else 1}f}\N{NO-BREAK SPACE}%" for share in SHARES]
    first, other = percent[:2]
    return [
        Scene(
            "A word asks",
            "<i>It</i> has a question, its <b>query</b>: is there a thing? Every word answers with its <b>key</b>. "
            f"The better the two match, the higher the <b>score</b>: {SCORES[0]:.0f} for <i>coffee</i>, which is a "
            f"thing, and {SCORES[1]:.0f} for the others.",
            "The query of it meets the keys of four words; the scores are " + _listed(f"{s:.0f}" for s in SCORES),
            _drawn(_asks(), 226),
        ),
        Scene(
            "The scores become shares",
            "The <b>softmax</b> raises <i>e</i> to each score and divides by the sum, so that the shares add up to "
            f"100\N{NO-BREAK SPACE}%. <i>Coffee</i> gets {first}, and each of the other words {other}.",
            "A bar for each word: the shares are " + _listed(percent),
            _drawn(_shares(percent), 226),
        ),
        Scene(
            "The word takes its shares",
            "Each word is a row of numbers, its <b>value</b>. <i>It</i> adds up the rows, each times its share, and "
            "the sum is its new row. Before, <i>it</i> was only a stand-in; now its row says: a thing, to drink.",
            "The rows of four words, each times its share, add up to the new row of it: "
            + _listed(f"{column} {y:.2f}" for column, y in zip(COLUMNS, OUTPUT, strict=True)),
            _drawn(_mixed(percent), 262),
        ),
    ]


def _listed(numbers: Iterable[str]) -> str:
    return ", ".join(numbers) + "."


def _drawn(inside: str, height: int) -> str:
    return f'<svg class="hues" viewBox="0 0 360 {height}" aria-hidden="true">{inside}</svg>'


def _moving(how: str, step: float, inside: str, more: str = "") -> str:
    return f'<g class="{how}" style="--i:{step:g}{more}">{inside}</g>'


def _words(y: float) -> str:
    made = bars("l40", [(x - wide / 2, y, wide, 32) for x, wide in zip(_AT, _WIDE, strict=True)], 7)
    return made + "".join(words("i", x, y + 22, word, 17, True) for x, word in zip(_AT, WORDS, strict=True))


def _asks() -> str:
    made = bars("q20", [(124, 6, 112, 34)], 7) + words("i", 152, 29, "it", 17, True) + words("q", 197, 29, "a thing?")
    for step, (x, score) in enumerate(zip(_AT, SCORES, strict=True)):
        made += _moving("draw", step, paths("q", [f"M180 40C180 84 {x} 62 {x} 100"], 2 + score))
        badge = dots("q" if score else "l", [(x, 118)], 17) + words(
            "p" if score else "i", x, 124, f"{score:.0f}", 17, True
        )
        made += _moving("fade", step + 0.7, badge)
    keys = "".join(words("k" if key.startswith("a ") else "s", x, 206, key) for x, key in zip(_AT, _KEYS, strict=True))
    return made + _words(148) + keys


def _shares(percent: list[str]) -> str:
    made = ""
    for step, (x, score, share, said) in enumerate(zip(_AT, SCORES, SHARES, percent, strict=True)):
        tall = max(3, 104 * share)
        made += _moving("rise", step / 2, bars("a", [(x - 22, 138 - tall, 44, tall)], 3))
        made += _moving("fade", step / 2 + 1, words("i", x, 128 - tall, said, 17, True))
        power = f'<tspan dy="-6" font-size="12">{score:.0f}</tspan></text>'
        made += words("s", x, 206, "e").replace("</text>", power)
    return made + paths("l", ["M8 139H352"], 1.5) + _words(148)


def _mixed(percent: list[str]) -> str:
    columns = [88 + 49 * j for j in range(6)]
    made = "".join(words("s", x, 14, column, 12.5) for x, column in zip(columns, COLUMNS, strict=True))
    for step, (word, row, share, said) in enumerate(zip(WORDS, ROWS, SHARES, percent, strict=True)):
        y = 24 + 44 * step
        made += words("i", 31, y + 16, word, 15, True) + words("s", 31, y + 32, said, 13)
        made += frames("l", [(x - 22, y, 45, 34) for x, number in zip(columns, row, strict=True) if not number])
        full = [(x - 23, y - 1, 47, 36) for x, number in zip(columns, row, strict=True) if number]
        falling = bars(f"v{max(12, round(100 * share))}", full)
        made += bars("v35", full) + _moving("fall", step / 2, falling, f";--far:{212 - y}px")
        made += "".join(words("i", x, y + 23, f"{number}") for x, number in zip(columns, row, strict=True))
    made += paths("i", ["M8 204H352"], 1.5) + words("o", 31, 234, "new it", 15, True)
    made += frames("o", [(x - 22, 212, 45, 34) for x in columns])
    sums = "".join(
        words("p" if y > 0.5 else "i", x, 235, f"{y:.2f}", 15, y > 0.5) for x, y in zip(columns, OUTPUT, strict=True)
    )
    return made + _moving("fade", 2.5, sums)
