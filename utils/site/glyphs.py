"""Draw the glyphs of the lessons for the start page: one idea each, without a word, of 280 × 140 pixels.

A glyph is a list of the shapes of `utils/show/shapes.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from utils.show.shapes import Point, arcs, arrows, bars, curve, dots, frames, grid, paths

WIDTH, HEIGHT = 280, 140


def glyph(number: str) -> str:
    """Return the SVG of a lesson's glyph, without any text; "" for a lesson that has no glyph."""
    shapes = "".join(GLYPHS.get(number, []))
    return shapes and f'<svg class="glyph hues" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">{shapes}</svg>'


def _across(count: int, y: float, left: float = 30, right: float = 250) -> list[Point]:
    """Return `count` points at equal distances."""
    return [(left + i * (right - left) / (count - 1), y) for i in range(count)]


def _all_pairs(above: Sequence[Point], below: Sequence[Point]) -> list[str]:
    return [f"M{x:g} {y:g}L{u:g} {v:g}" for x, y in above for u, v in below]


def _clocks(y: float, turn: float, radius: float = 21) -> list[str]:
    """Draw five clocks, each with its hand turned by `turn` degrees more than the one before."""
    made = []
    for i, (x, _) in enumerate(_across(5, y, 40, 240)):
        way = math.radians(turn * i - 90)
        hand = (x, y, x + (radius - 5) * math.cos(way), y + (radius - 5) * math.sin(way))
        made += [dots("q15", [(x, y)], radius), paths("q", ["M{:g} {:g}L{:.1f} {:.1f}".format(*hand)], 3.5)]
    return made


_WORDS = [(24, 104, 34, 14), (66, 104, 52, 14), (126, 104, 26, 14), (160, 104, 44, 14), (212, 104, 44, 14)]
_SPIKED = [(30, 108, 14, 4), (50, 108, 14, 4), (70, 24, 14, 88), (90, 107, 14, 5), (110, 108, 14, 4)]
_SHARED = [(164, 82, 14, 30), (184, 92, 14, 20), (204, 48, 14, 64), (224, 76, 14, 36), (244, 88, 14, 24)]
_DISK = ["0000", "0270", "1895", "3999"]  # an image in sixteen patches
_LOSS = [20 + 96 * (1 - math.exp(-i / 16)) + 4 * math.sin(1.9 * i) * math.exp(-i / 14) for i in range(60)]

GLYPHS: dict[str, list[str]] = {
    "00": [
        paths("l", ["M30 104C80 104 70 40 120 40S170 96 210 96S236 60 250 36"], 3),
        dots("l", [(76, 70), (120, 40), (166, 69), (210, 96)]), dots("a", [(30, 104)], 13), dots("i", [(250, 36)], 10),
    ],
    "01": [
        paths("l", _all_pairs([(40, y) for y in (32, 57, 83, 108)], [(140, 96)])), paths("l", ["M140 96L240 96"]),
        dots("k", [(40, y) for y in (32, 57, 83, 108)]), bars("l", [(130, 86, 20, 20)]),
        paths("a", ["M40 32C110 8 190 20 240 88"], 6), dots("o", [(240, 96)], 10),
    ],
    "02": [
        bars("i", [(30, 20, 96, 18), (132, 20, 42, 18), (180, 20, 70, 18)]),
        arrows("l", [(78, 46, 78, 64), (153, 46, 153, 64), (215, 46, 215, 64)]),
        *(grid("v", list(column), x, 72, 14) for x, column in ((71, "3917"), (146, "8052"), (208, "1694"))),
    ],
    "02b": [
        curve("i", [112 - 90 * (i / 40) ** 2 for i in range(41)], 40, 250),
        paths("q", ["M85 123L262 29"], 3), dots("q", [(166.5, 80)], 8),
    ],
    "03": [
        dots("l", [(38, 28), (54, 46), (30, 56), (222, 112), (246, 104), (236, 124), (226, 30), (250, 44)], 5),
        arrows("q", [(70, 108, 150, 74), (104, 62, 184, 28)], 3.5),
        dots("v", [(66, 110), (158, 71), (100, 64), (192, 25)], 7),
    ],
    "04": [*_clocks(40, 80), *_clocks(100, 14)],
    "05": [
        arcs("a", [(186, 92, x, 92) for x in (41, 92, 139, 234)], 0.62, (13, 2, 2, 4)),
        bars("l", _WORDS), bars("q", [_WORDS[3]]),
    ],
    "06": [bars("l", _SPIKED), arrows("i", [(134, 78, 154, 78)]), bars("a", _SHARED)],
    "07": [
        grid("q", ["90000", "09000", "00900", "00090", "00009"], 14, 32, 16),
        grid("k", ["20000", "90000", "09000", "00900", "00090"], 102, 32, 16),
        grid("v", ["00900", "00900", "00900", "00900", "00900"], 190, 32, 16),
    ],
    "08": [grid("a", ["900000", "460000", "235000", "524400", "342350", "233425"], 82, 12, 20)],
    "09": [
        arrows("i", [(20, 96, 262, 96)], 7), paths("q", ["M52 96V44H92M148 44H190V88"]), bars("q", [(92, 28, 56, 32)]),
        dots("a", [(190, 96)], 12), paths("p", ["M183 96H197M190 89V103"], 3),
    ],
    "09b": [
        arrows("i", [(62, 40, 122, 40), (158, 40, 218, 40)]), arrows("k", [(218, 104, 158, 104), (122, 104, 62, 104)]),
        paths("k", ["M238 58V86"]), arrows("k", [(42, 86, 42, 60)]),
        dots("i", [(42, 40), (140, 40)], 14), dots("a", [(238, 40)], 14),
        dots("k", [(140, 104), (238, 104), (42, 104)], 9),
    ],
    "10": [
        *(paths("l", _all_pairs(_across(5, y, 50, 230), _across(5, y - 46, 50, 230)), 1.2) for y in (116, 70)),
        dots("l", _across(5, 116, 50, 230), 8), dots("o55", _across(5, 70, 50, 230), 8),
        dots("o", _across(5, 24, 50, 230), 8),
    ],
    "11": [
        arcs("a", [(150, 100, x, 34) for x in (40, 90, 190, 240)], 0.12, (2, 7, 3, 2)),
        dots("v", _across(5, 28, 40, 240), 9),
        bars("i", [(24, 104, 44, 16), (76, 104, 40, 16)]), frames("q", [(125, 105, 50, 14)], dashed=True),
    ],
    "12": [curve("o", _LOSS, 34, 256, 3.5), paths("l", ["M24 16V126H264"])],
    "12a": [
        bars("k", [(50, y, 66, 18) for y in (104, 80, 56)]), bars("o", [(164, y, 66, 18) for y in (104, 80)]),
        frames("i", [(165, y, 64, 16) for y in (57, 33)], dashed=True), arrows("a", [(116, 65, 158, 65)], 4),
    ],
    "13": [
        paths("l", ["M34 70L98 32L168 18", "M98 32L168 46L240 40", "M98 108L168 122"]),
        paths("a", ["M34 70L98 108L168 94L240 88"], 6),
        dots("l", [(98, 32), (168, 18), (168, 46), (168, 122), (240, 40)]),
        dots("i", [(34, 70)], 9), dots("a", [(98, 108), (168, 94), (240, 88)], 9),
    ],
    "14": [
        *(paths("a", [f"M{x} 34C{x} 70 {u} 70 {u} 106"], w)
          for x, u, w in ((40, 240, 11), (107, 40, 9), (173, 107, 8), (240, 173, 3), (240, 40, 3), (40, 173, 2))),
        dots("k", _across(4, 28, 40, 240), 9), dots("q", _across(4, 112, 40, 240), 9),
    ],
    "15": [
        arcs("a", [(41, 92, 139, 92), (92, 92, 139, 92), (182, 92, 139, 92), (234, 92, 139, 92)], 0.55, (3, 8, 6, 2)),
        bars("i", [_WORDS[i] for i in (0, 1, 3, 4)]), frames("q", [_WORDS[2]], dashed=True),
    ],
    "16": [
        bars("i", [_WORDS[i] for i in range(4)]), arrows("l", [(24, 128, 256, 128)]),
        frames("q", [(213, 105, 42, 13)], dashed=True),
        bars("a30", [(212, y, w, 12) for y, w in ((40, 26), (57, 15), (74, 7))]), bars("a", [(212, 23, 46, 12)]),
    ],
    "17": [
        grid("q", _DISK, 24, 18, 26), arrows("l", [(140, 70, 166, 70)]),
        *(grid("q", [patch], x, 58, 26) for x, patch in zip((176, 202, 228), "875", strict=True)),
    ],
    "18": [
        arrows("l", [(x + 11, 106, x + 33, 106) for x in (30, 74, 118, 162, 206)]),
        arcs("a", [(30, 94, 250, 94)], 0.45, (7,)),
        dots("l", _across(6, 106), 8), dots("k", [(30, 106)], 9), dots("o", [(250, 106)], 9),
    ],
    "18b": [
        grid("a", ["9"], 26, 103, 13), grid("a", ["99"] * 2, 56, 90, 13), grid("a", ["9999"] * 4, 99, 64, 13),
        grid("a", ["99999999"] * 8, 168, 12, 13),
    ],
    "19": [
        bars("l", [(34, y, w, 12) for y, w in ((22, 130), (52, 104), (82, 146), (112, 90))]),
        paths("v", [f"M214 {y}l8 9l16 -18" for y in (28, 58, 118)], 4), paths("k", ["M216 79l18 18M234 79l-18 18"], 4),
    ],
    "20": [
        bars("i", [(10, 62, 32, 16)]), grid("v", ["39", "82", "17"], 70, 49, 15),
        arcs("a", [(128, 80, 168, 80), (148, 80, 168, 80)], 0.8, (3, 5)),
        dots("q", [(128, 84), (148, 84), (168, 84)], 5),
        bars("o", [(198, 78, 7, 12), (208, 50, 7, 40), (218, 68, 7, 22)], 2), bars("i", [(248, 62, 24, 16)]),
        arrows("l", [(x, 70, x + 15, 70) for x in (48, 105, 177, 229)]),
    ],
    "21": [
        arrows("l", [(30, 44, 250, 44)]), bars("i", [(x, 30, 36, 28) for x in (52, 122, 192)]),
        arrows("k", [(x, 100, x - 20, 100) for x in (46, 116, 186, 256)], 3),
        *(grid("k", rows, x, 82, 13) for x, rows in ((53, ["294", "819", "372"]), (123, ["718", "293", "951"]))),
        grid("k", ["492", "537", "816"], 193, 82, 13),
    ],
    "22": [
        grid("l", ["9999", "9999", "9999", "9999"], 24, 34, 20), grid("l", ["9999"] * 4, 180, 34, 20),
        bars("a", [(64, 54, 17, 17), (220, 54, 17, 17)], 2), arcs("a", [(74, 52, 228, 52)], 0.28, (4,)),
    ],
    "23": [
        bars("l", [(36, 26, 88, 88)]), paths("i", ["M138 70H158M148 60V80"], 3.5),
        bars("q", [(176, 26, 16, 88)]), bars("v", [(200, 26, 56, 16)]),
    ],
    "24": [
        paths("l", [f"M52 70C90 70 80 {y} 118 {y}" for y in (24, 55, 85, 116)]), dots("i", [(46, 70)], 11),
        bars("i", [(118, y - 6, 44, 12) for y in (24, 55, 85, 116)]), paths("l", ["M214 12V128"]),
        bars("a", [(214, 17, 46, 14), (214, 78, 22, 14)]), bars("q", [(178, 48, 36, 14), (192, 109, 22, 14)]),
    ],
}  # fmt: skip
