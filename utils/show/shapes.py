"""Draw shapes in the course's colours, each as a piece of SVG, for pictures that follow light and dark pages.

A shape takes a hue: q, k, v and o for query, key, value and output, a for attention, i for ink, s for soft ink, l for
lines and p for paper. A number after the hue is its opacity in percent: "a40" is a pale amber. The page's styles colour
the shapes in an SVG of the class `hues`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from html import escape

_HEAD = 8  # pixels of an arrow's head

Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, width, height
Line = tuple[float, float, float, float]  # from x, y to x, y


def words(hue: str, x: float, y: float, text: str, size: float = 15, bold: bool = False, at: str = "") -> str:
    """Write a text with its middle at x, or with its start or end there if `at` says so; y is the line below it."""
    more = ' font-weight="600"' * bool(bold) + (at and f' style="text-anchor:{at}"')
    return f'<text class="{hue}" x="{x:g}" y="{y:g}" font-size="{size:g}"{more}>{escape(text)}</text>'


def group(hue: str, inside: Iterable[str], attributes: str = "") -> str:
    """Group shapes, which are SVG, in one hue. `attributes` are those of the group in SVG, after a space."""
    faded = f' opacity="{int(hue[1:]) / 100:g}"' if hue[1:] else ""
    return f'<g class="{hue[0]}"{faded}{attributes}>{"".join(inside)}</g>'


def spot(row: int, inside: str) -> str:
    """Let the reader choose a row by pointing at these shapes, in a Drawing that has a drawing for each row."""
    return f'<g data-row="{row}">{inside}</g>'


def dots(hue: str, points: Iterable[Point], radius: float = 7) -> str:
    """Draw filled circles around points."""
    return group(hue, (f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}"/>' for x, y in points))


def bars(hue: str, boxes: Iterable[Box], round_by: float = 4) -> str:
    """Draw filled boxes, whose corners are rounded by `round_by` pixels."""
    made = (f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{round_by}"/>' for x, y, w, h in boxes)
    return group(hue, made)


def frames(hue: str, boxes: Iterable[Box], dashed: bool = False) -> str:
    """Draw the outlines of boxes."""
    made = (f'<path d="M{x:g} {y:g}h{w:g}v{h:g}h{-w:g}z"/>' for x, y, w, h in boxes)
    return group(hue, made, ' stroke-width="2"' + dashed * ' stroke-dasharray="5 4"')


def paths(hue: str, commands: Iterable[str], width: float = 2.5) -> str:
    """Draw paths, each given in the path commands of SVG."""
    return group(hue, (f'<path d="{path}"/>' for path in commands), f' stroke-width="{width:g}"')


def curve(hue: str, heights: Sequence[float], left: float, right: float, width: float = 3) -> str:
    """Draw a curve through heights, which are pixels from the top, at equal distances from left to right."""
    step = (right - left) / (len(heights) - 1)
    return paths(hue, ["M" + "L".join(f"{left + i * step:.1f} {y:.1f}" for i, y in enumerate(heights))], width)


def arcs(hue: str, lines: Iterable[Line], rise: float, widths: Sequence[float] = (2.5,)) -> str:
    """Draw arcs that rise over their lines (fall, if `rise` is negative), with the widths in turn."""
    return "".join(
        paths(hue, [f"M{x:g} {y:g}C{x:g} {y - rise * abs(u - x):g} {u:g} {v - rise * abs(u - x):g} {u:g} {v:g}"], width)
        for (x, y, u, v), width in zip(lines, itertools.cycle(widths), strict=False)
    )


def arrows(hue: str, lines: Iterable[Line], width: float = 2.5) -> str:
    """Draw lines, each with an arrowhead at its end."""
    made = []
    for x, y, u, v in lines:
        turn = math.degrees(math.atan2(v - y, u - x))
        made.append(f"M{x:g} {y:g}L{u:g} {v:g}")
        back = [math.radians(turn + 180 + side) for side in (-32, 32)]
        (a, b), (c, d) = ((u + _HEAD * math.cos(way), v + _HEAD * math.sin(way)) for way in back)
        made.append(f"M{a:.1f} {b:.1f}L{u:g} {v:g}L{c:.1f} {d:.1f}")
    return paths(hue, made, width)


def grid(hue: str, rows: Sequence[str], left: float, top: float, side: float, gap: float = 3) -> str:
    """Draw cells, each as dark as its digit from 1 to 9; 0 is the outline of a cell."""
    cells = [(int(digit), left + j * side, top + i * side) for i, row in enumerate(rows) for j, digit in enumerate(row)]
    full = "".join(bars(f"{hue}{11 * shade}", [(x, y, side - gap, side - gap)], 2) for shade, x, y in cells if shade)
    return frames("l", [(x + 1, y + 1, side - gap - 2, side - gap - 2) for shade, x, y in cells if not shade]) + full
