"""The exercises of lesson 09, residuals and normalization, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import scaled_dot_product_attention, softmax
from utils.by_hand.normalization import batch_norm, layer_norm
from utils.by_hand.residual import run_stack, stack_gradients
from utils.course.exercises.exercise import Exercise, Flaw, Inputs, Mistakes, carried, choice, flawed
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


def _stacked(n: int, d: int, depth: int) -> Inputs:
    return _random.normal(size=(n, d)), list(_random.normal(size=(depth, d, d)) / np.sqrt(d))


def _stack(X: Array, Ws: list[Array]) -> Array:
    return run_stack(X, Ws, "residual")[-1]


def _built(axis: int | tuple[int, ...]) -> Callable[..., Norm]:
    """A norm along `axis`, made of its steps."""
    over = {"axis": axis, "keepdims": True}

    def build(
        mean: Callable[[Array], Array] = lambda x: x.mean(**over),
        above: Callable[[Array, Array], Array] = np.subtract,
        spread: Callable[[Array], Array] = lambda x: x.var(**over),
        below: Callable[[Array, float], Array] = lambda variance, eps: np.sqrt(variance + eps),
        put: Callable[[Array, Array, Array], Array] = lambda z, gamma, beta: gamma * z + beta,
    ) -> Norm:
        return lambda x, gamma, beta, eps: put(above(x, mean(x)) / below(spread(x), eps), gamma, beta)

    return build


def _flaws(axis: int | tuple[int, ...]) -> tuple[Flaw, ...]:
    """What can go wrong in one step of a norm along `axis`."""
    over = {"axis": axis, "keepdims": True}
    return (
        Flaw(
            "spread",
            lambda x: x.var(ddof=1, **over),
            "Your deviation divides by one less than there are numbers. That is the estimate from a sample; a norm "
            "divides by how many there are: no `ddof=1`.",
        ),
        Flaw(
            "below",
            np.add,
            "You divide by the variance. Take its square root: σ² + ε has the unit of x², and x − μ that of x.",
        ),
        Flaw(
            "below",
            lambda variance, eps: np.sqrt(variance) + eps,
            "Your ε stands outside the root: you divide by σ + ε, as note N4 does. Asked for is √(σ² + ε).",
        ),
        Flaw(
            "put",
            lambda z, gamma, beta: gamma * (z + beta),
            "You add β before you multiply with γ, so β is multiplied too. First γ, then β.",
        ),
        Flaw("above", lambda x, mu: x, "The mean is still on: x − μ goes above the line."),
        Flaw("below", lambda *_: 1.0, "You took the mean off, but did not divide by √(σ² + ε)."),
        Flaw(
            "spread",
            lambda x: ((x - x.mean(**over)) ** 2).sum(**over),
            "You add the squares up. σ² is their mean: divide the sum by how many there are.",
        ),
    )


_KEEPDIMS = (
    Flaw(
        "mean",
        lambda x: x.mean(axis=1),
        "The deviations are right. But the mean of token j is taken off column j: `keepdims=True` is missing.",
    ),
    Flaw(
        "spread",
        lambda x: x.var(axis=1),
        "The means are right. But column j is divided by the deviation of token j: `keepdims=True` is missing.",
    ),
    Flaw(
        "put",
        lambda z, gamma, beta: gamma[:, np.newaxis] * z + beta[:, np.newaxis],
        "You give each token its own γ and β. They belong to the features, one number for each column, and all "
        "tokens share them.",
    ),
)


def _over_everything(x: Array, gamma: Array, beta: Array, eps: float) -> Array:
    return gamma * (x - x.mean()) / np.sqrt(x.var() + eps) + beta


def _rms(axis: int | tuple[int, ...]) -> dict[str, Callable[[Array], Array | float]]:
    """The steps of a norm that takes no mean off, anywhere."""
    return {"mean": lambda x: 0.0, "spread": lambda x: (x**2).mean(axis=axis, keepdims=True)}


_SAID_OF_RMS = (
    "The mean is still on: you divide by the root of the mean square. That is another norm, RMSNorm. Here take the "
    "mean off first, in σ too."
)


def _of_every_norm(axis: int | tuple[int, ...], group: str) -> Mistakes:
    """The mistakes that can be made with layer norm and with batch norm alike; `group` is what is averaged over."""
    build, over = _built(axis), {"axis": axis, "keepdims": True}
    min_max = {"mean": lambda x: x.min(**over), "spread": lambda x: np.ptp(x, **over)}
    said_of_min_max = (
        "That is min–max scaling: from the smallest to the largest. A norm takes the mean off and divides by the "
        "standard deviation."
    )
    return {
        f"You take one mean and one deviation of the whole array. Each {group} should have its own.": _over_everything,
        **flawed(build, _flaws(axis)),
        "Your ε is added to the result: in Python `/` "
        "binds before `+`. Put √(σ² + ε) in brackets.": lambda x, gamma, beta, eps: build()(x, gamma, beta, 0) + eps,
        "You divide μ alone: in Python `/` binds before `-`. Put x − μ in brackets.": lambda x, gamma, beta, eps: (
            gamma * x - x.mean(**over) / np.sqrt(x.var(**over) + eps) + beta
        ),
        _SAID_OF_RMS: build(**_rms(axis)),
        said_of_min_max: [build(below=lambda spread, eps: spread, **min_max), build(below=np.add, **min_max)],
        "You divide by the mean distance from μ. The standard deviation squares the distances, takes their mean, then "
        "the root.": build(spread=lambda x: np.abs(x - x.mean(**over)).mean(**over), below=np.add),
    }


_LAYER_NORM = Exercise(
    "09.layer_norm",
    "layer norm",
    lambda x, gamma, beta, eps: layer_norm(x, gamma, beta, eps),
    _NORMED,
    {
        "You average down the columns: that is batch norm. In layer norm every token, a row, has its own μ and σ: "
        "axis=1.": batch_norm,
        **_of_every_norm(1, "token"),
        **flawed(_built(1), _KEEPDIMS),
        "You take the right means, but along the wrong axis: NumPy lines "
        "a flat vector of means up with the columns. Say `keepdims=True`, "
        "so that each row meets its own.": _built(1)(**{flaw.step: flaw.way for flaw in _KEEPDIMS[:2]}),
    },
    extremes=[_FLAT],
)

_BATCH_NORM = Exercise(
    "09.batch_norm",
    "batch norm",
    lambda x, gamma, beta, eps: batch_norm(x.reshape(-1, x.shape[-1]), gamma, beta, eps).reshape(x.shape),
    _BATCHED,
    {
        "You average along the rows: that is layer norm. In batch norm every feature has its own μ and σ, over all "
        "tokens of all sentences.": layer_norm,
        "You average over the sentences only: each place in them gets a μ and a σ of its own. A feature has one of "
        "each for all places.": _built(0)(),
        "You average over the tokens of one sentence only. A feature has one μ and one σ for all sentences of the "
        "batch.": _built(1)(),
        **_of_every_norm((0, 1), "feature"),
    },
    extremes=[(np.array([[[0.1, 0.2, 0.3], [0.4, 0.2, 0.3]]]), np.ones(3), np.zeros(3), 1e-5)],
)


_Ending = Callable[[Array, Array, float], Array]  # x, F(x), eps


def _behind_attention(end: _Ending) -> Callable[..., Array]:
    return lambda X, W_Q, W_K, W_V, eps: end(X, scaled_dot_product_attention(X @ W_Q, X @ W_K, X @ W_V)[0], eps)


_ADDED_WRONGLY = {
    "You normalize F(x) alone and add x afterwards. In the paper the sum is normalized: "
    "first add, then norm.": lambda x, F_x, eps: x + layer_norm(F_x, eps=eps),
    "You normalize x and then add F(x). In the paper "
    "the sum is normalized: first add, then norm.": lambda x, F_x, eps: layer_norm(x, eps=eps) + F_x,
    "You normalize x and F(x) apart. Add them first; there is one norm, of the sum.": lambda x, F_x, eps: (
        layer_norm(x, eps=eps) + layer_norm(F_x, eps=eps)
    ),
    "The sum is right. Now normalize it.": lambda x, F_x, eps: x + F_x,
    "The shortcut is missing: X + Attention(X) is normalized.": lambda x, F_x, eps: layer_norm(F_x, eps=eps),
    "You normalize F(x) on the way as well. There is one norm, of the sum.": lambda x, F_x, eps: layer_norm(
        x + layer_norm(F_x, eps=eps), eps=eps
    ),
    "You average down the columns: that is batch norm. Each token, a row, has its own μ and σ.": lambda x, F_x, eps: (
        batch_norm(x + F_x, eps=eps)
    ),
    "You take one mean and one deviation of the whole array. Each token should have its own.": lambda x, F_x, eps: (
        _over_everything(x + F_x, 1.0, 0.0, eps)
    ),
    "Your deviation divides by m − 1. A norm divides by m: no `ddof=1`.": lambda x, F_x, eps: _built(1)(
        spread=_flaws(1)[0].way
    )(x + F_x, 1.0, 0.0, eps),
    "Your ε stands outside the root. Asked for is √(σ² + ε).": lambda x, F_x, eps: layer_norm(
        x + F_x, eps=eps, eps_inside=False
    ),
    _SAID_OF_RMS: lambda x, F_x, eps: _built(1)(**_rms(1))(x + F_x, 1.0, 0.0, eps),
    "The ε is missing: √(σ² + ε).": lambda x, F_x, eps: layer_norm(x + F_x, eps=0),
}

_ADD_AND_NORM = Exercise(
    "09.attention_add_and_norm",
    "attention, then add & norm",
    _behind_attention(lambda x, F_x, eps: layer_norm(x + F_x, eps=eps)),
    [_attending(4, 3, 2, 0.01), _attending(2, 5, 4, 0.1), _attending(3, 3, 3, 0.05)],
    {
        **with_wrong_softmax(
            lambda rows: (
                lambda X, W_Q, W_K, W_V, eps: _built(1)()(
                    X + rows((X @ W_Q) @ (X @ W_K).T / np.sqrt(W_K.shape[1])) @ (X @ W_V), 1.0, 0.0, eps
                )
            )
        ),
        **{
            said: lambda X, W_Q, W_K, W_V, eps, mix=mix: layer_norm(X + mix(X, W_Q, W_K) @ X @ W_V, eps=eps)
            for mix, said in (
                (
                    lambda X, W_Q, W_K: softmax((X @ W_Q) @ (X @ W_K).T),
                    "The scores are not divided by √d_k. d_k is the number of columns of W_K.",
                ),
                (
                    lambda X, W_Q, W_K: softmax((X @ W_Q) @ (X @ W_K).T / np.sqrt(X.shape[1])),
                    "You divide by the root of d, the width of X. A score adds up d_k products: it is √d_k.",
                ),
                (
                    lambda X, W_Q, W_K: (X @ W_Q) @ (X @ W_K).T / np.sqrt(W_K.shape[1]),
                    "The softmax is missing: each row of scores becomes shares before it weighs the values.",
                ),
            )
        },
        "That is pre-norm: you normalize what goes into "
        "the attention. In the paper the sum is normalized.": lambda X, W_Q, W_K, W_V, eps: (
            X + _behind_attention(lambda x, F_x, eps: F_x)(layer_norm(X, eps=eps), W_Q, W_K, W_V, eps)
        ),
        **carried(_ADDED_WRONGLY, _behind_attention),
    },
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
    {
        "That is the gradient at X, the one that the page shows. Asked for is the one at W.": lambda X, W, G: (
            G + (G * _slope(X, W)) @ W.T
        ),
        "That goes back through XW to X: the product with "
        "Wᵀ. To W it is Xᵀ times the gradient at the product.": lambda X, W, G: (G * _slope(X, W)) @ W.T,
        "The way back leads through tanh first: multiply G with its slope, 1 − tanh²(XW), "
        "entry by entry.": lambda X, W, G: X.T @ G,
        "You add the shortcut's part. But there is no W in the shortcut: what runs there "
        "does not depend on W.": lambda X, W, G: X.T @ (G + G * _slope(X, W)),
        "You add G, as on the way to X. But there is no W in the shortcut: what runs there "
        "does not depend on W.": lambda X, W, G: G + X.T @ (G * _slope(X, W)),
        "You square the layer's output, shortcut and all. "
        "The slope is 1 − tanh²(XW), of the tanh alone.": lambda X, W, G: X.T @ (G * (1 - (X + np.tanh(X @ W)) ** 2)),
        "You multiply with tanh itself. On the way back it is its slope, 1 − tanh².": lambda X, W, G: (
            X.T @ (G * np.tanh(X @ W))
        ),
        "The slopes come in too late. First through tanh, "
        "entry by entry, and only then through the product.": lambda X, W, G: (X.T @ G) * (1 - np.tanh(W) ** 2),
    },
)

# --- a pre-norm stack with a norm at its end ----------------------------------------------------------------------


def _then_normed(layer: Callable[[Array, Array, float], Array]) -> Callable[[Array, list[Array], float], Array]:
    """The layers one after the other, each layer(x, W, eps), and a norm at the end."""
    return lambda X, Ws, eps: layer_norm(reduce(lambda x, W: layer(x, W, eps), Ws, X), eps=eps)


def _post_norm_stack(X: Array, Ws: list[Array], eps: float) -> Array:
    return reduce(lambda x, W: layer_norm(x + np.tanh(x @ W), eps=eps), Ws, X)


def _shortcut_from_the_norm(x: Array, W: Array, eps: float) -> Array:
    normed = layer_norm(x, eps=eps)
    return normed + np.tanh(normed @ W)


def _norm_before_the_loop(X: Array, Ws: list[Array], eps: float) -> Array:
    normed = layer_norm(X, eps=eps)
    return layer_norm(X + sum(np.tanh(normed @ W) for W in Ws), eps=eps)


def _pre_norm_with(norm: Callable[[Array, float], Array]) -> Callable[[Array, list[Array], float], Array]:
    return lambda X, Ws, eps: norm(reduce(lambda x, W: x + np.tanh(norm(x, eps) @ W), Ws, X), eps)


_PRE_NORM_STACK = Exercise(
    "09.pre_norm_stack",
    "a pre-norm stack",
    _pre_norm_with(lambda x, eps: layer_norm(x, eps=eps)),
    [(*_stacked(4, 3, 2), 1e-2), (*_stacked(2, 5, 4), 1e-3), (*_stacked(3, 3, 3), 1e-1)],
    {
        "You overwrite X with its norm, so the shortcut carries normalized numbers. In pre-norm the shortcut is not "
        "touched: only what goes into the layer is normalized.": _then_normed(_shortcut_from_the_norm),
        "You normalize what comes out of the layer. In pre-norm it is what goes in: F(LayerNorm(x)).": _then_normed(
            lambda x, W, eps: x + layer_norm(np.tanh(x @ W), eps=eps)
        ),
        "That is post-norm: you add, then normalize the sum. In pre-norm the norm stands inside: "
        "x + F(LayerNorm(x)).": _post_norm_stack,
        "That is post-norm, with one norm more: you add, then normalize the sum. In pre-norm the norm stands inside: x "
        "+ F(LayerNorm(x)).": lambda X, Ws, eps: layer_norm(_post_norm_stack(X, Ws, eps), eps=eps),
        "That is the stack with bare shortcuts. Two things are missing: the norm in front of each layer, and the one "
        "at the end.": lambda X, Ws, eps: _stack(X, Ws),
        "Every layer gets the norm of the first input. The stream changes from layer to layer: normalize it inside the "
        "loop.": _norm_before_the_loop,
        "You normalize XW. The norm comes before the whole layer: tanh(LayerNorm(X)W).": _then_normed(
            lambda x, W, eps: x + np.tanh(layer_norm(x @ W, eps=eps))
        ),
        "The last norm runs after every layer. It stands "
        "once, after the loop: is it indented too far?": lambda X, Ws, eps: reduce(
            lambda x, W: layer_norm(x + np.tanh(layer_norm(x, eps=eps) @ W), eps=eps), Ws, X
        ),
        "Only the first layer gets normalized numbers. The norm belongs into the "
        "loop, in front of every layer.": lambda X, Ws, eps: layer_norm(_stack(layer_norm(X, eps=eps), Ws), eps=eps),
        "You average down the columns: that is batch norm. Each token, a row, has its own μ and σ.": _pre_norm_with(
            lambda x, eps: batch_norm(x, eps=eps)
        ),
        "Your ε stands outside the root. Asked for is √(σ² + ε).": _pre_norm_with(
            lambda x, eps: layer_norm(x, eps=eps, eps_inside=False)
        ),
        "Your deviation divides by m − 1. A norm divides by m: no `ddof=1`.": _pre_norm_with(
            lambda x, eps: _built(1)(spread=_flaws(1)[0].way)(x, 1.0, 0.0, eps)
        ),
        "The norm in front of the layers divides by m − 1, the one at the end by m. Both divide "
        "by m: no `ddof=1`.": _then_normed(
            lambda x, W, eps: x + np.tanh(_built(1)(spread=_flaws(1)[0].way)(x, 1.0, 0.0, eps) @ W)
        ),
        _SAID_OF_RMS: _pre_norm_with(lambda x, eps: _built(1)(**_rms(1))(x, 1.0, 0.0, eps)),
    },
)

# --- group norm ---------------------------------------------------------------------------------------------------

GroupNorm = Callable[[Array, Array, Array, int, float], Array]


def _in_groups(
    put: Callable[[Array, Array, Array], Array] = lambda z, gamma, beta: gamma * z + beta, **steps: Callable[..., Array]
) -> GroupNorm:
    """A norm of each group of each token by itself, made of its steps; then γ and β of the features."""
    norm = _built(1)(put=lambda z, gamma, beta: z, **steps)

    def grouped(x: Array, gamma: Array, beta: Array, n_groups: int, eps: float) -> Array:
        parts = x.reshape(len(x) * n_groups, -1)  # a row for each group of each token
        return put(norm(parts, gamma, beta, eps).reshape(x.shape), gamma, beta)

    return grouped


def _group_norm(x: Array, gamma: Array, beta: Array, n_groups: int, eps: float) -> Array:
    return _in_groups()(x, gamma, beta, n_groups, eps)


def _groups_of_all_tokens(x: Array, gamma: Array, beta: Array, n_groups: int, eps: float) -> Array:
    parts = x.reshape(len(x), n_groups, -1)
    mu, variance = parts.mean(axis=(0, 2), keepdims=True), parts.var(axis=(0, 2), keepdims=True)
    return gamma * ((parts - mu) / np.sqrt(variance + eps)).reshape(x.shape) + beta


def _features_dealt_like_cards(x: Array, gamma: Array, beta: Array, n_groups: int, eps: float) -> Array:
    parts = x.reshape(len(x), -1, n_groups)
    mu, variance = parts.mean(axis=1, keepdims=True), parts.var(axis=1, keepdims=True)
    return gamma * ((parts - mu) / np.sqrt(variance + eps)).reshape(x.shape) + beta


def _gain_by_group(x: Array, gamma: Array, beta: Array, n_groups: int, eps: float) -> Array:
    width = x.shape[1] // n_groups
    return _group_norm(x, np.repeat(gamma[:n_groups], width), np.repeat(beta[:n_groups], width), n_groups, eps)


def _as_wide_as_there_are_groups(x: Array, gamma: Array, beta: Array, n_groups: int, eps: float) -> Array:
    groups = np.split(x, range(n_groups, x.shape[1], n_groups), axis=1)
    return gamma * np.concatenate([layer_norm(group, eps=eps) for group in groups], axis=1) + beta


_group_random = np.random.default_rng(90)


def _cut_up(N: int, width: int, n_groups: int, eps: float) -> Inputs:
    """x (N, width · n_groups), gamma, beta, n_groups, eps; each group of x lies elsewhere and spreads differently."""
    m = width * n_groups
    spread = np.repeat(_group_random.uniform(0.4, 2, size=(N, n_groups)), width, axis=1)
    where = np.repeat(_group_random.normal(size=(N, n_groups)), width, axis=1)
    x = _group_random.normal(size=(N, m)) * spread + where
    return x, _group_random.uniform(0.5, 2, size=m), _group_random.normal(size=m), n_groups, eps


_GROUP_NORM = Exercise(
    "09.group_norm",
    "group norm",
    _group_norm,
    [_cut_up(4, 3, 2, 1e-2), _cut_up(2, 4, 3, 1e-3), _cut_up(5, 2, 4, 1e-1), _cut_up(3, 5, 2, 1e-2)],
    {
        "That is layer norm: you average over the whole row, and here each "
        "group of the row has its own μ and σ.": lambda x, gamma, beta, n_groups, eps: layer_norm(x, gamma, beta, eps),
        "That is batch norm: you average down the columns, and here a group "
        "lies within the row of one token.": lambda x, gamma, beta, n_groups, eps: batch_norm(x, gamma, beta, eps),
        "Your groups reach over all tokens: each token "
        "keeps to itself, so average along `axis=1` alone.": _groups_of_all_tokens,
        "You dealt the features out in turn, the first to group 1, the second to group 2, and so on: those of a group "
        "stand side by side.": _features_dealt_like_cards,
        "You cut the whole array into n_groups pieces: cut every row by itself, which makes "
        "N · n_groups groups.": lambda x, gamma, beta, n_groups, eps: (
            gamma * layer_norm(x.reshape(n_groups, -1), eps=eps).reshape(x.shape) + beta
        ),
        "You give all features of a group the same γ and β: each feature has its own, and "
        "only μ and σ are shared.": _gain_by_group,
        "The groups are right, and γ and β are "
        "missing: multiply with γ, then add β.": lambda x, gamma, beta, n_groups, eps: _group_norm(
            x, np.ones(1), np.zeros(1), n_groups, eps
        ),
        "You take `n_groups` for the width of a group. There are n_groups groups, each m / n_groups "
        "wide.": _as_wide_as_there_are_groups,
        **flawed(_in_groups, _flaws(1)),
        _SAID_OF_RMS: _in_groups(**_rms(1)),
    },
    extremes=[_cut_up(2, 1, 4, 1e-3), _cut_up(3, 6, 1, 1e-2)],
)

_WHICH = choice(
    "09.which",
    "c",
    "its slope F′ is 0, and 1 + 0 is 1. A plain layer would hand on nothing at all.",
    {
        "a": (
            "That is the division by σ, which has become 100 times as large, too. The norm does it without any "
            "shortcut."
        ),
        "b": (
            "There is no 1 in a plain stack: its factor is F′ alone, and 64 of them multiply. It shows what happens "
            "without the 1."
        ),
        "d": "A layer norm takes μ and σ along a row, from one token alone. The shortcut has no part in it.",
    },
)

EXERCISES = (_WEIGHT_GRADIENT, _LAYER_NORM, _BATCH_NORM, _GROUP_NORM, _ADD_AND_NORM, _PRE_NORM_STACK, _WHICH)
