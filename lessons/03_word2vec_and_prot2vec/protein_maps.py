"""Vectors of k-mers, trained beforehand for every setting of lesson 03's control.

Training takes seconds, and a control must answer at once. So the maps lie in `protein_maps.json`, written by
`python -m lessons.protein_maps` with `trained_map`; a test trains some of them anew and compares.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from lessons.proteins import Protein, proteins
from utils.by_hand.word2vec import (
    cosines,
    count_words,
    mean_cosine,
    plane_map,
    readings,
    train,
    training_pairs,
    unit_rows,
    vocabulary,
)
from utils.data.kept import keep, read_run

KS, WINDOWS, NEGATIVES = (1, 2, 3), (1, 2, 5, 10), (0, 1, 2, 5, 10)
SHOWN = 60  # points on a map, at most
PAIRS = 400_000  # that each training goes through, so that no setting is trained longer than another
SEVERAL, ANOTHER = "several families", "another protein"

_FAMILIES = {
    "P69905": "globins",
    "P68871": "globins",
    "P02144": "globins",
    "P00698": "lysozymes",
    "P61626": "lysozymes",
}
_ORDER = (SEVERAL, "globins", "lysozymes", ANOTHER)
_FILE = Path(__file__).with_suffix(".json")


def stored_map(k: int, window: int, negatives: int) -> Any:
    """Return the map for one of KS, one of WINDOWS and one of NEGATIVES. Raises ValueError for any other number.

    names: k-mers, evenly spaced from the most to the least frequent, at most SHOWN, by family. xy: where they point, on
    the plane in which all k-mers spread most, rounded for a picture. families: of the proteins in which each is found.
    words: how many k-mers there are, and once: how many of them occur only once. loss: mean loss of a pair during the
    last epoch. cosine: mean over all pairs of k-mers. together: share of the k-mers whose nearest neighbour is found in
    a protein with it, and chance: the same share for a neighbour drawn at random.
    """
    return read_run(_FILE, _key(k, window, negatives))


def trained_map(k: int, window: int, negatives: int) -> dict[str, Any]:
    """The same map, trained now: all k readings of the ten proteins, 16 numbers a vector, PAIRS pairs."""
    chains = proteins()
    sentences = [reading for protein in chains for reading in readings(protein.sequence, k)]
    counts = count_words(sentences)
    words = vocabulary(counts)
    ordered = [counts[word] for word in words]
    pairs = training_pairs(sentences, words, window)
    vectors = train(pairs, ordered, negatives=negatives, epochs=-(-PAIRS // len(pairs)), batch=32)
    W = vectors.W_in
    meet = _meet(words, chains)
    fits = cosines(W) - 3 * np.eye(len(W))  # nobody is its own neighbour
    n = len(words)
    families = [_family(word, chains) for word in words]
    # In one order of the families, so that each keeps its colour from map to map.
    shown = sorted(range(0, n, -(-n // SHOWN)), key=lambda i: _ORDER.index(families[i]))
    return dict(
        names=[words[i] for i in shown],
        xy=(plane_map(unit_rows(W))[shown].round(2) + 0.0).tolist(),
        families=[families[i] for i in shown],
        words=n,
        once=ordered.count(1),
        loss=round(float(vectors.losses[-1]), 3),
        cosine=round(mean_cosine(W), 3),
        together=round(float(meet[np.arange(n), fits.argmax(axis=1)].mean()), 3),
        chance=round(float(meet.sum() / (n * (n - 1))), 3),
    )


def _meet(words: list[str], chains: list[Protein]) -> np.ndarray:
    """(n, n), True where two different k-mers are found in one and the same protein."""
    found = np.array([[word in protein.sequence for protein in chains] for word in words])
    return (found.astype(int) @ found.T.astype(int) > 0) & ~np.eye(len(words), dtype=bool)


def _family(word: str, chains: list[Protein]) -> str:
    families = {_FAMILIES.get(p.accession, ANOTHER) for p in chains if word in p.sequence}
    outside = [p for p in chains if word in p.sequence and p.accession not in _FAMILIES]
    return families.pop() if len(families) == 1 and len(outside) < 2 else SEVERAL


def _key(k: int, window: int, negatives: int) -> str:
    return f"{k}, {window}, {negatives}"


if __name__ == "__main__":
    settings = product(KS, WINDOWS, NEGATIVES)
    keep(_FILE, {_key(*setting): lambda setting=setting: trained_map(*setting) for setting in settings})
