"""One step of the policy gradient on eight answers to one sum, for the lesson's interactive figure."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from lessons.rewarded_adder import QUESTION, advantages, load_half_adder, log_p, text_of, write
from utils.models.gpt import Gpt

LUCK = 1  # the seed of the draws
RATE = 0.01  # of plain gradient descent, so that a step is visible but small


@dataclass(frozen=True)
class OneStep:
    """What a step does to eight answers: a number for each."""

    advantages: list[float]
    before: list[float]  # probabilities
    after: list[float]
    right_before: float  # probability of the right answer
    right_after: float


@cache
def _start() -> Gpt:
    return load_half_adder()


@cache
def eight_answers(asked: tuple[int, ...]) -> Tensor:
    """Return eight answers (8, 9) to the sum with the ids `asked` (9,), drawn by the half adder."""
    return write(_start(), torch.tensor([asked]), 8, torch.Generator().manual_seed(LUCK))[0]


def numbers(answers: Tensor) -> list[str]:
    """Return answers (n, 9) as texts, first digit first and without leading zeros, which stay where there is a sign."""
    texts = [text_of(ids[QUESTION:])[::-1] for ids in answers]
    return [text.lstrip("0") or "0" if text.isdigit() else text for text in texts]


@cache
def one_step(asked: tuple[int, ...], rewards: tuple[int, ...], baseline: bool) -> OneStep:
    """Reward the eight answers to a sum, with or without the group as the baseline, and return what one step does."""
    model, answers = deepcopy(_start()), eight_answers(asked)
    seen = torch.cat([answers, torch.tensor([asked])])  # (9, 9): the last one is right

    def probabilities() -> list[float]:
        with torch.no_grad():
            return log_p(model, seen[:, None]).sum(dim=-1)[:, 0].exp().tolist()

    before = probabilities()
    given = torch.tensor([rewards], dtype=torch.float32)
    better = advantages(given) if baseline else given
    loss = -(better[..., None] * log_p(model, answers[None])).mean()
    loss.backward()
    with torch.no_grad():
        for weights in model.parameters():
            weights -= RATE * weights.grad
    after = probabilities()
    return OneStep(better[0].tolist(), before[:8], after[:8], before[8], after[8])
