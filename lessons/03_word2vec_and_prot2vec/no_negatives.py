"""What word vectors come to without negatives, with three seeds each, for lesson 03: who falls together, and why.

On words everything falls together; on 3-mers of ten proteins it does not, unless a shared word ties them together. A
few runs with negatives show what their loss means. All runs are saved in `no_negatives.json`, written by
`python -m lessons.no_negatives`; a test repeats some of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lessons.proteins import proteins
from utils.by_hand.word2vec import (
    Ids,
    WordVectors,
    count_words,
    mean_cosine,
    readings,
    sigmoid,
    train,
    training_pairs,
    vocabulary,
)
from utils.data.kept import keep, read_run
from utils.data.small_text import small_text

SEEDS = (0, 1, 2)
SHARED = "*"  # the word that all sentences share
EVERY = 4  # it stands before every fourth word
_FILE = Path(__file__).with_suffix(".json")


@dataclass(frozen=True)
class Plan:
    """One training run: which text, for how long, and with how many negatives."""

    text: str  # one of TEXTS
    epochs: int
    negatives: int = 0


TEXTS = {
    "words": small_text,
    "3-mers": lambda: three_mers(),
    "3-mers with a shared word": lambda: with_shared_word(three_mers()),
}
PLANS = {
    "words": Plan("words", 150),
    "3-mers": Plan("3-mers", 34),
    "3-mers, fifteen times as long": Plan("3-mers", 510),
    "3-mers with a shared word": Plan("3-mers with a shared word", 102),
    **{f"{n} negatives": Plan("3-mers", 34, n) for n in (1, 2, 5, 10)},
    **{f"{n} negatives, four times as long": Plan("3-mers", 136, n) for n in (1, 2, 5, 10)},
}


def three_mers() -> list[list[str]]:
    """All readings of the ten proteins in 3-mers."""
    return [reading for protein in proteins() for reading in readings(protein.sequence, 3)]


def with_shared_word(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
    """The sentences with SHARED before every fourth word, from the first on."""
    return [
        [part for i, word in enumerate(sentence) for part in ([word] if i % EVERY else [SHARED, word])]
        for sentence in sentences
    ]


def trained(plan: Plan, seed: int) -> tuple[Ids, WordVectors]:
    """The pairs of a plan, and the vectors, trained now."""
    sentences = TEXTS[plan.text]()
    counts = count_words(sentences)
    words = vocabulary(counts)
    pairs = training_pairs(sentences, words, 5)
    ordered = [counts[word] for word in words]
    return pairs, train(pairs, ordered, negatives=plan.negatives, epochs=plan.epochs, batch=32, seed=seed)


def outcome(plan: Plan, seeds: Sequence[int] = SEEDS) -> dict[str, list[float]]:
    """Train a plan with each of the seeds, and return three measures, with a number for each seed.

    loss: the mean loss of a pair during the last epoch. cosine: the mean over all pairs of words. error: the mean of
    1 − σ(v'·v) over the pairs of the text, which is how hard they still pull.
    """
    found: dict[str, list[float]] = {"loss": [], "cosine": [], "error": []}
    for seed in seeds:
        pairs, vectors = trained(plan, seed)
        scores = (vectors.W_in[pairs[:, 0]] * vectors.W_out[pairs[:, 1]]).sum(axis=1)
        found["loss"].append(round(float(vectors.losses[-1]), 4))
        found["cosine"].append(round(mean_cosine(vectors.W_in), 3))
        found["error"].append(round(float((1 - sigmoid(scores)).mean()), 4))
    return found


def stored_outcome(name: str) -> Any:
    """Return the saved `outcome` of the plan with this name. Raises ValueError for any other name."""
    return read_run(_FILE, name)


if __name__ == "__main__":
    keep(_FILE, {name: lambda plan=plan: outcome(plan) for name, plan in PLANS.items()})
