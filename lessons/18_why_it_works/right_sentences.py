"""How many sentences a model of lesson 18 translates exactly right, found in one pass instead of word by word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn

from utils.data.corpora import Pair
from utils.data.vocabulary import PAD
from utils.training.batches import Batch, batch_of
from utils.training.translator import Translator, examples


def right_by_sentence(model: nn.Module, batch: Batch) -> Tensor:
    """Which of the B sentences come out exactly right, (B,) of bool, from one pass.

    The decoder reads the right words, and must say the right next one at every place. Whoever always takes the most
    probable word writes the right sentence if and only if that is so: up to the first slip both read the same.
    """
    with torch.no_grad():
        said = model(batch.source, batch.target_in).argmax(dim=-1)  # (B, M)
    return ((said == batch.target_out) | (batch.target_out == PAD)).all(dim=1)


def share_right(model: nn.Module, batches: Iterable[Batch]) -> float:
    """The share of sentences exactly right, over all batches."""
    return float(torch.cat([right_by_sentence(model, batch) for batch in batches]).double().mean())


def batches_of(translator: Translator, pairs: Sequence[Pair], size: int = 128) -> list[Batch]:
    """`pairs` by length in batches, each of one source length, so that nobody's states see padding."""
    made = examples(pairs, translator.source_vocabulary, translator.target_vocabulary)
    by_length: dict[int, list] = {}
    for example in sorted(made, key=lambda pair: (len(pair[0]), len(pair[1]))):
        by_length.setdefault(len(example[0]), []).append(example)
    return [batch_of(same[start : start + size]) for same in by_length.values() for start in range(0, len(same), size)]
