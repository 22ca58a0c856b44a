"""Slopes: the curves of the lesson on the mathematics, each with its derivative, and finite differences.

h is the step by which a number is nudged. Sources: the definition of the derivative; the two-sided difference is
the central difference of any book on numerical analysis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from utils.by_hand.arrays import Array, require_numbers
from utils.by_hand.word2vec import sigmoid


@dataclass(frozen=True)
class Curve:
    """A function of one number, its slope by formula, and the part of the plane in which to look at it."""

    height: Callable[[ArrayLike], Array]
    slope: Callable[[ArrayLike], Array]
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def grid(self, points: int = 121) -> Array:
        """Return (points,) numbers from end to end of `x_range`."""
        return np.linspace(*self.x_range, points)

    def tangent(self, at: float, x: ArrayLike) -> Array:
        """Return the straight line that touches the curve at `at`, over x."""
        return self.height(at) + self.slope(at) * (np.asarray(x) - at)

    def secant(self, at: float, h: float, x: ArrayLike) -> Array:
        """Return the straight line through the curve at `at` and at `at` + h, over x."""
        return self.height(at) + one_sided(self.height, at, h) * (np.asarray(x) - at)


def one_sided(f: Callable[[float], ArrayLike], x: float, h: float) -> float:
    """Compute (f(x + h) − f(x)) / h: off by about h times half the slope's slope. Raises ValueError for an h of 0.

    >>> one_sided(np.square, 3, 0.5)
    6.5
    """
    return float((f(x + h) - f(x)) / _step(h))


def two_sided(f: Callable[[float], ArrayLike], x: float, h: float) -> float:
    """Compute (f(x + h) − f(x − h)) / 2h: off by about h² times a number of f. Raises ValueError for an h of 0.

    >>> two_sided(np.square, 3, 0.5)
    6.0
    """
    return float((f(x + h) - f(x - h)) / (2 * _step(h)))


def gradient_by_nudges(f: Callable[[Array], float], X: ArrayLike, h: float = 1e-5) -> Array:
    """Return the gradient of the number f(X), of X's shape: a two-sided difference for each entry. X stays as it is.

    >>> gradient_by_nudges(lambda X: float((X**2).sum()), [1, 2]).round(6)
    array([2., 4.])
    """
    X = require_numbers("X", X)
    slopes = np.zeros_like(X)
    for place in np.ndindex(X.shape):
        nudge = np.zeros_like(X)
        nudge[place] = h
        slopes[place] = (f(X + nudge) - f(X - nudge)) / (2 * h)
    return slopes


BOWL_FRAME = ((-3.0, 3.0), (-5.0, 40.0))  # where its cuts are looked at: the ranges of x and of y


def bowl_cuts(x: float, y: float) -> dict[str, tuple[Curve, float]]:
    """Cut x² + 3y² into two curves, in each of which one number moves and the other is held; and where each is.

    The slope of the first at x is the partial derivative for x, that of the second at y the one for y.
    >>> [float(curve.slope(at)) for curve, at in bowl_cuts(1, 2).values()]
    [2.0, 12.0]
    """
    along_x = Curve(lambda a: np.square(a) + 3 * y**2, lambda a: 2 * np.asarray(a), *BOWL_FRAME)
    along_y = Curve(lambda b: x**2 + 3 * np.square(b), lambda b: 6 * np.asarray(b), *BOWL_FRAME)
    return {"x moves": (along_x, x), "y moves": (along_y, y)}


def _ln(x: ArrayLike) -> Array:
    x = np.asarray(x, dtype=float)
    if (x <= 0).any():
        raise ValueError(f"ln has no value at {x.min():g}: what it is taken of must be above 0.")
    return np.log(x)


CURVES = {
    "x²": Curve(np.square, lambda x: 2 * np.asarray(x), (-3, 3), (-4, 12)),
    "eˣ": Curve(np.exp, np.exp, (-3, 3), (-5, 22)),
    "ln x": Curve(_ln, lambda x: 1 / np.asarray(x), (0.05, 4), (-3.5, 3.5)),
    "σ(x)": Curve(sigmoid, lambda x: sigmoid(x) * (1 - sigmoid(x)), (-6, 6), (-0.5, 1.5)),
    "−ln σ(x)": Curve(lambda x: np.logaddexp(0, -np.asarray(x)), lambda x: sigmoid(x) - 1, (-6, 6), (-2, 7)),
}


def _step(h: float) -> float:
    if h == 0:
        raise ValueError("h must not be 0: a slope is taken between two points.")
    return h
