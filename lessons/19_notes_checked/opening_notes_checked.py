"""The opening figure of lesson 19: three lines that lecture note N2 prints, their digits beside computed ones."""

from __future__ import annotations

from utils.by_hand.positional import encode_positions
from utils.show.live import Drawing, Note, Panel
from utils.show.shapes import bars, frames, group, paths, words

LINES = "1st", "2nd", "3rd"
UNITS = "radians", "degrees"
PRINTED = ("sin", "", "0.0174"), ("cos", "", "0.99"), ("sin", " · 4/3", "0.0013")  # a factor is all our copy has
_LEFT, _STEP, _WIDE = 112, 30, 27  # pixels: where the digits begin, from digit to digit, the width of a digit


def line_checked(line: str, unit: str) -> list[Panel]:
    """Return the page's lines, and below the chosen one's digits those computed with angles in `unit`."""
    at = LINES.index(line)
    function, _, printed = PRINTED[at]
    truth = float(encode_positions([1], 3, degrees=unit == "degrees")[0, at])
    computed, decimals = f"{truth:.6f}", len(printed) - 2
    units = abs(float(printed) - truth) * 10**decimals
    wrong = next((i for i, (one, other) in enumerate(zip(printed, computed, strict=False)) if one != other), None)
    made = bars("l20", [(2, 4, 356, 96)], 6) + bars("q20", [(58, 11 + 28 * at, 246, 28)], 4)
    made += paths("s", ["M56 10H50V96H56", "M304 10H310V96H304"], 2)
    left = [words("i", 16, 59, "x", 17), words("i", 26, 64, "2", 13), words("i", 41, 59, "=", 17)]
    made += group("i", left, ' font-family="serif" font-style="italic"')
    for i, (name, factor, number) in enumerate(PRINTED):
        texts = words("i", 66, 31 + 28 * i, f"{name}(1/10000{factor})", 17, at="start")
        made += group("i", [texts, words("i", 298, 31 + 28 * i, f"= {number}", 17, at="end")], ' font-family="serif"')
    angle = "1" if at < 2 else f"{10000 ** (-2 / 3):.5f}"
    made += words("s", 4, 140, "printed", 14, at="start") + words("q", 4, 184, "computed:", 14, True, at="start")
    made += words("q", 4, 202, f"{function} {angle}{'°' * (unit == 'degrees')}", 14, True, at="start")
    for i, digit in enumerate(computed):
        x = _LEFT + _STEP * i
        if i < len(printed):
            bad = wrong is not None and i >= wrong
            made += (bars("k20", [(x, 114, _WIDE, 38)], 4) + frames("k", [(x, 114, _WIDE, 38)])) * bad
            made += words("k" if bad else "i", x + _WIDE / 2, 142, printed[i], 26, bad)
            made += paths("k", [f"M{x + 4} 148L{x + _WIDE - 4} 118"], 2) * bad
        made += words("q" if i < len(printed) else "s", x + _WIDE / 2, 194, digit, 26)
    made += paths("l", [f"M{_LEFT} 160H{_LEFT + _STEP * 8}"], 1.5)
    if wrong is None:
        told = f"All printed digits agree: in {unit}, you get the {line} number if you cut the rest off."
    else:
        told = f"In {unit}, the {line} number is {{}} units of its last place off, "
        told += "so it is wrong." if unit == "radians" else "so degrees don't explain it."
    note = Note(told, values=[units] * (wrong is not None), digits=2)
    return [Drawing(made, (360, 212), note.text()), note]
