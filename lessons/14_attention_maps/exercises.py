"""The exercises of lesson 14, attention maps, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

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
    {
        (
            "You named the rows by the words that were read, so every word gets the partner of the next word. Row i "
            "asks while word i is being *written*: take its name from `writes`."
        ): lambda A, read, writes, source: [
            (word, source[j]) for word, j in zip(read, A.argmax(axis=1).tolist(), strict=True)
        ],
        (
            "You took the largest weight of each column, which shows the written word that looks most at a source "
            "word. Look for where each written word looks instead: search along the rows, axis=1."
        ): lambda A, read, writes, source: [
            (writes[i], word) for word, i in zip(source, A.argmax(axis=0).tolist(), strict=True)
        ],
        (
            "You took the argmax of each column, so you get row numbers, and there may be more rows than source "
            "words. Where does each written word look? Search along the rows, axis=1."
        ): lambda A, read, writes, source: [
            (word, source[j]) for word, j in zip(writes, A.argmax(axis=0).tolist(), strict=False)
        ],
        (
            "You paired the first with the first and the second with the second. But the two languages order their "
            "words differently, so let the map decide, and take the largest weight of each row."
        ): lambda A, read, writes, source: list(zip(writes, source, strict=False)),
        (
            "You took the source word one position too late. Both argmax and the list count from 0, so there is "
            "nothing to add."
        ): lambda A, read, writes, source: [
            (word, source[(j + 1) % len(source)]) for word, j in zip(writes, A.argmax(axis=1).tolist(), strict=True)
        ],
        (
            "You return only the source words, which are correct. Put the written word before each: `(writes[i], "
            "source[j])`."
        ): lambda A, read, writes, source: [word for _, word in _pairs(A, read, writes, source)],
        (
            "You return positions, which are correct. Replace each by the word at this position: `writes[i]` and "
            "`source[j]`."
        ): lambda A, read, writes, source: list(enumerate(A.argmax(axis=1).tolist())),
    },
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
    {
        (
            "You added up lengths. But heads may hand over vectors that point in different directions, so add the "
            "vectors first, and then take the length of the sum."
        ): lambda A, V, W_O: np.linalg.norm(_handed(A, V, W_O), axis=-1).sum(axis=0),
        (
            "You took one length over the heads as well, as if their vectors were joined end to end. But these "
            "vectors are added up: first sum over the heads, then take the length over d_model."
        ): lambda A, V, W_O: np.linalg.norm(_handed(A, V, W_O), axis=(0, -1)),
        (
            "You return the length for each head on its own, which is correct so far. The residual stream "
            "gets the sum of the heads, so add their vectors first."
        ): lambda A, V, W_O: np.linalg.norm(_handed(A, V, W_O), axis=-1),
        **{
            (
                f"You {done} the maps and added up the values separately. But each head weighs its own vectors, so "
                f"multiply head by head before you add."
            ): lambda A, V, W_O, together=together: together(A, axis=0) * np.linalg.norm((V @ W_O).sum(axis=0), axis=-1)
            for done, together in (("averaged", np.mean), ("added up", np.sum))
        },
        (
            "You return the vectors themselves, which are correct. Take the length of each, over the last axis."
        ): lambda A, V, W_O: _handed(A, V, W_O).sum(axis=0),
        (
            "You added up the words, so this is the length of a row's whole output. Keep the part of each word: "
            "don't sum over the axis of the words that are asked."
        ): lambda A, V, W_O: np.linalg.norm((A @ V @ W_O).sum(axis=0), axis=-1),
        (
            "You added up the absolute values. A length is the square root of the sum of squares, so use "
            "np.linalg.norm."
        ): lambda A, V, W_O: np.abs(_handed(A, V, W_O).sum(axis=0)).sum(axis=-1),
    },
)

# --- rollout ----------------------------------------------------------------------------------------------------


def _mixed(layer: Array) -> Array:
    return (layer.mean(axis=0) + np.eye(layer.shape[1])) / 2


def _rollout_of(mix: Callable[[Array], Array], layers: Array) -> Array:
    through = np.eye(layers.shape[2])
    for layer in layers:
        through = mix(layer) @ through
    return through


def rollout(layers: Array) -> Array:
    """What the last layer's rows hold of each word, (N, N), from maps (L, n_heads, N, N), the first layer first.

    Abnar and Zuidema 2020: heads averaged, mixed half and half with the identity, layers multiplied from the left.
    """
    return _rollout_of(_mixed, layers)


def _heads_never_averaged(layers: Array) -> Array:
    return np.array([rollout(layers[:, [head]]) for head in range(layers.shape[1])])


def _residual_at_the_end(layers: Array) -> Array:
    through = _rollout_of(lambda layer: layer.mean(axis=0), layers)
    return (through + np.eye(len(through))) / 2


_STACKS = [(_maps(layers, heads, n, n),) for layers, heads, n in ((2, 3, 4), (3, 2, 5), (4, 4, 4))]

_ROLLOUT = Exercise(
    "14.rollout",
    "attention rollout",
    rollout,
    _STACKS,
    {
        (
            "You left out the residual, but rollout assumes that stream and heads have the same weight. Mix each "
            "averaged map half and half with the identity."
        ): lambda layers: _rollout_of(lambda layer: layer.mean(axis=0), layers),
        (
            "You added the identity but didn't halve the sum, so your rows sum to 2, then 4, then 8. Divide each sum "
            "by 2."
        ): lambda layers: _rollout_of(lambda layer: layer.mean(axis=0) + np.eye(layer.shape[1]), layers),
        "You halved the map but not the identity, so your rows sum to more than 1. Halve both.": lambda layers: (
            _rollout_of(lambda layer: layer.mean(axis=0) / 2 + np.eye(layer.shape[1]), layers)
        ),
        (
            "You halved the identity but not the map, because `/` comes before `+`. Put brackets around the sum, "
            "then halve it."
        ): lambda layers: _rollout_of(lambda layer: layer.mean(axis=0) + np.eye(layer.shape[1]) / 2, layers),
        (
            "You started with the first layer and then multiplied by it again, so this layer is in your product "
            "twice. Start with the identity."
        ): lambda layers: rollout(layers) @ _mixed(layers[0]),
        (
            "You mixed in the identity once, at the end. But every layer has its own residual, so mix the identity "
            "in before each product."
        ): _residual_at_the_end,
        (
            "You used only two layers, and your result is correct if there are two. Go through as many layers as "
            "there are."
        ): lambda layers: _mixed(layers[1]) @ _mixed(layers[0]),
        (
            "You mixed each map with a table of ones. The residual carries a word itself and no other word, "
            "so use `np.eye`."
        ): lambda layers: _rollout_of(lambda layer: (layer.mean(axis=0) + np.ones(layer.shape[1:])) / 2, layers),
        (
            "You never took the mean over the heads, so you have a separate rollout for each. Average the "
            "heads before you multiply."
        ): _heads_never_averaged,
        (
            "You used only the first head of every layer. Rollout averages the heads, so take the mean over "
            "all of them."
        ): lambda layers: _rollout_of(lambda layer: (layer[0] + np.eye(layer.shape[1])) / 2, layers),
        (
            "You followed each head through all layers and took the mean at the end. But a layer's heads are "
            "added up before the next layer reads them, so average them first."
        ): lambda layers: _heads_never_averaged(layers).mean(axis=0),
        "You averaged the layers. But layers come one "
        "after another, so multiply their maps as matrices.": lambda layers: np.mean(
            [_mixed(layer) for layer in layers], axis=0
        ),
        (
            "You multiplied entry by entry, with `*`. Use the matrix product, `@`, which goes from word to word "
            "through a third word."
        ): lambda layers: np.prod([_mixed(layer) for layer in layers], axis=0),
    },
)

# --- from pieces to words -----------------------------------------------------------------------------------------

Join = Callable[[Array], Array]  # the rows of one word, (pieces, …), to one row


def _joined(A: Array, words: Array, join: Join) -> Array:
    """The rows of A, (pieces, …), put together word by word, (words, …)."""
    return np.array([join(A[words == word]) for word in range(words.max() + 1)])


_mean, _sum = partial(np.mean, axis=0), partial(np.sum, axis=0)


def _words_by(rows: Join, columns: Join) -> Callable[[Array, Array, Array], Array]:
    """A map of words, with the pieces that ask and the pieces that are asked joined in these two ways."""
    return lambda A, asks, asked: _joined(_joined(A, asks, rows).T, asked, columns).T


_word_map = _words_by(_mean, _sum)


def _shared_out(A: Array) -> Array:
    return A / A.sum(axis=1, keepdims=True)


# Of its own, so that the inputs above stay as they are.
_words_random = np.random.default_rng(140)


def _pieces(asks: list[int], asked: list[int]) -> tuple[Array, Array, Array]:
    """Weights of pieces whose rows sum to 1, and the words that the pieces belong to."""
    return softmax(2 * _words_random.normal(size=(len(asks), len(asked)))), np.array(asks), np.array(asked)


# M = N once, where the two lists can change places; elsewhere all sizes differ.
_PIECES = [
    _pieces([0, 0, 1, 2, 2, 2], [0, 1, 1, 1, 2, 3, 3, 3]),
    _pieces([0, 1, 1, 2], [0, 0, 1, 1]),
    _pieces([0, 1, 2, 2, 3], [0, 0, 0, 1, 2, 2, 3]),
    _pieces([0, 0, 0], [0, 1, 1, 2, 2]),
]

_WORD_MAP = Exercise(
    "14.word_map",
    "from pieces to words",
    _word_map,
    _PIECES,
    {
        (
            "You added up the rows as well, so a word in several pieces has more than 1 to share out. Take the mean "
            "of its rows."
        ): _words_by(_sum, _sum),
        (
            "You averaged the columns and added up the rows, which is the wrong way round. Add up the weights on the "
            "pieces of a word, and average the rows of a word that asks."
        ): _words_by(_sum, _mean),
        (
            "You averaged the columns and rescaled the rows, so a word in three pieces gets only the mean of the "
            "pieces' weights. Add the columns up instead."
        ): lambda A, asks, asked: _shared_out(_words_by(_mean, _mean)(A, asks, asked)),
        (
            "You kept only the first piece of each word. All of its pieces belong to it, so join them: add the "
            "columns, average the rows."
        ): _words_by(lambda pieces: pieces[0], lambda pieces: pieces[0]),
        (
            "You took only the first piece of a word that asks. All its pieces count equally, so average "
            "their rows. Your columns are correct."
        ): _words_by(lambda pieces: pieces[0], _sum),
        (
            "You took only the last piece of a word that asks. All its pieces count equally, so average "
            "their rows. Your columns are correct."
        ): _words_by(lambda pieces: pieces[-1], _sum),
        (
            "You joined the rows into words, but your columns are still pieces. Add up the columns of each "
            "word as well."
        ): lambda A, asks, asked: _joined(A, asks, _mean),
        (
            "You left out the last word on both sides. Words are counted from 0, so take `asks.max() + 1` and "
            "`asked.max() + 1` of them."
        ): lambda A, asks, asked: _word_map(A, asks, asked)[:-1, :-1],
    },
)

EXERCISES = (_ALIGNMENT, _WORD_MAP, _CONTRIBUTION, _ROLLOUT)
