"""The exercises of lesson 21, backward by hand, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.by_hand.backward import attention_backward, softmax_backward
from utils.by_hand.normalization import layer_norm, layer_norm_backward
from utils.course.exercises.exercise import Exercise, Inputs

_random = np.random.default_rng(21)


def _normal(*shape: int) -> Array:
    return _random.normal(size=shape)


def _rows(x: Array) -> Array:
    return x.sum(axis=1, keepdims=True)


# --- softmax -----------------------------------------------------------------------------------------------------

_FORGETS_THE_OTHERS = (
    "You used only the diagonal of the softmax's Jacobian, a(1 − a), but each score moves all weights of its row. "
    "Subtract the part that comes through the others."
)


def _by_diagonal(G: Array, A: Array) -> Array:
    return G * A * (1 - A)


_SOFTMAX = Exercise(
    "21.softmax",
    "back through a softmax",
    lambda G, A: softmax_backward(G, A),
    # N = M once, so that sums down the columns run at all; elsewhere the sizes differ.
    [(_normal(n, m), softmax(_normal(n, m) * 2)) for n, m in ((2, 3), (3, 3), (4, 2), (3, 5))],
    [
        _FORGETS_THE_OTHERS,
        _by_diagonal,
        "You summed only G, but each gradient counts with its weight. Sum G * A along the row instead.",
        lambda G, A: A * (G - G.sum(axis=1, keepdims=True)),
        "You subtracted the plain mean of G, but each gradient counts with its weight in this mean. Sum G * A along "
        "the row.",
        lambda G, A: A * (G - G.mean(axis=1, keepdims=True)),
        "You summed down the columns, but a softmax joins the weights of a row. Sum along `axis=1`.",
        lambda G, A: A * (G - (G * A).sum(axis=0)),
        "You lost a factor in the second term, because score k gets a_k times the sum. Multiply the sum by A as well.",
        lambda G, A: G * A - _rows(G * A),
        "You left out the factor in front. Score k gets a_k times the difference, so multiply the whole bracket by A.",
        lambda G, A: G - _rows(G * A),
        "You added the second sum, but in the formula it has a minus, so subtract it.",
        lambda G, A: A * (G + _rows(G * A)),
        "You returned only the first of the two sums. Subtract the second one, the weighted mean of G times A.",
        lambda G, A: G * A,
        "You took the softmax of G, which is a gradient. Only the weights A come from a softmax, and they are already "
        "computed, so use G as it is.",
        lambda G, A: G * softmax(G),
    ],
)

# --- attention ---------------------------------------------------------------------------------------------------

Three = tuple[Array, Array, Array]


def _attention_back(
    at_S: Callable[[Array, Array], Array] = softmax_backward,
    scale: Callable[[Array], float] = lambda K: K.shape[1] ** -0.5,
    at_V: Callable[[Array, Array], Array] = lambda G, A: A.T @ G,
    at_K: Callable[[Array, Array], Array] = lambda S, Q: S.T @ Q,
    at_Q: Callable[[Array, Array], Array] = lambda S, K: S @ K,
) -> Callable[..., Three]:
    """Return the backward pass, built from its steps."""

    def back(G: Array, A: Array, Q: Array, K: Array, V: Array) -> Three:
        S = at_S(G @ V.T, A) * scale(K)
        return at_Q(S, K), at_K(S, Q), at_V(G, A)

    return back


def _attended(n: int, d_k: int, d_v: int) -> Inputs:
    """G, A, Q, K, V; the weights are those of Q and K, as far as the look-ahead mask lets them."""
    Q, K = _normal(n, d_k), _normal(n, d_k)
    scores = np.where(np.tri(n, dtype=bool), Q @ K.T / np.sqrt(d_k), -1e9)
    return _normal(n, d_v), softmax(scores), Q, K, _normal(n, d_v)


_ATTENTION = Exercise(
    "21.attention",
    "back through attention",
    lambda G, A, Q, K, V: attention_backward(G, Q, K, V, A),
    [_attended(n, d_k, d_v) for n, d_k, d_v in ((3, 2, 4), (4, 3, 2), (2, 5, 3), (5, 3, 4))],
    [
        _FORGETS_THE_OTHERS,
        _attention_back(at_S=_by_diagonal),
        "You went from the weights straight to the scores, but a softmax is between them. Apply `softmax_back` first.",
        _attention_back(at_S=lambda G, A: G),
        "You used only one of the two sums of the softmax, g_k a_k. Subtract the part that comes through the other "
        "weights.",
        _attention_back(at_S=lambda G, A: G * A),
        "You left out the scale. The scores were divided by √d_k in the forward pass, so divide their gradient by "
        "√d_k as well.",
        _attention_back(scale=lambda K: 1.0),
        "You divided by √d_k twice, but the forward pass divides only once. Divide the gradient of the scores only "
        "once.",
        _attention_back(scale=lambda K: 1 / K.shape[1]),
        "You forgot a transpose at K. Key j belongs to column j of the scores, so its gradient takes their transpose "
        "times Q.",
        _attention_back(at_K=lambda S, Q: S @ Q),
        "You forgot a transpose at V. Column j of A weighted value j, so the gradient is `A.T @ G`.",
        _attention_back(at_V=lambda G, A: A @ G),
        "You gave the keys no gradient, but every score depends on a key as well as on a query. Multiply the "
        "transposed gradient of the scores by Q.",
        _attention_back(at_Q=lambda S, K: S @ K, at_K=lambda S, Q: np.zeros((S.shape[1], Q.shape[1]))),
    ],
    parts=("the gradient at Q", "the gradient at K", "the gradient at V"),
)

# --- layer norm --------------------------------------------------------------------------------------------------


def _mean(x: Array) -> Array:
    return x.mean(axis=1, keepdims=True)


def _norm_back(
    at_z: Callable[[Array, Array], Array] = lambda G, gamma: G * gamma,
    at_x: Callable[[Array, Array, Array], Array] = lambda g, z, s: (g - _mean(g) - z * _mean(g * z)) / s,
    at_gamma: Callable[[Array, Array, Array], Array] = lambda G, z, x: (G * z).sum(axis=0),
    at_beta: Callable[[Array], Array] = lambda G: G.sum(axis=0),
    divisor: Callable[[Array, float], Array] = lambda variance, eps: np.sqrt(variance + eps),
) -> Callable[..., Three]:
    """Return the backward pass, built from its steps."""

    def back(G: Array, x: Array, gamma: Array, eps: float) -> Three:
        s = divisor(x.var(axis=1, keepdims=True), eps)
        z = (x - _mean(x)) / s
        return at_x(at_z(G, gamma), z, s), at_gamma(G, z, x), at_beta(G)

    return back


def _normed(n: int, m: int, eps: float) -> Inputs:
    """G, x, gamma, eps."""
    return _normal(n, m), _normal(n, m) + _normal(n, 1), _random.uniform(0.5, 2, size=m), eps


def _reference(G: Array, x: Array, gamma: Array, eps: float) -> Three:
    return layer_norm_backward(G * gamma, x, eps), (G * layer_norm(x, eps=eps)).sum(axis=0), G.sum(axis=0)


_KEEP = (
    "You lost an axis: a mean over each row has the shape (N,), which NumPy aligns with the columns. Use "
    "`keepdims=True` to get (N, 1)."
)


def _without_keepdims(G: Array, x: Array, gamma: Array, eps: float) -> Three:
    s = np.sqrt(x.var(axis=1) + eps)
    z, g = (x - x.mean(axis=1)) / s, G * gamma
    return (g - g.mean(axis=1) - z * (g * z).mean(axis=1)) / s, (G * z).sum(axis=0), G.sum(axis=0)


_NORM = Exercise(
    "21.norm",
    "back through a layer norm",
    _reference,
    [_normed(4, 3, 0.1), _normed(2, 5, 0.01), _normed(3, 3, 0.5), _normed(5, 4, 1e-5)],
    [
        "You left out the path through the mean. Each feature moves μ, and with it the whole row, so subtract the "
        "mean of g.",
        _norm_back(at_x=lambda g, z, s: (g - z * _mean(g * z)) / s),
        "You left out the path through the deviation. Each feature also moves σ, so subtract z times the mean of g ⊙ "
        "z.",
        _norm_back(at_x=lambda g, z, s: (g - _mean(g)) / s),
        "You treated μ and σ as constants, but each feature of the row moves both. Subtract the terms of these two "
        "paths.",
        _norm_back(at_x=lambda g, z, s: g / s),
        "You left out γ on the way to x. The gradient at z is G ⊙ γ, so put that into the formula.",
        _norm_back(at_z=lambda G, gamma: G),
        "You subtracted the correct two terms, but didn't divide. Divide the result by √(σ² + ε), as in the formula.",
        _norm_back(at_x=lambda g, z, s: g - _mean(g) - z * _mean(g * z)),
        "You took the means down the columns, but μ and σ belong to one token. Take them along `axis=1` with "
        "`keepdims=True`.",
        _norm_back(at_x=lambda g, z, s: (g - g.mean(axis=0) - z * (g * z).mean(axis=0)) / s),
        "You returned a gradient of γ and β for each token, but all tokens share them. Add the parts of all tokens.",
        _norm_back(at_gamma=lambda G, z, x: G * z, at_beta=lambda G: G),
        "You averaged the parts of the tokens for γ and β, but parts of several paths are added. Use the sum over the "
        "tokens.",
        _norm_back(at_gamma=lambda G, z, x: (G * z).mean(axis=0), at_beta=lambda G: G.mean(axis=0)),
        "You multiplied by x to get the gradient at γ, but the forward pass multiplies γ by z. Use z instead.",
        _norm_back(at_gamma=lambda G, z, x: (G * x).sum(axis=0)),
        "You replaced G by G ⊙ γ and then used that for γ and β as well. Those two need the old G, so give G ⊙ γ "
        "another name.",
        lambda G, x, gamma, eps: _reference(G * gamma, x, np.ones_like(gamma), eps),
        _KEEP,
        _norm_back(at_x=lambda g, z, s: (g - g.mean(axis=1) - z * (g * z).mean(axis=1)) / s),
        _without_keepdims,
        "You added ε outside the root, but this exercise has √(σ² + ε). Add ε to σ² before you take the root.",
        _norm_back(divisor=lambda variance, eps: np.sqrt(variance) + eps),
    ],
    parts=("the gradient at x", "the gradient at γ", "the gradient at β"),
)

# --- a tape ------------------------------------------------------------------------------------------------------

Tape = list[list[tuple[int, float]]]


def _walk_back(order: Callable[[Any], Any] = reversed, had: float = 1.0, first: float = 1.0) -> Callable[[Tape], Array]:
    """The walk made of its steps; `had` is how much of what has arrived a new part leaves there."""

    def walk_back(tape: Tape) -> Array:
        at = first * np.eye(len(tape))[-1]
        for n in order(range(len(tape))):
            for made_of, slope in tape[n]:
                at[made_of] = had * at[made_of] + at[n] * slope
        return at

    return walk_back


def _handed_on_at_once(tape: Tape, had: float = 1.0) -> Array:
    at = np.eye(len(tape))[-1]

    def visit(n: int) -> None:
        for made_of, slope in tape[n]:
            at[made_of] = had * at[made_of] + at[n] * slope
            visit(made_of)

    visit(-1)
    return at


_ONE_USE_ALONE = (
    "You overwrote one part of the slope of a number that is used twice, but the parts from all uses count. Add them "
    "with `+=`."
)


_TAPE = Exercise(
    "21.tape",
    "walk back over a tape",
    lambda tape: _walk_back()(tape),
    [  # a number in between is used twice, made of two, and once of itself
        ([[], [], [(0, 3.0), (0, 3.0)], [(1, 3.0), (0, 2.0)], [(2, 1.0), (3, 1.0)]],),
        ([[], [(0, 2.0)], [(1, 3.0), (0, -1.0)], [(1, 0.5), (2, 4.0)]],),
        ([[], [], [(0, 2.0), (1, -3.0)], [(2, 1.5), (2, 1.5)], [(2, 0.5), (1, 2.0)], [(3, -2.0), (4, 3.0)]],),
    ],
    [
        _ONE_USE_ALONE,
        _walk_back(had=0.0),
        lambda tape: _handed_on_at_once(tape, had=0.0),
        "You walked from the first number on, when most numbers had nothing to pass on yet. Walk from the last number "
        "to the first.",
        _walk_back(order=iter),
        "You passed a number's slope on before all of its parts had arrived. Walk through the list from its end "
        "instead.",
        _handed_on_at_once,
        "You get only slopes of 0, because there was nothing to pass on. Start with 1 for the loss itself.",
        _walk_back(first=0.0),
        "You gave only the loss a slope, its own 1. Let each number add its part to the numbers that it was made from.",
        lambda tape: np.eye(len(tape))[-1],
    ],
)

EXERCISES = (_SOFTMAX, _ATTENTION, _NORM, _TAPE)
