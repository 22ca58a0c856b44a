"""Train and save lesson 16's runs of a mixture of experts: `python -m lessons.expert_runs`.

Each is the lesson's small writer with one of FEED_FORWARDS in its blocks; everything else is the same, step by step.
Sources: Fedus et al. 2022 (Switch Transformer, section 2: top-1 and the loss that balances); Jiang et al. 2024
(Mixtral, section 2.1: a softmax over the two highest scores).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lessons.course_text import course_text
from lessons.language import bits_per_byte, ids_of, learn_pieces
from utils.data.kept import keep, read_run
from utils.models.config import BlockConfig
from utils.models.gpt import Gpt, GptConfig
from utils.models.layers import FeedForward
from utils.training.batches import Windows
from utils.training.loop import Trainer, TrainingConfig
from utils.training.loss import next_token_loss

SEEDS = (0, 1, 2)
VOCABULARY, LENGTH, ROWS, STEPS, RATE = 1024, 64, 8, 300, 8e-3
BALANCE = 0.01  # the factor of the balancing loss, as in Fedus et al. 2022


@dataclass(frozen=True)
class Kind:
    """A feed-forward network: d_ff neurons for each of n_experts, of which a token uses k; balance: its factor."""

    d_ff: int
    n_experts: int = 1
    k: int = 1
    balance: float = 0.0


FEED_FORWARDS = {
    "one network, d_ff = 256": Kind(256),
    "1 of 4 experts": Kind(256, 4, 1, BALANCE),
    "2 of 8 smaller experts": Kind(128, 8, 2, BALANCE),
    "1 of 4 experts, not balanced": Kind(256, 4, 1),
    "one network, d_ff = 1024": Kind(1024),
}
LOWER_RATE = RATE / 2
AT_LOWER_RATE = ("1 of 4 experts", "one network, d_ff = 1024")  # is RATE too high for so many weights?


class Experts(nn.Module):
    """A mixture of experts in place of the feed-forward network: a router sends each token to k of them."""

    def __init__(self, config: BlockConfig, n_experts: int, k: int) -> None:
        super().__init__()
        self.k = k
        self.router = nn.Linear(config.d_model, n_experts, bias=False)
        self.experts = nn.ModuleList(FeedForward(config) for _ in range(n_experts))

    def forward(self, x: Tensor) -> Tensor:
        """Map (…, d_model) -> (…, d_model). Keep `load`, the shares of the choices, and `balance`: 1 if it is even."""
        flat = x.reshape(-1, x.shape[-1])  # (T, d_model)
        p = self.router(flat).softmax(dim=-1)  # (T, n_experts)
        weights, chosen = p.topk(self.k, dim=-1)  # (T, k) each
        if self.k > 1:  # a softmax over the chosen scores only
            weights = weights / weights.sum(dim=-1, keepdim=True)
        output = torch.zeros_like(flat)
        for i, expert in enumerate(self.experts):
            rows, places = torch.where(chosen == i)  # the tokens that chose expert i
            output = output.index_add(0, rows, weights[rows, places, None] * expert(flat[rows]))
        self.load = torch.bincount(chosen.flatten(), minlength=p.shape[1]) / chosen.numel()  # (n_experts,)
        self.balance = p.shape[1] * (self.load * p.mean(dim=0)).sum()
        return output.reshape(x.shape)


def expert_run(name: str, seed: int, rate: float = RATE) -> Any:
    """Return a run of FEED_FORWARDS or AT_LOWER_RATE: its `bits_per_byte` of the held-out lessons, and its `loads`.

    loads: for each layer the shares of the held-out choices that went to each expert.
    """
    return read_run(_FILE, _name(name, seed, rate))


def writer_with(kind: Kind, seed: int) -> Gpt:
    """Return the untrained small writer of the lesson with this feed-forward network in its blocks."""
    torch.manual_seed(seed)
    model = Gpt(_config(kind))
    if kind.n_experts > 1:
        for layer in model.layers:
            layer.feed_forward = Experts(model.config, kind.n_experts, kind.k)
    return model


def weights_of(kind: Kind) -> tuple[int, int]:
    """Count the weights of one feed-forward part, router included: those that a token uses, and all of them."""
    config = _config(kind)
    each = sum(p.numel() for p in FeedForward(config).parameters())
    router = config.d_model * kind.n_experts if kind.n_experts > 1 else 0
    return kind.k * each + router, kind.n_experts * each + router


def train(name: str, seed: int, rate: float = RATE, steps: int = STEPS) -> dict[str, Any]:
    """Train the writer with one of FEED_FORWARDS. For each seed all kinds read the same passages in the same order."""
    kind = FEED_FORWARDS[name]
    text, held_out = course_text()
    pieces = learn_pieces(text, VOCABULARY)
    model = writer_with(kind, seed)
    routed = [layer.feed_forward for layer in model.layers if isinstance(layer.feed_forward, Experts)]
    next_token = next_token_loss()

    def loss_of(model: nn.Module, batch: Tensor) -> tuple[Tensor, int]:
        total, count = next_token(model, batch)
        return total + kind.balance * count * sum(experts.balance for experts in routed), count

    config = TrainingConfig(steps=steps, learning_rate=rate, weight_decay=0.1, seed=seed)
    passages = Windows(ids_of(pieces, text), LENGTH, ROWS, seed)
    Trainer(model, passages, config, loss_of=loss_of, show=False).train()
    found = round(bits_per_byte(model.eval(), pieces, held_out, LENGTH), 3)
    ids = ids_of(pieces, held_out)
    with torch.no_grad():
        model(ids[: len(ids) // LENGTH * LENGTH].reshape(-1, LENGTH))
    loads = [[round(share, 3) for share in experts.load.tolist()] for experts in routed]
    return {"bits_per_byte": found, "loads": loads}


def _all() -> dict[str, Callable[[], dict[str, Any]]]:
    """Map the name of each saved run to the function that trains it."""
    runs = [(name, seed, RATE) for seed in SEEDS for name in FEED_FORWARDS]
    runs += [(name, seed, LOWER_RATE) for seed in SEEDS for name in AT_LOWER_RATE]
    return {_name(*run): partial(train, *run) for run in runs}


def _name(name: str, seed: int, rate: float) -> str:
    return f"{name} {seed}" if rate == RATE else f"{name} {seed}, rate {rate}"


def _config(kind: Kind) -> GptConfig:
    sizes = {"n_layers": 2, "d_model": 64, "n_heads": 4, "d_ff": kind.d_ff, "dropout": 0.0}
    return GptConfig(vocabulary=VOCABULARY, max_length=LENGTH, **sizes)


_FILE = Path(__file__).with_name("expert_runs.json")


if __name__ == "__main__":
    keep(_FILE, _all())
