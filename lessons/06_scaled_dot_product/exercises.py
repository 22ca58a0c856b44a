"""The exercises of lesson 06, scaled dot product, and the mistakes that they know."""

from __future__ import annotations

import math

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import entropy, softmax, softmax_jacobian
from utils.course.exercises.exercise import Exercise, WrongAnswer

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


def _softmax_rows(S: Array) -> Array:
    return softmax(S, axis=1)


def _exp_without_shift(S: Array) -> Array:
    e = np.exp(S)
    return e / e.sum(axis=1, keepdims=True)


def _exp_without_shift_by_loops(S: Array) -> Array:
    return np.array([[math.exp(s) / sum(map(math.exp, row)) for s in row] for row in S])


def _one_maximum_for_all(S: Array) -> Array:
    e = np.exp(S - S.max())
    return e / e.sum(axis=1, keepdims=True)


def _sums_lined_up_with_columns(S: Array) -> Array:
    e = np.exp(S - S.max(axis=1, keepdims=True))
    return e / e.sum(axis=1)


def _maxima_lined_up_with_columns(S: Array) -> Array:
    e = np.exp(S - S.max(axis=1))
    return e / e.sum(axis=1, keepdims=True)


def _both_lined_up_with_columns(S: Array) -> Array:
    e = np.exp(S - S.max(axis=1))
    return e / e.sum(axis=1)


def _exp_rows(S: Array) -> Array:
    return np.exp(S - S.max(axis=1, keepdims=True))


_SOFTMAX = Exercise(
    "06.softmax",
    "softmax of each row",
    _softmax_rows,
    [(S,) for S in _SCORES],
    (
        WrongAnswer(
            "no max-shift",
            _exp_without_shift,
            "Right for small scores. For large ones e^z overflows, and for very negative ones it is 0 everywhere: "
            "both end in nan. Take each row's maximum off before `np.exp`.",
        ),
        WrongAnswer(
            "no max-shift, math.exp",
            _exp_without_shift_by_loops,
            "Right for small scores, but `math.exp` overflows for large ones. Take each row's maximum off first; "
            "the weights stay the same.",
        ),
        WrongAnswer(
            "one maximum for all rows",
            _one_maximum_for_all,
            "One maximum for the whole matrix is not enough: in a row far below it every e^z becomes 0, and 0 is "
            "divided by 0. Take off each row its own maximum.",
        ),
        WrongAnswer(
            "wrong axis",
            lambda S: softmax(S, axis=0),
            "Your softmax runs down the columns. Each row is one query's attention, so each row should sum to 1: "
            "`axis=1`.",
        ),
        WrongAnswer(
            "over all entries",
            lambda S: softmax(S.ravel()).reshape(S.shape),
            "All your weights together sum to 1. Each row should sum to 1 by itself: `axis=1`.",
        ),
        WrongAnswer(
            "keepdims forgotten",
            _sums_lined_up_with_columns,
            "You divide by the right sums, lined up the wrong way: NumPy lays a flat vector along the columns. "
            "Say `keepdims=True`.",
        ),
        WrongAnswer(
            "keepdims forgotten at the maximum",
            _maxima_lined_up_with_columns,
            "You take off the right maxima, lined up the wrong way: NumPy lays a flat vector along the columns. "
            "Say `keepdims=True` there too.",
        ),
        WrongAnswer(
            "keepdims forgotten twice",
            _both_lined_up_with_columns,
            "The maxima and the sums are lined up the wrong way: NumPy lays a flat vector along the columns. "
            "Say `keepdims=True` for both.",
        ),
        WrongAnswer(
            "one sum for all rows",
            lambda S: _exp_rows(S) / _exp_rows(S).sum(),
            "You divide by the sum of the whole matrix. Each row is divided by its own sum: `axis=1`.",
        ),
        WrongAnswer(
            "the mean taken off",
            lambda S: _exp_without_shift(S - S.mean(axis=1, keepdims=True)),
            "You took off each row's mean. A score far above the mean still overflows: take off the maximum, and no "
            "exponent is above 0.",
        ),
        WrongAnswer(
            "minus the scores",
            lambda S: softmax(-S, axis=1),
            "Your largest score gets the smallest weight. The exponent should be z minus the maximum, not the other "
            "way round.",
        ),
        WrongAnswer(
            "no exponential",
            lambda S: S / S.sum(axis=1, keepdims=True),
            "The exponential is missing: the scores themselves, divided by their sum, can be negative.",
        ),
    ),
    extremes=[(S,) for S in _LARGE],
)

# --- the scale -------------------------------------------------------------------------------------------------


def _head(n: int, m: int, d_k: int, d_model: int) -> tuple[Array, Array, int]:
    return _random.normal(size=(n, d_k)), _random.normal(size=(m, d_k)), d_model


# N = M = d_k once, so that a product in the wrong order runs at all; elsewhere all sizes differ.
_HEADS = [_head(5, 4, 3, 12), _head(3, 3, 3, 6), _head(2, 6, 5, 40), _head(4, 2, 7, 14)]


def _scaled(Q: Array, K: Array, d_model: int) -> Array:
    return Q @ K.T / np.sqrt(K.shape[1])


_SCALED_SCORES = Exercise(
    "06.scaled_scores",
    "scaled scores of one head",
    _scaled,
    _HEADS,
    (
        WrongAnswer(
            "not scaled",
            lambda Q, K, d_model: Q @ K.T,
            "The scale is missing. A score is a sum of d_k products: divide by √d_k.",
        ),
        WrongAnswer(
            "scaled by √d_model",
            lambda Q, K, d_model: Q @ K.T / np.sqrt(d_model),
            "You divided by √d_model, as on the page of note N4. This head adds up d_k products, one for each column "
            "of K, and that is what the variance is: divide by √d_k.",
        ),
        WrongAnswer(
            "scaled by d_k",
            lambda Q, K, d_model: Q @ K.T / K.shape[1],
            "In all you divided by d_k. The variance grows with d_k, the scores themselves only with its root: "
            "divide by √d_k, once.",
        ),
        WrongAnswer(
            "scaled by √N",
            lambda Q, K, d_model: Q @ K.T / np.sqrt(len(Q)),
            "You divided by √N, the root of the number of queries. The scale does not depend on the sentence: it is "
            "√d_k, the width of a key.",
        ),
        WrongAnswer(
            "scaled by the root of the number of keys",
            lambda Q, K, d_model: Q @ K.T / np.sqrt(len(K)),
            "You divided by the root of the number of keys: `len(K)` counts rows. d_k is the number of columns, "
            "`K.shape[1]`.",
        ),
        WrongAnswer(
            "Q K without the transpose",
            lambda Q, K, d_model: Q @ K / np.sqrt(K.shape[1]),
            "The transpose is missing. The keys have to stand as columns: `K.T`.",
        ),
        WrongAnswer(
            "divided by the measured spread",
            lambda Q, K, d_model: Q @ K.T / (Q @ K.T).std(),
            "You divided by the spread of these very scores. Then every score hangs on all the others; √d_k is one "
            "fixed number.",
        ),
        WrongAnswer(
            "scaled by √3",
            lambda Q, K, d_model: Q @ K.T / np.sqrt(3),
            "You divided by √3, which fits some of these keys only. Take d_k from what the function is given: "
            "`K.shape[1]`.",
        ),
        WrongAnswer(
            "scaled by √64",
            lambda Q, K, d_model: Q @ K.T / 8,
            "You divided by √64 = 8, which is the paper's. Take d_k from what the function is given: `K.shape[1]`.",
        ),
    ),
)

# --- entropy ---------------------------------------------------------------------------------------------------

_WEIGHTS = [softmax(2 * _random.normal(size=shape)) for shape in ((3, 3), (2, 5), (4, 2), (1, 6))]
_WITH_ZEROS = [np.array([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0], [0.2, 0.3, 0.5]]), np.eye(4)]


def _entropy_rows(A: Array) -> Array:
    return entropy(A, axis=1)


_ENTROPY = Exercise(
    "06.entropy",
    "entropy of each row",
    _entropy_rows,
    [(A,) for A in _WEIGHTS],
    (
        WrongAnswer(
            "0 · log 0",
            lambda A: -(A * np.log(A)).sum(axis=1),
            "Right until a weight is 0: `np.log(0)` is −inf, and 0 times that is nan. A word that gets nothing adds "
            "nothing: give the logarithm a 1 in those places.",
        ),
        WrongAnswer(
            "log2",
            lambda A: -(A * np.log2(np.where(A > 0, A, 1))).sum(axis=1),
            "You took the logarithm to base 2: that is the entropy in bits. Here it is in nats, with `np.log`.",
        ),
        WrongAnswer(
            "log2 and 0 · log 0",
            lambda A: -(A * np.log2(A)).sum(axis=1),
            "You took the logarithm to base 2: that is the entropy in bits. Here it is in nats, with `np.log`.",
        ),
        WrongAnswer(
            "no minus sign",
            lambda A: (A * np.log(np.where(A > 0, A, 1))).sum(axis=1),
            "The minus sign is missing. The logarithm of a share is never above 0, and the entropy never below.",
        ),
        WrongAnswer(
            "no minus sign and 0 · log 0",
            lambda A: (A * np.log(A)).sum(axis=1),
            "The minus sign is missing. The logarithm of a share is never above 0, and the entropy never below.",
        ),
        WrongAnswer(
            "not weighed",
            lambda A: -np.log(np.where(A > 0, A, 1)).sum(axis=1),
            "You added up the logarithms. Each has to be multiplied by its own weight: −Σ α ln α.",
        ),
        WrongAnswer(
            "an ε inside the logarithm",
            lambda A: -(A * np.log(A + 1e-6)).sum(axis=1),
            "Very close: an ε inside the logarithm avoids the nan, but shifts every other entry too. "
            "Change only the places where the weight is 0.",
        ),
    ),
    extremes=[(A,) for A in _WITH_ZEROS],
)

# --- gradient of the softmax -------------------------------------------------------------------------------------

_ROWS = [_random.normal(size=n) for n in (4, 3, 2, 6)]
_LARGE_ROWS = [np.array([1000.0, 999.0, 998.0]), np.array([0.0, -900.0, 900.0, 899.0])]


def _jacobian(z: Array) -> Array:
    return softmax_jacobian(softmax(z))


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
    _jacobian,
    [(z,) for z in _ROWS],
    (
        WrongAnswer(
            "missing cross terms",
            lambda z: np.diag(softmax(z) * (1 - softmax(z))),
            "The diagonal is right, but the cross terms are missing. When one score rises, the other weights fall: "
            "off the diagonal stands −p_j p_k.",
        ),
        WrongAnswer(
            "the diagonal as a vector",
            lambda z: softmax(z) * (1 - softmax(z)),
            "These are the n entries of the diagonal. Every score moves every weight: n × n numbers, with −p_j p_k "
            "off the diagonal.",
        ),
        WrongAnswer(
            "only the cross terms",
            lambda z: -np.outer(softmax(z), softmax(z)),
            "The first term is missing: on the diagonal p_j is added, so that p_j (1 − p_j) stands there.",
        ),
        WrongAnswer(
            "p taken off every entry",
            lambda z: np.eye(len(z)) - np.outer(softmax(z), softmax(z)),
            "On the diagonal should stand p_j − p_j², not 1 − p_j²: `np.diag(p)` instead of `np.eye(n)`.",
        ),
        WrongAnswer(
            "p_j forgotten in front",
            lambda z: np.eye(len(z)) - softmax(z)[np.newaxis, :],
            "This is δ_jk − p_k. The p_j in front of the bracket is missing.",
        ),
        WrongAnswer(
            "δ_jk − p_j",
            lambda z: np.eye(len(z)) - softmax(z)[:, np.newaxis],
            "This is δ_jk − p_j. In the bracket stands p_k, one for each column, and p_j is a factor in front of it.",
        ),
        WrongAnswer(
            "δ_jk taken as 1",
            lambda z: np.outer(softmax(z), 1 - softmax(z)),
            "That is p_j (1 − p_k) everywhere. δ_jk is 1 on the diagonal alone; beside it stands −p_j p_k.",
        ),
        WrongAnswer(
            "cross terms without the minus",
            lambda z: np.outer(softmax(z), softmax(z)) + np.diag(softmax(z) - 2 * softmax(z) ** 2),
            "The diagonal is right. The cross terms have the wrong sign: when one score rises, the other weights fall.",
        ),
        WrongAnswer(
            "by a nudge",
            _jacobian_by_a_nudge,
            "You nudged each score. That comes near the slopes, but the step leaves an error: the formula is exact.",
        ),
        WrongAnswer(
            "the scores in place of the weights",
            lambda z: np.diag(z) - np.outer(z, z),
            "You put the scores into the formula. p is the softmax of the scores: compute it first.",
        ),
        WrongAnswer(
            "the gradient of the exponential",
            lambda z: np.diag(np.exp(z)),
            "You differentiated e^z alone. The sum below the line depends on every score too.",
        ),
        WrongAnswer(
            "a vector product instead of the outer one",
            lambda z: np.diag(softmax(z)) - softmax(z) * softmax(z),
            "`p * p` gives n squares, and NumPy lays them along every row. All products p_j p_k are needed: "
            "`np.outer(p, p)`.",
        ),
        WrongAnswer(
            "no max-shift",
            _jacobian_without_max_shift,
            "The formula is right. For large scores your softmax overflows: take the maximum off before `np.exp`.",
        ),
        WrongAnswer(
            "the weights alone",
            softmax,
            "These are the weights. Their gradient is asked for, n × n numbers.",
        ),
    ),
    extremes=[(z,) for z in _LARGE_ROWS],
)

# --- the scale for entries of other variances -----------------------------------------------------------------------


def _divisor(d_k: int, var_q: float, var_k: float) -> float:
    return math.sqrt(d_k * var_q * var_k)


_DIVISOR = Exercise(
    "06.divisor",
    "the scale for other entries",
    _divisor,
    [(16, 4.0, 1.0), (32, 0.25, 9.0), (8, 2.0, 3.0), (64, 1.0, 1.0)],
    (
        WrongAnswer(
            "√d_k whatever the entries are",
            lambda d_k, var_q, var_k: math.sqrt(d_k),
            "√d_k is right when both variances are 1. One product of entries has the variance var_q · var_k here.",
        ),
        WrongAnswer(
            "variances added within a product",
            lambda d_k, var_q, var_k: math.sqrt(d_k * (var_q + var_k)),
            "You added the two variances. They add up where numbers are added; in a product q_c k_c the means of the "
            "squares are multiplied.",
        ),
        WrongAnswer(
            "only d_k under the root",
            lambda d_k, var_q, var_k: math.sqrt(d_k) * var_q * var_k,
            "In your number each variance counts too much: outside the root, or squared under it. Under the root, "
            "beside d_k, each stands once.",
        ),
        WrongAnswer(
            "d_k outside the root",
            lambda d_k, var_q, var_k: d_k * math.sqrt(var_q * var_k),
            "d_k stands outside your root. The variance of the sum is d_k times that of a product: all of it goes "
            "under the root.",
        ),
        WrongAnswer(
            "the keys forgotten",
            lambda d_k, var_q, var_k: math.sqrt(d_k * var_q),
            "The keys' variance is missing: each product has a factor from the query and one from the key.",
        ),
        WrongAnswer(
            "the queries forgotten",
            lambda d_k, var_q, var_k: math.sqrt(d_k * var_k),
            "The queries' variance is missing: each product has a factor from the query and one from the key.",
        ),
        WrongAnswer(
            "d_k forgotten",
            lambda d_k, var_q, var_k: math.sqrt(var_q * var_k),
            "That is the standard deviation of one product. A score adds up d_k of them.",
        ),
    ),
)

# --- gradient of the cost −ln p_t -----------------------------------------------------------------------------------

_CHOICES = [(_random.normal(size=n), t) for n, t in ((4, 2), (3, 0), (6, 4), (5, 1))]
_LARGE_CHOICES = [(np.array([1000.0, 998.0, 999.0]), 1), (np.array([0.0, -900.0, 900.0, 899.0]), 1)]


def _cost_gradient(z: Array, t: int) -> Array:
    return softmax(z) - np.eye(len(z))[t]


def _cost_gradient_without_max_shift(z: Array, t: int) -> Array:
    return np.exp(z) / np.exp(z).sum() - np.eye(len(z))[t]


_COST_GRADIENT = Exercise(
    "06.cost_gradient",
    "gradient of −ln p_t",
    _cost_gradient,
    _CHOICES,
    (
        WrongAnswer(
            "the 1 forgotten",
            lambda z, t: softmax(z),
            "These are the weights. At entry t something is missing: −(δ_tk − p_k) is p_k − 1 there.",
        ),
        WrongAnswer(
            "1 taken off everywhere",
            lambda z, t: softmax(z) - 1,
            "You took 1 off every entry. δ_tk is 1 for k = t alone.",
        ),
        WrongAnswer(
            "the gradient at the weights",
            lambda z, t: -np.eye(len(z))[t] / softmax(z)[t],
            "That is the gradient at the weights: −1/p_t at entry t. One link of the chain is missing, from the "
            "weights back to the scores: the Jacobian.",
        ),
        WrongAnswer(
            "the first link forgotten",
            lambda z, t: softmax_jacobian(softmax(z))[t],
            "That is how p_t answers to the scores. The chain begins one link earlier: −ln p has the slope −1/p.",
        ),
        WrongAnswer(
            "1 / p_t forgotten",
            lambda z, t: -softmax_jacobian(softmax(z))[t],
            "That is how −p_t answers to the scores. The cost is −ln p_t, whose slope is −1/p_t: the factor 1/p_t is "
            "missing.",
        ),
        WrongAnswer(
            "score t alone",
            lambda z, t: _cost_gradient(z, t) * np.eye(len(z))[t],
            "Entry t is right. But every score moves p_t, since every score is in the sum below the line: elsewhere "
            "stands p_k.",
        ),
        WrongAnswer(
            "one number",
            lambda z, t: softmax(z)[t] - 1,
            "That is the slope for score t. Asked for is one for each score: n slopes.",
        ),
        WrongAnswer(
            "the squared error",
            lambda z, t: softmax_jacobian(softmax(z)) @ _cost_gradient(z, t),
            "That is the gradient of half the squared distance, as in the lesson. Here the cost is −ln p_t.",
        ),
        WrongAnswer(
            "counted from 1",
            lambda z, t: _cost_gradient(z, t - 1),
            "The 1 is taken off the entry before, or for t = 0 off the last one. t counts from 0, as Python does.",
        ),
        WrongAnswer(
            "the cost itself",
            lambda z, t: -np.log(softmax(z)[t]),
            "That is the cost. Asked for is how it answers to each of the scores: n slopes.",
        ),
        WrongAnswer(
            "no max-shift",
            _cost_gradient_without_max_shift,
            "The formula is right. For large scores your softmax overflows: take the maximum off before `np.exp`.",
        ),
        WrongAnswer(
            "divided by p_t",
            lambda z, t: -softmax_jacobian(softmax(z))[t] / softmax(z)[t],
            "Right on paper. But where p_t is so small that the computer stores 0, 1/p_t and ln p_t are infinite, and "
            "nan comes of it. Multiply the links with the pencil: p_t cancels.",
        ),
    ),
    extremes=_LARGE_CHOICES,
)

EXERCISES = (_SOFTMAX, _SCALED_SCORES, _DIVISOR, _ENTROPY, _GRADIENT, _COST_GRADIENT)
