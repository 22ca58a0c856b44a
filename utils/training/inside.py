"""Look into a translator while it translates: the words that it reads and writes, and all attention weights.

The maps are those of the very pass that chose the words, masks included. Other ways to get them go wrong quietly:
taken from a second pass without the mask, they show words that the model could not see.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch

from utils.data.vocabulary import END, START
from utils.models.watching import AttentionKind, Head, watching
from utils.training.decoding import Translating, greedy
from utils.training.translator import Translator


@dataclass(frozen=True, eq=False)
class Translation:
    """A sentence on its way through a translator, with N tokens read and M written, the end token included."""

    source: list[str]  # N tokens that the encoder read
    target: list[str]  # M tokens that the decoder read: the start token, then what it had written
    writes: list[str]  # M tokens: what it wrote next to each of them
    maps: dict[str, list[np.ndarray]]  # "encoder", "decoder", "cross": an array (n_heads, N or M, N or M) a layer
    output: str

    def map(self, place: AttentionKind, layer: int, head: int) -> np.ndarray:
        """Return one head's weights; row i belongs to query token i. Layer and head are counted from 0."""
        return self.maps[place][layer][head]


def look_inside(translator: Translator, text: str, switched_off: Iterable[Head] = ()) -> Translation:
    """Translate the sentence `text`, always the most probable next word, and keep what attention did on the way.

    switched_off: heads (place, layer, head), counted from 0, that give zeros meanwhile. A `Seq2Seq` has "cross" alone,
    one layer with one head, which can't be switched off. Raises ValueError for what the translator refuses, for more
    than one sentence, for heads that do not exist, and for a model without attention.
    """
    sentence = translator.one_sentence(text)
    model = translator.model
    device = next(model.parameters()).device
    source = torch.tensor([translator.source_vocabulary.ids(sentence)], device=device)  # (1, N)
    with watching(model, off=list(switched_off)) as maps:
        # Without a cache every step is a whole pass: the last one chose all words, and has all rows of the maps.
        predictor = Translating(model, source, cached=False)
        written = greedy(predictor, predictor.start, translator.longest_output(source))
    if not maps.cross:
        raise ValueError(f"there is nothing to look into: this {type(model).__name__} has no attention.")
    (ids,), (finished,) = written.tokens, written.finished
    vocabulary = translator.target_vocabulary
    writes = [*ids, END] if finished else ids
    by_place = {"encoder": maps.encoder, "decoder": maps.decoder, "cross": maps.cross}
    return Translation(
        source=sentence,
        target=vocabulary.tokens([START, *writes[:-1]]),
        writes=vocabulary.tokens(writes),
        maps={
            place: [layer[0].float().cpu().numpy() for layer in layers] for place, layers in by_place.items() if layers
        },
        output=vocabulary.join(vocabulary.tokens(ids)),
    )
