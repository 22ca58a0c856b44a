"""Looking into a translator while it translates: the words that it reads and writes, and all attention weights.

The maps are those of the very pass that chose the words, masks included. Other ways to get them go wrong quietly:
taken from a second pass without the mask, they show words that the model could not see.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch

from utils.data.vocabulary import END, PAD, START, detokenize
from utils.models.watching import Head, Place, watching
from utils.training.translator import Translator

_NEVER_WRITTEN = [PAD, START]


@dataclass(frozen=True, eq=False)
class Inside:
    """One sentence on its way through a translator, with N tokens read and M written, the end token included."""

    source: list[str]  # N tokens that the encoder read
    target: list[str]  # M tokens that the decoder read: the start token, then what it had written
    writes: list[str]  # M tokens: what it wrote next to each of them
    maps: dict[str, list[np.ndarray]]  # "encoder", "decoder", "cross": an array (n_heads, N or M, N or M) a layer
    output: str

    def map(self, place: Place, layer: int, head: int) -> np.ndarray:
        """One head's weights; row i belongs to the token that asks. Layer and head are counted from 0."""
        return self.maps[place][layer][head]


def look_inside(translator: Translator, text: str, switched_off: Iterable[Head] = ()) -> Inside:
    """Translates the sentence `text`, always the most probable next word, and keeps what attention did on the way.

    switched_off: heads (place, layer, head), counted from 0, that give zeros meanwhile. A `Seq2Seq` has "cross" alone,
    one layer with one head, which can't be switched off. Raises ValueError for what the translator refuses, for more
    than one sentence, for heads that do not exist, and for a model without attention.
    """
    sentence = translator.one_sentence(text)
    model = translator.model
    device = next(model.parameters()).device
    source = torch.tensor([translator.source_vocabulary.ids(sentence)], device=device)  # (1, N)
    longest = min(2 * source.shape[1] + 10, getattr(model.config, "max_length", translator.longest))
    training = model.training
    model.eval()
    try:
        with watching(model, off=list(switched_off)) as maps, torch.inference_mode():
            target, writes = _translated(model, source, longest)
    finally:
        model.train(training)
    by_place = {"encoder": maps.encoder, "decoder": maps.decoder, "cross": maps.cross}
    if not maps.cross:
        raise ValueError(f"there is nothing to look into: this {type(model).__name__} has no attention.")
    words = translator.target_vocabulary.tokens(writes)
    return Inside(
        source=sentence,
        target=translator.target_vocabulary.tokens(target),
        writes=words,
        maps={
            place: [layer[0].float().cpu().numpy() for layer in layers] for place, layers in by_place.items() if layers
        },
        output=detokenize(words[:-1] if writes[-1] == END else words, capitalize=True),
    )


def _translated(model: torch.nn.Module, source: torch.Tensor, longest: int) -> tuple[list[int], list[int]]:
    """What the decoder has read, and what it wrote next to each of it.

    Every step is a whole pass, without a cache: so the last one chose all words, and has all rows of the maps.
    """
    memory = model.encode(source)
    target = [START]
    while True:
        logits = model.decode(source.new_tensor([target]), memory)[0]  # (M, target_vocabulary)
        logits[:, _NEVER_WRITTEN] = -math.inf
        writes = logits.argmax(dim=-1).tolist()
        if writes[-1] == END or len(target) == longest:
            return target, writes
        target.append(writes[-1])
