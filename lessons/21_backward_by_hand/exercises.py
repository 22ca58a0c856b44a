"""The exercises of lesson 21, backward by hand, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.by_hand.backward import adam, attention_backward, look_up_backward, softmax_backward
from utils.by_hand.normalization import layer_norm, layer_norm_backward
from utils.course.exercises.exercise import Exercise, Inputs, choice

_random = np.random.default_rng(21)


def _normal(*shape: int) -> Array:
    return _random.normal(size=shape)


def _rows(x: Array) -> Array:
    return x.sum(axis=1, keepdims=True)


# --- softmax -----------------------------------------------------------------------------------------------------

_FORGETS_THE_OTHERS = (
    "You took the softmax's Jacobian as its diagonal, a(1 − a): each score would move its own weight alone. But it "
    "moves all weights of its row: also take off what comes through the others."
)


def _by_diagonal(G: Array, A: Array) -> Array:
    return G * A * (1 - A)


_SOFTMAX = Exercise(
    "21.softmax",
    "back through a softmax",
    lambda G, A: softmax_backward(G, A),
    # N = M once, so that sums down the columns run at all; elsewhere the sizes differ.
    [(_normal(n, m), softmax(_normal(n, m) * 2)) for n, m in ((2, 3), (3, 3), (4, 2), (3, 5))],
    {
        _FORGETS_THE_OTHERS: _by_diagonal,
        "The sum is of G alone. Each g counts with its weight: (G * A).": lambda G, A: (
            A * (G - G.sum(axis=1, keepdims=True))
        ),
        "You took off the plain mean of G. In the mean "
        "that is asked for, each g counts with its weight.": lambda G, A: A * (G - G.mean(axis=1, keepdims=True)),
        "Your sum runs down the columns. A softmax joins the weights of a row, so sum along `axis=1`.": lambda G, A: (
            A * (G - (G * A).sum(axis=0))
        ),
        "The first term is right. The second has lost its factor: the score k gets a_k times the sum.": lambda G, A: (
            G * A - _rows(G * A)
        ),
        "That is the first of the two sums. The second one is still to be taken off.": lambda G, A: G * A,
        "You took the softmax of G. G is a gradient; the "
        "weights A have been through the softmax already.": lambda G, A: G * softmax(G),
    },
)

# --- attention ---------------------------------------------------------------------------------------------------

Three = tuple[Array, Array, Array]


def _attention_back(
    at_A: Callable[[Array, Array], Array] = lambda G, V: G @ V.T,
    at_S: Callable[[Array, Array], Array] = softmax_backward,
    scale: Callable[[Array], float] = lambda K: K.shape[1] ** -0.5,
    at_V: Callable[[Array, Array], Array] = lambda G, A: A.T @ G,
    at_K: Callable[[Array, Array], Array] = lambda S, Q: S.T @ Q,
    at_Q: Callable[[Array, Array], Array] = lambda S, K: S @ K,
) -> Callable[..., Three]:
    """The way back made of its steps."""

    def back(G: Array, A: Array, Q: Array, K: Array, V: Array) -> Three:
        S = at_S(at_A(G, V), A) * scale(K)
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
    {
        _FORGETS_THE_OTHERS: _attention_back(at_S=_by_diagonal),
        "The softmax is left out: you went from the weights straight to QKᵀ. Between them "
        "stands `softmax_back`.": _attention_back(at_S=lambda G, A: G),
        "Of the softmax you have one of two sums: g_k a_k. "
        "Take off what comes through the other weights.": _attention_back(at_S=lambda G, A: G * A),
        "The scale is left out: the scores were divided by "
        "√d_k on the way forward, and so is their gradient.": _attention_back(scale=lambda K: 1.0),
        "You multiply with √d_k on the way back. A constant factor stays in front of a slope: "
        "divide by it again.": _attention_back(scale=lambda K: K.shape[1] ** 0.5),
        "The gradient at K lacks a transpose: key j belongs "
        "to column j of the scores, so it is `at_S.T @ Q`.": _attention_back(at_K=lambda S, Q: S @ Q),
        "The gradient at Q has a transpose too many: query i belongs to row i of the scores, "
        "so it is `at_S @ K`.": _attention_back(at_Q=lambda S, K: S.T @ K),
        "The gradient at V lacks a transpose: value j was "
        "weighed by column j of A, so it is `A.T @ G`.": _attention_back(at_V=lambda G, A: A @ G),
        "The keys get nothing. They are in every score, as the queries are: `at_S.T @ Q`.": _attention_back(
            at_Q=lambda S, K: S @ K, at_K=lambda S, Q: np.zeros((S.shape[1], Q.shape[1]))
        ),
    },
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
    """The way back made of its steps."""

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
    "A mean or a deviation of each row has the shape (N,), and NumPy lines it up with the columns. With "
    "`keepdims=True` it is (N, 1): one number for each row."
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
    {
        "The way by the mean is missing: each number moves μ, and with it all of its row. "
        "Take off the mean of g.": _norm_back(at_x=lambda g, z, s: (g - z * _mean(g * z)) / s),
        "The way by the deviation is missing: each number "
        "moves σ, too. Take off z times the mean of g ⊙ z.": _norm_back(at_x=lambda g, z, s: (g - _mean(g)) / s),
        "You took μ and σ for constants. Each number of the row moves both: two more ways, "
        "two terms to take off.": _norm_back(at_x=lambda g, z, s: g / s),
        "γ is left out on the way to x: the gradient at z is G ⊙ γ, and the formula takes that one.": _norm_back(
            at_z=lambda G, gamma: G
        ),
        "You multiply with √(σ² + ε). On the way forward the numbers were divided by it, "
        "and so is the gradient.": _norm_back(at_x=lambda g, z, s: (g - _mean(g) - z * _mean(g * z)) * s),
        "The two terms are right; the division by √(σ² + ε) is missing.": _norm_back(
            at_x=lambda g, z, s: g - _mean(g) - z * _mean(g * z)
        ),
        "You take off sums. The formula has means of the row.": _norm_back(
            at_x=lambda g, z, s: (g - _rows(g) - z * _rows(g * z)) / s
        ),
        "Your means run down the columns. μ and σ belong to one token: along `axis=1`, "
        "with `keepdims=True`.": _norm_back(at_x=lambda g, z, s: (g - g.mean(axis=0) - z * (g * z).mean(axis=0)) / s),
        "γ and β have as many numbers as there are features. All tokens "
        "use them: add the parts of all tokens.": _norm_back(at_gamma=lambda G, z, x: G * z, at_beta=lambda G: G),
        "At γ and β you took means over the tokens. Ways are added, so it is a sum.": _norm_back(
            at_gamma=lambda G, z, x: (G * z).mean(axis=0), at_beta=lambda G: G.mean(axis=0)
        ),
        "γ and β have the part of the last token alone: each token wrote over the one before. Add them.": _norm_back(
            at_gamma=lambda G, z, x: (G * z)[-1], at_beta=lambda G: G[-1]
        ),
        "At γ you multiply with x. What γ was multiplied with on the way forward is z.": _norm_back(
            at_gamma=lambda G, z, x: (G * x).sum(axis=0)
        ),
        "You wrote G ⊙ γ over G, and used it for γ and β, too. They get theirs "
        "from G: give G ⊙ γ another name.": lambda G, x, gamma, eps: _reference(G * gamma, x, np.ones_like(gamma), eps),
        "γ and β are swapped: γ gets the sum of G ⊙ z, and β that of G.": lambda G, x, gamma, eps: (
            lambda at_x, at_gamma, at_beta: (at_x, at_beta, at_gamma)
        )(*_reference(G, x, gamma, eps)),
        _KEEP: [
            _norm_back(at_x=lambda g, z, s: (g - g.mean(axis=1) - z * (g * z).mean(axis=1)) / s),
            _without_keepdims,
        ],
        "Your ε stands outside the root. The task has √(σ² + ε), forward and on the way back.": _norm_back(
            divisor=lambda variance, eps: np.sqrt(variance) + eps
        ),
    },
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


_ONE_USE_ALONE = "A number that was used twice has the part of one use alone: the other was written over. Add: `+=`."


_TAPE = Exercise(
    "21.tape",
    "walk back over a tape",
    lambda tape: _walk_back()(tape),
    [  # a number in between is used twice, made of two, and once of itself
        ([[], [], [(0, 3.0), (0, 3.0)], [(1, 3.0), (0, 2.0)], [(2, 1.0), (3, 1.0)]],),
        ([[], [(0, 2.0)], [(1, 3.0), (0, -1.0)], [(1, 0.5), (2, 4.0)]],),
        ([[], [], [(0, 2.0), (1, -3.0)], [(2, 1.5), (2, 1.5)], [(2, 0.5), (1, 2.0)], [(3, -2.0), (4, 3.0)]],),
    ],
    {
        _ONE_USE_ALONE: [_walk_back(had=0.0), lambda tape: _handed_on_at_once(tape, had=0.0)],
        "Only what the loss hands on has arrived. Walk from "
        "the last number to the first: each gets a turn.": _walk_back(order=iter),
        "A number handed on before all its parts had arrived, and again at the next. Walk "
        "the list from its end.": _handed_on_at_once,
        "All slopes are 0: nothing was there to hand on. The loss itself has 1.": _walk_back(first=0.0),
        "Only the loss has a slope, its own 1. It hands on, too: each number adds its part "
        "to what it was made of.": lambda tape: np.eye(len(tape))[-1],
    },
)

# --- a table, a batch --------------------------------------------------------------------------------------------


def _written_over(G: Array, ids: Array, n_words: int) -> Array:
    at = np.zeros((n_words, G.shape[1]))
    at[ids] = G
    return at


_TABLE = Exercise(
    "21.table",
    "the gradient at a table",
    lambda G, ids, n_words: look_up_backward(G, ids, n_words),
    [
        (_normal(len(ids), d), np.array(ids), n_words)
        for ids, d, n_words in (([0, 2, 0], 2, 4), ([1, 1, 3, 1, 0], 3, 6), ([2, 0, 1, 2], 5, 3))
    ],
    {
        "A word that was read twice has the gradient of its last place alone: `at[ids] = G`, and `at[ids] += G` too, "
        "writes over. What comes by several ways is added: loop over the places, or take `np.add.at`.": _written_over,
        "You took the mean over the places of a word. Ways are added, so it is a sum.": lambda G, ids, n_words: (
            look_up_backward(G, ids, n_words) / np.maximum(np.bincount(ids, minlength=n_words), 1)[:, np.newaxis]
        ),
        "That is the gradient at the rows that were read, one "
        "for each place. The table has a row for each word.": lambda G, ids, n_words: G,
        "Every word has got the sum of all places. A row "
        "gets the parts of the places where it was read.": lambda G, ids, n_words: np.tile(G.sum(axis=0), (n_words, 1)),
    },
)


def _batch_back(G: Array, X: Array, W: Array) -> Three:
    return G @ W.T, np.einsum("bnd,bnm->dm", X, G), G.sum(axis=(0, 1))


_BATCH = Exercise(
    "21.batch",
    "a linear layer under a batch",
    _batch_back,
    [(_normal(B, N, m), _normal(B, N, d), _normal(d, m)) for B, N, d, m in ((2, 3, 4, 5), (3, 2, 5, 2), (4, 5, 2, 3))],
    {
        "You have a gradient for each sentence. All sentences use "
        "the same W and b: add over the batch as well.": lambda G, X, W: (G @ W.T, X.swapaxes(1, 2) @ G, G.sum(axis=1)),
        "You took the mean over the batch. If the loss is a mean, G has that factor already: "
        "here ways are added.": lambda G, X, W: (
            G @ W.T,
            (X.swapaxes(1, 2) @ G).mean(axis=0),
            G.sum(axis=1).mean(axis=0),
        ),
        "W and b have the part of the last sentence alone: each "
        "sentence wrote over the one before. Add them.": lambda G, X, W: (G @ W.T, X[-1].T @ G[-1], G[-1].sum(axis=0)),
        "b was added to every token of every sentence: its gradient is the sum over both axes.": lambda G, X, W: (
            G @ W.T,
            np.einsum("bnd,bnm->dm", X, G),
            G.sum(axis=0),
        ),
        "The gradient at W has a transpose too many. It has the shape of W, (d, m).": lambda G, X, W: (
            G @ W.T,
            np.einsum("bnd,bnm->dm", X, G).T,
            G.sum(axis=(0, 1)),
        ),
    },
    parts=("the gradient at X", "the gradient at W", "the gradient at b"),
)

# --- Adam --------------------------------------------------------------------------------------------------------


def _adam(
    correct: tuple[bool, bool] = (True, True),
    first: int = 1,
    below: Callable[[Array, float], Array] = lambda v, eps: np.sqrt(v) + eps,
    square: Callable[[Array], Array] = np.square,
    share: Callable[[float], float] = lambda beta: 1 - beta,
    sign: float = -1.0,
    kept: bool = False,
) -> Callable[..., Array]:
    """Adam made of its steps."""

    def after(w: Array, gradients: Any, rate: float, beta_1: float, beta_2: float, eps: float) -> Array:
        w = np.array(w)
        m = v = np.zeros_like(w)
        for t, g in enumerate(gradients, first):
            m, v = beta_1 * m + share(beta_1) * g, beta_2 * v + share(beta_2) * square(g)
            m_hat = m / (1 - beta_1**t) if correct[0] else m
            v_hat = v / (1 - beta_2**t) if correct[1] else v
            w = w + sign * rate * m_hat / below(v_hat, eps)
            m, v = (m_hat, v_hat) if kept else (m, v)
        return w

    return after


def _stepping(n: int, steps: int, rate: float, beta_1: float, beta_2: float, eps: float) -> Inputs:
    return _normal(n), [_normal(n) for _ in range(steps)], rate, beta_1, beta_2, eps


_ADAM = Exercise(
    "21.adam",
    "Adam",
    lambda w, gradients, rate, beta_1, beta_2, eps: adam(w, gradients, rate, beta_1, beta_2, eps),
    [
        _stepping(3, 1, 0.1, 0.9, 0.99, 0.01),
        _stepping(2, 4, 0.3, 0.8, 0.95, 0.1),
        _stepping(4, 3, 0.05, 0.5, 0.9, 1e-3),
        _stepping(5, 6, 0.2, 0.9, 0.999, 1e-8),
    ],
    {
        "The correction is missing: m and v begin at 0, so at first they are too small. Divide by 1 − βᵗ.": _adam(
            correct=(False, False)
        ),
        "m is corrected, v is not: it begins at 0 as well. Divide it by 1 − β₂ᵗ.": _adam(correct=(True, False)),
        "v is corrected, m is not: it begins at 0 as well. Divide it by 1 − β₁ᵗ.": _adam(correct=(False, True)),
        "Your t runs ahead by one: in the first step it is 1, so that m̂ is the first gradient itself.": _adam(first=2),
        "Your t begins at 0, and 1 − β⁰ is 0: 0 is divided by 0. t begins at 1: `enumerate(gradients, 1)`.": _adam(
            first=0
        ),
        "The corrected m and v go on to the next step, so the correction piles up. Keep the running means as they are: "
        "m̂ and v̂ serve one step.": _adam(kept=True),
        "Your ε stands inside the root. In Adam it is added to it.": _adam(below=lambda v, eps: np.sqrt(v + eps)),
        "You divide by v̂. Take its root: m̂ has the unit of a gradient, v̂ that of its square.": _adam(
            below=lambda v, eps: v + eps
        ),
        "You keep a mean of sizes, not of squares. v is the running mean of g², and its root divides.": _adam(
            square=np.abs, below=lambda v, eps: v + eps
        ),
        "The new gradient comes in whole. In a running mean it has the share 1 − β, and the "
        "old mean the share β.": _adam(share=lambda beta: 1.0),
        "Your step goes up. Against the gradient the loss falls: minus.": _adam(sign=1.0),
        "That is plain gradient descent. Adam divides by how large the gradients "
        "of this number have been.": lambda w, gradients, rate, beta_1, beta_2, eps: w - rate * sum(gradients),
    },
)

_WHICH = choice(
    "21.which",
    "b",
    "the row of *the* was read at two places, and the ways from both to the loss are added.",
    {
        "a": "That is the chain rule: along one way the factors multiply. Nothing is added there.",
        "c": "A gate is a factor of 1 or 0 on one way.",
        "d": "A constant factor stays in front of a slope. It is one way, with one factor.",
    },
)

EXERCISES = (_SOFTMAX, _ATTENTION, _NORM, _TAPE, _TABLE, _BATCH, _ADAM, _WHICH)
