"""The exercises of lesson 20, one sentence through the whole machine, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.course.exercises.exercise import Exercise, Flaw, flawed

_EPS = 1e-5
_random = np.random.default_rng(20)


# --- a score, from the residual stream --------------------------------------------------------------------------

Norm = Callable[[Array, Array, Array], Array]


def _score_of(
    norm: Norm = lambda x, gamma, beta: gamma * (x - x.mean()) / np.sqrt(x.var() + _EPS) + beta,
    linear: Callable[[Array, Array, Array], Array] = lambda x, W, b: x @ W + b,
    product: Callable[[Array, Array, int], float] = lambda q, k, d_model: float(q @ k / np.sqrt(len(q))),
) -> Callable[..., float]:
    """A score whose steps are these."""

    def score(x_i: Array, x_j: Array, gamma: Array, beta: Array, W_Q: Array, b_Q: Array, W_K: Array, b_K: Array):
        q, k = linear(norm(x_i, gamma, beta), W_Q, b_Q), linear(norm(x_j, gamma, beta), W_K, b_K)
        return product(q, k, len(x_i))

    return score


_FLAWS = (
    Flaw("norm", lambda x, gamma, beta: x, "You took the rows as they come in. This translator is pre-norm: "
         "the layer norm stands before the linear maps."),
    Flaw("norm", lambda x, gamma, beta: (x - x.mean()) / np.sqrt(x.var() + _EPS),
         "Your norm ends at mean 0 and deviation 1. Then γ stretches each column, and β moves it."),
    Flaw("norm", lambda x, gamma, beta: gamma * (x - x.mean()) / np.sqrt(x.var(ddof=1) + _EPS) + beta,
         "Your variance divides by d_model − 1. A layer norm takes the mean over all d_model squares."),
    Flaw("norm", lambda x, gamma, beta: gamma * (x - x.mean()) / (x.var() + _EPS) + beta,
         "You divided by the variance. Take its root: √(σ² + ε)."),
    Flaw("norm", lambda x, gamma, beta: gamma * x / np.sqrt(x.var() + _EPS) + beta,
         "You divided the row by its deviation, and left its mean in. Take the mean off first."),
    Flaw("norm", lambda x, gamma, beta: gamma * ((x - x.mean()) / np.sqrt(x.var() + _EPS) + beta),
         "You added β before you multiplied by γ. First γ, then β."),
    Flaw("linear", lambda x, W, b: x @ W, "The biases are missing: q = x̂ W_Q + b_Q, and the key likewise."),
    Flaw("product", lambda q, k, d_model: float(q @ k), "The scale is missing: divide by √d_k."),
    Flaw("product", lambda q, k, d_model: float(q @ k / np.sqrt(d_model)),
         "You divided by √d_model. The products run over the d_k columns of one head: √d_k."),
    Flaw("product", lambda q, k, d_model: float(q @ k / np.sqrt(32)),
         "You divided by √32, the page's d_k. Here d_k is the number of columns of W_Q: `len(q)`."),
    Flaw("product", lambda q, k, d_model: float(q @ k / len(q)), "You divided by d_k. It is its root: √d_k."),
    Flaw("product", lambda q, k, d_model: float(q @ k * np.sqrt(len(q))),
         "You multiplied by √d_k. The scale makes scores smaller: divide."),
)  # fmt: skip


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
    {
        **flawed(_score_of, _FLAWS),
        "You divided by the root of the mean square, with the mean still on. Take the mean "
        "off first, in σ too.": _score_of(lambda x, gamma, beta: gamma * x / np.sqrt((x**2).mean() + _EPS) + beta),
        "You took mean and variance over both "
        "rows together. Each row has its own.": lambda x_i, x_j, gamma, beta, W_Q, b_Q, W_K, b_K: _score_of(
            lambda x, g, b: g * (x - np.mean([x_i, x_j])) / np.sqrt(np.var([x_i, x_j]) + _EPS) + b
        )(x_i, x_j, gamma, beta, W_Q, b_Q, W_K, b_K),
    },
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
    {
        "You set the weight to 0 and left the others as they were: now they sum to less than 1. A mask stands before "
        "the softmax, which shares out 1 among those that are left.": lambda a, V, j: _without(a, j) @ V,
        "Word j still gets a weight, as with the score 0: e⁰ = 1. A mask "
        "puts −∞ there, and e^(−∞) = 0.": lambda a, V, j: np.where(np.arange(len(a)) == j, 1, a) / (1 - a[j] + 1) @ V,
        "You took off the whole of word j's value. What it brought is a_j times that; and then the others have to be "
        "divided by 1 − a_j.": lambda a, V, j: a @ V - V[j],
        "That is the weighted sum as it was. Word j has to get 0, and the others what it had.": lambda a, V, j: a @ V,
        "That is what word j brings. Asked for is the sum of the others, without it.": lambda a, V, j: a[j] * V[j],
        "You put the weights that are left into a softmax. They are "
        "shares already: their ratios are right, and only their "
        "sum is not. Divide by it.": lambda a, V, j: softmax(np.delete(a, j)[np.newaxis])[0] @ np.delete(V, j, axis=0),
        "You gave each of the others an equal part of what word j had. The "
        "powers keep their ratios: who had twice as much as another still has. "
        "Multiply, do not add.": lambda a, V, j: (_without(a, j) + a[j] / (len(a) - 1) * (np.arange(len(a)) != j)) @ V,
        "You took the plain mean of the other values. They keep the ratios of their weights.": lambda a, V, j: (
            np.delete(V, j, axis=0).mean(axis=0)
        ),
        "You multiplied by 1 − a_j. The weights have to grow until they sum to 1: divide by it.": lambda a, V, j: (
            _without(a, j) * (1 - a[j]) @ V
        ),
        "You divided by a_j. What is left is 1 − a_j: divide by that, and the weights sum to 1.": lambda a, V, j: (
            _without(a, j) / a[j] @ V
        ),
        "Those are the new weights, and they are right. Now the weighted sum: times V.": lambda a, V, j: (
            _without(a, j) / (1 - a[j])
        ),
        "Your weights are divided by 1 − a_j, but word j still has one. Set it to 0.": lambda a, V, j: (
            a / (1 - a[j]) @ V
        ),
        "You left out the word before j. j is counted from 0, as Python does.": lambda a, V, j: _masked_sum(
            a, V, (j - 1) % len(a)
        ),
    },
)

EXERCISES = (_SCORE, _MASKED_SUM)
