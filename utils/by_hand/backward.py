"""The way back through a block: from the slopes of the loss at what comes out to those at everything that went in.

G is always the gradient at what a step hands on; each function returns the gradients at what it was given. Rows are
tokens. N tokens of d_model numbers, h heads, V words.
Sources: the chain rule; Rumelhart, Hinton and Williams 1986, "Learning representations by back-propagating errors";
Kingma and Ba 2015, algorithm 1 (Adam).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from utils.by_hand.arrays import (
    Array,
    finite,
    quietly,
    require_matrix,
    require_numbers,
    require_room,
    require_shape,
    require_whole,
    require_wholes,
)
from utils.by_hand.attention import require_one_width
from utils.by_hand.decoder import log_softmax
from utils.by_hand.encoder import EncoderSteps, EncoderWeights, encoder_block, random_encoder_weights
from utils.by_hand.masks import look_ahead_mask
from utils.by_hand.multi_head import join_heads, split_heads
from utils.by_hand.normalization import layer_norm, layer_norm_backward
from utils.by_hand.tokenizers import look_up

Gradients = dict[str, Array]
SHORTCUTS = (1.0, 1.0)  # what the two residuals of a block hand back of G: all of it
BLOCK = ("W_Q", "W_K", "W_V", "W_O", "W_1", "b_1", "W_2", "b_2", "gamma_1", "beta_1", "gamma_2", "beta_2")


@quietly
def softmax_backward(G: ArrayLike, weights: ArrayLike) -> Array:
    """Return the gradient at the scores, from the one at their softmax: p_j (g_j − Σ_k p_k g_k) along the last axis.

    G and weights have the same shape. A score with a weight of 0, such as a masked one, gets a gradient of 0. Raises
    ValueError for shapes that differ, NaN and infinity.
    >>> softmax_backward([1, 0], [0.5, 0.5]).tolist()
    [0.25, -0.25]
    """
    P = require_numbers("weights", weights)
    G = require_shape("G", G, P.shape, "that is the shape of the weights")
    return finite("the gradient", P * (G - (G * P).sum(axis=-1, keepdims=True)))


@quietly
def attention_backward(
    G: ArrayLike, Q: ArrayLike, K: ArrayLike, V: ArrayLike, weights: ArrayLike
) -> tuple[Array, Array, Array]:
    """Return the gradients at Q, K and V, from the one at softmax(QKᵀ/√d_k) V; `weights` is that softmax.

    Q (…, N, d_k), K (…, M, d_k), V (…, M, d_v), weights (…, N, M), G (…, N, d_v); heads are the first axis.
    Raises ValueError in one sentence for shapes that do not fit, NaN, infinity and overflow.
    >>> [at.tolist() for at in attention_backward([[1]], [[2]], [[3]], [[4]], [[1]])]
    [[[0.0]], [[0.0]], [[1.0]]]
    """
    Q, K = require_numbers("Q", Q), require_numbers("K", K)
    if min(Q.ndim, K.ndim) < 2:
        raise ValueError(f"Q and K must have a row per token: their shapes are {Q.shape} and {K.shape}.")
    V = require_shape("V", V, (*K.shape[:-1], None), "each key needs one value")
    require_one_width(Q, K)
    P = require_shape("weights", weights, (*Q.shape[:-1], K.shape[-2]), "each query has a weight for each key")
    G = require_shape("G", G, (*P.shape[:-1], V.shape[-1]), "a row of the output is as wide as a value")
    at_V = P.swapaxes(-1, -2) @ G
    at_scores = softmax_backward(G @ V.swapaxes(-1, -2), P) / np.sqrt(Q.shape[-1])  # at QKᵀ
    found = at_scores @ K, at_scores.swapaxes(-1, -2) @ Q, at_V
    return tuple(finite("the gradient", at) for at in found)


def cross_entropy_backward(logits: ArrayLike, words: ArrayLike) -> Array:
    """Return the gradient at the logits (N, V) of the mean −ln p of the right words (N,): (p − 1 where right) / N.

    >>> cross_entropy_backward([[0, 0]], [1]).tolist()
    [[0.5, -0.5]]
    """
    logits = require_matrix("logits", logits)
    N, V = logits.shape
    words = require_wholes("words", words, (N,), most=V - 1)
    at_logits = np.exp(log_softmax(logits))
    at_logits[np.arange(N), words] -= 1
    return at_logits / N


def look_up_backward(G: ArrayLike, ids: ArrayLike, n_words: int) -> Array:
    """Return the gradient at a table (V, d_model) whose rows `ids` (N,) were read: rows read twice get the sum.

    >>> look_up_backward([[1, 2], [10, 20]], ids=[1, 1], n_words=3).tolist()
    [[0.0, 0.0], [11.0, 22.0], [0.0, 0.0]]
    """
    ids = require_wholes("ids", ids, (None,), most=require_whole("n_words", n_words) - 1)
    require_room("the table", n_words)
    G = require_shape("G", G, (len(ids), None), f"{len(ids)} rows were read")
    at_table = np.zeros((n_words, G.shape[1]))
    np.add.at(at_table, ids, G)
    return at_table


def block_backward(
    G: ArrayLike, steps: EncoderSteps, weights: EncoderWeights, shortcuts: Sequence[float] = SHORTCUTS
) -> tuple[Array, EncoderWeights]:
    """Return the gradients at X and at all that the block learns, from the one at its output (N, d_model).

    steps: what `encoder_block` has kept with these weights, in post-norm or pre-norm. The gradients are named as the
    weights are, those that were None included. shortcuts: how much of G each of the two residuals hands back; 0 stops
    it there, which is wrong, and is for trying out.
    >>> steps = encoder_block(np.eye(4), w := random_encoder_weights(4, 8), n_heads=2)
    >>> block_backward(np.ones((4, 4)), steps, w)[1].W_1.shape
    (4, 8)
    """
    G = require_shape("G", G, steps.output.shape, "that is the shape of the output")
    at: Gradients = {}

    def linear(G: Array, x: Array, n: str) -> Array:
        at[f"W_{n}"], at[f"b_{n}"] = x.T @ G, G.sum(axis=0)
        return G @ np.asarray(getattr(weights, f"W_{n}")).T

    def norm(G: Array, x: Array, n: int) -> Array:
        at[f"gamma_{n}"], at[f"beta_{n}"] = (G * layer_norm(x)).sum(axis=0), G.sum(axis=0)
        gamma = getattr(weights, f"gamma_{n}")
        return layer_norm_backward(G if gamma is None else G * np.asarray(gamma), x)

    def feed(G: Array) -> Array:
        at_active = linear(G, steps.active, "2")
        return linear(at_active * (steps.hidden > 0), steps.feed_in, "1")

    def attend(G: Array) -> Array:
        parts = linear(G, steps.joined, "O"), steps.Q, steps.K, steps.V
        at_heads, *qkv = (split_heads(x, len(steps.heads)) for x in parts)
        at_qkv = attention_backward(at_heads, *qkv, steps.weights)
        return sum(linear(join_heads(g), steps.attention_in, n) for g, n in zip(at_qkv, "QKV", strict=True))

    if steps.norm_first:
        G = shortcuts[1] * G + norm(feed(G), steps.added_1, 2)
        at_X = shortcuts[0] * G + norm(attend(G), steps.X, 1)
    else:
        G = norm(G, steps.added_2, 2)
        G = norm(shortcuts[1] * G + feed(G), steps.added_1, 1)
        at_X = shortcuts[0] * G + attend(G)
    return at_X, EncoderWeights(**at)


# --- a whole model: a table of words, one block, and what it says at each place ---


def random_writer(n_words: int, d_model: int, d_ff: int, seed: int = 0) -> Gradients:
    """Draw the parameters of a model of one block, by name: the table E, those of BLOCK, and W_U (d_model, n_words).

    Matrices are normal with standard deviation 1/√(their rows), E with 1; the biases of the block are 0.1 of normal.
    >>> {name: array.shape for name, array in random_writer(5, 4, 8).items() if name in ("E", "W_U")}
    {'E': (5, 4), 'W_U': (4, 5)}
    """
    block = asdict(random_encoder_weights(d_model, d_ff, seed))
    require_room("E", require_whole("n_words", n_words), d_model)
    random = np.random.default_rng([seed, n_words])
    norms = {"gamma": np.ones(d_model), "beta": np.zeros(d_model)}
    block |= {name: norms[name[:-2]] for name in BLOCK if name[:-2] in norms}
    E, W_U = random.normal(size=(n_words, d_model)), random.normal(size=(d_model, n_words)) / np.sqrt(d_model)
    return {"E": E, **{name: block[name] for name in BLOCK}, "W_U": W_U}


class WriterPass(NamedTuple):
    """The results of a forward pass that a model of one block keeps."""

    steps: EncoderSteps
    logits: Array  # (N, V)
    loss: float  # the mean of −ln p of the right words


@quietly
def writer(p: Mapping[str, ArrayLike], read: ArrayLike, right: ArrayLike) -> WriterPass:
    """Run the forward pass: rows of E, a pre-norm block of one head under the look-ahead mask, times W_U. No positions.

    read and right (N,): ids of the words that are read, and of those that come next.
    >>> writer(random_writer(5, 4, 8), read=[1, 3], right=[3, 2]).logits.shape
    (2, 5)
    """
    X = look_up(read, p["E"])
    steps = encoder_block(X, block_of(p), 1, look_ahead_mask(len(X)), norm_first=True)
    logits = finite("the logits", steps.output @ np.asarray(p["W_U"]))
    loss = -log_softmax(logits)[np.arange(len(X)), require_wholes("right", right, (len(X),))].mean()
    return WriterPass(steps, logits, float(loss))


def writer_gradients(
    p: Mapping[str, ArrayLike], read: ArrayLike, right: ArrayLike, shortcuts: Sequence[float] = SHORTCUTS
) -> tuple[float, Gradients]:
    """Return the loss of `writer`, and its gradient at every parameter of `p`, in arrays of the same names and shapes.

    >>> writer_gradients(random_writer(5, 4, 8), [1, 3], [3, 2])[1]["E"].any(axis=1).tolist()
    [False, True, False, True, False]
    """
    steps, logits, loss = writer(p, read, right)
    at_logits = cross_entropy_backward(logits, right)
    at_X, at_block = block_backward(at_logits @ np.asarray(p["W_U"]).T, steps, block_of(p), shortcuts)
    at = {"E": look_up_backward(at_X, read, len(p["E"])), "W_U": steps.output.T @ at_logits}
    return loss, {name: at[name] if name in at else getattr(at_block, name) for name in p}


def block_of(p: Mapping[str, ArrayLike]) -> EncoderWeights:
    """Return the weights of `p` that belong to the block.

    >>> block_of(random_writer(5, 4, 8)).W_Q.shape
    (4, 4)
    """
    return EncoderWeights(**{name: p[name] for name in BLOCK})
