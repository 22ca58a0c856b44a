"""The opening figure of lesson 04: two clock hands, whose sines and cosines are the four numbers of a position."""

from __future__ import annotations

import math

from utils.by_hand.positional import encode_positions
from utils.show.live import Drawing, Note, Panel
from utils.show.shapes import dots, paths, words

LAST = 50  # the last position: before the slow hand, too, is back where it was at 0, which is at 63
_AT, _MIDDLE, _RADIUS, _TIP = (92, 268), 96, 70, 58  # pixels: the clocks' middles, their radius, the hands' lengths
_BASE = 100


def clock_hands(position: int) -> list[Panel]:
    """Return the drawing of a fast and a slow hand at this position, over where they have been, and a sentence.

    A hand at 0 points up and turns to the right, so its tip is as far right as the sine and as high as the cosine.
    """
    way = encode_positions(range(position + 1), 4, _BASE)  # (position + 1, 4)
    made = ""
    for x, name, hand in zip(_AT, ("fast hand", "slow hand"), way.reshape(-1, 2, 2).swapaxes(0, 1), strict=True):
        tips = [(x + _TIP * sine, _MIDDLE - _TIP * cosine) for sine, cosine in hand]
        (u, v), (sine, cosine) = tips[-1], hand[-1]
        made += words("i", x, 17, name, 15, True) + dots("q15", [(x, _MIDDLE)], _RADIUS)
        made += dots("q40", [(round(a, 1), round(b, 1)) for a, b in tips[-13:-1]], 3)
        made += paths("i", [f"M{x} {_MIDDLE}H{u:.1f}"], 3) + paths("s", [f"M{u:.1f} {_MIDDLE}V{v:.1f}"], 1.5)
        made += paths("q", [f"M{x} {_MIDDLE}L{u:.1f} {v:.1f}"], 4.5) + dots("q", [(x, _MIDDLE)], 5)
        made += words("i", x - 14, 190, f"sine {_signed(sine)}", 14, True, at="end")
        made += words("s", x - 4, 190, f"cosine {_signed(cosine)}", 14, at="start")
    told, longest = _told(position), max(map(_told, range(LAST + 1)), key=len)
    return [Drawing(made, (360, 198), told), Note(told, longest)]


def _told(position: int) -> str:
    fast, slow = (math.degrees(position / divisor) % 360 for divisor in (1, math.sqrt(_BASE)))
    numbers = ", ".join(map(_signed, encode_positions([position], 4, _BASE)[0]))
    return f"Position {position} is {numbers}: the fast hand is at {fast:.0f}°, the slow one at {slow:.0f}°."


def _signed(value: float) -> str:
    return f"{value + 0:.2f}".replace("-0.00", "0.00").replace("-", "−")
