"""The opening figure of lesson 21: one number goes forward to a loss, and the slopes come back, step by step."""

from __future__ import annotations

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.by_hand.slopes import gradient_by_nudges
from utils.show.live import Drawing, Note, Panel
from utils.show.numbers import number_text
from utils.show.shapes import arrows, bars, frames, words

_W = np.array([1.0, 0.5, 0.0])  # from the number to the scores of three words, of which the first is correct
_SENTENCES = (
    "Forward: the number x = {} comes in.",
    "Forward: x times each weight gives the scores {}.",
    "Forward: the softmax turns the scores into the shares {}.",
    "Forward: the loss is {}, which is −ln of the correct word's share.",
    "Back: the slope at each score is its share, minus 1 at the correct word: {}.",
    "Back: the slope at each weight is x times the slope at its score: {}.",
    "Back: x reaches the loss by three paths, and the slopes along them, {}, are added: {}.",
    "A test: with x nudged to {} the loss is {}, and with {} it is {}. Their difference, divided by {}, is {}, too.",
)
STEPS = len(_SENTENCES)
_NUDGE = 0.1
_LEFT, _TOP, _WIDE, _TALL = (2, 92, 162, 234, 308), (26, 86, 146), 50, 52  # pixels: columns, rows, size of a box


def there_and_back(step: int, x: float) -> list[Panel]:
    """Return the numbers that go forward from x, in steps 1 to 4, and the slopes that come back, and a sentence."""
    scores, shares, loss = _forward(np.array([x]))
    at_scores = shares - [1, 0, 0]
    at_weights, at_x = x * at_scores + 0.0, np.array([at_scores @ _W])  # 0.0, because −0 would be written as such
    nudged = gradient_by_nudges(lambda x: _forward(x)[2][0], np.array([x]), _NUDGE)
    runs = [
        [round(float(number), 4) for number in (at, *_forward(np.array([at]))[2])] for at in (x - _NUDGE, x + _NUDGE)
    ]
    columns = (  # name, rows; numbers, the step that shows them, their rule; the same of the slopes
        ("x", _TOP[1:2], [x], 1, "", at_x, 7, "added"), ("weights", _TOP, _W, 0, "", at_weights, 6, "times x"),
        ("scores", _TOP, scores, 2, "times x", at_scores, 5, "p − truth"),
        ("shares p", _TOP, shares, 3, "softmax", [], STEPS + 1, ""), ("loss", _TOP[:1], loss, 4, "−ln p", [1.0], 5, ""),
    )  # fmt: skip
    made = ""
    for left, (name, tops, *both) in zip(_LEFT, columns, strict=True):
        middle, below = left + _WIDE / 2, tops[-1] + _TALL
        made += words("i", middle, tops[0] - 9, name, 14, True)
        made += bars("l20", [(left, y, _WIDE, _TALL) for y in tops], 6)
        for hue, (values, shown, rule), down in (("q", both[:3], 22), ("k", both[3:], 43)):
            if step == shown:  # it is new
                made += frames(hue, [(left, y, _WIDE, _TALL) for y in tops])
            if step >= shown:
                for y, value in zip(tops, values, strict=True):
                    made += words(hue, middle, y + down, _two(value), 16, step == shown)
                below += 20 * bool(rule)
                made += words(hue, middle, below, rule, 14, step == shown) * bool(rule)
    full, left = _WIDE - 8, _LEFT[3] + 4
    made += bars("a", [(left, y + 45, full * p, 4) for y, p in zip(_TOP, shares, strict=True)], 2) * (step > 2)
    made += words("s", left + full / 2, _TOP[0] + 40, "correct", 13)
    middles = [y + _TALL / 2 for y in _TOP]
    for gap, (there, back) in enumerate(((2, 7), (2, 6), (3, 5), (4, 5))):
        a, b = _LEFT[gap] + _WIDE + 2, _LEFT[gap + 1] - 2
        starts, apart = ([middles[1] + 18 * i for i in (-1, 0, 1)], 4.5) if gap == 0 else (middles, 7.5)
        ways = list(zip(starts, middles, strict=True))[: 1 if gap == 3 else 3]
        hue, wide = "q" if step >= there else "l", [3 if step == new else 1.5 for new in (there, back)]
        made += arrows(hue, [(a, y - apart, b, v - apart) for y, v in ways], wide[0])
        made += arrows("k", [(b, v + apart, a, y + apart) for y, v in ways], wide[1]) * (step >= back)
    if step == STEPS:
        made += frames("k", [(_LEFT[0], _TOP[1], _WIDE, _TALL)])
        for y, (at, high) in zip((128, 184), runs, strict=True):
            made += words("s", _LEFT[4] + _WIDE / 2, y, f"x = {number_text(at)}", 14)
            made += words("q", _LEFT[4] + _WIDE / 2, y + 20, number_text(high), 14, True)
    parts = at_scores * _W + 0.0
    values = ([x], [scores], [shares], [loss], [at_scores], [at_weights], [parts, at_x], [nudged])[step - 1]
    lists = [np.round(np.ravel(value), 2).tolist() for value in values]  # as in the boxes
    if step == STEPS:
        lists = [*runs[0], *runs[1], 2 * _NUDGE, *lists]
    note = Note(_SENTENCES[step - 1], max(_SENTENCES, key=len), lists)
    return [Drawing(made, (360, 244), note.text()), note]


def _forward(x: Array) -> tuple[Array, Array, Array]:
    """Return the scores and the shares of the three words (3,), and the loss (1,), for x (1,)."""
    shares = softmax(x * _W + 0.0)
    return x * _W + 0.0, shares, -np.log(shares[:1])


def _two(value: float) -> str:
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
