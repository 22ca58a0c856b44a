"""Lesson 11's mistakes over several seeds, done once and kept: `python -m lessons.toy_mistakes`, some minutes.

The small language of `toy_translation` is learnt in six ways, from five seeds or more, in lesson 11's own training.
What the models do on the held-out sentences stands in toy_mistakes.json beside this file, three digits each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from lessons.toy_translation import BATCH, STEPS, decoder_steps, toy_corpus, words_of_kind
from utils.data.kept import keep, read_kept
from utils.data.vocabulary import END, PAD
from utils.models.masks import causal_mask
from utils.models.transformer import Transformer
from utils.training.decoding import greedy

# Shift and mask, as it should be; without the shift; without the mask; without it, each batch cut at a random place;
# cut, but the places with nothing after them are not counted in the loss; without the mask, for longer.
WAYS = ("right", "no shift", "no mask", "no mask, cut", "no mask, cut, not counted", "no mask, 1000 steps")
SEEDS = range(5)
MORE_SEEDS = range(5, 14)  # with which it was trained in the right way and without the mask, too
KINDS = ("noun", "adjective", "verb", "owner")  # of the word that a row has to say
_FILE = Path(__file__).with_name("toy_mistakes.json")


@dataclass(frozen=True)
class ToyRun:
    """What one trained model does. Shares from 0 to 1, None where a way has no such number.

    M places are counted: those of the held-out sentences where a word or the end token is to be said.
    """

    loss: float  # mean of the last 20 steps
    exact: float  # held-out sentences that it writes without a mistake
    copies: float  # places with another sentence's translation in view, where it says the word in view
    translates: float  # the same places, where it says what the English asks for
    company: float  # places that are right with the whole translation in view, as in training
    alone: float  # places that are right with nothing in view but what comes before, as when it writes
    first_word: list[float]  # place 1 alone: right with the start token in view and 0, 1, … 5 words after it
    looks: dict[str, float] | None  # kind of the word to say -> rows where a head looks at its English word most
    looks_back: dict[str, float] | None  # the same rows: where a head looks at the English of the word just read


def trained(way: str, seed: int, steps: int | None = None) -> tuple[Transformer, list[float]]:
    """A model that has learnt in one of `WAYS`, and the loss of every step. The numbers of torch's own generator."""
    planned = 1000 if way == "no mask, 1000 steps" else STEPS
    torch.manual_seed(seed)
    corpus = toy_corpus()
    model = Transformer(corpus.config())
    english, persian = zip(*corpus.train, strict=True)
    source, target = corpus.source_ids(english), corpus.target_ids(persian)  # (S, N), (S, M + 1)
    read, said = (target, target) if way == "no shift" else (target[:, :-1], target[:, 1:])
    optimizer, losses = torch.optim.Adam(model.parameters()), []
    for step in range(planned if steps is None else steps):
        optimizer.param_groups[0]["lr"] = learning_rate(step, planned)
        rows = torch.randint(len(source), (BATCH,))
        M = int(torch.randint(1, read.shape[1] + 1, ())) if way.startswith("no mask, cut") else read.shape[1]
        logits = logits_of(model, source[rows], read[rows, :M], looks_ahead(way))  # (B, M, V)
        wanted = said[rows, :M]
        if way.endswith("not counted"):
            wanted = wanted.masked_fill(nothing_after(read[rows, :M]), PAD)
            if not wanted.any():
                continue
        loss = cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return model.eval(), losses


def learning_rate(step: int, steps: int = STEPS) -> float:
    """Of a step of so many: up to 0.003 over 20 steps, down to nearly 0 over the last 100."""
    return 3e-3 * min(1.0, (step + 1) / 20, (steps - step) / 100)


def nothing_after(read: Tensor) -> Tensor:
    """The places of read (B, M) after which nothing but padding is read, (B, M)."""
    something = (read != PAD).int()
    return something.flip(1).cumsum(1).flip(1) - something == 0


def looks_ahead(way: str) -> bool:
    """Whether the decoder of this way has no look-ahead mask."""
    return way.startswith("no mask")


def logits_of(model: Transformer, source: Tensor, read: Tensor, unmasked: bool) -> Tensor:
    """Logits (B, M, V) for source (B, N) and what is read (B, M), with the look-ahead mask unless `unmasked`."""
    M = read.shape[1]
    memory = model.encode(source)
    x = model.target_embedding(read) + model.positions(M)
    mask = torch.ones(M, M, dtype=torch.bool) if unmasked else causal_mask(M)
    mask = mask & (read != PAD)[:, None, None, :]  # (B, 1, M, M): nobody looks at padding
    return model.output(model.decoder(x, memory.states, mask, memory.mask))


def measured(way: str, seed: int) -> ToyRun:
    """Trains in this way now, and measures."""
    model, losses = trained(way, seed)
    last = losses[-20:]
    copies, translates = conflict(model, way)
    return ToyRun(
        loss=round(sum(last) / len(last), 3),
        exact=round(exact(model, way), 3),
        copies=round(copies, 3),
        translates=round(translates, 3),
        company=round(in_company(model, way), 3),
        alone=round(alone(model, way), 3),
        first_word=[round(share, 3) for share in first_word(model, way)],
        looks=looks(model, "said") if way == "right" else None,
        looks_back=looks(model, "read") if way == "right" else None,
    )


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
        return logits_of(self.model, self.source, tokens, looks_ahead(self.way))[:, -1]

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
    says = logits_of(model, source, read, looks_ahead(way)).argmax(dim=-1)
    differ = in_view != wanted
    return float((says == in_view)[differ].double().mean()), float((says == wanted)[differ].double().mean())


@torch.no_grad()
def in_company(model: Transformer, way: str) -> float:
    """The share of places that are right when the decoder reads the whole right translation, as in training."""
    source, target = _held_out()
    read, said = (target, target) if way == "no shift" else (target[:, :-1], target[:, 1:])
    right = logits_of(model, source, read, looks_ahead(way)).argmax(dim=-1) == said
    return float(right[said != PAD].double().mean())


@torch.no_grad()
def alone(model: Transformer, way: str) -> float:
    """The share of places that are right when the decoder reads the right words before it, and nothing after it."""
    source, target = _held_out()
    right, places = 0.0, 0
    for place in range(target.shape[1] - 1):
        rows = target[:, place + 1] != PAD
        says = logits_of(model, source[rows], target[rows, : place + 1], looks_ahead(way))[:, -1].argmax(dim=-1)
        right, places = right + float((says == target[rows, place + 1]).sum()), places + int(rows.sum())
    return right / places


@torch.no_grad()
def first_word(model: Transformer, way: str) -> list[float]:
    """The share of sentences whose first word is right, with 0, 1, … 5 of its words in view, the first among them.

    Counted are the sentences that have so many words, the full stop included.
    """
    source, target = _held_out()
    shares = []
    for after in range(6):
        rows = (target > END).sum(dim=1) >= after
        says = logits_of(model, source[rows], target[rows, : after + 1], looks_ahead(way))[:, 0].argmax(dim=-1)
        shares.append(float((says == target[rows, 1]).double().mean()))
    return shares


def looks(model: Transformer, at: str) -> dict[str, float]:
    """For each of KINDS, the rows with such a word to say: the share where a head looks most at an English word.

    At that of the word to say (at="said") or of the word just read (at="read").
    """
    corpus = toy_corpus()
    english_of = {word: english for kind in KINDS for word, english in words_of_kind(kind).items()}
    hits: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    for sentence, _ in corpus.held_out:
        for step in decoder_steps(model, corpus, sentence):
            said = corpus.target.tokens([int(step.probabilities.argmax())])[0]
            wanted = english_of.get(said if at == "said" else step.read[-1], ())
            most = step.cross_attention[:, -1].argmax(dim=-1).tolist()  # a place for each head
            for kind in KINDS:
                if said in words_of_kind(kind):
                    hits[kind].append(any(step.source[place] in wanted for place in most))
    return {kind: round(sum(found) / len(found), 3) if found else 0.0 for kind, found in hits.items()}


def kept(way: str, seeds: Iterable[int] = SEEDS) -> list[ToyRun]:
    """What `measured` came to in this way, one for each seed. Raises ValueError for a way that was not kept."""
    if way not in WAYS:
        raise ValueError(f"no training was kept in the way {way!r}.")
    runs = read_kept(_FILE)
    return [ToyRun(**runs[f"{way}: {seed}"]) for seed in seeds]


def all_kept(way: str) -> list[ToyRun]:
    """What `kept` gives for every seed with which this way was trained."""
    more = MORE_SEEDS if way in ("right", "no mask") else ()
    return kept(way, (*SEEDS, *more))


def without_english() -> tuple[float, float]:
    """`alone`, and the second number of `conflict`, for whoever knows the Persian of the training sentences alone.

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
    places = [(row, i) for row in rows for i in range(1, len(row)) if row[i] != PAD]
    differ = [
        (row, other, i)
        for row, other in zip(rows, others, strict=True)
        for i in range(1, len(row))
        if row[i] != other[i]
    ]
    right = sum(says(row[:i]) == row[i] for row, i in places) / len(places)
    return right, sum(says(other[:i]) == row[i] for row, other, i in differ) / len(differ)


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
    wanted = [(way, seed) for way in WAYS for seed in SEEDS] + [
        (way, seed) for way in ("right", "no mask") for seed in MORE_SEEDS
    ]
    keep(_FILE, {f"{way}: {seed}": lambda w=way, s=seed: asdict(measured(w, s)) for way, seed in wanted})
