"""The exercises of lesson 09, residuals and normalization, and the mistakes that they know."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.by_hand.normalization import batch_norm, layer_norm
from utils.by_hand.residual import stack_gradients
from utils.course.exercises.exercise import Exercise, Inputs, Mistakes, carried, choice, in_steps
from utils.course.exercises.softmaxes import with_wrong_softmax

Norm = Callable[[Array, Array, Array, float], Array]

_random = np.random.default_rng(9)


def _normed(n: int, m: int, eps: float, size: float = 1.0) -> Inputs:
    """x, gamma, beta, eps; the tokens differ in where they lie and how far they spread."""
    x = size * (_random.normal(size=(n, m)) * _random.uniform(0.5, 2, size=(n, 1)) + _random.normal(size=(n, 1)))
    return x, _random.uniform(0.5, 2, size=m), _random.normal(size=m), eps


def _batched(B: int, N: int, m: int, eps: float) -> Inputs:
    """x, gamma, beta, eps for a batch of B sentences; the tokens differ in where they lie."""
    draw = np.random.default_rng(B * N * m)
    x = draw.normal(size=(B, N, m)) + draw.normal(size=(B, N, 1))
    return x, draw.uniform(0.5, 2, size=m), draw.normal(size=m), eps


# n = m twice, so that a mean laid along the wrong axis runs at all; elsewhere all sizes differ.
_NORMED = [_normed(4, 3, 1e-2), _normed(3, 3, 1e-1, 0.5), _normed(2, 5, 1e-3, 0.1), _normed(4, 4, 1e-5)]
# Batches of sentences, (B, N, m); the lengths of the axes are equal once.
_BATCHED = [_batched(2, 3, 4, 1e-2), _batched(3, 2, 2, 1e-1), _batched(2, 4, 3, 1e-3), _batched(3, 3, 3, 1e-5)]
_FLAT = (np.array([[0.2, 0.2, 0.2], [0.4, 0.2, 0.3]]), np.ones(3), np.zeros(3), 1e-5)  # a token without spread


def _attending(n: int, d: int, d_k: int, eps: float) -> Inputs:
    """X, W_Q, W_K, W_V, eps."""
    return _random.normal(size=(n, d)), *(_random.normal(size=(d, wide)) for wide in (d_k, d_k, d)), eps


@functools.cache  # so that the answers of one axis can be combined
def _built(axis: int | tuple[int, ...]) -> Callable[..., Norm]:
    """A norm along `axis`, made of its steps."""
    over = {"axis": axis, "keepdims": True}

    @in_steps
    def build(
        mean: Callable[[Array], Array] = lambda x: x.mean(**over),
        above: Callable[[Array, Array], Array] = np.subtract,
        spread: Callable[[Array], Array] = lambda x: x.var(**over),
        below: Callable[[Array, float], Array] = lambda variance, eps: np.sqrt(variance + eps),
        put: Callable[[Array, Array, Array], Array] = lambda z, gamma, beta: gamma * z + beta,
    ) -> Norm:
        return lambda x, gamma, beta, eps: put(above(x, mean(x)) / below(spread(x), eps), gamma, beta)

    return build


def _over_everything(x: Array, gamma: Array, beta: Array, eps: float) -> Array:
    return gamma * (x - x.mean()) / np.sqrt(x.var() + eps) + beta


def _rms(axis: int | tuple[int, ...]) -> dict[str, Callable[[Array], Array | float]]:
    """The steps of a norm that takes no mean off, anywhere."""
    return {"mean": lambda x: 0.0, "spread": lambda x: (x**2).mean(axis=axis, keepdims=True)}


_SAID_OF_RMS = (
    "You divided by the square root of the mean square without subtracting the mean, which is a different norm, "
    "RMSNorm. Subtract the mean first, also in σ."
)


def _of_every_norm(axis: int | tuple[int, ...], group: str) -> Mistakes:
    """The mistakes that can be made with layer norm and with batch norm alike; `group` is what is averaged over."""
    build, over = _built(axis), {"axis": axis, "keepdims": True}
    min_max = {"mean": lambda x: x.min(**over), "spread": lambda x: np.ptp(x, **over)}
    said_of_min_max = (
        "You used the smallest and the largest number, which is min–max scaling. Subtract the mean instead, and divide "
        "by the standard deviation."
    )
    return [
        f"You took one mean and one deviation for the whole array. Compute them for each {group} separately.",
        _over_everything,
        "You divided by one less than the count, which estimates a deviation from a sample. A norm divides by the "
        "count itself, so leave `ddof=1` out.",
        build(spread=lambda x: x.var(ddof=1, **over)),
        "You divided by the variance, which has the unit of x², whereas x − μ has the unit of x. Take the square root "
        "of σ² + ε.",
        build(below=np.add),
        "You added ε after the root, so you divide by σ + ε. Here ε belongs inside the root: √(σ² + ε).",
        build(below=lambda variance, eps: np.sqrt(variance) + eps),
        "You added β before multiplying by γ, so β is multiplied as well. Multiply by γ first, then add β.",
        build(put=lambda z, gamma, beta: gamma * (z + beta)),
        "You didn't subtract the mean in the numerator. Use x − μ there instead of x.",
        build(above=lambda x, mu: x),
        "You subtracted the mean, but left the spread as it was. Divide by √(σ² + ε) to bring the spread to 1.",
        build(below=lambda *_: 1.0),
        "You added the squares up, but σ² is their mean. Divide the sum by how many squares there are.",
        build(spread=lambda x: ((x - x.mean(**over)) ** 2).sum(**over)),
        "You added ε to the result, because in Python `/` binds before `+`. Put brackets around σ² + ε.",
        lambda x, gamma, beta, eps: build()(x, gamma, beta, 0) + eps,
        "You divided only μ, because in Python `/` binds before `-`. Put brackets around x − μ.",
        lambda x, gamma, beta, eps: gamma * (x - x.mean(**over) / np.sqrt(x.var(**over) + eps)) + beta,
        _SAID_OF_RMS,
        build(**_rms(axis)),
        said_of_min_max,
        build(below=lambda spread, eps: spread, **min_max),
        build(below=np.add, **min_max),
    ]


_LAYER_NORM = Exercise(
    "09.layer_norm",
    "layer norm",
    lambda x, gamma, beta, eps: layer_norm(x, gamma, beta, eps),
    _NORMED,
    [
        "You averaged down the columns, which is batch norm. In layer norm every token, a row, has its own μ and σ, "
        "so use `axis=1`.",
        batch_norm,
        *_of_every_norm(1, "token"),
        "You subtracted the mean of token j from column j, because your means are a flat vector. Use `keepdims=True` "
        "for the mean; the deviations are correct.",
        _built(1)(mean=lambda x: x.mean(axis=1)),
        "You divided column j by the deviation of token j, because your deviations are a flat vector. Use "
        "`keepdims=True` for them; the means are correct.",
        _built(1)(spread=lambda x: x.var(axis=1)),
        "You gave each token its own γ and β, but γ and β belong to the features. Use one of each per column, for all "
        "tokens.",
        _built(1)(put=lambda z, gamma, beta: gamma[:, np.newaxis] * z + beta[:, np.newaxis]),
        "Your means and deviations are correct, but NumPy lines a flat vector up with the columns. Use "
        "`keepdims=True`, so that each row meets its own mean and deviation.",
        _built(1)(mean=lambda x: x.mean(axis=1), spread=lambda x: x.var(axis=1)),
    ],
    extremes=[_FLAT],
)

_BATCH_NORM = Exercise(
    "09.batch_norm",
    "batch norm",
    lambda x, gamma, beta, eps: batch_norm(x.reshape(-1, x.shape[-1]), gamma, beta, eps).reshape(x.shape),
    _BATCHED,
    [
        "You averaged along the rows, which is layer norm. In batch norm every feature has its own μ and σ, so "
        "average over all tokens of all sentences.",
        layer_norm,
        "You averaged only over the sentences, so each position has its own μ and σ. A feature has one of each, so "
        "average over the positions as well.",
        _built(0)(),
        "You averaged only over the tokens of one sentence. A feature has one μ and one σ for the whole batch, so "
        "average over the sentences as well.",
        _built(1)(),
        *_of_every_norm((0, 1), "feature"),
    ],
    extremes=[(np.array([[[0.1, 0.2, 0.3], [0.4, 0.2, 0.3]]]), np.ones(3), np.zeros(3), 1e-5)],
)


_Ending = Callable[[Array, Array, float], Array]  # x, F(x), eps


@in_steps
def _behind_attention(
    end: _Ending = lambda x, F_x, eps: layer_norm(x + F_x, eps=eps),
    rows: Callable[[Array], Array] = softmax,
    divisor: Callable[[Array, Array], float] = lambda X, W_K: W_K.shape[1],
) -> Callable[..., Array]:
    def answer(X: Array, W_Q: Array, W_K: Array, W_V: Array, eps: float) -> Array:
        return end(X, rows(X @ W_Q @ (X @ W_K).T / np.sqrt(divisor(X, W_K))) @ (X @ W_V), eps)

    return answer


_ADDED_WRONGLY = [
    "You normalized only F(x) and added x afterwards, but the paper normalizes the sum. Add first, then normalize.",
    lambda x, F_x, eps: x + layer_norm(F_x, eps=eps),
    "You normalized x and then added F(x), but the paper normalizes the sum. Add first, then normalize.",
    lambda x, F_x, eps: layer_norm(x, eps=eps) + F_x,
    "You computed the correct sum, but stopped there. Now normalize each of its rows.",
    lambda x, F_x, eps: x + F_x,
    "You left out the shortcut, so the input is lost. Normalize X + Attention(X), not only the attention.",
    lambda x, F_x, eps: layer_norm(F_x, eps=eps),
    "You averaged down the columns, which is batch norm. Each token, a row, has its own μ and σ, so average along the "
    "rows.",
    lambda x, F_x, eps: batch_norm(x + F_x, eps=eps),
    "You took one mean and one deviation for the whole array. Compute them for each token separately.",
    lambda x, F_x, eps: _over_everything(x + F_x, 1.0, 0.0, eps),
    "You divided by m − 1 in the deviation, but a norm divides by m. Leave `ddof=1` out.",
    lambda x, F_x, eps: _built(1)(spread=lambda x: x.var(axis=1, keepdims=True, ddof=1))(x + F_x, 1.0, 0.0, eps),
    "You added ε after the root, so you divide by σ + ε. Here ε belongs inside: √(σ² + ε).",
    lambda x, F_x, eps: layer_norm(x + F_x, eps=eps, eps_inside=False),
    _SAID_OF_RMS,
    lambda x, F_x, eps: _built(1)(**_rms(1))(x + F_x, 1.0, 0.0, eps),
    "You left ε out, so a token of equal numbers would give 0/0. Divide by √(σ² + ε).",
    lambda x, F_x, eps: layer_norm(x + F_x, eps=0),
]

_ADD_AND_NORM = Exercise(
    "09.attention_add_and_norm",
    "attention, then add & norm",
    _behind_attention(),
    [_attending(4, 3, 2, 0.01), _attending(2, 5, 4, 0.1), _attending(3, 3, 3, 0.05)],
    [
        *with_wrong_softmax(lambda rows: _behind_attention(rows=rows)),
        "You didn't divide the scores by √d_k. Divide them before the softmax; d_k is the number of columns of W_K.",
        _behind_attention(divisor=lambda X, W_K: 1),
        "You divided by the square root of d, the width of X, but a score adds up only d_k products. Divide by √d_k.",
        _behind_attention(divisor=lambda X, W_K: X.shape[1]),
        "You used the raw scores, which don't sum to 1. Apply a softmax to each row before you weigh the values.",
        _behind_attention(rows=lambda S: S),
        "You normalized the input of the attention, which is pre-norm. In the paper's order, normalize the sum "
        "instead.",
        lambda X, W_Q, W_K, W_V, eps: (
            X + _behind_attention(lambda x, F_x, eps: F_x)(layer_norm(X, eps=eps), W_Q, W_K, W_V, eps)
        ),
        *carried(_ADDED_WRONGLY, _behind_attention),
    ],
    extremes=[(1e3 * X, *rest) for X, *rest in [_attending(4, 3, 2, 0.01)]],
)

# --- the gradient at the weights of a layer with a shortcut -------------------------------------------------------


def _layered(n: int, d: int) -> Inputs:
    return _random.normal(size=(n, d)), _random.normal(size=(d, d)) / np.sqrt(d), _random.normal(size=(n, d))


def _slope(X: Array, W: Array) -> Array:
    return 1 - np.tanh(X @ W) ** 2


_WEIGHT_GRADIENT = Exercise(
    "09.weight_gradient",
    "the gradient at the weights",
    lambda X, W, G: stack_gradients(X, W[None], "residual", G).weights[0],
    [_layered(4, 3), _layered(3, 3), _layered(2, 5)],
    [
        "You returned the gradient at X, which you have seen above. Return the gradient at W instead.",
        lambda X, W, G: G + (G * _slope(X, W)) @ W.T,
        "You went back through XW to X, by multiplying by Wᵀ. To get to W, multiply the gradient at the product by Xᵀ "
        "from the left.",
        lambda X, W, G: (G * _slope(X, W)) @ W.T,
        "You went back only through the product, but tanh comes first. Multiply G elementwise by the slope of tanh, 1 "
        "− tanh²(XW).",
        lambda X, W, G: X.T @ G,
        "You included the shortcut's part, although there is no W in the shortcut. It adds nothing here, so leave it "
        "out.",
        lambda X, W, G: X.T @ (G + G * _slope(X, W)),
        "You added G, as on the way to X, although there is no W in the shortcut. Leave it out.",
        lambda X, W, G: G + X.T @ (G * _slope(X, W)),
        "You squared the whole output of the layer, with the shortcut. Square only the tanh, whose slope is 1 − "
        "tanh²(XW).",
        lambda X, W, G: X.T @ (G * (1 - (X + np.tanh(X @ W)) ** 2)),
        "You multiplied by tanh itself, but the backward pass needs its slope. Multiply by 1 − tanh².",
        lambda X, W, G: X.T @ (G * np.tanh(X @ W)),
        "You multiplied by the slopes too late. Go back through tanh first, elementwise, and only then through the "
        "product.",
        lambda X, W, G: (X.T @ G) * (1 - np.tanh(W) ** 2),
    ],
)

# --- a question ---------------------------------------------------------------------------------------------------

_WHICH = choice(
    "09.which",
    "c",
    "its slope F′ is 0, and 1 + 0 is 1. A plain layer would pass on nothing at all.",
    {
        "a": (
            "You chose an effect of the norm, which divides by a σ that is also 100 times as large. This effect "
            "needs no shortcut."
        ),
        "b": (
            "You chose a plain stack, which has no 1: its factor is only F′, and 64 such factors multiply. It shows "
            "what happens without the 1."
        ),
        "d": "You chose an effect of the norm, which takes μ and σ from only one token. The shortcut plays no "
        "part in it.",
    },
)

EXERCISES = (_WEIGHT_GRADIENT, _LAYER_NORM, _BATCH_NORM, _ADD_AND_NORM, _WHICH)
