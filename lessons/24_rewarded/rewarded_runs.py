"""Trainings that lesson 24 keeps: `python -m lessons.rewarded_runs`, or with `--only rewarded` those that begin so.

- "rewarded": adders that have been shown answers, then rewarded for right sums, and 64 answers to each of 300 held-out
  sums before and after.
- "shown": the same adders, shown the answers to as many of the other sums instead.
- "lot": the same adder, rewarded by lot; a control.
- "hole": the same adders, rewarded where the digits of an answer pass the check of casting out nines.
- "scratch": adders that are shown answers with the first digit first, after some notes of their own.
- "reused": the half adders, with each group of answers used for several steps, clipped or not.
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

from lessons.addition import adder_config
from lessons.rewarded_adder import (
    ANSWER,
    D_MODEL,
    GROUP,
    QUESTION,
    RATE,
    SHOWN_RATE,
    SHOWN_ROWS,
    STEPS,
    SUMS,
    Sums,
    advantages,
    half_adder,
    is_right,
    log_p,
    reward_answers,
    share_drawn_right,
    share_right,
    show_answers,
    solved,
    sums,
    write,
)
from utils.data.kept import keep, read_kept
from utils.models.gpt import Gpt

SEEDS = (0, 1, 2)
ASKED, DRAWN = 300, 64  # held-out sums, and the answers drawn to each
BY_LOT, WITH_HOLE = 200, 400  # steps
NOTES = ("none", "carries", "answer backwards")
SCRATCH_STEPS = 300
CLIPS, CLIPPED = ("clipped", "unclipped"), 0.2
REUSED, REUSED_STEPS, REUSED_EVERY = 8, 40, 10  # steps with each group, groups of SUMS sums, and between two measures
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


@dataclass(frozen=True)
class HoleRun:
    """An adder that was rewarded by a check with a hole."""

    passed: list[float]  # the share of drawn answers that pass the check, every EVERY steps; the first is before
    right: list[float]  # and the share that are right


def rewarded_run(seed: int) -> RewardedRun:
    """Return the run of one of SEEDS. Raises KeyError if it isn't kept."""
    return RewardedRun(**read_kept(_FILE)[f"rewarded {seed}"])


def shown_run(seed: int) -> float:
    """Return the share of held-out sums right when as many sums are shown as are rewarded. Raises KeyError."""
    return read_kept(_FILE)[f"shown {seed}"]["end"]


def lot_run() -> list[float]:
    """Return the curve of an adder that is rewarded by lot."""
    return read_kept(_FILE)["lot 0"]["curve"]


def hole_run(seed: int) -> HoleRun:
    """Return the run of one of SEEDS. Raises KeyError if it isn't kept."""
    return HoleRun(**read_kept(_FILE)[f"hole {seed}"])


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


def passes_nines(written: Tensor, right: Tensor) -> Tensor:
    """Return 1 for each answer in written (P, n, 9) whose digits add up to the right remainder by 9, else 0: (P, n)."""
    rest = lambda ids: (ids[..., QUESTION:] - 1).sum(dim=-1) % 9  # noqa: E731
    is_number = (written[..., QUESTION:] <= 10).all(dim=-1)  # no + and no =
    return ((rest(written) == rest(right)[:, None]) & is_number).float()


def scratch_run(notes: str, seed: int) -> float:
    """Return the share of held-out sums right of an adder that takes NOTES. Raises KeyError if it isn't kept."""
    return read_kept(_FILE)[f"scratch {notes} {seed}"]["right"]


def reused_run(clip: str, seed: int) -> list[float]:
    """Return the curve with each group used REUSED times, by one of CLIPS. Raises KeyError if it isn't kept."""
    return read_kept(_FILE)[f"reused {clip} {seed}"]["curve"]


def with_notes(right: Tensor, notes: str) -> Tensor:
    """Return sums (P, 9) as ids in which the answer is written with its first digit first, after notes of this kind."""
    question, answer = right[:, :QUESTION], right[:, QUESTION:]
    ones = right[:, 1] + right[:, 4] - 2 >= 10  # a carry from the ones; SIGNS has the digit 0 at 1
    carries = torch.stack([ones.long() + 1, answer[:, 2]], dim=1)  # the carry from the tens is the first digit
    kinds = {"none": answer[:, :0], "carries": carries, "answer backwards": answer}
    return torch.cat([question, kinds[notes], answer.flip(1)], dim=1)


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

    def measure(model: Gpt) -> float:
        nonlocal spent
        start = time.process_time()
        share = share_drawn_right(model, of.held_out)
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
    return {"curve": reward_answers(model, of, seed, by_lot, BY_LOT, partial(share_drawn_right, right=of.held_out))}


def train_hole(seed: int) -> dict[str, list[float]]:
    model, of = _start(seed)
    passed: list[float] = []

    def measure(model: Gpt) -> float:
        written = write(model, of.held_out, 1, torch.Generator().manual_seed(1))
        passed.append(round(float(passes_nines(written, of.held_out).mean()), 3))
        return float(is_right(written, of.held_out).mean())

    right = reward_answers(model, of, seed, passes_nines, WITH_HOLE, measure)
    return {"passed": passed, "right": right}


def train_scratch(notes: str, seed: int) -> dict[str, float]:
    torch.manual_seed(seed)
    model, of = Gpt(adder_config(D_MODEL)), sums(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=SHOWN_RATE, weight_decay=0.0)
    shown, held_out = with_notes(torch.cat([of.shown, of.rewarded]), notes), with_notes(of.held_out, notes)
    for step in range(SCRATCH_STEPS):
        rows = shown[torch.arange(step * SHOWN_ROWS, (step + 1) * SHOWN_ROWS) % len(shown)]
        loss = -log_p(model, rows[:, None]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    written = held_out[:, :QUESTION]
    with torch.no_grad():
        for _ in range(held_out.shape[1] - QUESTION):
            written = torch.cat([written, model(written)[:, -1:, 1:].argmax(dim=-1) + 1], dim=1)
    return {"right": round(float((written[:, -ANSWER:] == held_out[:, -ANSWER:]).all(dim=1).float().mean()), 3)}


def train_reused(clip: str, seed: int) -> dict[str, list[float]]:
    model, of = _start(seed)
    torch.manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.0)
    curve = [share_drawn_right(model, of.held_out)]
    for step in range(REUSED_STEPS):
        right = of.rewarded[torch.arange(step * SUMS, (step + 1) * SUMS) % len(of.rewarded)]
        written = write(model, right, GROUP)
        better = advantages(is_right(written, right))[..., None]
        with torch.no_grad():
            drawn_with = log_p(model, written)
        for _ in range(REUSED):
            ratio = (log_p(model, written) - drawn_with).exp()
            gain = better * ratio
            if clip == "clipped":
                gain = torch.minimum(gain, better * ratio.clamp(1 - CLIPPED, 1 + CLIPPED))
            optimizer.zero_grad()
            (-gain.mean()).backward()
            optimizer.step()
        if step % REUSED_EVERY == REUSED_EVERY - 1:
            curve.append(share_drawn_right(model, of.held_out))
    return {"curve": [round(share, 3) for share in curve]}


def _all() -> dict[str, Callable[[], dict[str, Any]]]:
    """Every training that is kept: name -> what does it."""
    return {
        **{f"rewarded {seed}": partial(train_rewarded, seed) for seed in SEEDS},
        **{f"shown {seed}": partial(train_shown, seed) for seed in SEEDS},
        "lot 0": partial(train_lot, 0),
        **{f"hole {seed}": partial(train_hole, seed) for seed in SEEDS},
        **{f"scratch {notes} {seed}": partial(train_scratch, notes, seed) for seed in SEEDS for notes in NOTES},
        **{f"reused {clip} {seed}": partial(train_reused, clip, seed) for seed in SEEDS for clip in CLIPS},
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    keep(_FILE, _all())
