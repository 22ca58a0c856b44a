"""Sinusoidal positional encoding: a vector for every position, added to the token at that position.

Column 2i is a sine, column 2i+1 a cosine, and both turn with the frequency ω_i = 1 / base^(2i/d_model).
Positions count from 0. When d_model is odd, the last sine has no cosine beside it.
Sources: Vaswani et al. 2017, section 3.5; lecture notes N2 (d = 3), N4 (n = 100, d = 4) and N5 (ω_k).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from utils.by_hand.arrays import (
    Array,
    finite,
    quietly,
    require_along,
    require_matrix,
    require_number,
    require_room,
    require_shape,
    require_whole,
)

BASE = 10000.0  # the paper's; N4 works its table with 100


def positional_encoding(n_positions: int, d_model: int, base: float = BASE, degrees: bool = False) -> Array:
    """Return the vectors of the positions 0, 1, …, n_positions − 1 below each other, (n_positions, d_model).

    degrees: takes the angles as degrees instead of radians, as a calculator set to DEG does (N2's mistake).
    Raises ValueError or TypeError as `encode_positions` does, and when n_positions is no whole number above 0.
    Source: Vaswani et al. 2017, section 3.5.
    >>> positional_encoding(2, 3).round(2).tolist()
    [[0.0, 1.0, 0.0], [0.84, 0.54, 0.0]]
    """
    require_room("PE", require_whole("n_positions", n_positions), require_whole("d_model", d_model))
    return encode_positions(np.arange(n_positions), d_model, base, degrees)


@quietly
def encode_positions(positions: ArrayLike, d_model: int, base: float = BASE, degrees: bool = False) -> Array:
    """Return the vectors of any `positions` (N,), one per row, (N, d_model); a position may be negative or a fraction.

    PE(pos, 2i) = sin(pos / base^(2i/d_model)), PE(pos, 2i+1) = cos(pos / base^(2i/d_model)); see
    `positional_encoding` for `degrees`. Raises ValueError, in one sentence, for no positions, another rank than 1,
    NaN and infinity, a d_model that is no whole number above 0, a base that is not above 0, and angles that
    overflow; TypeError for what is no number.
    >>> encode_positions([0, np.pi], 2).round(2).tolist()
    [[0.0, 1.0], [0.0, -1.0]]
    """
    positions = require_shape("positions", require_along("positions", positions, 0), (None,))
    require_room("PE", len(positions), require_whole("d_model", d_model))
    angles = finite("pos / base^(2i/d_model)", positions[:, np.newaxis] / _divisors(d_model, base))  # (N, pairs)
    if degrees:
        angles = np.deg2rad(angles)
    PE = np.empty((len(positions), d_model))
    PE[:, 0::2] = np.sin(angles)
    PE[:, 1::2] = np.cos(angles[:, : d_model // 2])  # one cosine fewer than sines where d_model is odd
    return PE


@quietly
def frequencies(d_model: int, base: float = BASE) -> Array:
    """Compute ω_i = 1 / base^(2i/d_model), radians per position, one for each pair of columns, (⌈d_model / 2⌉,).

    Raises as `encode_positions` does for d_model and base, and ValueError when a frequency overflows.
    Source: N5, "Sinusoidal functions are good embeddings".
    >>> frequencies(4).tolist()
    [1.0, 0.01]
    """
    return finite("a frequency", 1.0 / _divisors(d_model, base))


def rotation(k: float, d_model: int, base: float = BASE) -> Array:
    """Return the matrix (d_model, d_model) that turns the vector of any position p into that of p + k.

    M_k @ PE[p] = PE[p + k] for every p: each pair (sine, cosine) is turned by the angle ω_i k. Raises ValueError for
    an odd d_model, since the last sine has no cosine to turn with, and otherwise as `encode_positions` does.
    Source: Vaswani et al. 2017, section 3.5, "a linear function of PE_pos"; N4, "encode relative to other position".
    >>> np.allclose(rotation(1, 2) @ encode_positions([2], 2)[0], encode_positions([3], 2)[0])
    True
    """
    k = require_number("k", k)
    if require_whole("d_model", d_model) % 2:
        raise ValueError(f"a rotation turns pairs of columns, so d_model must be even: it is {d_model}.")
    require_room("M", d_model, d_model)
    turned = encode_positions([k], d_model, base)[0]  # sin ω_0 k, cos ω_0 k, sin ω_1 k, …
    M = np.zeros((d_model, d_model))
    for column in range(0, d_model, 2):
        sine, cosine = turned[column], turned[column + 1]
        M[column : column + 2, column : column + 2] = [[cosine, sine], [-sine, cosine]]
    return M


def add_positions(X: ArrayLike, base: float = BASE) -> Array:
    """Compute X + PE: the tokens X (N, d_model), each with the vector of its position added, (N, d_model).

    Raises ValueError or TypeError when X is no matrix of finite numbers, and as `encode_positions` does for base.
    Source: Vaswani et al. 2017, section 3.5; N3, "added to input embeddings".
    >>> add_positions([[5, 5]]).tolist()
    [[5.0, 6.0]]
    """
    X = require_matrix("X", X)
    return X + positional_encoding(len(X), X.shape[1], base)


def _divisors(d_model: int, base: float) -> Array:
    """Compute base^(2i/d_model) for every pair i, (⌈d_model / 2⌉,)."""
    exponents = np.arange(0, require_whole("d_model", d_model), 2) / d_model  # below 1: the power can't overflow
    return require_number("base", base, above=0) ** exponents
