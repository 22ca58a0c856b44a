"""Sinusoidal positional encoding: a vector for every position, added to the token that stands there.

Column 2i is a sine, column 2i+1 a cosine, and both turn with the frequency ω_i = 1 / base^(2i/d_model).
Positions count from 0. When d_model is odd, the last sine has no cosine beside it.
Sources: Vaswani et al. 2017, section 3.5; lecture notes N2 (d = 3), N4 (n = 100, d = 4) and N5 (ω_k).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from utils.by_hand.arrays import Array, as_matrix, as_numbers, finite

BASE = 10000.0  # the paper's; N4 works its table with 100


def positional_encoding(n_positions: int, d_model: int, base: float = BASE, degrees: bool = False) -> Array:
    """The vectors of the positions 0, 1, …, n_positions − 1 below each other, (n_positions, d_model).

    degrees: takes the angles as degrees instead of radians, as a calculator set to DEG does (the slip in N2).
    Raises ValueError or TypeError as `encode_positions` does, and when n_positions is no whole number above 0.
    Source: Vaswani et al. 2017, section 3.5.
    """
    return encode_positions(np.arange(_count("n_positions", n_positions)), d_model, base, degrees)


def encode_positions(positions: ArrayLike, d_model: int, base: float = BASE, degrees: bool = False) -> Array:
    """The vectors of any `positions` (N,), one per row, (N, d_model); a position may be negative or a fraction.

    PE(pos, 2i) = sin(pos / base^(2i/d_model)), PE(pos, 2i+1) = cos(pos / base^(2i/d_model)); see
    `positional_encoding` for `degrees`. Raises ValueError, in one sentence, for no positions, another rank than 1,
    NaN and infinity, a d_model that is no whole number above 0, a base that is not above 0, and angles that
    overflow; TypeError for what is no number.
    """
    positions = as_numbers("positions", positions)
    if positions.ndim != 1 or positions.size == 0:
        raise ValueError(f"positions must be a list of at least one position: its shape is {positions.shape}.")
    d_model = _count("d_model", d_model)
    divisors = _divisors(d_model, base)
    with np.errstate(over="ignore", under="ignore"):
        angles = positions[:, np.newaxis] / divisors  # (N, 1) / (pairs,) -> (N, pairs)
    if not np.isfinite(angles).all():
        raise ValueError("pos / base^(2i/d_model) overflows: some angle is beyond 1.8e308, the largest of float64.")
    if degrees:
        angles = np.deg2rad(angles)
    PE = np.empty((len(positions), d_model))
    PE[:, 0::2] = np.sin(angles)
    PE[:, 1::2] = np.cos(angles[:, : d_model // 2])  # one cosine fewer than sines where d_model is odd
    return PE


def frequencies(d_model: int, base: float = BASE) -> Array:
    """ω_i = 1 / base^(2i/d_model), radians per position, one for each pair of columns, (⌈d_model / 2⌉,).

    Raises as `encode_positions` does for d_model and base, and ValueError when a frequency overflows.
    Source: N5, "Sinusoidal functions are good embeddings".
    """
    with np.errstate(over="ignore"):
        return finite("a frequency", 1.0 / _divisors(d_model, base))


def wavelengths(d_model: int, base: float = BASE) -> Array:
    """After how many positions each pair of columns repeats: 2π / ω_i = 2π · base^(2i/d_model), (⌈d_model / 2⌉,).

    Raises as `frequencies` does. Source: Vaswani et al. 2017, section 3.5.
    """
    with np.errstate(over="ignore"):
        return finite("a wavelength", 2 * np.pi * _divisors(d_model, base))


def rotation(k: float, d_model: int, base: float = BASE) -> Array:
    """The matrix (d_model, d_model) that turns the vector of any position p into that of p + k.

    M_k @ PE[p] = PE[p + k] for every p: each pair (sine, cosine) is turned by the angle ω_i k. Raises ValueError for
    an odd d_model, since the last sine has no cosine to turn with, and otherwise as `encode_positions` does.
    Source: Vaswani et al. 2017, section 3.5, "a linear function of PE_pos"; N4, "encode relative to other position".
    """
    step = as_numbers("k", k)
    if step.ndim != 0:
        raise ValueError(f"k must be one number: its shape is {step.shape}.")
    d_model = _count("d_model", d_model)
    if d_model % 2:
        raise ValueError(f"a rotation turns pairs of columns, so d_model must be even: it is {d_model}.")
    turned = encode_positions([float(step)], d_model, base)[0]  # sin ω_0 k, cos ω_0 k, sin ω_1 k, …
    M = np.zeros((d_model, d_model))
    for column in range(0, d_model, 2):
        sine, cosine = turned[column], turned[column + 1]
        M[column : column + 2, column : column + 2] = [[cosine, sine], [-sine, cosine]]
    return M


def add_positions(X: ArrayLike, base: float = BASE) -> Array:
    """X + PE: the tokens X (N, d_model), each with the vector of its position added, (N, d_model).

    Raises ValueError or TypeError when X is no matrix of finite numbers, and as `encode_positions` does for base.
    Source: Vaswani et al. 2017, section 3.5; N3, "added to input embeddings".
    """
    X = as_matrix("X", X)
    return X + positional_encoding(len(X), X.shape[1], base)


def _divisors(d_model: Any, base: Any) -> Array:
    """base^(2i/d_model) for every pair i, (⌈d_model / 2⌉,)."""
    number = as_numbers("base", base)
    if number.ndim != 0 or number <= 0:
        raise ValueError(f"base must be one number above 0: it is {base}.")
    d_model = _count("d_model", d_model)
    exponents = np.arange(0, d_model, 2) / d_model  # 2i/d_model, below 1: base^exponent can't overflow
    return number**exponents


def _count(name: str, value: Any) -> int:
    number = as_numbers(name, value)
    if number.ndim != 0 or isinstance(value, bool) or number != np.round(number) or number < 1:
        raise ValueError(f"{name} must be a whole number above 0: it is {value}.")
    return int(number)
