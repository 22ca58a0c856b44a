"""Sums as text for a GPT: 345+678= and the answer with its last digit first, 3201."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from utils.models.gpt import GptConfig
from utils.training.decoding import Continuing, greedy

SIGNS = ["<pad>", *"0123456789+="]  # the sign of each id
DIGITS = 3


def adder_config(d_model: int = 64) -> GptConfig:
    """The GPT that lesson 16 trains on sums: two layers of four heads."""
    sizes = {"n_layers": 2, "n_heads": 4, "d_model": d_model, "d_ff": 4 * d_model, "max_length": 16}
    return GptConfig(vocabulary=len(SIGNS), **sizes, positions="learnt", dropout=0.0)


def as_ids(text: str) -> list[int]:
    """The id of every sign. Raises ValueError for a sign that no sum has."""
    return [SIGNS.index(sign) for sign in text]


def sum_text(a: int, b: int, digits: int = DIGITS, backwards: bool = True) -> str:
    """Such as "345+678=3201": as many digits on the left as are asked for, one more on the right, backwards or not."""
    answer = f"{a + b:0{digits + 1}}"
    return f"{a:0{digits}}+{b:0{digits}}={answer[::-1] if backwards else answer}"


def all_sums(seed: int) -> Tensor:
    """All pairs (a, b) from 0 to 999, (1 000 000, 2), shuffled."""
    order = torch.randperm(10 ** (2 * DIGITS), generator=torch.Generator().manual_seed(seed))
    return torch.stack([order // 10**DIGITS, order % 10**DIGITS], dim=1)


def sum_batches(pairs: Tensor, rows: int, backwards: bool = True) -> Callable[[int], Tensor]:
    """Batch number n: the sums of the n-th `rows` of `pairs` (P, 2), as ids (rows, 12)."""

    def batch(n: int) -> Tensor:
        chosen = pairs[n * rows : (n + 1) * rows].tolist()
        return torch.tensor([as_ids(sum_text(a, b, backwards=backwards)) for a, b in chosen])

    return batch


def answers(model: nn.Module, pairs: Sequence[Sequence[int]], digits: int = DIGITS) -> list[str]:
    """What the model writes behind the = of each sum, sign by sign, as it stands there."""
    texts = [sum_text(a, b, digits) for a, b in pairs]
    questions = torch.tensor([as_ids(text[: text.index("=") + 1]) for text in texts])
    written = greedy(Continuing(model), questions, max_new=digits + 1, end=None)
    return ["".join(SIGNS[id] for id in ids) for ids in written.tokens]


def share_right(
    model: nn.Module, pairs: Sequence[Sequence[int]], digits: int = DIGITS, backwards: bool = True
) -> float:
    """The share of `pairs` whose answer is right in every digit."""
    right = [sum_text(a, b, digits, backwards).split("=")[1] for a, b in pairs]
    return sum(a == b for a, b in zip(answers(model, pairs, digits), right, strict=True)) / len(right)
