"""The opening figure of lesson 18b: how many scores are held and computed, all at once and in chunks."""

from __future__ import annotations

from utils.show.live import Drawing, LiveControl, Note, Panel, Slider
from utils.show.numbers import number_text
from utils.show.shapes import bars, dots, frames, group, paths, words

TOKENS, CHUNKS = [2**n for n in range(9, 14)], [2**n for n in range(7, 14)]
_TOP, _SIDE = 24, 150  # pixels: where the square and the curves begin, and how long the longest text is
_LEFT, _CURVES, _WIDE = 24, 206, 144  # pixels: where the square begins, and the curves, and how wide these are
_BAR, _FULL = 84, 170  # pixels: where the bars begin, and a bar of the longest text
_LONGEST = TOKENS[-1]


def scores_held() -> LiveControl:
    """Return the figure: the reader chooses how many tokens there are, and how many are in a chunk."""
    knobs = [Slider("tokens", TOKENS[0], _LONGEST, _LONGEST, label="tokens", steps=TOKENS)]
    knobs += [Slider("chunk", CHUNKS[0], CHUNKS[-1], 1024, label="tokens in a chunk", steps=CHUNKS)]
    return LiveControl(held, knobs, alt="A square of scores, of which a chunk is held, and the memory by the length.")


def held(tokens: int, chunk: int) -> list[Panel]:
    """Return the square of scores with the chunk that is held, the memory for each length, and a sentence.

    Memory is that of one head's scores, each a float64.
    """
    chunk, million = min(tokens, chunk), tokens**2 / 1e6
    least, most = mebibytes(chunk), mebibytes(tokens)
    made = _square(tokens, chunk) + _memory(tokens, chunk)
    made += _bar(198, "held", "a", chunk, f"{number_text(least, 3)} MiB")
    made += _bar(222, "computed", "s45", tokens, f"{number_text(million, 3)} million")
    told, values = "All {} × {} scores are held at once, in {} MiB, and", [tokens, tokens, most]
    if chunk < tokens:
        told, values = (
            "Only {} × {} scores are held at a time, in {} MiB instead of {} MiB, but",
            [chunk, chunk, least, most],
        )
    told = f"{told} all {{}} million are computed."
    for unit in ("MiB", "million"):
        told = told.replace(f" {unit}", f"\N{NO-BREAK SPACE}{unit}")
    note = Note(told, values=[*values, million], digits=3)
    return [Drawing(made, (360, 244), note.text()), note]


def mebibytes(rows: int) -> float:
    """Return the MiB of a square of scores with so many rows."""
    return rows**2 * 8 / 2**20


def _square(tokens: int, chunk: int) -> str:
    """Return the square, as long as its tokens, with the chunk in progress about in its middle."""
    side, step, count = _SIDE * tokens / _LONGEST, _SIDE * chunk / _LONGEST, tokens // chunk
    x, y = _LEFT + count // 2 * step, _TOP + (count - 1) // 2 * step
    made, middle = words("k", _LEFT + max(18, side / 2), 15, "keys", 14), _TOP + max(28, side / 2)
    made += group("q", [words("q", 15, middle, "queries", 14)], f' transform="rotate(-90 15 {middle:g})"')
    made += bars("s25", [(_LEFT, _TOP, side, y - _TOP), (_LEFT, y, x - _LEFT, step)], 0)
    made += bars("a", [(x, y, step, step)], 0)
    if step < 5:
        ring = [f"M{x + step / 2 - 9:.1f} {y + step / 2:.1f}a9 9 0 1 0 18 0a9 9 0 1 0 -18 0"]
        made += paths("a", ring, 2)
    else:
        lines = [i * step for i in range(1, count)]
        made += paths("p", [f"M{_LEFT + at:g} {_TOP}v{side:g}M{_LEFT} {_TOP + at:g}h{side:g}" for at in lines], 1)
    return made + frames("s", [(_LEFT, _TOP, side, side)])


def _memory(tokens: int, chunk: int) -> str:
    """Return the curves of the memory by the number of tokens, all at once (dashed) and in chunks of this size."""
    zero, flat = _TOP + _SIDE, _TOP + _SIDE * (1 - (chunk / _LONGEST) ** 2)
    x, bend = (_CURVES + _WIDE * n / _LONGEST for n in (tokens, chunk))
    end = _CURVES + _WIDE
    made = paths("l", [f"M{_CURVES} {_TOP}V{zero}H{end}"], 1.5) + words("s", _CURVES + 5, 35, "512 MiB", 14, at="start")
    made += words("s", end, zero + 18, str(_LONGEST), 14, at="end") + words("s", _CURVES + 40, zero + 18, "tokens", 14)
    whole = paths("s", [f"M{_CURVES} {zero}Q{_CURVES + _WIDE / 2} {zero} {end} {_TOP}"], 2)
    made += group("s", [whole], ' stroke-dasharray="5 5"') + words("s", 302, 72, "all at once", 14, at="end")
    made += paths("a", [f"M{_CURVES} {zero}Q{(_CURVES + bend) / 2:.1f} {zero} {bend:.1f} {flat:.1f}H{end}"], 4)
    if chunk < _LONGEST:
        made += words("i", end, flat - 8 if flat > 150 else flat + 18, "in chunks", 14, at="end")
    made += dots("s", [(x, zero - _SIDE * (tokens / _LONGEST) ** 2)], 5)
    return made + dots("a", [(x, flat)], 7)


def _bar(y: float, name: str, hue: str, rows: int, text: str) -> str:
    """Return a bar of a square of scores with so many rows, with its name and its number."""
    made = words("i", 2, y + 15, name, 14, True, at="start") + bars("l15", [(_BAR, y, _FULL, 20)], 3)
    made += bars(hue, [(_BAR, y, max(1.5, _FULL * (rows / _LONGEST) ** 2), 20)], 3)
    return made + words("i", _BAR + _FULL + 8, y + 15, text, 14, at="start")
