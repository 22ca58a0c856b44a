"""Train and save the runs of lesson 24: `python -m lessons.rewarded_runs`, or only some with `--only rewarded`.

- "rewarded": adders that have been shown answers, then rewarded for right sums, and 64 answers to each of 300 held-out
  sums before and after.
- "shown": the same adders, shown the answers to as many of the other sums instead.
- "lot": one of them, rewarded at random, as a control.
- "fast": the same adders, rewarded at three times the rate.
- "reused": the same adders, with each group of answers used for one step, or for several, clipped or not.
- "hole": the same adders, rewarded for the last digit only; "hold" with a penalty on the drift.
- "notes": adders that are shown sums with notes before the answer; "longer" for more steps.
- "writer": lesson 16's small writer, rewarded for a word, with and without a penalty on the drift.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import deepcopy
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lessons import rewarded_writer
from lessons.addition import SIGNS
from lessons.rewarded_adder import (
    GROUP,
    QUESTION,
    RATE,
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
    write,
)
from lessons.scratchpad import NOTES, train_noted
from lessons.scratchpad import STEPS as STEPS_OF_NOTES
from utils.data.kept import keep, read_run
from utils.models.gpt import Gpt

SEEDS = (0, 1, 2)
ASKED, DRAWN = 300, 64  # held-out sums, and the answers drawn to each
BY_LOT = 200  # steps
FAST, FAST_STEPS = 3e-3, 900
REUSES = {"once": (1, None), "often": (8, None), "often, clipped": (8, 0.2)}  # steps with each group, and the clip
REUSE_GROUPS, REUSE_EVERY = 40, 10  # steps of SUMS groups, and how many of them between two measures
HOLE_STEPS = 300
HOLDS = {"hole": 0.0, "hold": 0.1}  # the weight of the drift
LONGER, FEW = 1500, ("nothing", "1 carry")  # steps, and the NOTES with which an adder is trained so long
WRITER_HOLDS = (0.0, 0.5)
_FILE = Path(__file__).with_name("rewarded_runs.json")


def rewarded_run(seed: int) -> Any:
    """Return the run of one of SEEDS: an adder before and after it was rewarded.

    `half` and `end`: the share of held-out sums whose most probable answer is right, before and after. `curve`: the
    share of drawn answers that are right, before and every EVERY steps. `before` and `after`: for each of ASKED sums,
    how many of DRAWN answers are right. `seconds` of processor time, without measuring.
    """
    return read_run(_FILE, f"rewarded {seed}")


def shown_run(seed: int) -> float:
    """Return the share of held-out sums that are right if as many are shown as were rewarded."""
    return read_run(_FILE, f"shown {seed}", "end")


def fast_run(seed: int) -> list[float]:
    """Return the curve of one of SEEDS at the rate FAST."""
    return read_run(_FILE, f"fast {seed}", "curve")


def lot_run() -> list[float]:
    """Return the curve of an adder that is rewarded at random."""
    return read_run(_FILE, "lot 0", "curve")


def reused_run(way: str, seed: int) -> list[float]:
    """Return the curve of one of REUSES and SEEDS."""
    return read_run(_FILE, f"reused {way} {seed}", "curve")


def hole_run(name: str, seed: int) -> Any:
    """Return the run of one of HOLDS and SEEDS: shares of drawn answers, before and every EVERY steps.

    `passed` by the check with a hole, `right`, and `others`, whose other digits are right, whatever the last one is.
    """
    return read_run(_FILE, f"{name} {seed}")


def notes_run(notes: str, seed: int, kept: str = "notes") -> float:
    """Return the share of sums right of an adder with NOTES, or "longer"."""
    return read_run(_FILE, f"{kept} {notes} {seed}", "right")


def writer_run(hold: float | None = None, seed: int = 0) -> Any:
    """Return the run with one of WRITER_HOLDS and SEEDS, or the writer before.

    `counted`: the mean number of rewarded words in a continuation. `bits_per_byte` of unread text. `texts`: some.
    """
    return read_run(_FILE, "writer before" if hold is None else f"writer {hold} {seed}")


def has_last_digit(written: Tensor, right: Tensor) -> Tensor:
    """Return 1 for each answer of written (P, n, 9) that is three digits, the last one right, else 0: (P, n)."""
    answer = written[..., QUESTION:]
    return ((answer[..., 0] == right[:, None, QUESTION]) & (answer <= SIGNS.index("9")).all(dim=-1)).float()


def pass_at(k: int, right: list[int], drawn: int = DRAWN) -> float:
    """Return the share of sums with a right answer among k, if `right` of the `drawn` answers to each are right.

    The mean over all choices of k among the answers drawn. Source: Chen et al. 2021, section 2.1.
    """
    wrong = drawn - torch.tensor(right, dtype=torch.float64)  # (sums,)
    all_wrong = torch.ones_like(wrong)
    for i in range(k):
        all_wrong *= ((wrong - i) / (drawn - i)).clamp(min=0)
    return float((1 - all_wrong).mean())


def never_right(run: Any) -> tuple[int, float]:
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


def train_reused(way: str, seed: int) -> dict[str, list[float]]:
    (model, of), (times, clip) = _start(seed), REUSES[way]
    torch.manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.0)
    curve = [round(share_drawn_right(model, of.held_out), 3)]
    for step in range(REUSE_GROUPS):
        right = of.rewarded[step * SUMS :][:SUMS]
        written = write(model, right, GROUP)
        better = advantages(is_right(written, right))[..., None]
        with torch.no_grad():
            drawn_with = log_p(model, written)
        for _ in range(times):
            loss = -clipped_gain((log_p(model, written) - drawn_with).exp(), better, clip).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if step % REUSE_EVERY == REUSE_EVERY - 1:
            curve.append(round(share_drawn_right(model, of.held_out), 3))
    return {"curve": curve}


def clipped_gain(ratio: Tensor, better: Tensor, clip: float | None) -> Tensor:
    """Return PPO's gain of each token: ratio times advantage, without a slope once the ratio has moved by `clip`.

    ratio: p now, divided by p when the token was drawn. Source: Schulman et al. 2017, equation 7.
    """
    gain = ratio * better
    return gain if clip is None else torch.minimum(gain, ratio.clamp(1 - clip, 1 + clip) * better)


def train_hole(name: str, seed: int) -> dict[str, list[float]]:
    model, of = _start(seed)
    found: dict[str, list[float]] = {"passed": [], "right": [], "others": []}

    def measure(model: Gpt, right: Tensor) -> float:
        written = write(model, right, 1, torch.Generator().manual_seed(1))
        others = (written[:, 0, QUESTION + 1 :] == right[:, QUESTION + 1 :]).all(dim=-1).float()
        shares = has_last_digit(written, right), is_right(written, right), others
        for curve, share in zip(found.values(), shares, strict=True):
            curve.append(round(float(share.mean()), 3))
        return 0.0

    reward_answers(model, of, seed, has_last_digit, HOLE_STEPS, measure, hold=HOLDS[name])
    return found


def _all() -> dict[str, Callable[[], dict[str, Any]]]:
    """Map the name of each saved run to the function that trains it."""
    return {
        **{f"rewarded {seed}": partial(train_rewarded, seed) for seed in SEEDS},
        **{f"shown {seed}": partial(train_shown, seed) for seed in SEEDS},
        "lot 0": partial(train_lot, 0),
        **{f"fast {seed}": partial(train_fast, seed) for seed in SEEDS},
        **{f"reused {way} {seed}": partial(train_reused, way, seed) for way in REUSES for seed in SEEDS},
        **{f"{name} {seed}": partial(train_hole, name, seed) for name in HOLDS for seed in SEEDS},
        **{
            f"notes {notes} {seed}": partial(train_noted, notes, seed, STEPS_OF_NOTES)
            for notes in NOTES
            for seed in SEEDS
        },
        **{f"longer {notes} {seed}": partial(train_noted, notes, seed, LONGER) for notes in FEW for seed in SEEDS},
        "writer before": rewarded_writer.before,
        **{
            f"writer {hold} {seed}": partial(rewarded_writer.train_writer, hold, seed)
            for hold in WRITER_HOLDS
            for seed in SEEDS
        },
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    keep(_FILE, _all())
