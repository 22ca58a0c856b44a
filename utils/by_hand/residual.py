"""Deep stacks with and without a shortcut: forward, and backward by hand.

A layer is F(x) = tanh(xW), small enough to differentiate on paper. How it is put into the stack is the arrangement:
plain F(x) · residual x + F(x) · post-norm LN(x + F(x)) · pre-norm x + F(LN(x)).
Sources: He et al. 2016, "Deep residual learning", equation 1; Vaswani et al. 2017, section 3.1 (post-norm); Xiong et
al. 2020, "On layer normalization in the transformer architecture" (pre-norm); lecture note N1, "Residual channel".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from utils.by_hand.arrays import (
    Array,
    finite,
    quietly,
    require_matrix,
    require_number,
    require_room,
    require_shape,
    require_whole,
)
from utils.by_hand.normalization import layer_norm, layer_norm_backward

ARRANGEMENTS = ("plain", "residual", "post-norm", "pre-norm")


@quietly
def random_stack(depth: int, d: int, gain: float = 1 / np.sqrt(3), seed: int = 0) -> Array:
    """Draw the weights of `depth` layers, (depth, d, d), normal with standard deviation gain/√d.

    gain = 1/√3 is the spread with which PyTorch starts a linear layer (uniform between ±1/√d). The first layers are
    the same whatever the depth. Raises ValueError for a depth or a d below 1, and for a gain that is not finite or so
    large that weights would not be.
    >>> random_stack(depth=12, d=8).shape
    (12, 8, 8)
    """
    depth, d = require_whole("depth", depth), require_whole("d", d)
    require_room("the stack", depth, d, d)
    random = np.random.default_rng(require_whole("seed", seed, least=0))
    return finite("the stack", random.normal(size=(depth, d, d)) * require_number("gain", gain) / np.sqrt(d))


def run_stack(X: ArrayLike, weights: ArrayLike, arrangement: str) -> list[Array]:
    """Return the states between the layers: X (N, d), then the output of every layer, so depth + 1 arrays (N, d).

    weights (depth, d, d). arrangement: one of ARRANGEMENTS; layer norm with ε = 1e−5, no gain and no bias.
    Raises ValueError in one sentence for another arrangement, for shapes that do not fit, NaN, infinity and
    overflow.
    >>> run_stack([[1]], [[[0]], [[0]]], "residual")
    [array([[1.]]), array([[1.]]), array([[1.]])]
    """
    X, weights = _require_stack(X, weights, arrangement)
    states = [X]
    for number, W in enumerate(weights):
        states.append(finite(f"layer {number}", _layer(states[-1], W, arrangement)))
    return states


@dataclass(frozen=True)
class StackGradients:
    """The gradients at every state and weight of the stack."""

    states: list[Array]  # depth + 1 arrays (N, d): the gradient at X, then at the output of every layer
    weights: Array  # (depth, d, d)


def stack_gradients(X: ArrayLike, weights: ArrayLike, arrangement: str, at_output: ArrayLike) -> StackGradients:
    """Compute the gradients in the whole stack, given the one at its output (N, d).

    Arguments and what is raised: as `run_stack`.
    >>> stack_gradients([[1]], [[[0]], [[0]]], "residual", [[1]]).states
    [array([[1.]]), array([[1.]]), array([[1.]])]
    """
    X, weights = _require_stack(X, weights, arrangement)
    g = require_shape("at_output", at_output, X.shape, "that is the shape of the output")
    states = run_stack(X, weights, arrangement)
    at_states, at_weights = [g], []
    for x, W in zip(states[-2::-1], weights[::-1], strict=True):
        g, g_W = _layer_backward(g, x, W, arrangement)
        at_states.append(finite("the gradient", g))
        at_weights.append(finite("the gradient", g_W))
    return StackGradients(at_states[::-1], np.array(at_weights[::-1]))


@quietly
def _layer(x: Array, W: Array, arrangement: str) -> Array:
    if arrangement == "plain":
        return _sublayer(x, W)
    if arrangement == "pre-norm":
        return x + _sublayer(layer_norm(x), W)
    y = x + _sublayer(x, W)
    return layer_norm(y) if arrangement == "post-norm" else y


@quietly
def _layer_backward(g: Array, x: Array, W: Array, arrangement: str) -> tuple[Array, Array]:
    """Return the gradients at x and at W, from the one at the layer's output: the steps of `_layer`, last one first."""
    if arrangement == "plain":
        return _sublayer_backward(g, x, W)
    if arrangement == "pre-norm":
        at_norm, at_W = _sublayer_backward(g, layer_norm(x), W)
        return g + layer_norm_backward(at_norm, x), at_W
    if arrangement == "post-norm":
        g = layer_norm_backward(g, x + _sublayer(x, W))
    at_x, at_W = _sublayer_backward(g, x, W)
    return g + at_x, at_W  # the shortcut hands g on as it is


def _sublayer(x: Array, W: Array) -> Array:
    return np.tanh(finite("xW", x @ W))


def _sublayer_backward(g: Array, x: Array, W: Array) -> tuple[Array, Array]:
    """Go back through tanh (tanh' = 1 − tanh²), then through the product xW to x and to W."""
    at_product = g * (1 - _sublayer(x, W) ** 2)
    return finite("the gradient", at_product @ W.T), finite("the gradient", x.T @ at_product)


def _require_stack(X: ArrayLike, weights: ArrayLike, arrangement: str) -> tuple[Array, Array]:
    if arrangement not in ARRANGEMENTS:
        raise ValueError(f"the arrangement must be one of {', '.join(ARRANGEMENTS)}: it is {arrangement!r}.")
    X = require_matrix("X", X)
    d = X.shape[1]
    return X, require_shape("weights", weights, (None, d, d), f"X has {d} columns")
