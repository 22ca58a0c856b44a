"""Trainings that lesson 16 keeps, three seeds each: `python -m lessons.block_runs`.

- "addition": three-digit sums, the answer backwards, forwards, or backwards without positions, and what becomes of four
  digits;
- "blocks": the same small GPT on the course's text with the block of 2017, with each difference to a block of today by
  itself, with all of them, and with those but without positions. All have the same processor time, on one thread.
  Of one seed they take turns step by step, so that whatever else the machine does meanwhile slows all of them alike.
- "rate": some of them at other rates, for as many steps as they made there. One lesson is left out of the text, to
  choose a rate by without a look at those held out.

`--only blocks` does again what begins so, and keeps the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import torch
from torch import nn

from lessons.addition import DIGITS, SIGNS, all_sums, share_right, sum_batches
from lessons.course_text import course_lessons, course_text
from lessons.language import bits_per_byte, ids_of, learn_pieces
from utils.data.kept import keep, read_kept
from utils.models.gpt import Gpt, GptConfig
from utils.models.parameters import gated_width
from utils.training.batches import Windows
from utils.training.loop import Trainer, TrainingConfig
from utils.training.loss import next_token_loss

SEEDS = (0, 1, 2)
D_MODEL, N_HEADS, N_LAYERS = 64, 4, 2
VOCABULARY, LENGTH, ROWS = 1024, 64, 8
SECONDS = 20.0  # of processor time
RATE, WARMUP = 2e-3, 30
VALIDATION = "14"  # the lesson that chooses the rate

PAPER = {"norm_first": False, "norm": "layer", "positions": "sinusoidal", "activation": "relu", "bias": True}
DIFFERENCES: dict[str, dict[str, Any]] = {
    "pre-norm": {"norm_first": True},
    "RMSNorm": {"norm": "rms"},
    "RoPE": {"positions": "rotary"},
    "SwiGLU": {"activation": "swiglu", "d_ff": gated_width(4 * D_MODEL)},
    "no biases": {"bias": False},
    "grouped queries": {"n_key_value_heads": 2},
}
TODAY = {name: value for difference in DIFFERENCES.values() for name, value in difference.items()}
BLOCKS: dict[str, dict[str, Any]] = {
    "2017": {},
    **DIFFERENCES,
    "today": TODAY,
    "today, no positions": {**TODAY, "positions": "none"},
}
RATED = ("2017", "RoPE", "today")  # blocks
RATES = {2e-3: (0,), 4e-3: SEEDS, 8e-3: SEEDS, 1.6e-2: SEEDS}  # and the seeds at each
ADDITIONS = ("backwards", "forwards", "without positions")
ADDITION_STEPS, ADDITION_ROWS = 1000, 128
TESTED, TRIED = 1000, 500  # sums: at the end, and every 100 steps
ENOUGH = 0.995  # of those tried
_FILE = Path(__file__).with_name("block_runs.json")


@dataclass(frozen=True)
class BlockRun:
    """What came out for one block and one seed."""

    steps: int  # in SECONDS of processor time
    bits_per_byte: float  # of the lessons held out


@dataclass(frozen=True)
class RatedRun:
    """What came out for one block, one seed and one rate, in bits per byte."""

    validation: float  # of the lesson VALIDATION
    bits_per_byte: float  # of the lessons held out


@dataclass(frozen=True)
class AdditionRun:
    """How long it was trained, and the shares of a thousand sums with the right answer then."""

    steps: int  # until ENOUGH sums were right, ADDITION_STEPS at most
    three_digits: float  # sums that were not in the training
    four_digits: float


def block_run(name: str, seed: int) -> BlockRun:
    """The run of one of BLOCKS. Raises KeyError for one that is not kept."""
    return BlockRun(**read_kept(_FILE)[f"blocks {seed}"][name])


def rated_run(name: str, seed: int, rate: float) -> RatedRun:
    """The run of one of RATED at one of RATES. Raises KeyError for one that is not kept."""
    return RatedRun(**read_kept(_FILE)[f"rate {rate} {seed} {name}"])


def addition_run(kind: str, seed: int) -> AdditionRun:
    """The run of one of ADDITIONS. Raises KeyError for one that is not kept."""
    return AdditionRun(**read_kept(_FILE)[f"addition {kind} {seed}"])


def gpt_config(name: str) -> GptConfig:
    """The small GPT with one of BLOCKS."""
    sizes = {"d_model": D_MODEL, "n_heads": N_HEADS, "d_ff": 4 * D_MODEL, "n_layers": N_LAYERS, "dropout": 0.0}
    return GptConfig(**{**sizes, **PAPER, **BLOCKS[name]}, vocabulary=VOCABULARY, max_length=LENGTH)


def adder(seed: int, kind: str = "backwards", steps: int = ADDITION_STEPS) -> Trainer:
    """The training of a GPT on three-digit sums, each of which it meets once; `train(until=ENOUGH)` ends it in time.

    Its positions start as large as its tokens: where they start much smaller, it does no better than guess for the
    first hundreds of steps.
    """
    torch.manual_seed(seed)
    model = Gpt(
        GptConfig(
            **{"vocabulary": len(SIGNS), "n_layers": 2, "max_length": 16, "d_model": 64, "n_heads": 4, "d_ff": 256},
            positions="none" if kind == "without positions" else "learnt",
            dropout=0.0,
        )
    )
    if model.positions is not None:
        nn.init.normal_(model.positions.table)
    config = TrainingConfig(steps=steps, learning_rate=2e-3, seed=seed)
    sums, backwards = all_sums(seed), kind != "forwards"
    tried = sums[TESTED : TESTED + TRIED].tolist()
    return Trainer(
        model,
        sum_batches(sums[TESTED + TRIED :], ADDITION_ROWS, backwards),
        config,
        loss_of=next_token_loss(begin=2 * DIGITS + 2),
        held_out=lambda model: share_right(model, tried, backwards=backwards),
        show=False,
    )


def train_adder(kind: str, seed: int) -> dict[str, float]:
    trainer, backwards = adder(seed, kind), kind != "forwards"
    trainer.train(until=ENOUGH)
    larger = torch.randint(1000, 10_000, (TESTED, 2), generator=torch.Generator().manual_seed(seed)).tolist()
    return {
        "steps": trainer.step,
        "three_digits": share_right(trainer.model, all_sums(seed)[:TESTED].tolist(), backwards=backwards),
        "four_digits": share_right(trainer.model, larger, digits=4, backwards=backwards),
    }


class _Turns:
    """A training that is done a step at a time and ends when its processor time is used up."""

    def __init__(self, model: nn.Module, batches: Callable[[int], torch.Tensor], seconds: float) -> None:
        self.model, self._batches, self._seconds = model, batches, seconds
        self._optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), weight_decay=0.1)
        self._loss_of = next_token_loss()
        self.steps, self._used = 0, 0.0

    @property
    def done(self) -> bool:
        return self._used >= self._seconds

    def step(self) -> None:
        """The rate rises over WARMUP steps, and falls to 0 with the time that is left."""
        start = time.process_time()
        for group in self._optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (self.steps + 1) / WARMUP) * (1 - self._used / self._seconds)
        loss, count = self._loss_of(self.model, self._batches(self.steps))
        self._optimizer.zero_grad()
        (loss / count).backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self._optimizer.step()
        self.steps += 1
        self._used += time.process_time() - start


def train_blocks(seed: int, seconds: float = SECONDS) -> dict[str, dict[str, float]]:
    """Every one of BLOCKS for `seconds` of processor time, by turns."""
    torch.set_num_threads(1)
    text, held_out = course_text()
    pieces = learn_pieces(text, VOCABULARY)
    passages = Windows(ids_of(pieces, text), LENGTH, ROWS, seed)
    runs = {}
    for name in BLOCKS:
        torch.manual_seed(seed)
        runs[name] = _Turns(Gpt(gpt_config(name)), passages, seconds)
    while left := [run for run in runs.values() if not run.done]:
        for run in left:
            run.step()
    return {
        name: {
            "steps": run.steps,
            "bits_per_byte": round(bits_per_byte(run.model.eval(), pieces, held_out, LENGTH), 3),
        }
        for name, run in runs.items()
    }


def train_rated(name: str, seed: int, rate: float) -> dict[str, float]:
    """One of BLOCKS for the mean of the steps that it made in SECONDS, by the loop that trains the lesson's models."""
    lessons, (learnt, held_out) = course_lessons(), course_text()
    text = learnt.removesuffix(lessons[VALIDATION])
    pieces = learn_pieces(text, VOCABULARY)
    steps = round(mean(block_run(name, s).steps for s in SEEDS))
    torch.manual_seed(seed)
    trainer = Trainer(
        Gpt(gpt_config(name)),
        Windows(ids_of(pieces, text), LENGTH, ROWS, seed),
        TrainingConfig(steps=steps, learning_rate=rate, weight_decay=0.1, seed=seed),
        loss_of=next_token_loss(),
        show=False,
    )
    trainer.train()
    found = {"validation": lessons[VALIDATION], "bits_per_byte": held_out}
    return {key: round(bits_per_byte(trainer.model, pieces, text, LENGTH), 3) for key, text in found.items()}


def _all() -> dict[str, Callable[[], dict[str, Any]]]:
    """Every training that is kept: name -> what does it."""
    sums = {f"addition {kind} {seed}": partial(train_adder, kind, seed) for kind in ADDITIONS for seed in SEEDS}
    blocks = {f"blocks {seed}": partial(train_blocks, seed) for seed in SEEDS}
    rated = {
        f"rate {rate} {seed} {name}": partial(train_rated, name, seed, rate)
        for rate, seeds in RATES.items()
        for seed in seeds
        for name in RATED
    }
    return {**sums, **blocks, **rated}


if __name__ == "__main__":
    keep(_FILE, _all())
