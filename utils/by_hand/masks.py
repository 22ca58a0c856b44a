"""Masks: who may attend to whom. Boolean, True where attention is allowed.

Rows are queries, columns are keys; B sentences of a batch come first where there are several.
Sources: Vaswani et al. 2017, section 3.2.3; lecture notes N4 (look-ahead and padding mask) and N5 (M).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from utils.by_hand.arrays import Array, Mask, require_mask, require_room, require_whole, require_wholes

MOST_TOKENS = 2**15


def look_ahead_mask(n_tokens: int) -> Mask:
    """Let row i attend to columns 0 to i, itself and those before it: (N, N), True on and below the diagonal.

    Raises ValueError for fewer than one token and for more than 32,768, whose mask would take over 1 GiB; TypeError for
    a number that is not whole. Source: N4, "look ahead mask".
    >>> look_ahead_mask(3).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    N = require_whole("n_tokens", n_tokens)
    if N > MOST_TOKENS:
        raise ValueError(
            f"n_tokens must be at most {MOST_TOKENS}: the mask for {N} would take {N * N / 2**30:.1f} GiB."
        )
    return np.tri(N, dtype=bool)


def padding_mask(lengths: ArrayLike, n_tokens: int | None = None) -> Mask:
    """Mark the real tokens of each sentence True, and the padding at its end False: (B, N).

    lengths (B,): how many real tokens each sentence has, 0 included. n_tokens: N, the longest unless given.
    Raises ValueError for a negative length or one above N, TypeError for lengths that are not whole numbers.
    Source: N4, "padding mask".
    >>> padding_mask([1, 3]).astype(int).tolist()
    [[1, 0, 0], [1, 1, 1]]
    """
    lengths = require_wholes("lengths", lengths, (None,))
    if not len(lengths):
        raise ValueError("lengths must hold a length for each sentence: there is none.")
    N = require_whole("n_tokens", int(lengths.max()) if n_tokens is None else n_tokens)
    if lengths.max() > N:
        which = int(lengths.argmax())
        raise ValueError(f"lengths[{which}] is {lengths[which]}, but there are only {N} places for tokens.")
    require_room("the mask", len(lengths), N)
    return np.arange(N) < lengths[:, np.newaxis]


def decoder_mask(lengths: ArrayLike, n_tokens: int | None = None) -> Mask:
    """Return the decoder's mask, look-ahead and padding together: (B, N, N). Raises as `padding_mask` does.

    >>> decoder_mask([1, 2]).astype(int).tolist()
    [[[1, 0], [1, 0]], [[1, 0], [1, 1]]]
    """
    real = padding_mask(lengths, n_tokens)
    return look_ahead_mask(real.shape[1]) & real[:, np.newaxis, :]


def additive_mask(allowed: ArrayLike, forbidden: float = -np.inf) -> Array:
    """Return the M that N5 adds to the scores: 0 where attention is allowed, elsewhere `forbidden`; same shape.

    Raises TypeError when `allowed` is not boolean, ValueError when `forbidden` is NaN.
    >>> additive_mask([[True, False]])
    array([[  0., -inf]])
    """
    allowed = require_mask("allowed", allowed)
    if np.isnan(forbidden):
        raise ValueError("forbidden is nan: it must be a number, or minus infinity.")
    return np.where(allowed, 0.0, float(forbidden))
