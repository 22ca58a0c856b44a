"""A corpus of pairs as batches for a training loop of one's own, and the translations of a model trained with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor, nn

from utils.data.corpora import Corpus, Pair
from utils.data.vocabulary import Vocabulary, tokenize
from utils.training.batches import bucketed_batches, padded


class Pairs:
    """A corpus as ids: batches to train on, and translations, which `greedy(model, source, most)` writes."""

    def __init__(
        self, corpus: Corpus, greedy: Callable[[nn.Module, Tensor, int], list[list[int]]], seed: int = 0
    ) -> None:
        words = [(tokenize(pair.source), tokenize(pair.target)) for pair in corpus.train]
        self.source_vocabulary = Vocabulary.from_texts([source for source, _ in words])
        self.target_vocabulary = Vocabulary.from_texts([target for _, target in words])
        ids = [(self.source_vocabulary.ids(source), self.target_vocabulary.ids(target)) for source, target in words]
        self._numbered = bucketed_batches(ids, batch_size=32, seed=seed)
        self._greedy = greedy

    def batches(self, first: int, last: int) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield the batches from number `first` to `last` − 1: source (B, N) and target (B, M), with START and END."""
        for batch in map(self._numbered, range(first, last)):
            yield batch.source, torch.cat([batch.target_in[:, :1], batch.target_out], dim=1)

    def translate(self, model: nn.Module, text: str) -> list[str]:
        """Return the words of a translation of `text`."""
        return self._translations(model, [text])[0]

    def share_right(self, model: nn.Module, pairs: Sequence[Pair]) -> float:
        """Return the share of the pairs that the model translates word for word as expected."""
        written = self._translations(model, [pair.source for pair in pairs])
        return sum(words == tokenize(pair.target) for words, pair in zip(written, pairs, strict=True)) / len(pairs)

    def _translations(self, model: nn.Module, texts: Sequence[str]) -> list[list[str]]:
        source = padded([self.source_vocabulary.ids(tokenize(text)) for text in texts])
        return [self.target_vocabulary.tokens(ids) for ids in self._greedy(model, source, 20)]
