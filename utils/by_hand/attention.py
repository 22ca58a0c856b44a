"""Scaled dot-product attention, and the eight steps that lead to it.

Rows are tokens. N queries meet M keys; in self-attention M = N.
Sources: Vaswani et al. 2017, equation 1; lecture note N1 (matrix approach) and N3 (eight steps).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from utils.by_hand.arrays import (
    Array,
    Mask,
    finite,
    product,
    quietly,
    require_along,
    require_mask,
    require_matrices,
    require_number,
)


def softmax(z: ArrayLike, axis: int = -1) -> Array:
    """Turn `z` into positive numbers that sum to 1 along `axis`, in the order of `z`; same shape as `z`.

    e^z / Σ e^z, with the maximum taken off first: that changes nothing but keeps e^z from
    overflowing (N3 step 5; N5, "softmax"). Raises ValueError when `z` is empty along `axis`,
    has no such axis, or holds NaN or infinity.
    >>> softmax([0, np.log(3)]).round(2)
    array([0.25, 0.75])
    """
    return masked_softmax(require_along("z", z, axis), True, axis)


def scaled_dot_product_attention(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: ArrayLike | None = None, scale: float | None = None
) -> tuple[Array, Array]:
    """Compute softmax(scale · QKᵀ) V: return the output (N, d_v) and the weights (N, M).

    Q (N, d_k): a query per row. K (M, d_k): a key per row. V (M, d_v): a value per row.
    mask (N, M), boolean: True where attention is allowed; a row without any True yields zeros.
    scale: 1/√d_k unless given; 1.0 leaves the scores as they are.

    Raises ValueError or TypeError, in one sentence with the shapes, for anything that does not fit,
    for NaN and infinity, and for numbers so large that the result would overflow.
    Source: Vaswani et al. 2017, equation 1; N1, "matrix approach".
    >>> output, weights = scaled_dot_product_attention([[1, 0]], [[0, 1], [0, 2]], [[10], [20]])
    >>> output.tolist(), weights.tolist()
    ([[15.0]], [[0.5, 0.5]])
    """
    Q, K, V = require_matrices(Q=Q, K=K, V=V)
    require_one_width(Q, K)
    if len(K) != len(V):
        raise ValueError(f"each key needs one value: K has shape {K.shape}, V has shape {V.shape}.")
    allowed = True if mask is None else require_mask("mask", mask, (len(Q), len(K)))
    attended = attend(Q, K, V, allowed, require_scale(scale, Q.shape[1]))
    return attended.output, attended.weights


class Attended(NamedTuple):
    """The intermediate results of the formula."""

    scores: Array  # (…, N, M)
    scaled_scores: Array  # (…, N, M)
    weights: Array  # (…, N, M)
    output: Array  # (…, N, d_v)


@quietly
def attend(Q: Array, K: Array, V: Array, allowed: Mask | bool, scale: float) -> Attended:
    """Compute the formula for checked matrices; heads, if there are any, are the first axis.

    >>> attend(np.eye(2), np.eye(2), np.eye(2), True, 0.0).weights.tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    scores = finite("QKᵀ", Q @ K.swapaxes(-1, -2))  # (…, N, d_k) (…, d_k, M) -> (…, N, M)
    scaled_scores = finite("scale · QKᵀ", scores * scale)
    weights = masked_softmax(scaled_scores, allowed)  # (…, N, M): each row sums to 1
    output = finite("the output", weights @ V)  # (…, N, M) (…, M, d_v) -> (…, N, d_v)
    return Attended(scores, scaled_scores, weights, output)


@quietly  # a gap of −∞ is a weight of 0
def masked_softmax(z: Array, allowed: Mask | bool, axis: int = -1) -> Array:
    """Take the softmax of the allowed entries along `axis`; the others get 0, and so does a row that allows none.

    >>> masked_softmax(np.zeros((2, 2)), np.array([[True, False], [False, False]])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    top = np.max(z, axis=axis, keepdims=True, where=allowed, initial=np.finfo(np.float64).min)
    e = np.exp(z - top, where=allowed, out=np.zeros_like(z))
    total = e.sum(axis=axis, keepdims=True)
    return np.divide(e, total, where=total > 0, out=np.zeros_like(z))


@dataclass(frozen=True)
class AttentionSteps:
    """All results of the eight steps of N3, to look at one by one.

    N tokens, d_model numbers per token; queries and keys d_k wide, values d_v wide.
    """

    X: Array  # (N, d_model)  step 1: the inputs
    W_Q: Array  # (d_model, d_k)  step 2: the weights
    W_K: Array  # (d_model, d_k)
    W_V: Array  # (d_model, d_v)
    Q: Array  # (N, d_k)  step 3: X W_Q, a query per token
    K: Array  # (N, d_k)  X W_K
    V: Array  # (N, d_v)  X W_V
    scores: Array  # (N, N)  step 4: QKᵀ; row i belongs to query i
    scale: float  # what the scores are multiplied by; N3 uses 1, the paper 1/√d_k
    scaled_scores: Array  # (N, N)
    weights: Array  # (N, N)  step 5: softmax of each row
    weighted_values: Array  # (N, N, d_v)  step 6: [i, j] is weights[i, j] · V[j]
    output: Array  # (N, d_v)  steps 7 and 8: their sum over j, for every query i


def attention_steps(
    X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, W_V: ArrayLike, scale: float | None = None
) -> AttentionSteps:
    """Compute self-attention of the tokens X (N, d_model) in the eight steps of N3.

    W_Q and W_K are (d_model, d_k), W_V is (d_model, d_v). scale: 1/√d_k unless given.
    Raises as `scaled_dot_product_attention` does, naming the matrices that do not fit.
    >>> attention_steps([[1, 2]], [[1], [1]], [[1], [0]], [[0], [1]]).scores
    array([[3.]])
    """
    X, W_Q, W_K, W_V = require_matrices(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V)
    Q, K, V = product(X=X, W_Q=W_Q), product(X=X, W_K=W_K), product(X=X, W_V=W_V)
    require_one_width(Q, K)
    scale = require_scale(scale, Q.shape[1])
    scores, scaled_scores, weights, output = attend(Q, K, V, True, scale)
    weighted_values = weights[:, :, np.newaxis] * V  # (N, N, 1) (N, d_v) -> (N, N, d_v)
    return AttentionSteps(X, W_Q, W_K, W_V, Q, K, V, scores, scale, scaled_scores, weights, weighted_values, output)


def entropy(weights: ArrayLike, axis: int = -1) -> Array:
    """Measure how evenly weights are spread along `axis`: −Σ p ln p, in nats; their shape without that axis.

    0 when one weight has everything, ln n when n weights are alike. A weight of 0 adds nothing.
    Raises ValueError when the weights along `axis` are not shares: none below 0, their sum 1.
    Source: Shannon 1948, section 6, with the natural logarithm.
    >>> entropy([[0.5, 0.5], [1, 0]]).round(3).tolist()
    [0.693, 0.0]
    """
    p = _require_shares(weights, axis)
    logarithm = np.log(p, where=p > 0, out=np.zeros_like(p))  # 0 · ln 0 counts as 0
    return np.asarray(-(p * logarithm).sum(axis=axis)) + 0.0  # −0 + 0 is 0


def softmax_jacobian(weights: ArrayLike) -> Array:
    """Compute the slopes of the softmax: [j, k] is ∂p_j/∂z_k = p_j (δ_jk − p_k), for weights p = softmax(z).

    weights (n,), one row of shares. Returns (n, n), symmetric, each row and each column summing to 0.
    Raises ValueError when `weights` is not one row of shares.
    >>> softmax_jacobian([0.5, 0.5]).tolist()
    [[0.25, -0.25], [-0.25, 0.25]]
    """
    p = _require_shares(weights, -1)
    if p.ndim != 1:
        raise ValueError(f"softmax_jacobian takes the weights of one query, a row: weights has shape {p.shape}.")
    jacobian = -np.outer(p, p)
    np.fill_diagonal(jacobian, 0.0)
    # 1 − p_j loses its digits when p_j is nearly 1; what the others have is the same, and keeps them.
    np.fill_diagonal(jacobian, -jacobian.sum(axis=1))
    return jacobian + 0.0


def require_one_width(Q: Array, K: Array) -> None:
    """Raise ValueError when the last axes of queries and keys differ."""
    if Q.shape[-1] != K.shape[-1]:
        raise ValueError(f"queries and keys must be equally wide: Q has shape {Q.shape}, K has shape {K.shape}.")


def require_scale(scale: float | None, d_k: int) -> float:
    """Return `scale` as a number, 1/√d_k where it is None."""
    return 1.0 / float(np.sqrt(d_k)) if scale is None else require_number("scale", scale)


@quietly
def _require_shares(weights: ArrayLike, axis: int) -> Array:
    """Return `weights` as shares along `axis`: none below 0, each sum 1 to six digits, as printed weights are."""
    p = require_along("weights", weights, axis)
    if (p < 0).any():
        where = ", ".join(map(str, np.argwhere(p < 0)[0].tolist()))
        raise ValueError(f"weights[{where}] is negative: weights are shares, none of them below 0.")
    sums = p.sum(axis=axis)
    far = np.argwhere(~np.isclose(sums, 1, rtol=0, atol=1e-6))
    if len(far):
        raise ValueError(f"weights must sum to 1 along axis {axis}: one sum is {sums[tuple(far[0])]:.6g}.")
    return p
