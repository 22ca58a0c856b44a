"""One block of the encoder, with every array on the way, and a stack of such blocks.

Rows are tokens. N tokens of d_model numbers, h heads, and d_ff numbers inside the feed-forward network.
Post-norm is the paper's LayerNorm(x + F(x)); pre-norm is x + F(LayerNorm(x)).
Sources: Vaswani et al. 2017, section 3.1, figure 1 left, and equation 2; Xiong et al. 2020 (pre-norm); lecture notes
N1 ("Transformer Block"), N4 ("Add & Layer Norm", "FFN") and N5 ("The encoder is now complete!").
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from utils.by_hand.arrays import (
    Array,
    Mask,
    finite,
    product,
    quietly,
    require_mask,
    require_matrices,
    require_matrix,
    require_room,
    require_shape,
    require_whole,
)
from utils.by_hand.attention import attend
from utils.by_hand.multi_head import head_width, join_heads, split_heads
from utils.by_hand.normalization import layer_norm


def feed_forward(x: ArrayLike, W_1: ArrayLike, b_1: ArrayLike, W_2: ArrayLike, b_2: ArrayLike) -> Array:
    """Compute max(0, x W_1 + b_1) W_2 + b_2 for each token separately, (N, d_model).

    x (N, d_model), W_1 (d_model, d_ff), b_1 (d_ff,), W_2 (d_ff, d_model), b_2 (d_model,).
    Raises ValueError or TypeError, in one sentence with the shapes, for anything that does not fit, for NaN and
    infinity, and for a result beyond float64. Source: Vaswani et al. 2017, equation 2.
    >>> feed_forward([[1, 2]], [[1], [-1]], [0.5], [[2, 2]], [0, 1]).tolist()
    [[0.0, 1.0]]
    """
    x, W_1, W_2 = require_matrices(x=x, W_1=W_1, W_2=W_2)
    b_1 = require_shape("b_1", b_1, W_1.shape[1:], f"W_1 has {W_1.shape[1]} columns")
    b_2 = require_shape("b_2", b_2, W_2.shape[1:], f"W_2 has {W_2.shape[1]} columns")
    return _feed_forward(x, W_1, b_1, W_2, b_2)[-1]


@dataclass(frozen=True, kw_only=True)
class EncoderWeights:
    """The parameters of one block. The four biases of the attention are not in the paper's formula; None means none."""

    W_Q: ArrayLike  # (d_model, d_model): the matrices of all heads side by side
    W_K: ArrayLike  # (d_model, d_model)
    W_V: ArrayLike  # (d_model, d_model)
    W_O: ArrayLike  # (d_model, d_model)
    W_1: ArrayLike  # (d_model, d_ff)
    b_1: ArrayLike  # (d_ff,)
    W_2: ArrayLike  # (d_ff, d_model)
    b_2: ArrayLike  # (d_model,)
    gamma_1: ArrayLike | None = None  # (d_model,)  gain of the norm beside the attention; None means 1
    beta_1: ArrayLike | None = None  # (d_model,)  its bias; None means 0
    gamma_2: ArrayLike | None = None  # (d_model,)  the same for the norm beside the feed-forward network
    beta_2: ArrayLike | None = None  # (d_model,)
    b_Q: ArrayLike | None = None  # (d_model,)
    b_K: ArrayLike | None = None  # (d_model,)
    b_V: ArrayLike | None = None  # (d_model,)
    b_O: ArrayLike | None = None  # (d_model,)


@dataclass(frozen=True)
class EncoderSteps:
    """All intermediate results of a block, to look at one by one."""

    X: Array  # (N, d_model)  what comes in
    attention_in: Array  # (N, d_model)  what the attention gets: X, or in pre-norm LayerNorm(X)
    Q: Array  # (N, d_model)
    K: Array  # (N, d_model)
    V: Array  # (N, d_model)
    scores: Array  # (h, N, N)  QKᵀ/√d_k of each head
    weights: Array  # (h, N, N)  row i of weights[n] is what token i pays, in head n
    heads: Array  # (h, N, d_k)  what each head hands over
    joined: Array  # (N, d_model)  the heads side by side
    attention: Array  # (N, d_model)  joined W_O
    added_1: Array  # (N, d_model)  X + attention
    feed_in: Array  # (N, d_model)  LayerNorm(added_1): what the feed-forward network gets
    hidden: Array  # (N, d_ff)  feed_in W_1 + b_1
    active: Array  # (N, d_ff)  ReLU of it
    fed: Array  # (N, d_model)  active W_2 + b_2
    added_2: Array  # (N, d_model)  feed_in + fed, or in pre-norm added_1 + fed
    output: Array  # (N, d_model)  LayerNorm(added_2), or in pre-norm added_2 itself
    norm_first: bool  # pre-norm instead of the paper's post-norm


@dataclass(frozen=True)
class Stage:
    """An array of a block, with its name and how it follows from those before."""

    name: str
    formula: str
    values: Array  # a matrix, rows are tokens


@quietly
def encoder_block(
    X: ArrayLike, weights: EncoderWeights, n_heads: int, mask: ArrayLike | None = None, norm_first: bool = False
) -> EncoderSteps:
    """Compute one block of the encoder: self-attention, add & norm, feed-forward, add & norm.

    X (N, d_model). mask (N, N), boolean: True where attention is allowed. norm_first=False is the paper's post-norm.
    Raises ValueError or TypeError, in one sentence with the shapes, for anything that does not fit, for NaN and
    infinity, and for numbers so large that a step would overflow.
    >>> encoder_block(np.eye(4), random_encoder_weights(4, 8), n_heads=2).weights.shape
    (2, 4, 4)
    """
    X = require_matrix("X", X)
    w = _require_fitting(weights, X.shape[1], n_heads)
    allowed = True if mask is None else require_mask("mask", mask, (len(X), len(X)))
    norm_1 = partial(layer_norm, gamma=w["gamma_1"], beta=w["beta_1"])
    norm_2 = partial(layer_norm, gamma=w["gamma_2"], beta=w["beta_2"])

    attention_in = norm_1(X) if norm_first else X
    attended = _self_attention(attention_in, w, n_heads, allowed)
    added_1 = finite("X + attention", X + attended[-1])
    feed_in = norm_2(added_1) if norm_first else norm_1(added_1)
    fed = _feed_forward(feed_in, w["W_1"], w["b_1"], w["W_2"], w["b_2"])
    added_2 = finite("x + FFN(x)", (added_1 if norm_first else feed_in) + fed[-1])
    output = added_2 if norm_first else norm_2(added_2)
    return EncoderSteps(X, attention_in, *attended, added_1, feed_in, *fed, added_2, output, norm_first)


def encoder_stack(X: ArrayLike, blocks: Iterable[EncoderWeights], n_heads: int) -> list[EncoderSteps]:
    """Return the steps of every block, the first one first: the output of a block is the X of the next.

    All blocks are post-norm. Arguments and errors are those of `encoder_block`; raises ValueError if there is no block.
    >>> len(encoder_stack(np.eye(4), [random_encoder_weights(4, 8)] * 3, n_heads=2))
    3
    """
    steps: list[EncoderSteps] = []
    for weights in blocks:
        steps.append(encoder_block(steps[-1].output if steps else X, weights, n_heads))
    if not steps:
        raise ValueError("a stack needs at least one block: none was given.")
    return steps


def walk(steps: EncoderSteps, head: int = 1) -> list[Stage]:
    """Return the sixteen arrays of a block in the order in which they are computed, those of one head for the heads.

    head: counted from 1, as students count. Raises ValueError when there is no such head, TypeError when it is not
    whole.
    >>> stages = walk(encoder_block(np.eye(4), random_encoder_weights(4, 8), n_heads=2))
    >>> stages[4].name, stages[4].values.shape
    ('scores, head 1', (4, 4))
    """
    n = require_whole("head", head, most=len(steps.heads)) - 1
    x = "LN(X)" if steps.norm_first else "X"
    stages = [
        Stage("X", "what comes in", steps.X),
        Stage("queries", f"Q = {x} W_Q, all heads side by side", steps.Q),
        Stage("keys", f"K = {x} W_K, all heads side by side", steps.K),
        Stage("values", f"V = {x} W_V, all heads side by side", steps.V),
        Stage(f"scores, head {head}", "Q Kᵀ / √d_k, with the columns of this head", steps.scores[n]),
        Stage(f"weights, head {head}", "softmax of each row of scores", steps.weights[n]),
        Stage(f"output, head {head}", "weights times the values of this head", steps.heads[n]),
        Stage("concatenated", "the outputs of the heads side by side", steps.joined),
        Stage("attention", "concatenated times W_O", steps.attention),
        Stage("add", "X + attention", steps.added_1),
        Stage("norm", "LN of the sum", steps.feed_in),
        Stage("widened", "a W_1 + b_1, where a is the norm before", steps.hidden),
        Stage("ReLU", "max(0, widened)", steps.active),
        Stage("fed forward", "ReLU times W_2, plus b_2", steps.fed),
        Stage("add", f"{'the first sum' if steps.norm_first else 'a'} + fed forward", steps.added_2),
    ]
    if steps.norm_first:
        stages.insert(1, Stage("norm", "LN(X)", steps.attention_in))
    else:
        stages.append(Stage("norm", "LN of the sum: what goes out", steps.output))
    return stages


def random_encoder_weights(d_model: int, d_ff: int, seed: int = 0, decimals: int | None = None) -> EncoderWeights:
    """Draw a block before training: each matrix normal with deviation 1/√(its rows), the biases 0.1 of normal.

    decimals: the numbers are rounded to as many, for pencils, 1 to 15. Raises ValueError for a width or decimals out of
    range, TypeError for what is not whole.
    >>> random_encoder_weights(4, 8, decimals=1).b_Q, random_encoder_weights(4, 8).W_1.shape
    (None, (4, 8))
    """
    d_model, d_ff = require_whole("d_model", d_model), require_whole("d_ff", d_ff)
    if decimals is not None:
        require_whole("decimals", decimals, most=15)  # as many as a number has
    require_room("a matrix", d_model, max(d_model, d_ff))
    random = np.random.default_rng(require_whole("seed", seed, least=0))

    def draw(*shape: int) -> Array:
        numbers = random.normal(size=shape) * (0.1 if len(shape) == 1 else shape[0] ** -0.5)
        return numbers if decimals is None else numbers.round(decimals) + 0.0

    square = (d_model, d_model)
    W_Q, W_K, W_V, W_O = (draw(*square) for _ in range(4))
    return EncoderWeights(
        W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O,
        W_1=draw(d_model, d_ff), b_1=draw(d_ff), W_2=draw(d_ff, d_model), b_2=draw(d_model),
    )  # fmt: skip


@quietly
def _feed_forward(x: Array, W_1: Array, b_1: Array, W_2: Array, b_2: Array) -> tuple[Array, Array, Array]:
    """Compute hidden, active and fed: the fields of `EncoderSteps` in their order."""
    hidden = finite("x W_1 + b_1", product(x=x, W_1=W_1) + b_1)  # (N, d_model) (d_model, d_ff) -> (N, d_ff)
    active = np.maximum(hidden, 0.0)  # ReLU
    fed = finite("ReLU(hidden) W_2 + b_2", product(hidden=active, W_2=W_2) + b_2)  # (N, d_ff) -> (N, d_model)
    return hidden, active, fed


def _self_attention(x: Array, w: dict[str, Array], n_heads: int, allowed: Mask | bool) -> tuple[Array, ...]:
    """Compute Q, K, V, scores, weights, heads, joined and attention: the fields of `EncoderSteps` in their order."""
    Q, K, V = (finite(f"X W_{n} + b_{n}", x @ w[f"W_{n}"] + w[f"b_{n}"]) for n in "QKV")  # (N, d_model)
    q, k, v = (split_heads(projection, n_heads) for projection in (Q, K, V))  # (h, N, d_k)
    _, scores, weights, heads = attend(q, k, v, allowed, 1 / np.sqrt(q.shape[-1]))
    joined = join_heads(heads)  # (h, N, d_k) -> (N, d_model)
    attention = finite("the attention", joined @ w["W_O"] + w["b_O"])
    return Q, K, V, scores, weights, heads, joined, attention


def _require_fitting(weights: EncoderWeights, d_model: int, n_heads: int) -> dict[str, Array]:
    """Return the weights as arrays, all of the shapes that d_model asks for; what is None becomes 1 or 0."""
    head_width(d_model, n_heads)
    d_ff = require_matrix("W_1", weights.W_1).shape[1]
    shapes = {"W_1": (d_model, d_ff), "b_1": (d_ff,), "W_2": (d_ff, d_model)}
    found = {}
    for name in (field.name for field in fields(weights)):
        shape = shapes.get(name, (d_model, d_model) if name.startswith("W") else (d_model,))
        value = getattr(weights, name)
        if value is None:
            value = np.ones(shape) if name.startswith("gamma") else np.zeros(shape)
        found[name] = require_shape(name, value, shape, f"X has {d_model} columns and W_1 has {d_ff}")
    return found
