"""The opening figure of lesson 18: transformers and LSTMs race to translate, each training run a dot on its lane."""

from __future__ import annotations

from functools import cache

import numpy as np

from lessons.rival_results import EVERY, LSTM, RACE_SEEDS, RIVAL, STEPS, pace, training
from utils.by_hand.arrays import Array
from utils.show.live import Drawing, Note, Panel
from utils.show.shapes import bars, dots, paths, words

_LEFT, _FULL, _LANE = 10, 336, 12  # pixels: the start, from there to 100 %, from lane to lane
# hue and name; pixels from the top: the lanes, the name and the mean
_TEAMS = {RIVAL: ("q", "transformers", 28, 17, 127), LSTM: ("i", "LSTMs", 153, 256, 145)}


def race(passed: int) -> list[Panel]:
    """Return the race when `passed` per cent of the time that all have is over, and a sentence about it."""
    made, means = paths("l", [f"M{x} 28V237" for x in (_LEFT, _LEFT + _FULL)], 1.5), {}
    for team, (hue, name, top, named, told) in _TEAMS.items():
        shares = _shares(team)[:, passed]
        means[name] = round(100 * float(shares.mean()), 1)
        ends = [round(_LEFT + _FULL * float(share), 1) for share in shares]
        lanes = [top + _LANE * (i + 0.5) for i in range(len(ends))]
        made += words(hue, _LEFT, named, f"{len(ends)} {name}", 15, True, at="start")
        made += bars("l30", [(_LEFT, y - 1, _FULL, 2) for y in lanes], 1)
        made += bars("a", [(_LEFT, y - 2.5, x - _LEFT, 5) for x, y in zip(ends, lanes, strict=True)], 2)
        made += dots(hue, zip(ends, lanes, strict=True), 5)
        x = _LEFT + _FULL * means[name] / 100
        made += paths(hue, [f"M{x:.1f} {min(top, told - 14)}V{max(told + 3, top + len(ends) * _LANE)}"], 2)
        side, at = (6, "start") if x < 180 else (-6, "end")
        made += words(hue, x + side, told, f"mean {means[name]} %", 14, at=at)
    made += words("s", _LEFT + _FULL, 17, "finish: 100 % right", 14, at="end")
    (ahead, most), (behind, least) = sorted(means.items(), key=lambda item: -item[1])
    told, values = (
        f"the {ahead} are ahead: on average they get {{}} % right, and the {behind} {{}} %",
        [passed, most, least],
    )
    if most == least:
        told, values = "neither is ahead: on average both get {} % right", [passed, most]
    note = Note(f"After {{}} % of the time, {told}.", values=values, digits=4)
    return [Drawing(made, (360, 264), note.text()), note]


@cache
def _shares(name: str) -> Array:
    """Return the share of correct sentences, (seeds, 101): as last measured at each per cent of the time."""
    steps = np.arange(101) * STEPS * pace()[RIVAL] / (100 * pace()[name])
    measured = np.minimum(steps / EVERY + 1e-9, len(training(name, 0).scores)).astype(int)
    measured[-1] = len(training(name, 0).scores)  # the end need not be a multiple of EVERY
    return np.array([[0.0, *training(name, seed).scores] for seed in RACE_SEEDS])[:, measured]
