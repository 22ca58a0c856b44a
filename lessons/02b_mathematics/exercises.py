"""The exercises of lesson 02b, the mathematics you need, and the mistakes that they know."""

from __future__ import annotations

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.word2vec import sigmoid
from utils.course.exercises.exercise import Exercise, Inputs

_random = np.random.default_rng(22)

# --- the slope of −ln σ(−x) --------------------------------------------------------------------------------------


def _p(x: float) -> float:
    """σ(−x), the link in the middle of the chain."""
    return float(sigmoid(-x))


_COST = Exercise(
    "02b.cost",
    "the slope of −ln σ(−x)",
    lambda x: float(sigmoid(x)),
    [(1.0,), (-2.0,), (0.3,), (3.0,)],
    [
        "You found the slope of −ln σ(x), without the minus inside. Here the chain has one more link, u = −x, so "
        "multiply by its factor as well.",
        lambda x: float(sigmoid(x)) - 1,
        "You have the factor −1, but you took the rest of the chain at x. Take it at u = −x, where its slope is "
        "σ(−x) − 1. Did you lose a minus in σ?",
        _p,
        "You have −σ(x), so only the sign is wrong. The slope σ(u) − 1 belongs to u = −x, so multiply it, once, by "
        "the first link's factor −1.",
        lambda x: _p(x) - 1,
        "You multiply only a part of the slope by the first link's −1. Multiply all of it, −(σ(u) − 1), so that both "
        "signs change.",
        lambda x: _p(x) + 1,
        lambda x: -_p(x) - 1,
        "You return −ln σ(−x) itself, which is how high the curve is. Return the slope of the curve instead.",
        lambda x: float(np.logaddexp(0, x)),
        "You return a logarithm of σ, which is how high a curve is, not how steep. Return the slope.",
        lambda x: -float(np.logaddexp(0, x)),
        lambda x: float(np.logaddexp(0, -x)),
        lambda x: -float(np.logaddexp(0, -x)),
        "You return only the factor of σ. There are three links, u = −x, p = σ(u) and L = −ln p, so multiply three "
        "factors.",
        lambda x: _p(x) * (1 - _p(x)),
        "You have two of the three factors. The last link's factor is missing: L = −ln p, so multiply by −1/p.",
        lambda x: -_p(x) * (1 - _p(x)),
        "You return eˣ, which is (1 − p)/p. The p of the middle factor, p (1 − p), cancels the one in −1/p, so keep "
        "only 1 − p.",
        lambda x: float(np.exp(x)),
        "You return only the factor of the last link, −1/p. Multiply it by the factors of p = σ(u) and u = −x.",
        lambda x: -1 / _p(x),
        "You have the factors of −ln p and of −x. The link between them, p = σ(u), also has a factor, so multiply by "
        "p (1 − p).",
        lambda x: 1 / _p(x),
        "You add the factors. But each link multiplies what it gets by its own slope, so multiply the factors.",
        lambda x: -1 / _p(x) + _p(x) * (1 - _p(x)) - 1,
        lambda x: -1 / _p(x) + _p(x) * (1 - _p(x)),
        lambda x: -1 / _p(x) - _p(x) * (1 - _p(x)),
    ],
)

# --- the gradient of a mean square error --------------------------------------------------------------------------


def _fitted(n: int, d: int, m: int) -> Inputs:
    return _random.normal(size=(n, d)), _random.normal(size=(d, m)), _random.normal(size=(n, m))


def _fit_gradient(X: Array, W: Array, Y: Array) -> Array:
    error = X @ W - Y
    return X.T @ (2 * error / error.size)


_FIT = Exercise(
    "02b.fit",
    "the gradient of a mean square error",
    _fit_gradient,
    [_fitted(2, 3, 4), _fitted(3, 3, 2), _fitted(5, 2, 3), _fitted(4, 5, 1)],
    [
        "You carried the errors back through XW, but the errors are not the gradient there. The slope of e² is 2e, "
        "and the mean divides by `error.size`, so carry 2e / `error.size` back.",
        lambda X, W, Y: X.T @ (X @ W - Y),
        "You carry e back, so you get half of the gradient. The slope of e² is 2e, so multiply by 2.",
        lambda X, W, Y: X.T @ ((X @ W - Y) / Y.size),
        "You found the gradient of the sum of the squares. The loss is their mean, so divide by `error.size`.",
        lambda X, W, Y: X.T @ (2 * (X @ W - Y)),
        "You divide by the number of rows. The mean is over all N·m entries of XW − Y, so divide by `error.size`.",
        lambda X, W, Y: X.T @ (2 * (X @ W - Y) / len(Y)),
        "You return the gradient at XW, which is correct. But one link is left: carry the gradient back through the "
        "product to W, with Xᵀ.",
        lambda X, W, Y: 2 * (X @ W - Y) / Y.size,
        "You return the gradient at X, the product with Wᵀ. Return the gradient at W instead, with Xᵀ on the left.",
        lambda X, W, Y: (2 * (X @ W - Y) / Y.size) @ W.T,
        "You carry the squares back. Instead, carry back the slope of each square, 2e, divided by their number.",
        lambda X, W, Y: X.T @ ((X @ W - Y) ** 2 / Y.size),
        "You have the 2, but e is still squared. The slope of e² is 2e, so drop the power.",
        lambda X, W, Y: X.T @ (2 * (X @ W - Y) ** 2 / Y.size),
        "You return W after a step against the gradient. Return only the gradient.",
        lambda X, W, Y: W - _fit_gradient(X, W, Y),
        "You return L itself, which is one number. Its gradient has one entry for each entry of W: return that array.",
        lambda X, W, Y: float(((X @ W - Y) ** 2).mean()),
    ],
)

EXERCISES = (_COST, _FIT)
