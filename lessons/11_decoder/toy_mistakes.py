"""Lesson 11's mistakes over several seeds, done once and kept: `python -m lessons.toy_mistakes`, some minutes.

The small language of `toy_translation` is learnt in three ways, from five seeds or more, in lesson 11's own training.
What the models do on the held-out sentences stands in toy_mistakes.json beside this file, three digits each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from lessons.toy_translation import BATCH, STEPS, toy_corpus
from utils.data.kept import keep, read_run
from utils.data.vocabulary import END, PAD
from utils.models.masks import causal_mask
from utils.models.transformer import Transformer
from utils.training.decoding import greedy

WAYS = ("right", "no shift", "no mask")  # with shift and mask, and without one of them
SEEDS = range(5)
MORE_SEEDS = range(5, 14)  # with which it was trained in the right way and without the mask, too
_FILE = Path(__file__).with_name("toy_mistakes.json")


def trained(way: str, seed: int, steps: int | None = None) -> tuple[Transformer, list[float]]:
    """A model that has learnt in one of `WAYS`, and the loss of every step. The numbers of torch's own generator."""
    torch.manual_seed(seed)
    corpus = toy_corpus()
    model = Transformer(corpus.config())
    english, persian = zip(*corpus.train, strict=True)
    source, target = corpus.source_ids(english), corpus.target_ids(persian)  # (S, N), (S, M + 1)
    read, said = (target, target) if way == "no shift" else (target[:, :-1], target[:, 1:])
    optimizer, losses = torch.optim.Adam(model.parameters()), []
    for step in range(STEPS if steps is None else steps):
        optimizer.param_groups[0]["lr"] = learning_rate(step)
        rows = torch.randint(len(source), (BATCH,))
        logits = logits_of(model, source[rows], read[rows], way == "no mask")  # (B, M, V)
        loss = cross_entropy(logits.flatten(0, 1), said[rows].flatten(), ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return model.eval(), losses


def learning_rate(step: int) -> float:
    """Return the learning rate of a step: up to 0.003 over 20 steps, down to nearly 0 over the last 100."""
    return 3e-3 * min(1.0, (step + 1) / 20, (STEPS - step) / 100)


def logits_of(model: Transformer, source: Tensor, read: Tensor, unmasked: bool) -> Tensor:
    """Logits (B, M, V) for source (B, N) and what is read (B, M), with the look-ahead mask unless `unmasked`."""
    M = read.shape[1]
    memory = model.encode(source)
    x = model.target_embedding(read) + model.positions(M)
    mask = torch.ones(M, M, dtype=torch.bool) if unmasked else causal_mask(M)
    mask = mask & (read != PAD)[:, None, None, :]  # (B, 1, M, M): nobody looks at padding
    return model.output(model.decoder(x, memory.states, mask, memory.mask))


def measured(way: str, seed: int) -> dict[str, float]:
    """Train in this way, and measure.

    loss: the mean of the last 20 steps. exact: the share of held-out sentences that are written without a mistake. At
    the positions that have another sentence's translation in view, copies: how often the model predicts the word in
    view, and translates: how often it predicts the word that the English asks for, as shares.
    """
    model, losses = trained(way, seed)
    copies, translates = conflict(model, way)
    found = {"loss": sum(losses[-20:]) / 20, "exact": exact(model, way), "copies": copies, "translates": translates}
    return {name: round(value, 3) for name, value in found.items()}


def exact(model: Transformer, way: str) -> float:
    """The share of held-out sentences that the model writes without a mistake, always the most probable word."""
    source, target = _held_out()
    start = target[:, :1]
    written = greedy(_Writing(model, way, source), start, target.shape[1]).tokens
    right = [ids == row[row > END].tolist() for ids, row in zip(written, target, strict=True)]
    return sum(right) / len(right)


class _Writing:
    """A `Predictor`: the next word by a model that has learnt in this way, for source (B, N)."""

    max_length = None

    def __init__(self, model: Transformer, way: str, source: Tensor) -> None:
        self.model, self.way, self.source = model, way, source

    @torch.no_grad()
    def __call__(self, tokens: Tensor) -> Tensor:
        return logits_of(self.model, self.source, tokens, self.way == "no mask")[:, -1]

    def select(self, rows: Tensor) -> None:
        self.source = self.source[rows]


@torch.no_grad()
def conflict(model: Transformer, way: str) -> tuple[float, float]:
    """The English of one sentence, the Persian of another of equal length: the shares that copy and that translate.

    Counted are the places where the two sentences want different words.
    """
    source, target = _held_out()
    other = target[_partners(target)]
    read, in_view, wanted = other[:, :-1], other[:, 1:], target[:, 1:]
    if way == "no shift":
        read, in_view, wanted = other, other, target
    says = logits_of(model, source, read, way == "no mask").argmax(dim=-1)
    differ = in_view != wanted
    return float((says == in_view)[differ].double().mean()), float((says == wanted)[differ].double().mean())


def kept(way: str, seeds: Iterable[int] = SEEDS) -> list[Any]:
    """Return the saved results of `measured`, one for each seed. Raises ValueError for a way that isn't saved."""
    return [read_run(_FILE, f"{way}: {seed}") for seed in seeds]


def all_kept(way: str) -> list[Any]:
    """What `kept` gives for every seed with which this way was trained."""
    more = MORE_SEEDS if way in ("right", "no mask") else ()
    return kept(way, (*SEEDS, *more))


def without_english() -> float:
    """The second number of `conflict`, for whoever knows the Persian of the training sentences alone.

    It says what followed there most often on the longest stretch of words that it has met just before the place.
    """
    corpus = toy_corpus()
    after: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    for row in corpus.target_ids([persian for _, persian in corpus.train]).tolist():
        for place in range(1, len(row)):
            for begin in range(place):
                after[tuple(row[begin:place])][row[place]] += 1

    def says(before: list[int]) -> int:
        stretches = (tuple(before[begin:]) for begin in range(len(before)))
        return next(after[stretch].most_common(1)[0][0] for stretch in stretches if stretch in after)

    rows = _held_out()[1].tolist()
    others = [rows[partner] for partner in _partners(_held_out()[1])]
    differ = [
        (row, other, i)
        for row, other in zip(rows, others, strict=True)
        for i in range(1, len(row))
        if row[i] != other[i]
    ]
    return sum(says(other[:i]) == row[i] for row, other, i in differ) / len(differ)


def _held_out() -> tuple[Tensor, Tensor]:
    corpus = toy_corpus()
    english, persian = zip(*corpus.held_out, strict=True)
    return corpus.source_ids(english), corpus.target_ids(persian)


def _partners(target: Tensor) -> list[int]:
    """For each sentence another of equal length: half the sentences of that length further on."""
    partners = [0] * len(target)
    lengths = (target != PAD).sum(dim=1)
    for length in lengths.unique():
        group = torch.nonzero(lengths == length)[:, 0].tolist()
        for place, row in enumerate(group):
            partners[row] = group[(place + len(group) // 2) % len(group)]
    return partners


if __name__ == "__main__":
    torch.set_num_threads(1)
    wanted = [*product(WAYS, SEEDS), *product(("right", "no mask"), MORE_SEEDS)]
    keep(_FILE, {f"{way}: {seed}": lambda w=way, s=seed: measured(w, s) for way, seed in wanted})
