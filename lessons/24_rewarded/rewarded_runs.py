"""Train and save the runs of lesson 24: `python -m lessons.rewarded_runs`, or only some with `--only rewarded`.

- "rewarded": adders that have been shown answers, then rewarded for right sums, and 64 answers to each of 300 held-out
  sums before and after.
- "shown": the same adders, shown the answers to as many of the other sums instead.
- "lot": one of them, rewarded at random, as a control.
- "fast": the same adders, rewarded at three times the rate.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lessons.rewarded_adder import (
    SHOWN_ROWS,
    STEPS,
    SUMS,
    Sums,
    half_adder,
    reward_answers,
    share_drawn_right,
    share_right,
    show_answers,
    solved,
)
from utils.data.kept import keep, read_kept
from utils.models.gpt import Gpt

SEEDS = (0, 1, 2)
ASKED, DRAWN = 300, 64  # held-out sums, and the answers drawn to each
BY_LOT = 200  # steps
FAST, FAST_STEPS = 3e-3, 900
_FILE = Path(__file__).with_name("rewarded_runs.json")


@dataclass(frozen=True)
class RewardedRun:
    """An adder before and after it was rewarded."""

    half: float  # held-out sums whose most probable answer is right, before
    end: float  # and after
    curve: list[float]  # the share of drawn answers that are right, every EVERY steps; the first is before
    before: list[int]  # for each of ASKED sums, how many of DRAWN answers are right
    after: list[int]
    seconds: float  # of processor time, without measuring


def rewarded_run(seed: int) -> RewardedRun:
    """Return the run of one of SEEDS. Raises KeyError if it isn't kept."""
    return RewardedRun(**read_kept(_FILE)[f"rewarded {seed}"])


def shown_run(seed: int) -> float:
    """Return the share of held-out sums right when as many sums are shown as were rewarded. Raises KeyError."""
    return read_kept(_FILE)[f"shown {seed}"]["end"]


def fast_run(seed: int) -> list[float]:
    """Return the curve of one of SEEDS at the rate FAST. Raises KeyError if it isn't kept."""
    return read_kept(_FILE)[f"fast {seed}"]["curve"]


def lot_run() -> list[float]:
    """Return the curve of an adder that is rewarded at random."""
    return read_kept(_FILE)["lot 0"]["curve"]


def pass_at(k: int, right: list[int], drawn: int = DRAWN) -> float:
    """Return the share of sums with a right answer among k, if `right` of the `drawn` answers to each are right.

    The mean over all choices of k among the answers drawn. Source: Chen et al. 2021, section 2.1.
    """
    wrong = drawn - torch.tensor(right, dtype=torch.float64)  # (sums,)
    all_wrong = torch.ones_like(wrong)
    for i in range(k):
        all_wrong *= ((wrong - i) / (drawn - i)).clamp(min=0)
    return float((1 - all_wrong).mean())


def never_right(run: RewardedRun) -> tuple[int, float]:
    """Return the number of sums without a right answer before, and the share of right answers to them after."""
    after = [hits for hits, before in zip(run.after, run.before, strict=True) if before == 0]
    return len(after), sum(after) / (DRAWN * max(1, len(after)))


@cache
def _half(seed: int) -> tuple[Gpt, Sums]:
    return half_adder(seed)


def _start(seed: int) -> tuple[Gpt, Sums]:
    model, of = _half(seed)
    return deepcopy(model), of


def train_rewarded(seed: int) -> dict[str, Any]:
    model, of = _start(seed)
    half, asked, spent = share_right(model, of.held_out), of.held_out[:ASKED], 0.0
    before = solved(model, asked, DRAWN)

    def measure(model: Gpt, right: Tensor) -> float:
        nonlocal spent
        start = time.process_time()
        share = share_drawn_right(model, right)
        spent += time.process_time() - start
        return share

    start = time.process_time()
    curve = reward_answers(model, of, seed, measure=measure)
    seconds = time.process_time() - start - spent
    after = solved(model, asked, DRAWN)
    return {
        **{"half": round(half, 3), "end": round(share_right(model, of.held_out), 3), "curve": curve},
        **{"before": before.int().tolist(), "after": after.int().tolist(), "seconds": round(seconds, 1)},
    }


def train_shown(seed: int) -> dict[str, float]:
    model, of = _start(seed)
    others = Sums(of.rewarded, of.rewarded, of.held_out)
    torch.manual_seed(seed)
    show_answers(model, others, enough=2.0, most=STEPS * SUMS // SHOWN_ROWS)
    return {"end": round(share_right(model, of.held_out), 3)}


def train_lot(seed: int) -> dict[str, list[float]]:
    model, of = _start(seed)
    by_lot = lambda written, right: (torch.rand(written.shape[:2]) < 0.15).float()  # noqa: E731
    return {"curve": reward_answers(model, of, seed, by_lot, BY_LOT)}


def train_fast(seed: int) -> dict[str, list[float]]:
    model, of = _start(seed)
    return {"curve": reward_answers(model, of, seed, steps=FAST_STEPS, rate=FAST)}


def _all() -> dict[str, Callable[[], dict[str, Any]]]:
    """Map the name of each saved run to the function that trains it."""
    return {
        **{f"rewarded {seed}": partial(train_rewarded, seed) for seed in SEEDS},
        **{f"shown {seed}": partial(train_shown, seed) for seed in SEEDS},
        "lot 0": partial(train_lot, 0),
        **{f"fast {seed}": partial(train_fast, seed) for seed in SEEDS},
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    keep(_FILE, _all())
