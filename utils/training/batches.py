"""The batches that `minimal.train` takes as given: ids padded, in an order that can be taken up again at any step.

Batch number n is a function of the seed and of n alone. So there is nothing to save but n: a training that resumes at
step 500 asks for batch 500, and gets the one that an uninterrupted training would have got.

Sources: Vaswani et al. 2017, section 5.1 (pairs batched together by length); N4, "training".
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from utils.data.vocabulary import END, PAD, START
from utils.require import require_whole

Example = tuple[Sequence[int], Sequence[int]]  # ids of a source and of its target, without START and END


@dataclass(frozen=True, eq=False)
class Batch:
    """B pairs of sentences, padded on the right: sources to N ids, targets to M."""

    source: Tensor  # (B, N) ids
    target_in: Tensor  # (B, M) START, then the target: what the decoder reads
    target_out: Tensor  # (B, M) the target, then END: what it should answer

    @property
    def n_tokens(self) -> int:
        """Return how many ids have to be predicted: all of target_out except the padding."""
        return int((self.target_out != PAD).sum())

    def to(self, device: torch.device | str) -> Batch:
        return Batch(self.source.to(device), self.target_in.to(device), self.target_out.to(device))


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Return rows of ids (B, longest), filled up with PAD on the right. Raises ValueError when there is no row.

    Raises TypeError for ids that are not whole, such as 2.7.
    """
    if not rows:
        raise ValueError("there is nothing to pad: no rows of ids were given.")
    ids = np.full((len(rows), max(map(len, rows))), PAD)
    kind = np.array([token for row in rows for token in row] or [PAD]).dtype
    if kind.kind not in "iu":
        raise TypeError(f"rows must hold ids, which are whole numbers: their dtype is {kind}.")
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
    return torch.from_numpy(ids)


def batch_of(examples: Sequence[Example]) -> Batch:
    """Return `examples` as one batch, with START and END added."""
    return Batch(
        padded([source for source, _ in examples]),
        padded([[START, *target] for _, target in examples]),
        padded([[*target, END] for _, target in examples]),
    )


class Batches:
    """An endless sequence of batches: `batches(n)` is batch number n, counted from 0. Iterating goes over one epoch.

    Each epoch holds every example once, in an order of its own; its last batch may be smaller.
    """

    def __init__(
        self,
        examples: Sequence[Example],
        batch_size: int,
        seed: int,
        order_of: Callable[[np.random.Generator], list[NDArray[np.intp]]],
    ):
        self._examples = examples
        self._batch_size = batch_size
        self._seed = seed
        self._order_of = order_of
        self._epoch: int | None = None  # the epoch whose order is in memory
        self._order: list[NDArray[np.intp]] = []

    def __len__(self) -> int:
        """Return how many batches an epoch has."""
        return -(-len(self._examples) // self._batch_size)

    def __call__(self, number: int) -> Batch:
        if number < 0:
            raise ValueError(f"batches are counted from 0: there is no batch {number}.")
        epoch, position = divmod(number, len(self))
        if epoch != self._epoch:
            self._epoch, self._order = epoch, self._order_of(np.random.default_rng([self._seed, epoch]))
        return batch_of([self._examples[i] for i in self._order[position]])

    def __iter__(self) -> Iterator[Batch]:
        return (self(number) for number in range(len(self)))

    def fingerprint(self) -> str:
        """Return sixteen letters that differ if the examples, batch size, seed or kind of order differ."""
        letters = hashlib.sha256(f"{self._order_of.__name__} {self._batch_size} {self._seed}".encode())
        for source, target in self._examples:
            letters.update(repr((list(map(int, source)), list(map(int, target)))).encode())
        return letters.hexdigest()[:16]


def bucketed_batches(examples: Sequence[Example], batch_size: int = 32, seed: int = 0) -> Batches:
    """Return batches of pairs of similar lengths, which need little padding, in a new order in each epoch.

    Pairs of the same two lengths are shuffled among themselves, then cut into batches, then the batches shuffled.
    Raises ValueError when there is no example, when one is no pair or has an empty side, for a batch size below 1 and a
    seed below 0.
    """
    lengths = _lengths(examples, batch_size, seed)

    def bucketed(random: np.random.Generator) -> list[NDArray[np.intp]]:
        by_length = np.lexsort((random.random(len(lengths)), lengths[:, 0], lengths[:, 1]))
        batches = _cut(by_length, batch_size)
        return [batches[i] for i in random.permutation(len(batches))]

    return Batches(examples, batch_size, seed, bucketed)


def random_batches(examples: Sequence[Example], batch_size: int = 64, seed: int = 0) -> Batches:
    """Return batches of shuffled pairs, short beside long. Raises as `bucketed_batches` does."""
    count = len(_lengths(examples, batch_size, seed))

    def shuffled(random: np.random.Generator) -> list[NDArray[np.intp]]:
        return _cut(random.permutation(count), batch_size)

    return Batches(examples, batch_size, seed, shuffled)


class Windows:
    """Batches of a long text: `windows(n)` is batch number n, ids (batch_size, length + 1), a window in each row.

    So a model reads `length` tokens of it and has a next one for each. Where a window begins is drawn anew for every
    row of every batch. ids (T,): the text.
    Raises TypeError for ids that are not whole, ValueError for a text that no window fits in and for sizes below 1.
    """

    def __init__(self, ids: Tensor, length: int, batch_size: int = 32, seed: int = 0) -> None:
        require_whole("length", length)
        require_whole("batch_size", batch_size)
        require_whole("seed", seed, least=0)
        if not isinstance(ids, Tensor) or ids.dtype not in (torch.int64, torch.int32):
            raise TypeError(f"ids must be a tensor of ids (torch.long): they are {getattr(ids, 'dtype', type(ids))}.")
        if ids.ndim != 1 or len(ids) <= length:
            raise ValueError(
                f"ids must be one text of more than length = {length} tokens: their shape is {tuple(ids.shape)}."
            )
        self._ids, self._length, self._batch_size, self._seed = ids, length, batch_size, seed

    def __call__(self, number: int) -> Tensor:
        if number < 0:
            raise ValueError(f"batches are counted from 0: there is no batch {number}.")
        random = np.random.default_rng([self._seed, number])
        begins = torch.from_numpy(random.integers(len(self._ids) - self._length, size=self._batch_size))  # (B,)
        return self._ids[begins[:, None] + torch.arange(self._length + 1)]  # (B, length + 1)

    def fingerprint(self) -> str:
        """Return sixteen letters that differ if the text, length, batch size or seed differ."""
        letters = hashlib.sha256(f"{self._length} {self._batch_size} {self._seed}".encode())
        letters.update(repr(self._ids.tolist()).encode())
        return letters.hexdigest()[:16]


def _cut(order: NDArray[np.intp], batch_size: int) -> list[NDArray[np.intp]]:
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


def _lengths(examples: Sequence[Example], batch_size: int, seed: int) -> NDArray[np.int64]:
    """Return the lengths of all sources and targets (examples, 2). Raises ValueError for unusable examples."""
    require_whole("batch_size", batch_size)
    require_whole("seed", seed, least=0)
    if not len(examples):
        raise ValueError("there is nothing to train on: the corpus has no pairs of sentences.")
    for number, example in enumerate(examples):
        if len(example) != 2:
            raise ValueError(f"example {number}, counted from 0, must be a pair: it has {len(example)} parts.")
    lengths = np.array([(len(source), len(target)) for source, target in examples])
    if not lengths.all():
        number, side = np.argwhere(lengths == 0)[0]
        raise ValueError(f"pair {number}, counted from 0, has an empty {('source', 'target')[side]}.")
    return lengths
