"""Multi-head attention: several small attentions side by side, joined by one matrix.

Rows are tokens. h heads share the columns of Q, K and V; each is d_k (or d_v) columns wide.
Sources: Vaswani et al. 2017, section 3.2.2; lecture notes N1 (dimensions) and N4 (flow).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from utils.by_hand.arrays import (
    Array,
    product,
    require_mask,
    require_matrices,
    require_matrix,
    require_numbers,
    require_whole,
)
from utils.by_hand.attention import attend, require_one_width


def head_width(d_model: int, n_heads: int, name: str = "d_model") -> int:
    """Return how many of the `d_model` columns each of `n_heads` heads gets: 512 and 8 give 64.

    `name` is what the sentence calls the columns. Raises ValueError when they can't be shared out evenly or either
    number is below 1, TypeError when one is not whole. Source: N1, "Dimensionality".
    >>> head_width(512, 8)
    64
    """
    d_model, n_heads = require_whole(name, d_model), require_whole("n_heads", n_heads)
    if d_model % n_heads:
        raise ValueError(
            f"{name} = {d_model} can't be shared evenly by {n_heads} heads: {d_model}/{n_heads} is not a whole number."
        )
    return d_model // n_heads


def split_heads(Q: ArrayLike, n_heads: int, name: str = "Q") -> Array:
    """Split the columns of Q (N, h·d_k) among h heads, (h, N, d_k): head 1 gets the first d_k columns of every token.

    The same for K and V. Raises ValueError when the columns can't be shared evenly. Source: N4, "Split among heads".
    >>> split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], 2).astype(int).tolist()
    [[[1, 2], [5, 6]], [[3, 4], [7, 8]]]
    """
    Q = require_matrix(name, Q)
    d_k = head_width(Q.shape[1], n_heads, f"the width of {name}")
    return Q.reshape(len(Q), n_heads, d_k).transpose(1, 0, 2)


def join_heads(heads: ArrayLike) -> Array:
    """Return the heads (h, N, d_v) side by side, (N, h·d_v): undoes `split_heads`.

    Raises ValueError for anything that has no three axes or nothing in it. Source: N3 and N4, "concat".
    >>> join_heads([[[1, 2], [5, 6]], [[3, 4], [7, 8]]]).astype(int).tolist()
    [[1, 2, 3, 4], [5, 6, 7, 8]]
    """
    heads = require_numbers("heads", heads)
    if heads.ndim != 3 or heads.size == 0:
        raise ValueError(f"heads must be (heads, tokens, width), none of them 0: the shape is {heads.shape}.")
    h, N, d_v = heads.shape
    return heads.transpose(1, 0, 2).reshape(N, h * d_v)


@dataclass(frozen=True)
class MultiHead:
    """All intermediate results of multi-head attention, for h heads and N tokens."""

    weights: Array  # (h, N, N)  row i of weights[n] is what token i pays, in head n
    heads: Array  # (h, N, d_v)  what each head hands over
    joined: Array  # (N, h·d_v)  the heads side by side; N1 calls it C
    output: Array  # (N, d_model)  joined W_O


def multi_head_attention(
    X: ArrayLike,
    W_Q: ArrayLike,
    W_K: ArrayLike,
    W_V: ArrayLike,
    W_O: ArrayLike,
    n_heads: int,
    mask: ArrayLike | None = None,
) -> MultiHead:
    """Compute self-attention of the tokens X (N, d_model) in `n_heads` heads.

    W_Q, W_K (d_model, h·d_k) and W_V (d_model, h·d_v) hold the heads' own matrices side by side; W_O (h·d_v, d_model).
    mask (N, N), boolean: True where attention is allowed, the same for all heads; a row without any True yields zeros.

    Raises ValueError or TypeError, in one sentence with the shapes, for anything that does not fit, for NaN and
    infinity, and for numbers so large that the result would overflow.
    Source: Vaswani et al. 2017, section 3.2.2; N1, X′ = C W^O; N4, "Flow".
    >>> multi_head_attention(np.eye(4), *[np.eye(4)] * 4, n_heads=2).weights.shape
    (2, 4, 4)
    """
    X, W_Q, W_K, W_V, W_O = require_matrices(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O)
    allowed = True if mask is None else require_mask("mask", mask, (len(X), len(X)))
    Q = split_heads(product(X=X, W_Q=W_Q), n_heads, "X W_Q")  # (N, h·d_k) -> (h, N, d_k)
    K = split_heads(product(X=X, W_K=W_K), n_heads, "X W_K")
    V = split_heads(product(X=X, W_V=W_V), n_heads, "X W_V")  # (N, h·d_v) -> (h, N, d_v)
    require_one_width(Q, K)
    attended = attend(Q, K, V, allowed, 1 / np.sqrt(Q.shape[-1]))
    C = join_heads(attended.output)  # (h, N, d_v) -> (N, h·d_v)
    return MultiHead(attended.weights, attended.output, C, product(C=C, W_O=W_O))
