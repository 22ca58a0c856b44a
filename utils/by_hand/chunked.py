"""Attention in chunks: the same output as the formula's, without ever holding all N × M scores.

Sources: the running softmax, Milakov and Gimelshein 2018, algorithm 3; attention with it, Rabe and Staats 2021, and
Dao et al. 2022 (FlashAttention), algorithm 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from utils.by_hand.arrays import Array, Mask, finite, quietly, require_mask, require_numbers, require_whole
from utils.by_hand.attention import require_one_width, require_scale

_LEAST = np.finfo(np.float64).min  # below every score; −∞ would make −∞ − −∞ of a row that allows nothing


class Running(NamedTuple):
    """The running results for N queries after some of their keys."""

    top: Array  # (…, N, 1): the largest score so far
    total: Array  # (…, N, 1): Σ e^(score − top)
    output: Array  # (…, N, d_v): Σ e^(score − top) · value, not yet divided by the total


def nothing_yet(queries: tuple[int, ...], d_v: int) -> Running:
    """Return the running results before the first key; `queries` is (…, N).

    >>> nothing_yet((1,), d_v=2).output
    array([[0., 0.]])
    """
    return Running(np.full((*queries, 1), _LEAST), np.zeros((*queries, 1)), np.zeros((*queries, d_v)))


@quietly  # a gap of −∞ is a factor of 0
def take_in(running: Running, scores: Array, V: Array, allowed: Mask | bool = True) -> Running:
    """Take C more keys into `running`: their scaled scores (…, N, C), values V (…, C, d_v), allowed (…, N, C).

    When the largest score rises from `top` to a new one, what was summed so far is multiplied by e^(top − new).
    >>> take_in(nothing_yet((1,), 1), np.array([[0.0, 0.0]]), np.array([[1.0], [3.0]])).output
    array([[4.]])
    """
    top = np.maximum(running.top, np.max(scores, axis=-1, keepdims=True, where=allowed, initial=_LEAST))
    e = np.exp(scores - top, where=allowed, out=np.zeros_like(scores))  # (…, N, C)
    factor = np.exp(running.top - top)  # (…, N, 1)
    return Running(top, running.total * factor + e.sum(axis=-1, keepdims=True), running.output * factor + e @ V)


def shared_out(running: Running) -> Array:
    """Return the output (…, N, d_v): divided by the total; zeros where no key was allowed.

    >>> shared_out(Running(np.zeros((1, 1)), np.array([[2.0]]), np.array([[4.0]])))
    array([[2.]])
    """
    return np.divide(running.output, running.total, where=running.total > 0, out=np.zeros_like(running.output))


def chunked_attention(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    mask: ArrayLike | None = None,
    scale: float | None = None,
    chunk: int = 256,
) -> Array:
    """Compute `scaled_dot_product_attention`, (…, N, d_v), in memory that grows with N and not with N · M.

    Q (…, N, d_k), K (…, M, d_k), V (…, M, d_v) with the same leading axes, or none. mask (…, N, M) or (N, M), boolean:
    True where attention is allowed; a row without any True yields zeros. scale: 1/√d_k unless given. chunk: how many
    queries meet how many keys at once, so that chunk · chunk scores are held at a time.

    Raises ValueError or TypeError, in one sentence, for what does not fit, for NaN and infinity, and for numbers so
    large that a score, or the sum of a row's values, would overflow.
    >>> chunked_attention([[1]], [[0], [0]], [[1], [3]], chunk=1)
    array([[2.]])
    """
    Q, K, V = (_require_tokens(name, value) for name, value in {"Q": Q, "K": K, "V": V}.items())
    require_one_width(Q, K)
    if K.shape[:-1] != V.shape[:-1]:
        raise ValueError(f"each key needs one value: K has shape {K.shape}, V has shape {V.shape}.")
    if Q.shape[:-2] != K.shape[:-2]:
        raise ValueError(f"queries and keys need the same leading axes: Q has shape {Q.shape}, K has shape {K.shape}.")
    shape = (*Q.shape[:-1], K.shape[-2])
    allowed = None if mask is None else require_mask("mask", mask, shape, shape[-2:])
    scale, chunk = require_scale(scale, Q.shape[-1]), require_whole("chunk", chunk)
    output = np.empty((*Q.shape[:-1], V.shape[-1]))
    for i in range(0, Q.shape[-2], chunk):
        rows = slice(i, i + chunk)
        output[..., rows, :] = _some_queries(
            Q[..., rows, :], K, V, None if mask is None else allowed[..., rows, :], scale, chunk
        )
    return output


@quietly
def _some_queries(Q: Array, K: Array, V: Array, allowed: Mask | None, scale: float, chunk: int) -> Array:
    """Return the output of these queries only, which meet the keys chunk by chunk."""
    running = nothing_yet(Q.shape[:-1], V.shape[-1])
    for j in range(0, K.shape[-2], chunk):
        keys = slice(j, j + chunk)
        scores = finite("QKᵀ", Q @ K[..., keys, :].swapaxes(-1, -2))  # (…, n, d_k) (…, d_k, C) -> (…, n, C)
        scaled = finite("scale · QKᵀ", scores * scale)
        running = take_in(running, scaled, V[..., keys, :], True if allowed is None else allowed[..., keys])
    return finite("the output", shared_out(running))


def _require_tokens(name: str, value: ArrayLike) -> Array:
    array = require_numbers(name, value)
    if array.ndim < 2 or array.size == 0:
        raise ValueError(f"{name} must have a row per token, and at least one: its shape is {array.shape}.")
    return array
