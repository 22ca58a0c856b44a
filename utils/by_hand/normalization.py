"""Normalization: the mean taken off and the spread divided out, of a token (layer norm) or of a batch (batch norm).

Rows are tokens or examples, columns are features. m features, N examples.
Sources: Ba et al. 2016, equations 3 and 4 (layer norm); Ioffe and Szegedy 2015, algorithm 1 (batch norm); lecture
note N1, "Batch-Norm" and "Layer Norm"; N4, "Layer Norm". ε inside the root is Ioffe and Szegedy's and PyTorch's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from utils.by_hand.arrays import Array, finite, quietly, require_along, require_matrix, require_number, require_shape


def layer_norm(
    x: ArrayLike,
    gamma: ArrayLike | None = None,
    beta: ArrayLike | None = None,
    eps: float = 1e-5,
    eps_inside: bool = True,
) -> Array:
    """Compute γ (x − μ) / √(σ² + ε) + β, with μ and σ² of each token: over the last axis of x (..., m).

    gamma, beta (m,): gain and bias, 1 and 0 unless given. eps_inside=False divides by σ + ε, as N4 writes it.
    σ² divides by m, not by m − 1. Raises ValueError in one sentence for shapes that do not fit, NaN and infinity, a
    negative ε, a result beyond float64, and with ε = 0 for a token whose numbers are all equal.
    >>> layer_norm([[1, 3], [10, 30]], eps=0).tolist()
    [[-1.0, 1.0], [-1.0, 1.0]]
    """
    return _gained(z_score(x, -1, eps, eps_inside), gamma, beta)


def batch_norm(
    x: ArrayLike,
    gamma: ArrayLike | None = None,
    beta: ArrayLike | None = None,
    eps: float = 1e-5,
    eps_inside: bool = True,
) -> Array:
    """Compute γ (x − μ) / √(σ² + ε) + β, with μ and σ² of each feature: down the columns of x (N, m), over the batch.

    As in training; what a finished model does with stored averages is not done here. Arguments and what is
    raised: as `layer_norm`; with ε = 0 it is a feature of equal numbers that is refused.
    >>> batch_norm([[1, 10], [3, 30]], eps=0).tolist()
    [[-1.0, -1.0], [1.0, 1.0]]
    """
    return _gained(z_score(require_matrix("x", x), 0, eps, eps_inside), gamma, beta)


def z_score(x: ArrayLike, axis: int = -1, eps: float = 0.0, eps_inside: bool = True, unbiased: bool = False) -> Array:
    """Compute (x − μ) / σ along `axis`, same shape as x: mean 0, and with ε = 0 standard deviation 1.

    eps_inside: √(σ² + ε), else σ + ε. unbiased=True divides the squares by one less than there are numbers, as
    statisticians do for a sample; no norm in a transformer does. Raises as `layer_norm` does, and with
    unbiased=True for a single number.
    >>> z_score([1, 3]).tolist()
    [-1.0, 1.0]
    """
    x, eps = require_along("x", x, axis), require_number("eps", eps, least=0)
    if unbiased and x.shape[axis] == 1:
        raise ValueError(f"the unbiased deviation needs two numbers or more: x has shape {x.shape}.")
    deviation, sigma, exponent = _spread(x, axis, unbiased)
    if eps == 0:
        _refuse_no_spread("σ", x, sigma, axis)
    return deviation / _divisor(sigma, exponent, eps, eps_inside)


@quietly
def layer_norm_backward(gradient: ArrayLike, x: ArrayLike, eps: float = 1e-5) -> Array:
    """Return the gradient at x (..., m), given the one at `layer_norm(x, eps=eps)`, same shape; γ = 1 and β = 0.

    (g − mean(g) − z mean(g z)) / √(σ² + ε), along the last axis: what moves all numbers of a token together, or
    stretches them, has no effect, so it is taken off. Raises as `layer_norm` does.
    >>> layer_norm_backward([1, 1], [1, 3]).tolist()
    [0.0, 0.0]
    """
    z, x = z_score(x, -1, eps), np.asarray(x, dtype=np.float64)
    g = require_shape("gradient", gradient, x.shape, "that is the shape of x")
    _, sigma, exponent = _spread(x, -1, unbiased=False)
    off = g - g.mean(axis=-1, keepdims=True) - z * (g * z).mean(axis=-1, keepdims=True)
    return finite("the gradient", np.ldexp(off / _divisor(sigma, exponent, eps, True), -exponent))


def min_max(x: ArrayLike) -> Array:
    """Compute (x − min) / (max − min) of each row: from 0 to 1, same shape. This isn't layer norm (N4 mixes the two).

    Raises ValueError for NaN and infinity, and where all numbers of a row are equal.
    >>> min_max([[1, 2, 5], [0, 20, 10]]).tolist()
    [[0.0, 0.25, 1.0], [0.0, 1.0, 0.5]]
    """
    x = require_along("x", x, -1)
    scaled, _ = _scaled(x, -1)
    least = scaled.min(axis=-1, keepdims=True)
    reach = scaled.max(axis=-1, keepdims=True) - least
    _refuse_no_spread("max − min", x, reach, -1)
    return (scaled - least) / reach


def _spread(x: Array, axis: int, unbiased: bool) -> tuple[Array, Array, NDArray[np.int_]]:
    """Return deviations from the mean and σ, both divided by 2^exponent, and the exponent: so no square overflows."""
    scaled, exponent = _scaled(x, axis)
    deviation = scaled - scaled.mean(axis=axis, keepdims=True)
    # The first mean was rounded: this takes off the rest, and of 0.1, 0.1, 0.1 leaves 0 exactly.
    deviation -= deviation.mean(axis=axis, keepdims=True)
    count = x.shape[axis] - 1 if unbiased else x.shape[axis]
    return deviation, np.sqrt((deviation**2).sum(axis=axis, keepdims=True) / count), exponent


def _scaled(x: Array, axis: int) -> tuple[Array, NDArray[np.int_]]:
    """Return x divided by a power of two, exactly, so that the largest along `axis` is below 1; and the exponent."""
    exponent = np.frexp(np.abs(x).max(axis=axis, keepdims=True))[1]
    return np.ldexp(x, -exponent), exponent


@quietly
def _divisor(sigma: Array, exponent: NDArray[np.int_], eps: float, eps_inside: bool) -> Array:
    """Compute √(σ² + ε) or σ + ε, divided by 2^exponent as σ is; infinite where ε is far beyond σ."""
    inside = np.hypot(sigma, np.ldexp(np.sqrt(eps), -exponent))  # hypot: the squares can't overflow
    divisor = inside if eps_inside else sigma + np.ldexp(eps, -exponent)
    # ε may have become 0 beside numbers like 1e300; where σ is 0 too, 0 is divided, and by anything but 0
    return np.where(divisor > 0, divisor, 1.0)


@quietly
def _gained(z: Array, gamma: ArrayLike | None, beta: ArrayLike | None) -> Array:
    shape, since = z.shape[-1:], f"there are {z.shape[-1]} features"
    gamma = 1.0 if gamma is None else require_shape("gamma", gamma, shape, since)
    beta = 0.0 if beta is None else require_shape("beta", beta, shape, since)
    return finite("γ z + β", gamma * z + beta)


def _refuse_no_spread(called: str, x: Array, spread: Array, axis: int) -> None:
    if (spread > 0).all():
        return
    where = tuple(int(i) for i in np.argwhere(spread == 0)[0])
    place = [str(i) for i in where]
    place[axis] = ":"
    row = f"x[{', '.join(place)}]" if x.ndim > 1 else "x"
    raise ValueError(f"{row} has no spread: all its numbers are equal, so {called} is 0 and can't divide.")
