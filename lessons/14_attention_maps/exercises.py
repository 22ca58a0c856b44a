"""The exercises of lesson 14, attention maps, and the mistakes that they know."""

from __future__ import annotations

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.course.exercises.exercise import Exercise

_random = np.random.default_rng(14)


def _maps(*shape: int) -> Array:
    """Weights whose rows sum to 1."""
    return softmax(2 * _random.normal(size=shape))


# --- reading an alignment ---------------------------------------------------------------------------------------

Words = list[str]
Pairs = list[tuple[str, str]]


def _pairs(A: Array, read: Words, writes: Words, source: Words) -> Pairs:
    return [(word, source[j]) for word, j in zip(writes, A.argmax(axis=1).tolist(), strict=True)]


_ENGLISH = ["they", "drink", "cold", "water", "."]
_PERSIAN = ["آن‌ها", "آب", "سرد", "می‌نوشند", "."]
_SENTENCES = [
    (_maps(6, 5), ["<start>", *_PERSIAN], [*_PERSIAN, "<end>"], _ENGLISH),
    (_maps(4, 5), ["<start>", "a", "b", "c"], ["a", "b", "c", "<end>"], ["p", "q", "r", "s", "t"]),
    (_maps(5, 5), ["<start>", "a", "b", "c", "d"], ["a", "b", "c", "d", "<end>"], ["p", "q", "r", "s", "t"]),
    (_maps(3, 7), ["<start>", "a", "b"], ["a", "b", "<end>"], list("pqrstuv")),
    (_maps(4, 5), ["<start>", "a", "b", "a"], ["a", "b", "a", "<end>"], list("pqrst")),  # a word is written twice
]

_ALIGNMENT = Exercise(
    "14.alignment",
    "reading an alignment",
    _pairs,
    _SENTENCES,
    [
        "You named the rows by the words that were read, so every word gets the partner of the next word. Row i asks "
        "while word i is being *written*: take its name from `writes`.",
        lambda A, read, writes, source: [
            (word, source[j]) for word, j in zip(read, A.argmax(axis=1).tolist(), strict=True)
        ],
        "You took the largest weight of each column, which shows the written word that looks most at a source word. "
        "Look for where each written word looks instead: search along the rows, axis=1.",
        lambda A, read, writes, source: [
            (writes[i], word) for word, i in zip(source, A.argmax(axis=0).tolist(), strict=True)
        ],
        "You took the argmax of each column, so you get row numbers, and there may be more rows than source words. "
        "Where does each written word look? Search along the rows, axis=1.",
        lambda A, read, writes, source: [
            (word, source[j]) for word, j in zip(writes, A.argmax(axis=0).tolist(), strict=False)
        ],
        "You paired the first with the first and the second with the second. But the two languages order their words "
        "differently, so let the map decide, and take the largest weight of each row.",
        lambda A, read, writes, source: list(zip(writes, source, strict=False)),
        "You took the source word one position too late. Both argmax and the list count from 0, so there is nothing "
        "to add.",
        lambda A, read, writes, source: [
            (word, source[(j + 1) % len(source)]) for word, j in zip(writes, A.argmax(axis=1).tolist(), strict=True)
        ],
        "You return only the source words, which are correct. Put the written word before each: `(writes[i], "
        "source[j])`.",
        lambda A, read, writes, source: [word for _, word in _pairs(A, read, writes, source)],
        "You return positions, which are correct. Replace each with the word at this position: `writes[i]` and "
        "`source[j]`.",
        lambda A, read, writes, source: list(enumerate(A.argmax(axis=1).tolist())),
    ],
)

# --- what all heads hand over -----------------------------------------------------------------------------------


def _handed(A: Array, V: Array, W_O: Array) -> Array:
    """What each head hands over for each pair of words, (n_heads, M, N, d_model)."""
    return A[..., np.newaxis] * (V @ W_O)[:, np.newaxis]


# n_heads, M, N, d_k and d_model all differ, but in the third all are alike, where a wrong order still runs.
_HEADS = [
    (_maps(h, m, n), _random.normal(size=(h, n, d_k)), _random.normal(size=(h, d_k, d_model)))
    for h, m, n, d_k, d_model in ((2, 3, 5, 4, 7), (4, 6, 2, 3, 5), (4, 4, 4, 4, 4))
]

_CONTRIBUTION = Exercise(
    "14.contribution",
    "what all heads hand over",
    lambda A, V, W_O: np.linalg.norm(_handed(A, V, W_O).sum(axis=0), axis=-1),
    _HEADS,
    [
        "You added up lengths. But heads may hand over vectors that point in different directions, so add the vectors "
        "first, and then take the length of the sum.",
        lambda A, V, W_O: np.linalg.norm(_handed(A, V, W_O), axis=-1).sum(axis=0),
        "You took one length over the heads as well, as if their vectors were joined end to end. But these vectors "
        "are added up: first sum over the heads, then take the length over d_model.",
        lambda A, V, W_O: np.linalg.norm(_handed(A, V, W_O), axis=(0, -1)),
        "You return the length for each head on its own, which is correct so far. The residual stream gets the sum of "
        "the heads, so add their vectors first.",
        lambda A, V, W_O: np.linalg.norm(_handed(A, V, W_O), axis=-1),
        "You averaged the maps and added up the values separately. But each head weighs its own vectors, so multiply "
        "head by head before you add.",
        lambda A, V, W_O: A.mean(axis=0) * np.linalg.norm((V @ W_O).sum(axis=0), axis=-1),
        "You added up the maps and added up the values separately. But each head weighs its own vectors, so multiply "
        "head by head before you add.",
        lambda A, V, W_O: A.sum(axis=0) * np.linalg.norm((V @ W_O).sum(axis=0), axis=-1),
        "You return the vectors themselves, which are correct. Take the length of each, over the last axis.",
        lambda A, V, W_O: _handed(A, V, W_O).sum(axis=0),
        "You added up the words, so this is the length of a row's whole output. Keep the part of each word: don't sum "
        "over the axis of the words that are asked.",
        lambda A, V, W_O: np.linalg.norm((A @ V @ W_O).sum(axis=0), axis=-1),
        "You added up the absolute values. A length is the square root of the sum of squares, so use np.linalg.norm.",
        lambda A, V, W_O: np.abs(_handed(A, V, W_O).sum(axis=0)).sum(axis=-1),
    ],
)


EXERCISES = (_ALIGNMENT, _CONTRIBUTION)
