"""Train and save lesson 18b's runs of recall without a table: `python -m lessons.recall_runs`.

A text is n pairs of a key and a value, then the n keys again in another order; a model has to name the value of each.
One layer of attention does it, with a softmax or as linear attention; both have the same parameters. A pair is one
token, the sum of its two embeddings, so that the model only has to find out which value belongs to which key.
Sources: Katharopoulos et al. 2020 (linear attention, equations 5 and 7: φ(x) = elu(x) + 1); Arora et al. 2023 (recall).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, elu

from utils.data.kept import keep, read_run

SEEDS = (0, 1, 2)
PAIRS = (4, 8, 16, 32)
SYMBOLS = 64  # different keys, and different values
KINDS = {"softmax": (False, 16), "linear": (True, 16), "linear, twice as wide": (True, 32)}  # linear?, d
RATE, STEPS, ROWS, TESTED = 1e-2, 1000, 64, 2000  # texts in a batch and in the test
TRIED = (("linear", 8, 0, RATE, 4000), ("linear", 32, 0, RATE, 4000), ("linear", 8, 0, 3e-2))  # does training limit it?


class Recall(nn.Module):
    """Keys and values (B, n) and the keys that are asked for (B, m) -> logits of their values (B, m, SYMBOLS)."""

    def __init__(self, linear: bool, d: int) -> None:
        super().__init__()
        self.linear = linear
        self.keys, self.values = nn.Embedding(SYMBOLS, d), nn.Embedding(SYMBOLS, d)
        self.W_Q, self.W_K, self.W_V = (nn.Linear(d, d, bias=False) for _ in range(3))
        self.output = nn.Linear(d, SYMBOLS)

    def forward(self, keys: Tensor, values: Tensor, asked: Tensor) -> Tensor:
        pair = self.keys(keys) + self.values(values)  # (B, n, d)
        Q, K, V = self.W_Q(self.keys(asked)), self.W_K(pair), self.W_V(pair)  # (B, m, d), (B, n, d) twice
        if self.linear:
            Q, K = elu(Q) + 1, elu(K) + 1
            state = K.transpose(1, 2) @ V  # (B, d, d): all that is kept of the pairs, with the next sum
            mixed = Q @ state / (Q @ K.sum(dim=1)[:, :, None])  # (B, m, d)
        else:
            mixed = (Q @ K.transpose(1, 2) / K.shape[-1] ** 0.5).softmax(dim=-1) @ V  # (B, m, d)
        return self.output(mixed)


def texts(rows: int, pairs: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return keys, values, the keys in another order, and their values, (rows, pairs) each. No key comes twice."""
    keys = torch.rand(rows, SYMBOLS, generator=generator).argsort(dim=1)[:, :pairs]
    values = torch.randint(SYMBOLS, (rows, pairs), generator=generator)
    order = torch.rand(rows, pairs, generator=generator).argsort(dim=1)
    return keys, values, keys.gather(1, order), values.gather(1, order)


def recall_run(kind: str, pairs: int, seed: int, rate: float = RATE, steps: int = STEPS) -> float:
    """Return the share of right values. Raises ValueError for a run that isn't saved."""
    return read_run(_FILE, _name(kind, pairs, seed, rate, steps))


def train(kind: str, pairs: int, seed: int, rate: float = RATE, steps: int = STEPS) -> float:
    """Train at a rate that falls to 0, and return the share of right values in new texts."""
    torch.manual_seed(seed)
    model, generator = Recall(*KINDS[kind]), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate * (1 - step / steps)
        *given, right = texts(ROWS, pairs, generator)
        loss = cross_entropy(model(*given).flatten(0, 1), right.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    *given, right = texts(TESTED, pairs, torch.Generator().manual_seed(1000 + seed))
    with torch.no_grad():
        return round(float((model(*given).argmax(dim=-1) == right).float().mean()), 3)


def _all() -> dict[str, Callable[[], float]]:
    """Map the name of each saved run to the function that trains it."""
    runs = [(kind, pairs, seed) for seed in SEEDS for kind in KINDS for pairs in PAIRS]
    return {_name(*run): partial(train, *run) for run in (*runs, *TRIED)}


def _name(kind: str, pairs: int, seed: int, rate: float = RATE, steps: int = STEPS) -> str:
    name = f"{kind}, {pairs} pairs, seed {seed}"
    return name if (rate, steps) == (RATE, STEPS) else f"{name}, {steps} steps at {rate}"


_FILE = Path(__file__).with_name("recall_runs.json")


if __name__ == "__main__":
    torch.set_num_threads(1)
    keep(_FILE, _all())
