"""One block of the encoder, with every array on the way, and a stack of such blocks.

Rows are tokens. N tokens of d_model numbers, h heads, and d_ff numbers inside the feed-forward network.
Post-norm is the paper's LayerNorm(x + F(x)); pre-norm is x + F(LayerNorm(x)).
Sources: Vaswani et al. 2017, section 3.1, figure 1 left, and equation 2; Xiong et al. 2020 (pre-norm); lecture notes
N1 ("Transformer Block"), N4 ("Add & Layer Norm", "FFN") and N5 ("The encoder is now complete!").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from utils.by_hand.arrays import Array, as_count, as_matrix, as_numbers, finite, product
from utils.by_hand.attention import scaled_dot_product_attention
from utils.by_hand.multi_head import head_width, join_heads, split_heads
from utils.by_hand.normalization import layer_norm


def feed_forward(x: ArrayLike, W_1: ArrayLike, b_1: ArrayLike, W_2: ArrayLike, b_2: ArrayLike) -> Array:
    """max(0, x W_1 + b_1) W_2 + b_2 for each token by itself, (N, d_model).

    x (N, d_model), W_1 (d_model, d_ff), b_1 (d_ff,), W_2 (d_ff, d_model), b_2 (d_model,).
    Raises ValueError or TypeError, in one sentence with the shapes, for anything that does not fit, for NaN and
    infinity, and for a result beyond float64. Source: Vaswani et al. 2017, equation 2.
    """
    return _feed_forward(x, {"W_1": W_1, "b_1": b_1, "W_2": W_2, "b_2": b_2})[-1]


def relu(x: ArrayLike) -> Array:
    """max(0, x), entry by entry: what is below 0 becomes 0; same shape as x. Raises ValueError for NaN and infinity."""
    return np.maximum(as_numbers("x", x), 0.0)


@dataclass(frozen=True, kw_only=True)
class EncoderWeights:
    """What one block learns. The four biases of the attention are not in the paper's formula; None means none."""

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
    """Everything that a block computes on the way, to look at one by one."""

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
    """One array of a block, with its name and how it comes about from those before."""

    name: str
    formula: str
    values: Array  # a matrix, rows are tokens


def encoder_block(
    X: ArrayLike,
    weights: EncoderWeights,
    n_heads: int,
    mask: ArrayLike | None = None,
    norm_first: bool = False,
    eps: float = 1e-5,
) -> EncoderSteps:
    """One block of the encoder: self-attention, add & norm, feed-forward, add & norm.

    X (N, d_model). mask (N, N), boolean: True where attention is allowed. norm_first=False is the paper's post-norm.
    eps: ε under the root of both norms. Raises ValueError or TypeError, in one sentence with the shapes, for anything
    that does not fit, for NaN and infinity, and for numbers so large that a step would overflow.
    """
    X = as_matrix("X", X)
    w = _fitting(weights, X.shape[1], as_count("n_heads", n_heads))
    norm_1 = partial(layer_norm, gamma=w["gamma_1"], beta=w["beta_1"], eps=eps)
    norm_2 = partial(layer_norm, gamma=w["gamma_2"], beta=w["beta_2"], eps=eps)

    attention_in = norm_1(X) if norm_first else X
    attended = _self_attention(attention_in, w, n_heads, mask)
    added_1 = _plus(X, attended[-1], "X + attention")
    feed_in = norm_2(added_1) if norm_first else norm_1(added_1)
    fed = _feed_forward(feed_in, w)
    added_2 = _plus(added_1 if norm_first else feed_in, fed[-1], "x + FFN(x)")
    output = added_2 if norm_first else norm_2(added_2)
    return EncoderSteps(X, attention_in, *attended, added_1, feed_in, *fed, added_2, output, norm_first)


def encoder_stack(
    X: ArrayLike,
    blocks: Iterable[EncoderWeights],
    n_heads: int,
    mask: ArrayLike | None = None,
    norm_first: bool = False,
    eps: float = 1e-5,
) -> list[EncoderSteps]:
    """The steps of every block, the first one first: the output of a block is the X of the next.

    Arguments and what is raised: as `encoder_block`; ValueError also when there is no block. A pre-norm stack is
    usually followed by one more layer norm, which is not done here.
    """
    steps: list[EncoderSteps] = []
    for weights in blocks:
        steps.append(encoder_block(steps[-1].output if steps else X, weights, n_heads, mask, norm_first, eps))
    if not steps:
        raise ValueError("a stack needs at least one block: none was given.")
    return steps


def walk(steps: EncoderSteps, head: int = 1) -> list[Stage]:
    """The sixteen arrays of a block in the order in which they are computed, those of one head for the heads.

    head: counted from 1, as students count. Raises ValueError when there is no such head, TypeError when it is not
    whole.
    """
    n = as_count("head", head) - 1
    if n >= len(steps.heads):
        raise ValueError(f"there is no head {head}: this block has {len(steps.heads)}.")
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
    """A block before training: each matrix normal with standard deviation 1/√(its rows), the biases 0.1 of normal.

    decimals: the numbers are rounded to as many, for pencils, 1 to 15. Raises ValueError for a width or decimals out of
    range, TypeError for what is not whole.
    """
    d_model, d_ff = as_count("d_model", d_model), as_count("d_ff", d_ff)
    if decimals is not None and as_count("decimals", decimals) > 15:
        raise ValueError(f"decimals must be at most 15, as many as a number has: it is {decimals}.")
    random = np.random.default_rng(seed)

    def draw(*shape: int) -> Array:
        numbers = random.normal(size=shape) * (0.1 if len(shape) == 1 else shape[0] ** -0.5)
        return numbers if decimals is None else numbers.round(decimals) + 0.0

    square = (d_model, d_model)
    W_Q, W_K, W_V, W_O = (draw(*square) for _ in range(4))
    return EncoderWeights(
        W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O,
        W_1=draw(d_model, d_ff), b_1=draw(d_ff), W_2=draw(d_ff, d_model), b_2=draw(d_model),
    )  # fmt: skip


def _self_attention(x: Array, w: dict[str, Array], n_heads: int, mask: ArrayLike | None) -> tuple[Array, ...]:
    """Q, K, V, scores, weights, heads, joined and the attention: the fields of `EncoderSteps` in their order."""
    Q, K, V = (_plus(product(f"X W_{n}", x, w[f"W_{n}"]), w[f"b_{n}"], f"X W_{n} + b_{n}") for n in "QKV")
    q, k, v = (split_heads(projected, n_heads) for projected in (Q, K, V))
    scores = product("QKᵀ", q / np.sqrt(q.shape[2]), k.swapaxes(1, 2))
    each = [scaled_dot_product_attention(*head, mask) for head in zip(q, k, v, strict=True)]
    heads, weights = (np.stack(parts) for parts in zip(*each, strict=True))
    joined = join_heads(heads)
    attention = _plus(product("the joined heads times W_O", joined, w["W_O"]), w["b_O"], "the attention")
    return Q, K, V, scores, weights, heads, joined, attention


def _feed_forward(x: ArrayLike, w: Mapping[str, ArrayLike]) -> tuple[Array, Array, Array]:
    """hidden, active and fed: the fields of `EncoderSteps` in their order."""
    hidden = _linear("x W_1 + b_1", x, w["W_1"], w["b_1"], ("x", "W_1", "b_1"))
    active = relu(hidden)
    fed = _linear("ReLU(x W_1 + b_1) W_2 + b_2", active, w["W_2"], w["b_2"], ("the hidden layer", "W_2", "b_2"))
    return hidden, active, fed


def _linear(called: str, x: ArrayLike, W: ArrayLike, b: ArrayLike, names: tuple[str, str, str]) -> Array:
    """x W + b, with the names by which a sentence shall call them."""
    x, W, b = as_matrix(names[0], x), as_matrix(names[1], W), as_numbers(names[2], b)
    if x.shape[1] != len(W):
        raise ValueError(
            f"{names[0]} needs as many columns as {names[1]} has rows: "
            f"{names[0]} has shape {x.shape}, {names[1]} has shape {W.shape}."
        )
    if b.shape != (W.shape[1],):
        raise ValueError(
            f"{names[2]} needs one number for each of the {W.shape[1]} columns of {names[1]}: its shape is {b.shape}."
        )
    return _plus(product(called, x, W), b, called)


def _plus(a: Array, b: Array, called: str) -> Array:
    with np.errstate(over="ignore"):
        return finite(called, a + b)


def _fitting(weights: EncoderWeights, d_model: int, n_heads: int) -> dict[str, Array]:
    """The weights as arrays, all of the shapes that d_model asks for; what is None becomes 1 or 0."""
    head_width(d_model, n_heads)
    W_1 = as_matrix("W_1", weights.W_1)
    d_ff = W_1.shape[1]
    shapes = {"W_1": (d_model, d_ff), "b_1": (d_ff,), "W_2": (d_ff, d_model)}
    found = {}
    for field in fields(weights):
        name, value = field.name, getattr(weights, field.name)
        shape = shapes.get(name, (d_model, d_model) if name.startswith("W") else (d_model,))
        if value is None:
            value = np.ones(shape) if name.startswith("gamma") else np.zeros(shape)
        found[name] = as_numbers(name, value)
        if found[name].shape != shape:
            raise ValueError(
                f"{name} must have shape {shape}, since X has {d_model} columns and W_1 has {d_ff}: "
                f"its shape is {found[name].shape}."
            )
    return found
