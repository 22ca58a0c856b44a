"""The exercises of lesson 06, scaled dot product, with the mistakes that they recognize."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import entropy, softmax, softmax_jacobian
from utils.course.exercises.exercise import Exercise, choice, in_steps
from utils.course.exercises.softmaxes import softmax_with, with_wrong_softmax

_random = np.random.default_rng(6)

# --- softmax of each row ---------------------------------------------------------------------------------------

# A square matrix, where a wrong axis still broadcasts; elsewhere the sizes differ.
_SCORES = [2 * _random.normal(size=shape) for shape in ((3, 3), (2, 5), (4, 2), (3, 4))]
_BASE = _random.normal(size=(3, 3))
_LARGE = [
    1000 + _BASE,
    np.array([[2000.0], [0.0], [-2000.0]]) + _BASE,
    _BASE - 1000,
    np.diag([900.0, 0.0, -900.0]),
    np.diag([3000.0, -3000.0, 2000.0]),  # far from the row's mean too
    np.array([[2000.0, 0.0, -1000.0]]),
]


_SOFTMAX = Exercise(
    "06.softmax",
    "softmax of each row",
    lambda S: softmax(S, axis=1),
    [(S,) for S in _SCORES],
    [
        *with_wrong_softmax(lambda rows: rows),
        "You subtracted each row's mean, but a score far above the mean still overflows. Subtract the maximum, so "
        "that no exponent is above 0.",
        softmax_with(lambda S: S.mean(axis=1, keepdims=True)),
        "You give the largest score the smallest weight. Use z minus the maximum as the exponent, not the maximum "
        "minus z.",
        lambda S: softmax(-S, axis=1),
    ],
    extremes=[(S,) for S in _LARGE],
)

# --- the scale -------------------------------------------------------------------------------------------------


def _head(n: int, m: int, d_k: int, d_model: int) -> tuple[Array, Array, int]:
    return _random.normal(size=(n, d_k)), _random.normal(size=(m, d_k)), d_model


# N = M = d_k once, so that a product in the wrong order runs at all; elsewhere all sizes differ.
_HEADS = [_head(5, 4, 3, 12), _head(3, 3, 3, 6), _head(2, 6, 5, 40), _head(4, 2, 7, 14)]


_SCALED_SCORES = Exercise(
    "06.scaled_scores",
    "scaled scores of one head",
    lambda Q, K, d_model: Q @ K.T / np.sqrt(K.shape[1]),
    _HEADS,
    [
        "You divided by √d_model. But a score of this head adds up d_k products, one for each column of K, so its "
        "variance is d_k. Divide by √d_k.",
        lambda Q, K, d_model: Q @ K.T / np.sqrt(d_model),
        "You divided by the spread of these scores, which makes each score depend on all the others. Divide by the "
        "fixed number √d_k instead.",
        lambda Q, K, d_model: Q @ K.T / (Q @ K.T).std(),
        "You divided by √3, which fits only some of the keys that your function gets. Take d_k from the input: "
        "`K.shape[1]`.",
        lambda Q, K, d_model: Q @ K.T / np.sqrt(3),
        "You divided by √64 = 8, the scale of the paper's heads. Other heads have other widths, so take d_k from the "
        "input: `K.shape[1]`.",
        lambda Q, K, d_model: Q @ K.T / 8,
    ],
)

# --- entropy ---------------------------------------------------------------------------------------------------

_WEIGHTS = [softmax(2 * _random.normal(size=shape)) for shape in ((3, 3), (2, 5), (4, 2), (1, 6))]
_WITH_ZEROS = [np.array([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0], [0.2, 0.3, 0.5]]), np.eye(4)]


@in_steps
def _entropy_with(
    log: Callable[[Array], Array] = lambda A: np.log(np.where(A > 0, A, 1)),
    times: Callable[[Array, Array], Array] = np.multiply,
    total: Callable[[Array], Any] = lambda terms: terms.sum(axis=1),
) -> Callable[[Array], Any]:
    return lambda A: -total(times(A, log(A)))


_ENTROPY = Exercise(
    "06.entropy",
    "entropy of each row",
    lambda A: entropy(A, axis=1),
    [(A,) for A in _WEIGHTS],
    [
        "You get nan if a weight is 0, because `np.log(0)` is −inf, and 0 times that is nan. Give the logarithm a 1 "
        "in place of each 0.",
        _entropy_with(log=np.log),
        "You added a small number inside the logarithm. That avoids the nan, but it also shifts the other weights. "
        "Change only the weights that are 0.",
        _entropy_with(log=lambda A: np.log(A + 1e-6)),
        "You took the logarithm to base 2, which gives bits. For nats, use the natural logarithm, `np.log`.",
        _entropy_with(log=lambda A: np.log2(np.where(A > 0, A, 1))),
        "You added up each column. But a row holds the weights of one query, so add along `axis=1`.",
        _entropy_with(total=lambda terms: terms.sum(axis=0)),
        "You added up the whole matrix. Each row has an entropy of its own, so add along `axis=1`.",
        _entropy_with(total=np.sum),
        "You added up only the logarithms. Multiply each by its weight first: −p · log p.",
        _entropy_with(times=lambda A, logs: logs),
    ],
    extremes=[(A,) for A in _WITH_ZEROS],
)

# --- gradient of the softmax -------------------------------------------------------------------------------------

_ROWS = [_random.normal(size=n) for n in (4, 3, 2, 6)]
_LARGE_ROWS = [np.array([1000.0, 999.0, 998.0]), np.array([0.0, -900.0, 900.0, 899.0])]


def _jacobian_by_a_nudge(z: Array) -> Array:
    """As the lesson nudges: to one side, by a millionth."""
    p, step = softmax(z), 1e-6
    return np.array([(softmax(z + step * e) - p) / step for e in np.eye(len(z))]).T


def _jacobian_without_max_shift(z: Array) -> Array:
    p = np.exp(z) / np.exp(z).sum()
    return np.diag(p) - np.outer(p, p)


_GRADIENT = Exercise(
    "06.softmax_gradient",
    "gradient of the softmax",
    lambda z: softmax_jacobian(softmax(z)),
    [(z,) for z in _ROWS],
    [
        "You have the correct diagonal, but the other entries are missing. When one score rises, the other weights "
        "fall, so put −p_j p_k there.",
        lambda z: np.diag(softmax(z) * (1 - softmax(z))),
        "You left out the first term, so the diagonal is −p_j². Add p_j on the diagonal, which gives p_j (1 − p_j).",
        lambda z: -np.outer(softmax(z), softmax(z)),
        "You have 1 − p_j² on the diagonal, where p_j − p_j² belongs. Put p on the diagonal, with `np.diag(p)`.",
        lambda z: np.eye(len(z)) - np.outer(softmax(z), softmax(z)),
        "You returned only the bracket, δ_jk − p_k. The formula also has the factor p_j, so multiply row j by it.",
        lambda z: np.eye(len(z)) - softmax(z)[np.newaxis, :],
        "You returned δ_jk − p_j. Put p_k into the bracket, one for each column, and then multiply row j by p_j.",
        lambda z: np.eye(len(z)) - softmax(z)[:, np.newaxis],
        "You used p_j (1 − p_k) everywhere. But δ_jk is 1 only on the diagonal, so the other entries are −p_j p_k.",
        lambda z: np.outer(softmax(z), 1 - softmax(z)),
        "You nudged each score, which leaves a small error because the step is not zero. Use the formula, which is "
        "exact.",
        _jacobian_by_a_nudge,
        "You took only the slope of e^z. The denominator also depends on every score, so use the formula for p_j.",
        lambda z: np.diag(np.exp(z)),
        "You have the correct formula, but for large scores your softmax overflows. Subtract the maximum before "
        "`np.exp`.",
        _jacobian_without_max_shift,
        "You returned the weights, but this exercise asks for their slopes, a table of n × n numbers. Use the formula.",
        softmax,
        "You used the scores themselves. The formula needs the weights p, so apply the softmax first.",
        lambda z: np.diag(z) - np.outer(z, z),
        "You subtracted p_k², or their sum, in every row. The formula needs p_j p_k for each pair: `np.outer(p, p)`.",
        lambda z: np.diag(softmax(z)) - softmax(z) * softmax(z),
        lambda z: np.diag(softmax(z)) - softmax(z) @ softmax(z),
        "You returned only the first term. When one score rises, the other weights fall, so subtract p_j p_k "
        "everywhere: `np.outer(p, p)`.",
        lambda z: np.diag(softmax(z)),
        "You added p_j p_k. When one score rises, the other weights fall, so subtract it.",
        lambda z: np.diag(softmax(z)) + np.outer(softmax(z), softmax(z)),
    ],
    extremes=[(z,) for z in _LARGE_ROWS],
)

# --- the scale for entries of other variances -----------------------------------------------------------------------


_DIVISOR = Exercise(
    "06.divisor",
    "the scale for other entries",
    lambda d_k, var_q, var_k: math.sqrt(d_k * var_q * var_k),
    [(16, 4.0, 1.0), (32, 0.25, 9.0), (8, 2.0, 3.0), (64, 1.0, 1.0)],
    [
        "You used √d_k, which is correct if both variances are 1. Here one product has the variance var_q · var_k, so "
        "put that under the root as well.",
        lambda d_k, var_q, var_k: math.sqrt(d_k),
        "You added the two variances, but variances add up only where numbers are added. For a product, multiply the "
        "means of the squares.",
        lambda d_k, var_q, var_k: math.sqrt(d_k * (var_q + var_k)),
        "You counted each variance twice, outside the root or squared under it. Put each of them under the root once, "
        "beside d_k.",
        lambda d_k, var_q, var_k: math.sqrt(d_k) * var_q * var_k,
    ],
)

_WHICH = choice(
    "06.which",
    "c",
    "dividing the query by 8 divides each of its scores by 8, which is √64. So the scores are the same.",
    {
        "a": "You chose a principle about adding a number to all scores. Dividing changes the differences, so compare "
        "the scores themselves.",
        "b": "You chose the reason for the scale, which says how large scores typically are. But here the weights "
        "stay the same whatever the entries are.",
    },
)

EXERCISES = (_SOFTMAX, _SCALED_SCORES, _DIVISOR, _ENTROPY, _GRADIENT, _WHICH)
