"""The opening figure of lesson 16: the writer predicts a piece, draws one, and reads it as part of the text."""

from __future__ import annotations

from functools import cache
from textwrap import wrap

import torch

from lessons.small_writer import Writer
from utils.show.candidates import percent
from utils.show.live import Choice, Drawing, LiveControl, Note, Panel, Slider
from utils.show.shapes import bars, frames, paths, words
from utils.training.decoding import Continuing, sample

PROMPTS = {"The word it": 3, "We look": 8, "The dot": 10, "Each word asks": 7}  # beginning -> seed of a good text
MOST, _CANDIDATES = 12, 6  # pieces
_LINE = 40  # letters of the text in a line
_TOP, _ROW, _BAR, _FULL = 58, 22, 84, 210  # pixels: where the bars begin, from bar to bar, their left, a bar of 100 %


def next_pieces() -> LiveControl:
    """Return the figure: the reader chooses a prompt and how many pieces are written."""
    knobs = [Choice("prompt", list(PROMPTS)), Slider("written", 0, MOST, 0, label="pieces written")]
    return LiveControl(written_so_far, knobs, alt="A text, and bars of the six most probable pieces that come next.")


def written_so_far(prompt: str, written: int) -> list[Panel]:
    """Return the prompt with its first `written` pieces, and the six most probable next ones, of which one is drawn."""
    writer, ids = _text(prompt)
    ids, taken = ids[: len(ids) - MOST - 1 + written], ids[len(ids) - MOST - 1 + written]
    with torch.inference_mode():
        shares, best = writer.model(torch.tensor([ids]))[0, -1].softmax(dim=-1).topk(_CANDIDATES)
    pieces = [writer.text([piece]) for piece in best.tolist()]
    drawn = best.tolist().index(taken)
    names = [piece.strip() or _visible(piece) for piece in pieces]
    first = f"“{names[0]}” is the most probable next piece, with {percent(shares[0].item())}"
    told = f"{first}, and it is drawn."
    if drawn:
        told = f"{first}, but “{names[drawn]}” is drawn, with {percent(shares[drawn].item())}."
    text = f"{writer.text(ids)} …"
    drawing = _drawn(text, pieces, shares.tolist(), drawn)
    return [Drawing(drawing, (360, _TOP + _ROW * _CANDIDATES + 2), f"{text} {told}"), Note(told)]


def _drawn(text: str, pieces: list[str], shares: list[float], drawn: int) -> str:
    made = "".join(words("i", 2, 22 + 24 * i, line, 17, True, at="start") for i, line in enumerate(wrap(text, _LINE)))
    for i, (piece, share) in enumerate(zip(pieces, shares, strict=True)):
        top, wide = _TOP + _ROW * i, max(1.5, _FULL * share)
        made += words("i", _BAR - 8, top + 15, _visible(piece), 15, i == drawn, at="end")
        made += bars("a", [(_BAR, top, wide, 17)], 3)
        made += frames("i", [(_BAR, top, wide, 17)]) if i == drawn else ""
        made += words("i", _BAR + wide + 8, top + 15, percent(share), 14, i == drawn, at="start")
    return made + paths("l", [f"M{_BAR} {_TOP - 4}V{_TOP + _ROW * len(pieces)}"], 1.5)


def _visible(piece: str) -> str:
    return piece.replace(" ", "·").replace("\n", "↵")


@cache
def _text(prompt: str) -> tuple[Writer, list[int]]:
    """Return the writer, and the ids of the prompt and of MOST + 1 pieces, each drawn from the six most probable."""
    writer, generator = Writer.load(), torch.Generator().manual_seed(PROMPTS[prompt])
    begun = writer.ids(prompt, most=48)  # (1, N)
    text = sample(Continuing(writer.model), begun, MOST + 1, top_k=_CANDIDATES, end=None, generator=generator)
    return writer, [*begun[0].tolist(), *text.tokens[0]]
