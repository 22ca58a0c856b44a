"""The exercises of lesson 06, scaled dot product, and the mistakes that they know."""

from __future__ import annotations

import math

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import entropy, softmax, softmax_jacobian
from utils.course.exercises.exercise import Exercise, choice
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
    {
        **with_wrong_softmax(lambda rows: rows),
        "You took off each row's mean. A score far above the mean still overflows: take off the maximum, and no "
        "exponent is above 0.": softmax_with(lambda S: S.mean(axis=1, keepdims=True)),
        "Your largest score gets the smallest weight. The exponent should be z minus the maximum, not the other way "
        "round.": lambda S: softmax(-S, axis=1),
    },
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
    {
        "You divided by √d_model, as on the page of note N4. This head adds up d_k products, one for each column of K, "
        "and that is what the variance is: divide by √d_k.": lambda Q, K, d_model: Q @ K.T / np.sqrt(d_model),
        "You divided by the spread of these very scores. Then every score hangs on all the others; √d_k is one fixed "
        "number.": lambda Q, K, d_model: Q @ K.T / (Q @ K.T).std(),
        "You divided by √3, which fits some of these keys only. Take d_k from what the function is given: "
        "`K.shape[1]`.": lambda Q, K, d_model: Q @ K.T / np.sqrt(3),
        "You divided by √64 = 8, which is the paper's. Take "
        "d_k from what the function is given: `K.shape[1]`.": lambda Q, K, d_model: Q @ K.T / 8,
    },
)

# --- entropy ---------------------------------------------------------------------------------------------------

_WEIGHTS = [softmax(2 * _random.normal(size=shape)) for shape in ((3, 3), (2, 5), (4, 2), (1, 6))]
_WITH_ZEROS = [np.array([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0], [0.2, 0.3, 0.5]]), np.eye(4)]


_ENTROPY = Exercise(
    "06.entropy",
    "entropy of each row",
    lambda A: entropy(A, axis=1),
    [(A,) for A in _WEIGHTS],
    {
        "Right until a weight is 0: `np.log(0)` is −inf, and 0 times that is nan. A word that gets nothing adds "
        "nothing: give the logarithm a 1 in those places.": lambda A: -(A * np.log(A)).sum(axis=1),
        "Very close: an ε inside the logarithm avoids the nan, but shifts every other entry too. Change only the "
        "places where the weight is 0.": lambda A: -(A * np.log(A + 1e-6)).sum(axis=1),
    },
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
    {
        "The diagonal is right, but the cross terms are missing. When one score rises, the other weights fall: off the "
        "diagonal stands −p_j p_k.": lambda z: np.diag(softmax(z) * (1 - softmax(z))),
        "The first term is missing: on the diagonal p_j is added, so that p_j (1 − p_j) stands there.": lambda z: (
            -np.outer(softmax(z), softmax(z))
        ),
        "On the diagonal should stand p_j − p_j², not 1 − p_j²: `np.diag(p)` instead of `np.eye(n)`.": lambda z: (
            np.eye(len(z)) - np.outer(softmax(z), softmax(z))
        ),
        "This is δ_jk − p_k. The p_j in front of the bracket is missing.": lambda z: (
            np.eye(len(z)) - softmax(z)[np.newaxis, :]
        ),
        "This is δ_jk − p_j. In the bracket stands p_k, one "
        "for each column, and p_j is a factor in front of it.": lambda z: np.eye(len(z)) - softmax(z)[:, np.newaxis],
        "That is p_j (1 − p_k) everywhere. δ_jk is 1 on the diagonal alone; beside it stands −p_j p_k.": lambda z: (
            np.outer(softmax(z), 1 - softmax(z))
        ),
        "You nudged each score. That comes near the slopes, but the step leaves an error: "
        "the formula is exact.": _jacobian_by_a_nudge,
        "You differentiated e^z alone. The sum below the line depends on every score too.": lambda z: np.diag(
            np.exp(z)
        ),
        "The formula is right. For large scores your softmax overflows: take the maximum "
        "off before `np.exp`.": _jacobian_without_max_shift,
        "These are the weights. Their gradient is asked for, n × n numbers.": softmax,
    },
    extremes=[(z,) for z in _LARGE_ROWS],
)

# --- the scale for entries of other variances -----------------------------------------------------------------------


_DIVISOR = Exercise(
    "06.divisor",
    "the scale for other entries",
    lambda d_k, var_q, var_k: math.sqrt(d_k * var_q * var_k),
    [(16, 4.0, 1.0), (32, 0.25, 9.0), (8, 2.0, 3.0), (64, 1.0, 1.0)],
    {
        "√d_k is right when both variances are 1. One product of entries has the variance "
        "var_q · var_k here.": lambda d_k, var_q, var_k: math.sqrt(d_k),
        "You added the two variances. They add up where numbers are added; in a product q_c k_c the means of the "
        "squares are multiplied.": lambda d_k, var_q, var_k: math.sqrt(d_k * (var_q + var_k)),
        "In your number each variance counts too much: outside the root, or squared under it. Under the root, beside "
        "d_k, each stands once.": lambda d_k, var_q, var_k: math.sqrt(d_k) * var_q * var_k,
    },
)

# --- gradient of the cost −ln p_t -----------------------------------------------------------------------------------

_CHOICES = [(_random.normal(size=n), t) for n, t in ((4, 2), (3, 0), (6, 4), (5, 1))]
_LARGE_CHOICES = [(np.array([1000.0, 998.0, 999.0]), 1), (np.array([0.0, -900.0, 900.0, 899.0]), 1)]


def _cost_gradient(z: Array, t: int) -> Array:
    return softmax(z) - np.eye(len(z))[t]


_COST_GRADIENT = Exercise(
    "06.cost_gradient",
    "gradient of −ln p_t",
    _cost_gradient,
    _CHOICES,
    {
        "That is the gradient at the weights: −1/p_t at entry t. One link of the chain is missing, from the weights "
        "back to the scores: the Jacobian.": lambda z, t: -np.eye(len(z))[t] / softmax(z)[t],
        "That is how p_t answers to the scores. The chain "
        "begins one link earlier: −ln p has the slope −1/p.": lambda z, t: softmax_jacobian(softmax(z))[t],
        "That is how −p_t answers to the scores. The cost is −ln p_t, whose slope is −1/p_t: the factor 1/p_t is "
        "missing.": lambda z, t: -softmax_jacobian(softmax(z))[t],
        "Entry t is right. But every score moves p_t, since every score is in the sum below the line: elsewhere stands "
        "p_k.": lambda z, t: _cost_gradient(z, t) * np.eye(len(z))[t],
        "That is the slope for score t. Asked for is one for each score: n slopes.": lambda z, t: softmax(z)[t] - 1,
        "That is the gradient of half the squared distance, as in the lesson. Here the cost is −ln p_t.": lambda z, t: (
            softmax_jacobian(softmax(z)) @ _cost_gradient(z, t)
        ),
        "That is the cost. Asked for is how it answers to each of the scores: n slopes.": lambda z, t: (
            -np.log(softmax(z)[t])
        ),
        "The formula is right. For large scores your softmax overflows: take the maximum "
        "off before `np.exp`.": lambda z, t: np.exp(z) / np.exp(z).sum() - np.eye(len(z))[t],
        "Right on paper. But where p_t is so small that the computer stores "
        "0, 1/p_t and ln p_t are infinite, and nan comes of it. Multiply "
        "the links with the pencil: p_t cancels.": lambda z, t: -softmax_jacobian(softmax(z))[t] / softmax(z)[t],
    },
    extremes=_LARGE_CHOICES,
)

_WHICH = choice(
    "06.which",
    "c",
    "dividing the query by 8 divides each of its scores by 8, which is √64. So the scores are the same ones.",
    {
        "a": "That is about adding. Dividing changes the differences: compare the scores of the two ways.",
        "b": "That says how large scores typically are. Here each weight is the same, for any numbers whatever.",
    },
)

EXERCISES = (_SOFTMAX, _SCALED_SCORES, _DIVISOR, _ENTROPY, _GRADIENT, _COST_GRADIENT, _WHICH)
