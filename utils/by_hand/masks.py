"""Masks: who may look at whom. Boolean, True where attention is allowed.

Rows are queries, columns are keys; B sentences of a batch come first where there are several.
Sources: Vaswani et al. 2017, section 3.2.3; lecture notes N4 (look-ahead and padding mask) and N5 (M).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from utils.by_hand.arrays import Array, as_count, as_numbers

Mask = NDArray[np.bool_]
MOST_TOKENS = 2**15


def look_ahead_mask(n_tokens: int) -> Mask:
    """Row i may look at columns 0 to i, itself and what came before: (N, N), True on and below the diagonal.

    Raises ValueError for fewer than one token and for more than 32,768, whose mask would take over 1 GiB; TypeError for
    a number that is not whole. Source: N4, "look ahead mask".
    """
    N = as_count("n_tokens", n_tokens)
    if N > MOST_TOKENS:
        raise ValueError(
            f"n_tokens must be at most {MOST_TOKENS}: the mask for {N} would take {N * N / 2**30:.1f} GiB."
        )
    return np.tri(N, dtype=bool)


def padding_mask(lengths: ArrayLike, n_tokens: int | None = None) -> Mask:
    """True at the real tokens of each sentence, False at what fills it up at its end: (B, N).

    lengths (B,): how many real tokens each sentence has, 0 included. n_tokens: N, the longest unless given.
    Raises ValueError for a negative length or one above N, TypeError for lengths that are not whole numbers.
    Source: N4, "padding mask".
    """
    lengths = _as_lengths("lengths", lengths)
    N = as_count("n_tokens", int(lengths.max()) if n_tokens is None else n_tokens)
    if lengths.max() > N:
        which = int(lengths.argmax())
        raise ValueError(f"lengths[{which}] is {lengths[which]}, but there are only {N} places for tokens.")
    return np.arange(N) < lengths[:, np.newaxis]


def decoder_mask(lengths: ArrayLike, n_tokens: int | None = None) -> Mask:
    """Look-ahead and padding together, for the decoder's self-attention: (B, N, N). Raises as `padding_mask` does."""
    real = padding_mask(lengths, n_tokens)
    return look_ahead_mask(real.shape[1]) & real[:, np.newaxis, :]


def cross_attention_mask(n_queries: int, source_lengths: ArrayLike, n_keys: int | None = None) -> Mask:
    """Every decoder token may look at the real tokens of its source: (B, T, S), T decoder and S encoder tokens.

    Raises as `padding_mask` does. Source: N5, "encoder-decoder attention".
    """
    T = as_count("n_queries", n_queries)
    real = padding_mask(source_lengths, n_keys)
    return np.repeat(real[:, np.newaxis, :], T, axis=1)


def additive_mask(allowed: ArrayLike, forbidden: float = -np.inf) -> Array:
    """The M that N5 adds to the scores: 0 where attention is allowed, `forbidden` elsewhere; same shape as `allowed`.

    Raises TypeError when `allowed` is not boolean, ValueError when `forbidden` is NaN.
    """
    allowed = np.asarray(allowed)
    if allowed.dtype != bool:
        raise TypeError(f"allowed must be boolean, True where attention is allowed: its dtype is {allowed.dtype}.")
    if np.isnan(forbidden):
        raise ValueError("forbidden is nan: it must be a number, or minus infinity.")
    return np.where(allowed, 0.0, float(forbidden))


def _as_lengths(name: str, value: ArrayLike) -> NDArray[np.int64]:
    numbers = as_numbers(name, value)
    if numbers.ndim != 1 or numbers.size == 0:
        raise ValueError(f"{name} must be a list of lengths, one for each sentence: its shape is {numbers.shape}.")
    for i, number in enumerate(numbers):
        if number != np.round(number):
            raise TypeError(f"{name}[{i}] is {number:g}: a length is a whole number.")
        if number < 0:
            raise ValueError(f"{name}[{i}] is {number:g}: a length can't be below 0.")
        if number > np.iinfo(np.int32).max:
            raise ValueError(f"{name}[{i}] is {number:g}: no sentence is so long.")
    return numbers.astype(np.int64)
