"""The opening figure of lesson 07: for one word, two heads of a trained translator take from different words.

`python -m lessons.opening_multi_head` writes the translator's numbers down again, with PyTorch; the figure needs none.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np

from utils.data.kept import read_kept, write_kept
from utils.show.candidates import percent
from utils.show.live import Drawing, Note, Panel
from utils.show.shapes import bars, frames, paths, spot, words

_FILE = Path(__file__).with_suffix(".json")
_SENTENCE, _LAYER = "The child eats a red apple.", 1  # the encoder's last layer, counted from 0
WORDS = ("the", "child", "eats", "a", "red", "apple", ".")
HEADS = {"head 1": (0,), "head 2": (1,), "both": (0, 1)}
_FIRST, _STEP, _WIDE = 30, 50, 47  # pixels: the middle of the first word, from word to word, the width of a word
_WORD, _ROWS, _EDGES, _RISES = 104, (76, 138), (74, 164), (-1, 1)  # from the top: words, weights, where arcs begin
_JOINED, _HALVES, _CELL = 240, (6, 184), 5.3  # the two outputs: from the top, from the left, the width of a number


def two_heads(shown: str) -> list[Panel]:
    """Return, for each word that asks, its weights in the heads `shown` as arcs and numbers, and what they bring.

    shown: one of HEADS. The sentence says from which word each head takes most.
    """
    weights = np.array(read_kept(_FILE)["weights"])  # (2, N, N)
    most = weights.argmax(axis=-1).tolist()  # (2, N)
    taken = [[f"head {h + 1} takes {{}} from {_named(most[h][i])}" for h in HEADS[shown]] for i in range(len(WORDS))]
    told = [f"For {_named(i)}, {' and '.join(parts)}." for i, parts in enumerate(taken)]
    values = [[weights[h, i, most[h][i]].item() for h in HEADS[shown]] for i in range(len(WORDS))]
    alts = [sentence.format(*map(percent, shares)) for sentence, shares in zip(told, values, strict=True)]
    drawings = [_drawn(HEADS[shown], i) for i in range(len(WORDS))]
    room = max(told, key=len).replace("{}", "88.8 %")
    return [Drawing(drawings, (360, 284), alts), Note(told, room, values, digits=3, shares=True)]


def _named(i: int) -> str:
    return "the full stop" if WORDS[i] == "." else f"“{WORDS[i]}”"


def computed() -> dict[str, list]:
    """Return the weights (2, N, N) of heads 1 and 2 of the translator into German, and their outputs (2, N, d_v)."""
    # Only who writes them down needs PyTorch.
    import torch

    from utils.models.watching import watching
    from utils.training.translator import Translator

    translator = Translator.load(files("utils.training") / "everyday_german.safetensors")
    model = translator.model.eval()
    with torch.no_grad(), watching(model) as maps:
        model.encode(torch.tensor([translator.source_ids(_SENTENCE)]))
    both = {name: maps["encoder", _LAYER, of][0, :2] for name, of in (("weights", "weights"), ("outputs", "heads"))}
    return {name: np.round(values.numpy().astype(float), 4).tolist() for name, values in both.items()}


def _drawn(heads: tuple[int, ...], asks: int) -> str:
    weights, outputs = (np.array(read_kept(_FILE)[name]) for name in ("weights", "outputs"))
    at = [_FIRST + _STEP * i for i in range(len(WORDS))]
    made = ""
    for h in (0, 1):
        edge, rise, top, left = _EDGES[h], _RISES[h], _ROWS[h], _HALVES[h]
        made += words("i", 4, 18 if h == 0 else 222, f"head {h + 1}", 15, True, at="start")
        made += words("s", left + 85, _JOINED + 40, f"output of head {h + 1}", 14)
        made += frames("l", [(left, _JOINED, 32 * _CELL, 24)], dashed=h not in heads)
        if h not in heads:
            made += frames("l", [(at[0] - _WIDE / 2, top, at[-1] - at[0] + _WIDE, 26)], dashed=True)
            continue
        for i, j in sorted(np.argwhere(weights[h] > 0.01).tolist(), key=lambda pair: pair[0] == asks):
            share = weights[h, i, j].item()
            if i == asks or share > 0.3:
                made += _arc("a" if i == asks else "l", at[i], at[j], edge, rise, 1 + 8 * share if i == asks else 1.5)
        for x, share in zip(at, weights[h, asks].tolist(), strict=True):
            made += bars(f"a{round(10 + 70 * share)}", [(x - _WIDE / 2, top, _WIDE, 26)], 3)
            made += words("i", x, top + 18, percent(share), 14, share > 0.3)
        for k, number in enumerate(outputs[h, asks].tolist()):
            hue = f"{'a' if number > 0 else 'q'}{min(100, round(60 * abs(number)))}"
            made += bars(hue, [(left + _CELL * k, _JOINED, _CELL - 0.6, 24)], 1)
    for i, (x, word) in enumerate(zip(at, WORDS, strict=True)):
        box = bars("q25" if i == asks else "l30", [(x - _WIDE / 2, _WORD, _WIDE, 32)], 6)
        made += spot(i, box + words("q" if i == asks else "i", x, _WORD + 21, word, 15, i == asks))
    return made


def _arc(hue: str, start: float, end: float, edge: float, rise: int, width: float) -> str:
    """Return an arc over (rise −1) or under the words, and a loop where a word takes from itself."""
    out = 7 if start == end else 0
    tip = edge + rise * (24 + 0.15 * abs(end - start)) * 4 / 3
    way = f"M{start - out} {edge}C{start - 3 * out} {tip:g} {end + 3 * out} {tip:g} {end + out} {edge}"
    return paths(hue, [way], width)


if __name__ == "__main__":
    write_kept(_FILE, computed())
