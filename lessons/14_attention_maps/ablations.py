"""Which heads a translator can do without: lesson 14's ablations, over several trainings, done once and kept.

    python -m lessons.ablations      # six trainings, some minutes of one core: ablations.json

Tested is every fourth held-out sentence. The translators are the course's own and those of `SEEDS`,
trained as lesson 12 trains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

from utils.data.corpora import Corpus, Pair, english_persian
from utils.data.kept import keep, read_kept
from utils.models.watching import AttentionKind, Head, watching
from utils.training.inside import look_inside
from utils.training.train import new_translator, recipe, score_on, trainer_of
from utils.training.translator import Translator

PLACES: tuple[AttentionKind, ...] = ("encoder", "decoder", "cross")
SEEDS = range(1, 6)  # the course's own has seed 0
COURSE = "the course's"
VERBS = frozenset(
    ("eat", "eats", "ate", "drink", "drinks", "buy", "buys", "bought", "see", "sees", "saw", "read", "reads")
)
_EVERY = 4
_FILE = Path(__file__).with_name("ablations.json")


def tested(corpus: Corpus) -> list[Pair]:
    """The held-out sentences that are translated."""
    return corpus.held_out[::_EVERY]


def ablations_of(translator: Translator, pairs: Sequence[Pair], most: int = 80) -> dict[str, Any]:
    """Return shares of the `pairs`. most: sentences for the verbs, which take longest.

    right: exactly right with all heads. one_off: for each layer of heads, such as "cross 1", the first layer of the
    cross-attention, exactly right with one head off, a number for each. verb_asks_verb: layers of the cross-attention,
    then heads: sentences in which the verb asks the verb.
    """
    model, config = translator.model, translator.model.config
    share_right = score_on(translator, pairs)

    def right(off: Iterable[Head]) -> float:
        with watching(model, off=list(off)):
            return round(share_right(model), 3)

    layers = {f"{place} {layer + 1}": heads_of(translator, place, layer) for place in PLACES for layer in range(2)}

    return {
        "right": right([]),
        "one_off": {name: [right([head]) for head in heads] for name, heads in layers.items()},
        "verb_asks_verb": _verb_asks_verb(translator, pairs, config.n_decoder_layers, most),
    }


def with_blank_keys(translator: Translator, heads: Iterable[Head]) -> Translator:
    """Returns a copy of the translator in which the keys of these heads are equal for all words.

    So the maps of these heads are even, as far as a mask allows, and their values are handed over as before.
    """
    other = deepcopy(translator)
    d_model = other.model.config.d_model
    d_k = d_model // other.model.config.n_heads
    for place, layer, head in heads:
        block = (other.model.encoder if place == "encoder" else other.model.decoder).layers[layer]
        attention = block.cross_attention if place == "cross" else block.self_attention
        first = d_model + head * d_k  # the rows of project_in: queries, then keys, then values
        with torch.no_grad():
            attention.project_in.weight[first : first + d_k] = 0
    return other


def heads_of(translator: Translator, place: AttentionKind, layer: int | None = None) -> list[Head]:
    """All heads at `place`, or those of one layer, counted from 0."""
    config = translator.model.config
    n = config.n_encoder_layers if place == "encoder" else config.n_decoder_layers
    layers = range(n) if layer is None else [layer]
    return [(place, i, head) for i in layers for head in range(config.n_heads)]


def saved_ablations() -> dict[str, Any]:
    """What was kept, by the translator's name: `COURSE`, then "seed 1", …"""
    return {name: SimpleNamespace(**parts) for name, parts in read_kept(_FILE).items()}


def _verb_asks_verb(translator: Translator, pairs: Sequence[Pair], layers: int, most: int) -> list[list[float]]:
    """The shares (L, H), as lesson 14 counts: the last word before the full stop, and where its row is largest."""
    hits, n = torch.zeros(layers, translator.model.config.n_heads), 0
    for pair in [pair for pair in pairs if len(VERBS & set(pair.source.rstrip(".?").split())) == 1][:most]:
        inside = look_inside(translator, pair.source)
        verb = next(j for j, word in enumerate(inside.source) if word in VERBS)
        rows = torch.tensor([[A[-3].tolist() for A in layer] for layer in inside.maps["cross"]])  # (L, H, N)
        hits += rows.argmax(dim=-1) == verb
        n += 1
    return [[round(share, 3) for share in row] for row in (hits / n).tolist()]


def course_translator() -> Translator:
    """The translator that comes with the course."""
    translator = Translator.load(files("utils.training") / "translator.safetensors")
    translator.model.eval()
    return translator


def trained_anew(seed: int) -> dict[str, Any]:
    """Train a translator with this seed, and measure its ablations."""
    corpus = english_persian()
    pairs, translator = tested(corpus), new_translator(corpus, seed)
    trainer_of(translator, corpus, recipe(seed=seed), tested=1, show=False).train()
    return ablations_of(translator, pairs)


RUNS: dict[str, Callable[[], dict[str, Any]]] = {
    COURSE: lambda: ablations_of(course_translator(), tested(english_persian())),
    **{f"seed {seed}": lambda seed=seed: trained_anew(seed) for seed in SEEDS},
}

if __name__ == "__main__":
    torch.set_num_threads(1)
    keep(_FILE, RUNS)
