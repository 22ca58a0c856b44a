"""The exercises of lesson 20, one sentence through the whole machine, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.course.exercises.exercise import Exercise

_EPS = 1e-5
_random = np.random.default_rng(20)


# --- a score, from the residual stream --------------------------------------------------------------------------

Norm = Callable[[Array, Array, Array], Array]


def _score_of(
    norm: Norm = lambda x, gamma, beta: gamma * (x - x.mean()) / np.sqrt(x.var() + _EPS) + beta,
    linear: Callable[[Array, Array, Array], Array] = lambda x, W, b: x @ W + b,
    product: Callable[[Array, Array, int], float] = lambda q, k, d_model: float(q @ k / np.sqrt(len(q))),
) -> Callable[..., float]:
    """Return the function of a score with these steps."""

    def score(x_i: Array, x_j: Array, gamma: Array, beta: Array, W_Q: Array, b_Q: Array, W_K: Array, b_K: Array):
        q, k = linear(norm(x_i, gamma, beta), W_Q, b_Q), linear(norm(x_j, gamma, beta), W_K, b_K)
        return product(q, k, len(x_i))

    return score


def _stream(d_model: int, d_k: int) -> tuple[Array, ...]:
    normal = _random.normal
    rows = 2 * normal(size=(2, d_model)) + 0.7
    gamma, beta = 1 + 0.3 * normal(size=d_model), 0.4 * normal(size=d_model)
    W_Q, W_K = normal(size=(2, d_model, d_k)) / np.sqrt(d_model)
    b_Q, b_K = 0.5 * normal(size=(2, d_k))
    return rows[0], rows[1], gamma, beta, W_Q, b_Q, W_K, b_K


_SCORE = Exercise(
    "20.score",
    "a score, from the residual stream",
    _score_of(),
    [_stream(6, 4), _stream(8, 2), _stream(5, 3)],
    [
        "You used the rows without a norm. This translator is pre-norm, so apply the layer norm before the linear "
        "layers.",
        _score_of(norm=lambda x, gamma, beta: x),
        "You divided the sum of squares by d_model − 1. A layer norm takes their mean, so divide by d_model.",
        _score_of(norm=lambda x, gamma, beta: gamma * (x - x.mean()) / np.sqrt(x.var(ddof=1) + _EPS) + beta),
        "You divided by the variance, but a norm divides by the deviation. Take the square root: √(σ² + ε).",
        _score_of(norm=lambda x, gamma, beta: gamma * (x - x.mean()) / (x.var() + _EPS) + beta),
        "You divided the row by its deviation but left its mean in. Subtract the mean first.",
        _score_of(norm=lambda x, gamma, beta: gamma * x / np.sqrt(x.var() + _EPS) + beta),
        "You added β before you multiplied by γ, so γ changes β as well. Multiply by γ first, then add β.",
        _score_of(norm=lambda x, gamma, beta: gamma * ((x - x.mean()) / np.sqrt(x.var() + _EPS) + beta)),
        "You left out the biases of the linear layers. Add b_Q to the query and b_K to the key.",
        _score_of(linear=lambda x, W, b: x @ W),
        "You left out the scale of the score. Divide the product by √d_k.",
        _score_of(product=lambda q, k, d_model: float(q @ k)),
        "You divided by √d_model. But the score adds up only the d_k products of one head, so divide by √d_k.",
        _score_of(product=lambda q, k, d_model: float(q @ k / np.sqrt(d_model))),
        "You divided by √32, which fits only the lesson's translator. Here d_k is the number of columns of W_Q: use "
        "`len(q)`.",
        _score_of(product=lambda q, k, d_model: float(q @ k / np.sqrt(32))),
        "You divided by the square root of the mean square, with the mean still in it. Subtract the mean first, in "
        "the numerator and in σ.",
        _score_of(lambda x, gamma, beta: gamma * x / np.sqrt((x**2).mean() + _EPS) + beta),
        "You took the mean and variance over both rows together. A layer norm treats each row separately, so compute "
        "both for each row.",
        lambda x_i, x_j, gamma, beta, W_Q, b_Q, W_K, b_K: _score_of(
            lambda x, g, b: g * (x - np.mean([x_i, x_j])) / np.sqrt(np.var([x_i, x_j]) + _EPS) + b
        )(x_i, x_j, gamma, beta, W_Q, b_Q, W_K, b_K),
    ],
)


# --- a weighted sum with one word fewer -------------------------------------------------------------------------


def _masked_sum(a: Array, V: Array, j: int) -> Array:
    rest = np.arange(len(a)) != j
    return a[rest] / a[rest].sum() @ V[rest]


def _without(a: Array, j: int) -> Array:
    return np.where(np.arange(len(a)) == j, 0.0, a)


def _row(N: int, d_k: int, j: int) -> tuple[Array, Array, int]:
    return softmax(1.5 * _random.normal(size=(1, N)))[0], _random.normal(size=(N, d_k)), j


_MASKED_SUM = Exercise(
    "20.masked_sum",
    "a weighted sum with one word masked",
    _masked_sum,
    [_row(5, 3, 2), _row(4, 2, 0), _row(6, 4, 5), (np.array([0.1, 0.7, 0.2]), _random.normal(size=(3, 2)), 1)],
    [
        "You set the weight to 0 and left the others unchanged, so they sum to less than 1. Divide them by their new "
        "sum.",
        lambda a, V, j: _without(a, j) @ V,
        "You returned the weighted sum with all words. Give word j the weight 0, and divide the other weights by "
        "their new sum.",
        lambda a, V, j: a @ V,
        "You returned what word j contributes. Return the sum of the others instead, with weights that sum to 1.",
        lambda a, V, j: a[j] * V[j],
        "You applied a softmax to the remaining weights. The ratios of these weights are already correct, only their "
        "sum isn't, so divide by that sum instead.",
        lambda a, V, j: softmax(np.delete(a, j)[np.newaxis])[0] @ np.delete(V, j, axis=0),
        "You multiplied by 1 − a[j], but the weights have to grow until they sum to 1. Divide by 1 − a[j] instead.",
        lambda a, V, j: _without(a, j) * (1 - a[j]) @ V,
        "You returned the new weights, which are correct. The output is their weighted sum, so multiply them by V.",
        lambda a, V, j: _without(a, j) / (1 - a[j]),
        "You divided all weights by 1 − a[j], but word j still has a weight. Set that weight to 0.",
        lambda a, V, j: a / (1 - a[j]) @ V,
        "You left out the word before j. But both j and Python count from 0, so use j as it is.",
        lambda a, V, j: _masked_sum(a, V, (j - 1) % len(a)),
    ],
)

EXERCISES = (_SCORE, _MASKED_SUM)
