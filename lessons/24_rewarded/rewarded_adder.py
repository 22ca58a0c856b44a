"""An adder of two-digit sums that is first shown right answers, and then only rewarded for them.

A sum is a text, 47+38=580, with the answer's last digit first, as in lesson 16. Shapes: P sums, n answers to each, 9
signs in a sum with its answer, 3 of them in the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from lessons.addition import SIGNS, adder_config, as_ids, sum_text
from utils.models.files import load_model, pack_model, save_tensors
from utils.models.gpt import Gpt

QUESTION, ANSWER = 6, 3  # signs in each
SHOWN, REWARDED = 4000, 5000  # sums that are shown with their answers, and that are only rewarded; 1000 are held out
D_MODEL = 32
SHOWN_RATE, SHOWN_ROWS, WARMUP = 2e-3, 128, 20
ENOUGH = 0.25  # the showing ends when this share of the held-out sums is right
RATE, SUMS, GROUP = 1e-3, 32, 8  # of the rewarded training: its rate, sums a step, and answers to each sum
STEPS, EVERY = 1200, 100
FILE = Path(__file__).with_name("half_adder.safetensors")

Reward = Callable[[Tensor, Tensor], Tensor]  # written (P, n, 9), right (P, 9) -> (P, n)


@dataclass(frozen=True, eq=False)
class Sums:
    """The 10 000 sums of two numbers up to 99, as ids (…, 9), shuffled and in three parts."""

    shown: Tensor
    rewarded: Tensor
    held_out: Tensor


def sums(seed: int) -> Sums:
    """Return all sums of two numbers from 0 to 99, split by `seed`."""
    order = torch.randperm(10_000, generator=torch.Generator().manual_seed(seed))
    ids = torch.tensor([as_ids(sum_text(n // 100, n % 100, digits=2)) for n in order.tolist()])
    return Sums(*ids.split([SHOWN, REWARDED, 10_000 - SHOWN - REWARDED]))


def text_of(ids: Tensor) -> str:
    """Return the signs of one row of ids (N,)."""
    return "".join(SIGNS[id] for id in ids.tolist())


def write(model: nn.Module, questions: Tensor, n: int, generator: torch.Generator | None = None) -> Tensor:
    """Draw n answers to each of the `questions` (P, 6 or more ids), sign by sign: ids (P, n, 9)."""
    ids = questions[:, :QUESTION].repeat_interleave(n, dim=0)
    cache, new = model.new_cache(), ids
    with torch.no_grad():
        for _ in range(ANSWER):
            p = model(new, cache)[:, -1, 1:].softmax(dim=-1)  # without padding, which isn't a sign
            new = torch.multinomial(p, 1, generator=generator) + 1
            ids = torch.cat([ids, new], dim=1)
    return ids.view(len(questions), n, -1)


def log_p(model: nn.Module, written: Tensor) -> Tensor:
    """Return the log-probability of each sign of the answers in written (P, n, 9): (P, n, 3)."""
    ids = written.flatten(end_dim=-2)
    logits = model(ids[:, :-1])[:, QUESTION - 1 :, 1:]
    found = logits.log_softmax(dim=-1).gather(2, ids[:, QUESTION:, None] - 1)
    return found.view(*written.shape[:-1], -1)


def is_right(written: Tensor, right: Tensor) -> Tensor:
    """Return 1 for each answer of written (P, n, 9) that is right in every digit, else 0: (P, n)."""
    return (written[..., QUESTION:] == right[:, None, QUESTION:]).all(dim=-1).float()


def advantages(rewards: Tensor) -> Tensor:
    """Compare each reward (P, n) with the mean of its group, in standard deviations of the group."""
    deviation = rewards.std(dim=1, correction=0, keepdim=True)
    return (rewards - rewards.mean(dim=1, keepdim=True)) / (deviation + 1e-6)


def drift(log_p: Tensor, first_log_p: Tensor) -> Tensor:
    """Estimate for each token how far a policy has moved from a first one, given ln p of both at what it has drawn.

    The mean over draws is the KL divergence of the policy from the first one. Source: Shao et al. 2024, equation 4.
    """
    change = first_log_p - log_p
    return change.exp() - change - 1


def share_right(model: nn.Module, right: Tensor) -> float:
    """Return the share of the sums `right` (P, 9) whose most probable digits are all correct."""
    with torch.no_grad():
        likeliest = model(right[:, :-1])[:, QUESTION - 1 :, 1:].argmax(dim=-1) + 1
    return float((likeliest == right[:, QUESTION:]).all(dim=-1).float().mean())


def share_drawn_right(model: nn.Module, right: Tensor, seed: int = 1) -> float:
    """Return the share of the sums `right` (P, 9) for which one drawn answer is correct."""
    return float(is_right(write(model, right, 1, torch.Generator().manual_seed(seed)), right).mean())


def solved(model: nn.Module, right: Tensor, n: int = 64, seed: int = 0) -> Tensor:
    """Draw n answers to each of the sums `right` (P, 9), and return how many of them are correct: (P,)."""
    return is_right(write(model, right, n, torch.Generator().manual_seed(seed)), right).sum(dim=1)


def show_answers(model: nn.Module, of: Sums, enough: float = ENOUGH, most: int = 1000) -> int:
    """Train on sums with their answers until the share `enough` of the held-out ones is right; return the steps."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=SHOWN_RATE, weight_decay=0.0)
    for step in range(most):
        rows = of.shown[torch.arange(step * SHOWN_ROWS, (step + 1) * SHOWN_ROWS) % len(of.shown)]
        loss = -log_p(model, rows[:, None]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 5 == 4 and share_right(model, of.held_out) >= enough:
            break
    return step + 1


def half_adder(seed: int) -> tuple[Gpt, Sums]:
    """Return an adder that has been shown answers until about a quarter are right, and its sums."""
    torch.manual_seed(seed)
    model, of = Gpt(adder_config(D_MODEL)), sums(seed)
    show_answers(model, of)
    return model, of


def reward_answers(
    model: nn.Module,
    of: Sums,
    seed: int,
    reward: Reward = is_right,
    steps: int = STEPS,
    measure: Callable[[nn.Module, Tensor], float] = share_drawn_right,
    rate: float = RATE,
    hold: float = 0.0,
) -> list[float]:
    """Train on rewards only, and return `measure` of the held-out sums before and every EVERY steps.

    hold: the weight of the drift from the model as it is now, which is added to the loss.
    """
    first = deepcopy(model)
    torch.manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.0)
    curve = [round(measure(model, of.held_out), 3)]
    for step in range(steps):
        right = of.rewarded[torch.arange(step * SUMS, (step + 1) * SUMS) % len(of.rewarded)]
        written = write(model, right, GROUP)
        better = advantages(reward(written, right))
        ln_p = log_p(model, written)
        loss = -(better[..., None] * ln_p).mean()
        if hold:
            with torch.no_grad():
                first_ln_p = log_p(first, written)
            loss = loss + hold * drift(ln_p, first_ln_p).mean()
        take_step(optimizer, loss, rate, step, steps)
        if step % EVERY == EVERY - 1:
            curve.append(round(measure(model, of.held_out), 3))
    return curve


def take_step(optimizer: torch.optim.Optimizer, loss: Tensor, rate: float, step: int, steps: int) -> None:
    """Take step 0, 1, …, steps − 1 down the slope of `loss`, at a rate that grows to `rate` and then falls to 0."""
    for group in optimizer.param_groups:
        group["lr"] = rate * min(1, (step + 1) / WARMUP) * (1 - step / steps)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def load_half_adder() -> Gpt:
    """Return the half adder of seed 0 that comes with the lesson."""
    return load_model(FILE)[0]


if __name__ == "__main__":
    model, _ = half_adder(0)
    save_tensors(FILE, *pack_model(model))
