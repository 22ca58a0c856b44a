"""A task where memory counts: letters in, the same letters out, last one first.

Nothing can be written before everything has been read, and the first letter read is needed last of all. How often a
model gets every letter right, by length, says how much it can keep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import ascii_lowercase

import numpy as np
import torch
from torch import Tensor, nn

from utils.data.vocabulary import END, START, Vocabulary
from utils.training.batches import Batch
from utils.training.decoding import Translating, greedy

LETTERS = Vocabulary(ascii_lowercase)
_FIRST = LETTERS.ids(["a"])[0]
_TRAINING, _TEST = range(2)  # part of every seed, so that no test row is made as a training row is


def reversal_batches(lengths: Sequence[int], batch_size: int, seed: int = 0) -> Callable[[int], Batch]:
    """Batch number n, counted from 0: `batch_size` random rows of letters, all of one length out of `lengths`.

    Raises ValueError when there is no length, or one below 1.
    """
    if not lengths or min(lengths) < 1:
        raise ValueError(f"lengths must be whole numbers of at least 1: they are {list(lengths)}.")

    def batch(number: int) -> Batch:
        rng = np.random.default_rng([_TRAINING, seed, number])
        return reversal_batch(_letters(batch_size, int(rng.choice(lengths)), rng))

    return batch


def reversal_batch(source: Tensor) -> Batch:
    """The letters (B, N), and what is to be made of them."""
    target = source.flip(dims=[1])
    edge = torch.ones_like(source[:, :1])
    return Batch(source, torch.cat([START * edge, target], dim=1), torch.cat([target, END * edge], dim=1))


def write_backwards(model: nn.Module, source: Tensor) -> Tensor:
    """What `model` writes for the letters (B, N), always taking the likeliest: ids (B, N).

    It writes N letters, whether or not it would have ended sooner.
    """
    predictor = Translating(model, source, never=())
    return torch.tensor(greedy(predictor, predictor.start, source.shape[1], end=None).tokens)


def exact_match(model: nn.Module, length: int, count: int = 200) -> float:
    """The share of `count` random rows of so many letters that `model` writes backwards without a mistake.

    These rows are never in training: their seed is another one.
    """
    source = _letters(count, length, np.random.default_rng([_TEST, 0, length]))
    return float((write_backwards(model, source) == source.flip(dims=[1])).all(dim=1).float().mean())


def _letters(rows: int, length: int, rng: np.random.Generator) -> Tensor:
    return torch.from_numpy(rng.integers(_FIRST, _FIRST + len(ascii_lowercase), size=(rows, length)))
