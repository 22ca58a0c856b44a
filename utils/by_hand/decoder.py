"""What a decoder does that an encoder does not: shifted outputs, cross-attention, and the choice of a word.

Rows are tokens: M of the target, which is being written, and N of the source, which is read. V words in the vocabulary.
Sources: Vaswani et al. 2017, sections 3.1, 3.2.3 and 3.4; lecture note N5, "shifting outputs", "encoder-decoder
attention" and "the final step".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from utils.by_hand.arrays import (
    Array,
    Ids,
    product,
    quietly,
    require_along,
    require_matrices,
    require_matrix,
    require_whole,
    require_wholes,
)
from utils.by_hand.attention import scaled_dot_product_attention, softmax


def shift_right(words: ArrayLike, start: int = 1, end: int = 2) -> tuple[Ids, Ids]:
    """Return what the decoder reads, and what it has to predict at each position: two lists of n + 1 ids for n `words`.

    Read: start, w₁, …, wₙ. Said: w₁, …, wₙ, end. So the word to predict at a position is the one read at the next.
    `words` are the ids of a sentence, which may be empty. Raises TypeError when an id is not whole, ValueError when
    one is below 0, when `words` is no list, or when it holds `start` or `end` already.
    Source: Vaswani et al. 2017, figure 1, "outputs (shifted right)"; N5, "shifting outputs".
    >>> read, said = shift_right([7, 8, 9])
    >>> read.tolist(), said.tolist()
    ([1, 7, 8, 9], [7, 8, 9, 2])
    """
    words = require_wholes("words", words, (None,))
    start, end = require_whole("start", start, 0), require_whole("end", end, 0)
    for name, special in (("start", start), ("end", end)):
        if special in words:
            raise ValueError(
                f"words are the words alone: the {name} token, {special}, is added here and must not be in."
            )
    return np.array([start, *words], dtype=np.int64), np.array([*words, end], dtype=np.int64)


def cross_attention(
    Y: ArrayLike, E: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, W_V: ArrayLike, mask: ArrayLike | None = None
) -> tuple[Array, Array]:
    """Let the target attend to the source: output (M, d_v) and weights (M, N). Q = Y W_Q, K = E W_K, V = E W_V.

    Y (M, d_model): the decoder's tokens. E (N, d_model): the encoder's output. W_Q, W_K (d_model, d_k),
    W_V (d_model, d_v). mask (M, N), boolean: True where attention is allowed; a row without any True yields zeros.
    Raises ValueError or TypeError, in one sentence with the shapes, for anything that does not fit.
    Source: Vaswani et al. 2017, section 3.2.3; N5, "the output of encoder: keys and values".
    >>> cross_attention([[1]], [[2], [2]], [[1]], [[1]], [[1]])[1]
    array([[0.5, 0.5]])
    """
    Y, E, W_Q, W_K, W_V = require_matrices(Y=Y, E=E, W_Q=W_Q, W_K=W_K, W_V=W_V)
    Q, K, V = product(Y=Y, W_Q=W_Q), product(E=E, W_K=W_K), product(E=E, W_V=W_V)
    return scaled_dot_product_attention(Q, K, V, mask)


@quietly
def log_softmax(z: ArrayLike, axis: int = -1) -> Array:
    """Return the logarithms of the softmax along `axis`, same shape as z: (z − m) − ln Σ e^(z − m), m the maximum.

    Computed so and not as ln(softmax(z)), a share too small for a computer still has its logarithm: no −∞.
    Raises as `softmax` does.
    >>> log_softmax([0, 0]).round(3), log_softmax([0, 1000])
    (array([-0.693, -0.693]), array([-1000.,     0.]))
    """
    z = require_along("z", z, axis)
    below = np.maximum(z - z.max(axis=axis, keepdims=True), -np.finfo(np.float64).max)
    return below - np.log(np.exp(below).sum(axis=axis, keepdims=True))


@dataclass(frozen=True)
class NextWord:
    """The last step of the decoder, for the word that comes next."""

    logits: Array  # (V,)  a score for each word of the vocabulary
    probabilities: Array  # (V,)  their softmax
    log_probabilities: Array  # (V,)  its natural logarithm
    index: int  # the argmax: the id of the most probable word, the first of equals


def next_word(H: ArrayLike, W: ArrayLike) -> NextWord:
    """Apply linear layer, softmax, logarithm and argmax at the last position of the sentence written so far.

    H (M, d_model): the decoder's output, a row for each token written. W (d_model, V): the output layer.
    Raises ValueError or TypeError, in one sentence with the shapes, for anything that does not fit.
    Source: Vaswani et al. 2017, section 3.4; N5, "the final step is another linear layer and a softmax".
    >>> next_word([[1, 0], [0, 1]], [[0, 0, 9], [0, 9, 0]]).index
    1
    """
    H, W = require_matrices(H=H, W=W)
    logits = product(H=H, W=W)[-1]  # (M, d_model) (d_model, V) -> (M, V), and of it the last row
    return NextWord(logits, softmax(logits), log_softmax(logits), int(logits.argmax()))


def cross_entropy(logits: ArrayLike, words: ArrayLike, pad: int = 0) -> float:
    """Compute the mean of −ln p of the right words over the positions that are not padding, in nats.

    logits (M, V): a row for each place. words (M,): the id that is right at each place; places with `pad` don't count.
    0 when every right word has probability 1; ln V when all words are alike.
    Raises ValueError when nothing but padding is left, when an id is not in the vocabulary, or shapes don't fit.
    Source: Vaswani et al. 2017, section 5.1, without label smoothing.
    >>> round(cross_entropy([[0, 0], [0, 0]], [1, 0]), 3)
    0.693
    """
    logits = require_matrix("logits", logits)
    M, V = logits.shape
    words = require_wholes("words", words, (M,), most=V - 1)
    real = words != require_whole("pad", pad, 0)
    if not real.any():
        raise ValueError(f"there is no word to be right about: all {M} places hold padding, {pad}.")
    return float(-log_softmax(logits)[np.arange(M), words][real].mean()) + 0.0  # −0 + 0 is 0
