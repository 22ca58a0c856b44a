"""The exercises of lesson 14, attention maps, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.course.exercises.exercise import Exercise, choice

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
        "You named the rows by the words that the decoder has read. Row "
        "i asks while word i is being *written*: take its name from "
        "`writes`. Else every word gets the partner of the word after it.": lambda A, read, writes, source: [
            (word, source[j]) for word, j in zip(read, A.argmax(axis=1).tolist(), strict=True)
        ],
        "Your argmax runs down the columns: it says which written word looks most at each source word. Asked for is "
        "where each written word looks, so run it along the rows, axis=1.": lambda A, read, writes, source: [
            (writes[i], word) for word, i in zip(source, A.argmax(axis=0).tolist(), strict=True)
        ],
        "Your argmax runs down the columns, so its numbers are rows, of which there may be more than source words. Run "
        "it along the rows, axis=1: where does each written word look?": lambda A, read, writes, source: [
            (word, source[j]) for word, j in zip(writes, A.argmax(axis=0).tolist(), strict=False)
        ],
        "You paired the first with the first, the second with the second. The languages order their words differently: "
        "ask the map.": lambda A, read, writes, source: list(zip(writes, source, strict=False)),
        "Each source word is one place too far on. "
        "argmax counts from 0, and so does the list.": lambda A, read, writes, source: [
            (word, source[(j + 1) % len(source)]) for word, j in zip(writes, A.argmax(axis=1).tolist(), strict=True)
        ],
        "Those are the source words, and they are right. Put the written word before each: `(writes[i], "
        "source[j])`.": lambda A, read, writes, source: [word for _, word in _pairs(A, read, writes, source)],
        "Those are the places. Asked for are the words that stand there: "
        "`writes[i]` and `source[j]`.": lambda A, read, writes, source: list(enumerate(A.argmax(axis=1).tolist())),
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
        "You add up lengths. Two heads may hand over vectors that point apart: add the vectors, then take the length "
        "of the sum.": lambda A, V, W_O: np.linalg.norm(_handed(A, V, W_O), axis=-1).sum(axis=0),
        "You take the length over the heads too, as if their vectors "
        "stood side by side. They are added up: first the sum over "
        "the heads, then the length over d_model.": lambda A, V, W_O: np.linalg.norm(_handed(A, V, W_O), axis=(0, -1)),
        "Each head by itself is right. The residual stream gets their sum: add the vectors "
        "of the heads first.": lambda A, V, W_O: np.linalg.norm(_handed(A, V, W_O), axis=-1),
        **{
            f"You {done} the maps and add the values apart from each other. Each head weighs its own vectors: "
            "multiply head by head, then add.": lambda A, V, W_O, together=together: (
                together(A, axis=0) * np.linalg.norm((V @ W_O).sum(axis=0), axis=-1)
            )
            for done, together in (("average", np.mean), ("add", np.sum))
        },
        "Those are the vectors themselves, and they are "
        "right. Take the length of each, over the last axis.": lambda A, V, W_O: _handed(A, V, W_O).sum(axis=0),
        "That is how long the whole output of a row is: the words are added up in it. Asked "
        "for is each word's part.": lambda A, V, W_O: np.linalg.norm((A @ V @ W_O).sum(axis=0), axis=-1),
        "You added up the absolute values. The length is the root "
        "of the sum of squares, np.linalg.norm.": lambda A, V, W_O: np.abs(_handed(A, V, W_O).sum(axis=0)).sum(axis=-1),
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
        "The residual is missing: rollout guesses that stream and heads weigh the same. Mix each averaged map half and "
        "half with the identity.": lambda layers: _rollout_of(lambda layer: layer.mean(axis=0), layers),
        "You added the identity but did not halve: your rows sum to 2, then 4, then 8. Half "
        "and half: divide by 2.": lambda layers: _rollout_of(
            lambda layer: layer.mean(axis=0) + np.eye(layer.shape[1]), layers
        ),
        "You halved the map but not the identity, so your rows sum to more than 1. Halve both.": lambda layers: (
            _rollout_of(lambda layer: layer.mean(axis=0) / 2 + np.eye(layer.shape[1]), layers)
        ),
        "You halved the identity but not the map: `/` comes before `+`. Put brackets round "
        "the sum, and halve it.": lambda layers: _rollout_of(
            lambda layer: layer.mean(axis=0) + np.eye(layer.shape[1]) / 2, layers
        ),
        "The first layer is in your product twice: you begin with it, and meet it again. "
        "Begin with the identity.": lambda layers: rollout(layers) @ _mixed(layers[0]),
        "You mixed in the identity once, at the end. Every layer has its residual: mix it "
        "in before each product.": _residual_at_the_end,
        "Right for two layers. Go through as many as there are.": lambda layers: _mixed(layers[1]) @ _mixed(layers[0]),
        "You mix each map with a table of ones. The residual "
        "brings a word itself and no other: `np.eye`.": lambda layers: _rollout_of(
            lambda layer: (layer.mean(axis=0) + np.ones(layer.shape[1:])) / 2, layers
        ),
        "You never took the mean over the heads, so there is a rollout for each. Average "
        "before you multiply.": _heads_never_averaged,
        "You used the first head of every layer only. Average over all of them.": lambda layers: _rollout_of(
            lambda layer: (layer[0] + np.eye(layer.shape[1])) / 2, layers
        ),
        "You followed each head through all layers, and took the mean at the end. A layer's heads are added up before "
        "the next layer reads them: take their mean first.": lambda layers: _heads_never_averaged(layers).mean(axis=0),
        "You averaged the layers. They come one after the other: multiply them as matrices.": lambda layers: np.mean(
            [_mixed(layer) for layer in layers], axis=0
        ),
        "You multiplied entry by entry, `*`. From word to word through "
        "a third one is the matrix product, `@`.": lambda layers: np.prod([_mixed(layer) for layer in layers], axis=0),
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
        "You add up the rows as well, so a word that asks in several pieces shares out more than 1: take the mean of "
        "its rows.": _words_by(_sum, _sum),
        "Sum and mean have changed places: what is paid to the pieces of a word is added up, and the rows of a word "
        "that asks are averaged.": _words_by(_sum, _mean),
        "Each row sums to 1 again, but a word in three pieces has the mean of what they are paid, a word in one piece "
        "all of it: add the columns up.": lambda A, asks, asked: _shared_out(_words_by(_mean, _mean)(A, asks, asked)),
        "You keep the first piece of each word alone: all pieces belong to it.": _words_by(
            lambda pieces: pieces[0], lambda pieces: pieces[0]
        ),
        "The columns are right, but for a word that asks you take its first piece alone: all "
        "its pieces count alike.": _words_by(lambda pieces: pieces[0], _sum),
        "The columns are right, but for a word that asks you take its last piece alone: all "
        "its pieces count alike.": _words_by(lambda pieces: pieces[-1], _sum),
        "The rows are words, and the columns are still "
        "pieces: put the columns of each word together, too.": lambda A, asks, asked: _joined(A, asks, _mean),
        "The last word is missing on both sides: they count from 0, so there are `asks.max() + 1` and `asked.max() + "
        "1` of them.": lambda A, asks, asked: _word_map(A, asks, asked)[:-1, :-1],
    },
)

# --- the strongest way --------------------------------------------------------------------------------------------


def _ways(first: Array, second: Array) -> Array:
    """What each way carries, (N, N, N): [i, k, j] from word j by way of word k to row i."""
    return second[:, :, np.newaxis] * first


_LAYERS = [(_words_random.dirichlet(np.ones(N), N), _words_random.dirichlet(np.ones(N), N)) for N in (4, 6, 3)]

_STRONGEST_WAY = Exercise(
    "14.strongest_way",
    "the strongest way",
    lambda first, second: _ways(first, second).argmax(axis=1),
    _LAYERS,
    {
        "You look at the second layer alone: through that word little "
        "of word j may come, so multiply with what the first layer "
        "lets through.": lambda first, second: np.repeat(second.argmax(axis=1)[:, np.newaxis], len(first), axis=1),
        "You look at the first layer alone: word i may hardly look at that word, so multiply with what the second "
        "layer lets through.": lambda first, second: np.repeat(first.argmax(axis=0)[np.newaxis], len(first), axis=0),
        "You judge a way by the weaker of its two weights: what it carries is their product.": lambda first, second: (
            np.minimum(second[:, :, np.newaxis], first).argmax(axis=1)
        ),
        "That is how much the strongest way carries, and it is right: asked for is the word k that it goes through, "
        "argmax.": lambda first, second: _ways(first, second).max(axis=1),
        "That is the product of the two maps, all ways added up: asked for is the word k "
        "of the largest of them.": lambda first, second: second @ first,
        "You multiply the two maps entry by entry: a way changes its word between the layers, `second[i, k]` times "
        "`first[k, j]`.": lambda first, second: (second * first).argmax(axis=1),
    },
)

_WHICH = choice(
    "14.which",
    "a",
    "no more than this was tried. Where a head looks and whether it is needed are two questions.",
    {
        "b": (
            "The map is what the pass has used: the head did look there. What it brought is not missed; that is "
            "another thing."
        ),
        "c": (
            "Another head may bring the verb. To test that, put another verb into the source, or take all such heads "
            "out at once."
        ),
        "d": (
            "It may be, but nothing here shows it. What was measured is that no more sentences are wrong than before."
        ),
    },
)

EXERCISES = (_ALIGNMENT, _WORD_MAP, _CONTRIBUTION, _ROLLOUT, _STRONGEST_WAY, _WHICH)
