"""The interactive figure of lesson 22: a translation with one state of the encoder taken from another sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from torch import Tensor

from utils.data.gloss import glossed, with_gloss
from utils.data.vocabulary import START
from utils.models.watching import Change, Point, watching
from utils.training.translator import Translator


@dataclass(frozen=True, eq=False)
class PatchEffects:
    """What a sentence of N words takes over from a donor of as many, by the place that is put."""

    wanted: str  # the last word of the donor's translation that is another than here
    own: str  # the word that the sentence has there by itself
    before: str  # the translation up to there, glossed
    shares: np.ndarray  # (levels, N): how probable the wanted word becomes in its place
    keeps: np.ndarray  # (levels, N): how probable its own word stays


class Patching:
    """Puts states behind the levels of a translator's encoder: 0 is the word itself, 1 what leaves the first layer."""

    def __init__(self, translator: Translator) -> None:
        self._translator, self._model = translator, translator.model.eval()
        self.levels = 1 + self._model.config.n_encoder_layers
        self.translate = cache(self._translate)
        self.takes = cache(self._takes)

    def _translate(self, sentence: str, donor: str, place: int, level: int) -> str:
        """The translation of `sentence` with one state from `donor`, glossed. Places and levels are counted from 0."""
        source, changes = self._put(sentence, donor, [place], level)
        text = " ".join(self._translator.source_vocabulary.tokens(source[0].tolist()))
        with watching(self._model, changes=changes):
            return glossed(self._translator.translate(text))

    def _takes(self, sentence: str, donor: str) -> PatchEffects:
        own, other = self._writes(sentence), self._writes(donor)
        differ = [i for i, pair in enumerate(zip(own, other, strict=False)) if pair[0] != pair[1]]
        row = max(differ, default=len(own) - 2)  # where nothing differs, the last word before the mark
        names = self._translator.target_vocabulary.tokens([other[row], own[row]])
        read, shares = torch.tensor([[START, *own[:row]]]), []
        for level in range(self.levels):
            source, changes = self._put(sentence, donor, range(self._source(sentence).shape[1]), level)
            with torch.no_grad(), watching(self._model, changes=changes):
                logits = self._model(source, read.expand(len(source), -1))[:, -1]  # (N, vocabulary)
            shares.append(logits.softmax(dim=-1)[:, [other[row], own[row]]].numpy())
        before = glossed(" ".join(self._translator.target_vocabulary.tokens(own[:row])))
        return PatchEffects(*map(with_gloss, names), before, *np.moveaxis(shares, -1, 0))

    def _put(self, sentence: str, donor: str, places: Sequence[int], level: int) -> tuple[Tensor, dict[Point, Change]]:
        """A batch of the sentence, in which row r has place places[r] from the donor: its ids, and what to change.

        Raises ValueError for two sentences of different lengths.
        """
        own, other = self._source(sentence), self._source(donor)  # (1, N) each
        if own.shape != other.shape:
            raise ValueError(
                f"the two need as many words as each other: they have {own.shape[1]} and {other.shape[1]} words."
            )
        source, rows, places = own.repeat(len(places), 1), torch.arange(len(places)), torch.tensor(places)
        if level == 0:
            source[rows, places] = other[0, places]
            return source, {}
        point: Point = ("encoder", level - 1, "states")
        with torch.no_grad(), watching(self._model) as maps:
            self._model.encode(other)

        def change(x: Tensor) -> Tensor:
            x = x.clone()
            x[rows, places] = maps[point][0, places]
            return x

        return source, {point: change}

    def _source(self, text: str) -> Tensor:
        return torch.tensor([self._translator.source_ids(text)])

    def _writes(self, sentence: str) -> list[int]:
        vocabulary = self._translator.target_vocabulary
        return vocabulary.ids(vocabulary.split(self._translator.translate(sentence)))
