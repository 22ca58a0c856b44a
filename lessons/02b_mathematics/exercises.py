"""The exercises of lesson 02b, the mathematics you need, and the mistakes that they know."""

from __future__ import annotations

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.word2vec import sigmoid
from utils.course.exercises.exercise import Exercise, Inputs, choice

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
    {
        "That is the slope of −ln σ(x), without the minus inside. Here the chain has one link more: u = −x comes "
        "first.": lambda x: float(sigmoid(x)) - 1,
        "The factor −1 is there, but the rest of the chain does not get x. It gets u = −x, so its slope is σ(−x) − 1. "
        "(Or is a minus in your σ lost?)": _p,
        "That is −σ(x): all is there but the sign. σ(u) − 1 is the slope at u = −x, and the first link, u = −x, brings "
        "the factor −1, once.": lambda x: _p(x) - 1,
        "The first link's −1 goes to all that comes after it: −(σ(u) − 1), with the bracket. It turns both signs.": [
            lambda x: _p(x) + 1,
            lambda x: -_p(x) - 1,
        ],
        "That is 1/σ(x), which is 1 + e⁻ˣ. Was it to be σ(x)? Then a bracket is missing: 1 / (1 + e⁻ˣ).": lambda x: (
            1 + float(np.exp(-x))
        ),
        "That is −ln σ(−x) itself, how high the curve is. Asked for is its slope.": lambda x: float(np.logaddexp(0, x)),
        "That is a logarithm of σ: how high a curve is, not how steep. Asked for is the slope.": [
            lambda x: -float(np.logaddexp(0, x)),
            lambda x: float(np.logaddexp(0, -x)),
            lambda x: -float(np.logaddexp(0, -x)),
        ],
        "That is the factor of σ alone. There are three links, "
        "u = −x, p = σ(u) and L = −ln p, so three factors.": lambda x: _p(x) * (1 - _p(x)),
        "Two of the three factors are there. That of the last link, L = −ln p, is missing: −1/p.": lambda x: (
            -_p(x) * (1 - _p(x))
        ),
        "That is eˣ, which is (1 − p)/p. The p of the middle factor, p (1 − p), cancels that of the last, −1/p, so 1 − "
        "p alone is left.": lambda x: float(np.exp(x)),
        "That is the factor of the last link alone, −1/p. Multiply it with those of p = σ(u) and u = −x.": lambda x: (
            -1 / _p(x)
        ),
        "You have the factors of −ln p and of −x. The link between them, p = σ(u), has one too: p (1 − p).": lambda x: (
            1 / _p(x)
        ),
        "You add the factors. Links of a chain multiply: each hands on what it gets, times its slope.": [
            lambda x: -1 / _p(x) + _p(x) * (1 - _p(x)) - 1,
            lambda x: -1 / _p(x) + _p(x) * (1 - _p(x)),
            lambda x: -1 / _p(x) - _p(x) * (1 - _p(x)),
        ],
    },
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
    {
        "You have carried the errors back through XW, but they are not yet the gradient there: the slope of e² is 2e, "
        "and the mean divides by `error.size`.": lambda X, W, Y: X.T @ (X @ W - Y),
        "Two things. The error is XW − Y: yours has its sign turned. And the slope of e² is 2e, and the mean divides "
        "by `error.size`.": lambda X, W, Y: X.T @ (Y - X @ W),
        "Half of it: the slope of e² is 2e, and you carry e back.": lambda X, W, Y: X.T @ ((X @ W - Y) / Y.size),
        "That is the gradient of the sum of the squares. Of their mean: divide by how many "
        "they are, `error.size`.": lambda X, W, Y: X.T @ (2 * (X @ W - Y)),
        "You divide by the number of rows. The mean is over "
        "all entries of XW − Y, N·m of them: `error.size`.": lambda X, W, Y: X.T @ (2 * (X @ W - Y) / len(Y)),
        "That is the gradient at XW, and it is right there. One link is left: carry it back through the product to W, "
        "with Xᵀ.": lambda X, W, Y: 2 * (X @ W - Y) / Y.size,
        "That is the gradient at X, the product with Wᵀ. "
        "Asked for is the one at W: Xᵀ stands on the left.": lambda X, W, Y: (2 * (X @ W - Y) / Y.size) @ W.T,
        "You carry the squares back. What is carried back is the slope of each square, 2e, divided by how many there "
        "are.": lambda X, W, Y: X.T @ ((X @ W - Y) ** 2 / Y.size),
        "The 2 is there, but e is still squared. The slope of e² is 2e: the power has gone.": lambda X, W, Y: (
            X.T @ (2 * (X @ W - Y) ** 2 / Y.size)
        ),
        "That is W after a step against the gradient. Asked for is the gradient alone.": lambda X, W, Y: (
            W - _fit_gradient(X, W, Y)
        ),
        "That is L itself, one number. Its gradient has one number for each entry of W.": lambda X, W, Y: float(
            ((X @ W - Y) ** 2).mean()
        ),
    },
)

_WHICH = choice(
    "02b.which",
    "a",
    "x reaches the product by u and by v, with x from each, and x + x is 2x.",
    {
        "b": "Factors multiply where one link stands behind the other. Here neither u nor v is made of the other.",
        "c": "That is for a factor which stays as it is. Here both factors are x, and both move.",
    },
)

EXERCISES = (_COST, _FIT, _WHICH)
