"""Trainings that lesson 16 keeps, of several seeds: `python -m lessons.block_runs`.

- "addition": three-digit sums, the answer backwards or forwards, and what becomes of four digits;
- "two digits": the sums of the lesson's own adder, from other seeds, where the numbers have two digits;
- "copying": the lesson's own copier, from other seeds;
- "blocks": the same small GPT on the course's text with the block of 2017, with each difference to a block of today by
  itself, and with all of them. All have the same processor time, on one thread.
  Of one seed they take turns step by step, so that whatever else the machine does meanwhile slows all of them alike.
- "rate": some of them at other rates, for as many steps as they made there. One lesson is left out of the text, to
  choose a rate by without a look at those held out.

`--only blocks` does again what begins so, and keeps the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import torch
from torch import nn

from lessons.addition import DIGITS, adder_config, all_sums, share_right, sum_batches
from lessons.course_text import course_lessons, course_text
from lessons.language import bits_per_byte, ids_of, learn_pieces, repeated_batches
from utils.data.kept import keep, read_run
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

PAPER = {
    **{"norm_first": False, "norm": "layer", "positions": "sinusoidal", "activation": "relu", "bias": True},
    "scaled_embedding": True,
}
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
}
RATED = ("2017", "RoPE", "today")  # blocks
RATES = {2e-3: (0,), 4e-3: SEEDS, 8e-3: SEEDS, 1.6e-2: SEEDS}  # and the seeds at each
ADDITIONS = ("backwards", "forwards")
ADDITION_STEPS, ADDITION_ROWS = 1000, 128
TESTED, TRIED = 1000, 500  # sums: at the end, and every 100 steps
ENOUGH = 0.995  # of those tried
ADDERS = (1, 2)  # seeds of those that are asked for two digits
COPIERS = (1, 2, 3, 4, 5)  # seeds
COPIER_STEPS, COPIER_EVERY = 900, 50
COPIED = 24  # ids in the longest sequence of a copier's training
_FILE = Path(__file__).with_name("block_runs.json")


def block_run(name: str, seed: int) -> Any:
    """Return the `steps` of one of BLOCKS in SECONDS, and its `bits_per_byte` of the lessons held out."""
    return read_run(_FILE, f"blocks {seed}", name)


def rated_run(name: str, seed: int, rate: float) -> Any:
    """Return, for one of RATED at one of RATES, the bits per byte of VALIDATION, `validation`, and as `block_run`."""
    return read_run(_FILE, f"rate {rate} {seed} {name}")


def addition_run(kind: str, seed: int) -> Any:
    """Return, for one of ADDITIONS, its `steps` until ENOUGH sums were right, and the share of new sums right then.

    `three_digits`, and `four_digits`, of which none was in the training.
    """
    return read_run(_FILE, f"addition {kind} {seed}")


def two_digits_run(seed: int) -> Any:
    """Return, for one of ADDERS, the share of two-digit sums right, `plain`, and `padded` with a zero in front."""
    return read_run(_FILE, f"two digits {seed}")


def copying_run(seed: int) -> Any:
    """Return, for one of COPIERS, the mean loss of a second copy of COPIED ids every COPIER_EVERY steps, `losses`."""
    return read_run(_FILE, f"copying {seed}")


def gpt_config(name: str) -> GptConfig:
    """The small GPT with one of BLOCKS."""
    sizes = {"d_model": D_MODEL, "n_heads": N_HEADS, "d_ff": 4 * D_MODEL, "n_layers": N_LAYERS, "dropout": 0.0}
    return GptConfig(**{**sizes, **PAPER, **BLOCKS[name]}, vocabulary=VOCABULARY, max_length=LENGTH)


def adder(seed: int, kind: str = "backwards", steps: int = ADDITION_STEPS, d_model: int = D_MODEL) -> Trainer:
    """The training of a GPT on three-digit sums, each of which it meets once; `train(until=ENOUGH)` ends it in time."""
    torch.manual_seed(seed)
    model = Gpt(adder_config(d_model))
    config = TrainingConfig(steps=steps, learning_rate=2e-3, seed=seed)
    sums, backwards = all_sums(seed), kind != "forwards"
    tried = sums[TESTED : TESTED + TRIED].tolist()
    return Trainer(
        model,
        sum_batches(sums[TESTED + TRIED :], ADDITION_ROWS, backwards),
        config,
        loss_of=next_token_loss(begin=2 * DIGITS + 2),
        validate=lambda model: share_right(model, tried, backwards=backwards),
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


def train_two_digits(seed: int) -> dict[str, float]:
    trainer = adder(seed)
    trainer.train(until=ENOUGH)
    smaller = torch.randint(10, 100, (TESTED, 2), generator=torch.Generator().manual_seed(1)).tolist()
    plain, padded = (share_right(trainer.model, smaller, digits=digits) for digits in (2, DIGITS))
    return {"plain": plain, "padded": padded}


def train_copier(seed: int, steps: int = COPIER_STEPS) -> dict[str, list[float]]:
    torch.manual_seed(seed)
    sizes = {"vocabulary": 64, "n_layers": 2, "d_model": 64, "n_heads": 4, "d_ff": 128, "dropout": 0.0}
    model = Gpt(GptConfig(**sizes, max_length=2 * COPIED + 1, positions="rotary"))
    config = TrainingConfig(steps=steps, learning_rate=6e-3, schedule="constant", seed=seed)
    batches = repeated_batches(64, rows=16, length=2 * COPIED, seed=seed)
    trainer, losses = Trainer(model, batches, config, loss_of=next_token_loss(), show=False), []
    while not trainer.done:
        trainer.train(steps=COPIER_EVERY)
        losses.append(_loss_of_second_copy(model, COPIED))
    return {"losses": losses}


@torch.no_grad()
def _loss_of_second_copy(model: Gpt, n: int) -> float:
    """Of sixteen random sequences of n ids, each written twice: the mean loss in the second copy."""
    once = torch.randint(1, 64, (16, n), generator=torch.Generator().manual_seed(5))  # (16, n)
    ids = torch.cat([once, once], dim=1)
    log_p = model(ids[:, :-1]).log_softmax(dim=-1)  # (16, 2n − 1, 64)
    return round(float(-log_p.gather(2, ids[:, 1:, None])[:, n:].mean()), 2)


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
        name: {"steps": run.steps, "bits_per_byte": round(bits_per_byte(run.model.eval(), pieces, held_out, LENGTH), 3)}
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
    two_digits = {f"two digits {seed}": partial(train_two_digits, seed) for seed in ADDERS}
    copying = {f"copying {seed}": partial(train_copier, seed) for seed in COPIERS}
    return {**sums, **two_digits, **copying, **blocks, **rated}


if __name__ == "__main__":
    keep(_FILE, _all())
