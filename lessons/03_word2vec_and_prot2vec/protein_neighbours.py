"""Which protein is nearest to which, in twelve trainings from different starts: what is chance in it shows.

The trainings were done beforehand and lie in `protein_neighbours.json`, written by
`python -m lessons.protein_neighbours`; a test does some of them anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lessons.no_negatives import Plan, three_mers, trained
from lessons.proteins import proteins
from utils.by_hand.arrays import Array
from utils.by_hand.word2vec import cosines, count_words, kmers, vocabulary
from utils.data.kept import keep, read_kept

STARTS = 12
AS_IN_THE_LESSON = Plan("3-mers", 30, negatives=5)
_FILE = Path(__file__).with_suffix(".json")


def of_proteins(W: Array) -> Array:
    """A vector for each of the ten proteins, (10, d): the mean of its 3-mers' rows of W (|V|, d)."""
    row_of = {word: i for i, word in enumerate(vocabulary(count_words(three_mers())))}
    return np.array([W[[row_of[word] for word in kmers(p.sequence, 3)]].mean(axis=0) for p in proteins()])


def neighbours(seed: int) -> list[int]:
    """For each of the ten proteins the place of the one with the largest cosine, trained now as in lesson 03."""
    _, vectors = trained(AS_IN_THE_LESSON, seed)
    return (cosines(of_proteins(vectors.W_in)) - 3 * np.eye(10)).argmax(axis=1).tolist()


def letters_apart(words: Sequence[str]) -> Array:
    """How many letters further on in a protein each 3-mer of `words` begins than each other, (n, n).

    inf where they are of two proteins; NaN for a 3-mer that does not occur just once, and on the diagonal. Three
    letters on is the next 3-mer of the same reading.
    """
    places: dict[str, list[tuple[int, int]]] = {word: [] for word in words}
    for number, protein in enumerate(proteins()):
        for first, word in enumerate(kmers(protein.sequence, 3)):
            if word in places:
                places[word].append((number, first))
    number, first = np.array([found[0] if len(found) == 1 else (np.nan, np.nan) for found in places.values()]).T
    apart = np.where(number[:, np.newaxis] == number, first - first[:, np.newaxis], np.inf)
    apart[np.isnan(first)] = apart[:, np.isnan(first)] = np.nan
    np.fill_diagonal(apart, np.nan)
    return apart


def stored_neighbours() -> list[list[int]]:
    """What `neighbours` came to with the seeds from 0 on, STARTS lists of ten, as they were kept."""
    return list(read_kept(_FILE).values())


if __name__ == "__main__":
    keep(_FILE, {f"seed {seed}": lambda seed=seed: neighbours(seed) for seed in range(STARTS)})
