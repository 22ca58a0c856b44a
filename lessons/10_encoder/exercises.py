"""The exercises of lesson 10, the encoder, and the mistakes that they know."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.encoder import feed_forward
from utils.by_hand.multi_head import multi_head_attention
from utils.by_hand.normalization import batch_norm, layer_norm
from utils.by_hand.word2vec import sigmoid
from utils.course.exercises.exercise import Exercise, carried, choice, in_steps

_random = np.random.default_rng(10)

Network = tuple[Array, Array, Array, Array]  # W_1, b_1, W_2, b_2


def _network(d_model: int, d_ff: int) -> Network:
    """Weights of a feed-forward network that leaves about half of its units above 0."""
    return (
        _random.normal(size=(d_model, d_ff)),
        _random.normal(size=d_ff),
        _random.normal(size=(d_ff, d_model)),
        _random.normal(size=d_model),
    )


# --- bends -------------------------------------------------------------------------------------------------------


def _relu(x: Array) -> Array:
    return np.maximum(0, x)


def _gelu(x: Array) -> Array:
    return x * (1 + np.vectorize(math.erf)(x / np.sqrt(2))) / 2


# --- the block ----------------------------------------------------------------------------------------------------


def _attended(N: int, d_model: int, d_ff: int) -> tuple[Any, ...]:
    """X, what the attention gave, and a network."""
    return _random.normal(0.5, 1, size=(N, d_model)), _random.normal(size=(N, d_model)), *_network(d_model, d_ff)


def _first_half(X: Array, attention: Array) -> Array:
    return layer_norm(X + attention)


def _second_half(X: Array, A: Array, s: Array, a: Array, network: Callable[[Array], Array]) -> Array:
    return layer_norm(a + network(a))


@in_steps
def _block(
    first: Callable[[Array, Array], Array] = _first_half,
    second: Callable[[Array, Array, Array, Array, Callable[[Array], Array]], Array] = _second_half,
) -> Callable[..., Array]:
    """A block in two halves: a = first(X, attention), then second(X, attention, their sum, a, the network)."""

    def answer(X: Array, attention: Array, W_1: Array, b_1: Array, W_2: Array, b_2: Array) -> Array:
        a = first(X, attention)
        return second(X, attention, X + attention, a, lambda x: feed_forward(x, W_1, b_1, W_2, b_2))

    return answer


def _without_relu(X: Array, attention: Array, W_1: Array, b_1: Array, W_2: Array, b_2: Array) -> Array:
    a = layer_norm(X + attention)
    return layer_norm(a + (a @ W_1 + b_1) @ W_2 + b_2)


_BLOCK = Exercise(
    "10.block",
    "one block of the encoder, post-norm",
    _block(_first_half, _second_half),
    [_attended(4, 3, 5), _attended(2, 5, 3), _attended(3, 4, 6)],
    [
        "You normalize the output of each sub-layer and add x afterwards. The paper normalizes the sum, so add first "
        "and then apply the norm.",
        _block(lambda X, A: X + layer_norm(A), lambda X, A, s, a, f: a + layer_norm(f(a))),
        "In the first half you normalize the output of the attention and add X afterwards. Add first, then apply the "
        "norm, as in your second half.",
        _block(lambda X, A: X + layer_norm(A), _second_half),
        "In the first half you normalize X and add the attention afterwards. Add first, then apply the norm, as in "
        "your second half.",
        _block(lambda X, A: layer_norm(X) + A, _second_half),
        "Your first half is correct. In the second half you normalize the network's output and add afterwards. Add "
        "first, then apply the norm.",
        _block(_first_half, lambda X, A, s, a, f: a + layer_norm(f(a))),
        "You apply one norm too many in the second half. Add the output of the network as it is, and normalize only "
        "the sum.",
        _block(_first_half, lambda X, A, s, a, f: layer_norm(a + layer_norm(f(a)))),
        "You stop after the feed-forward network, so its add & norm is missing. Add the input of the network, then "
        "normalize the sum.",
        _block(_first_half, lambda X, A, s, a, f: f(a)),
        "Your second shortcut starts before the first norm, at X + attention. In post-norm this shortcut carries the "
        "input of the feed-forward network, so start after the norm.",
        _block(_first_half, lambda X, A, s, a, f: layer_norm(s + f(a))),
        "You add X once more at the end, but the first shortcut has already brought it in. Add only a.",
        _block(_first_half, lambda X, A, s, a, f: layer_norm(X + a + f(a))),
        "You put the norm before the network, which is pre-norm. The paper adds first and then normalizes the sum.",
        _block(lambda X, A: X + A, lambda X, A, s, a, f: a + f(layer_norm(a))),
        "You give the feed-forward network the sum before the norm. Give it the normalized sum.",
        _block(_first_half, lambda X, A, s, a, f: layer_norm(a + f(s))),
        "You use X in the second half, but X doesn't contain the attention. Use the result of the first half instead.",
        _block(second=lambda X, A, s, a, f: layer_norm(X + f(a))),
        _block(second=lambda X, A, s, a, f: layer_norm(a + f(X))),
        _block(second=lambda X, A, s, a, f: layer_norm(X + f(X))),
        "You leave out the second shortcut, so only the network's output is left. Add the input of the network before "
        "the norm.",
        _block(second=lambda X, A, s, a, f: layer_norm(f(a))),
        "You leave out the first norm, but each half ends with a norm. Apply `layer_norm` to X + attention as well.",
        _block(lambda X, A: X + A),
        "You leave out the second norm, but each half ends with a norm. Apply `layer_norm` to the last sum as well.",
        _block(second=lambda X, A, s, a, f: a + f(a)),
        "You use a single shortcut around both sub-layers, and one norm. Each sub-layer needs its own add & norm.",
        _block(lambda X, A: A, lambda X, A, s, a, f: layer_norm(X + f(a))),
        "You stop after the first add & norm, which is correct so far. Now apply the feed-forward network, with its "
        "own add & norm.",
        _block(_first_half, lambda X, A, s, a, f: a),
        "You average down the columns, which is batch norm. Each token, a row, has its own mean and deviation.",
        _block(lambda X, A: batch_norm(X + A), lambda X, A, s, a, f: batch_norm(a + f(a))),
        "You leave out the ReLU of the feed-forward network. Replace everything below 0 by 0 between the two matrices.",
        _without_relu,
    ],
)

# --- the block, pre-norm ------------------------------------------------------------------------------------------

Sublayer = Callable[[Array], Array]


def _whole(N: int, n_heads: int, d_k: int, d_ff: int) -> tuple[Any, ...]:
    d_model = n_heads * d_k
    squares = (_random.normal(size=(d_model, d_model)) / np.sqrt(d_model) for _ in range(4))
    return _random.normal(0.5, 2, size=(N, d_model)), *squares, n_heads, *_network(d_model, d_ff)


def _of_sublayers(block: Callable[[Array, Sublayer, Sublayer], Array]) -> Callable[..., Array]:
    """A block written with its two sub-layers, attention A(x) and network F(x), as a function of all its weights."""

    def answer(X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, n_heads: int, *network: Array) -> Array:
        return block(
            X,
            lambda x: multi_head_attention(x, W_Q, W_K, W_V, W_O, n_heads).output,
            lambda x: feed_forward(x, *network),
        )

    return answer


def _pre_norm(
    X: Array,
    W_Q: Array,
    W_K: Array,
    W_V: Array,
    W_O: Array,
    n_heads: int,
    W_1: Array,
    b_1: Array,
    W_2: Array,
    b_2: Array,
) -> Array:
    x = X + multi_head_attention(layer_norm(X), W_Q, W_K, W_V, W_O, n_heads).output
    return x + feed_forward(layer_norm(x), W_1, b_1, W_2, b_2)


def _then(x: Array, half: Callable[[Array], Array]) -> Array:
    return half(x)


_PRE_NORM = Exercise(
    "10.pre_norm",
    "one block of the encoder, pre-norm",
    _pre_norm,
    [_whole(4, 3, 2, 5), _whole(3, 2, 2, 7), _whole(5, 1, 3, 4)],
    carried(
        [
            "You return the paper's post-norm, but here the norm comes first. Write x + F(norm(x)), and leave the sum "
            "as it is.",
            lambda X, A, F: _then(layer_norm(X + A(X)), lambda x: layer_norm(x + F(x))),
            "You normalize the output of each sub-layer, but pre-norm normalizes its input. Apply the norm to the "
            "input of each sub-layer.",
            lambda X, A, F: _then(X + layer_norm(A(X)), lambda x: x + layer_norm(F(x))),
            "Your shortcuts carry the normalized x. In pre-norm a shortcut carries x as it is, and only the sub-layer "
            "gets the norm.",
            lambda X, A, F: _then(
                layer_norm(X), lambda n: _then(n + A(n), lambda x: _then(layer_norm(x), lambda m: m + F(m)))
            ),
            "Your first shortcut carries the normalized X. Carry X as it is, and give the norm only to the attention.",
            lambda X, A, F: _then(_then(layer_norm(X), lambda n: n + A(n)), lambda x: x + F(layer_norm(x))),
            "Your second shortcut carries X again, so the attention's output is lost there. Carry the sum after the "
            "attention.",
            lambda X, A, F: X + F(layer_norm(X + A(layer_norm(X)))),
            "Your second shortcut carries the normalized sum. Carry the sum as it is, and give the norm only to the "
            "network.",
            lambda X, A, F: _then(layer_norm(X + A(layer_norm(X))), lambda n: n + F(n)),
            "Your first half is correct. In the second half you normalize the sum, which is post-norm. Normalize the "
            "network's input instead.",
            lambda X, A, F: _then(X + A(layer_norm(X)), lambda x: layer_norm(x + F(x))),
            "You apply the feed-forward network first, but attention comes first. Swap the two sub-layers.",
            lambda X, A, F: _then(X + F(layer_norm(X)), lambda x: x + A(layer_norm(x))),
            "You normalize the output as well. A pre-norm stack has one such norm, after its last block, so leave it "
            "out here.",
            lambda X, A, F: layer_norm(_then(X + A(layer_norm(X)), lambda x: x + F(layer_norm(x)))),
            "You leave out both norms. Normalize the input of each sub-layer.",
            lambda X, A, F: _then(X + A(X), lambda x: x + F(x)),
            "You leave out both shortcuts. Write x + F(norm(x)), once for each sub-layer.",
            lambda X, A, F: F(layer_norm(A(layer_norm(X)))),
            "Your second half is correct. In the first half you normalize the sum, which is post-norm. Normalize the "
            "attention's input instead.",
            lambda X, A, F: _then(layer_norm(X + A(X)), lambda x: x + F(layer_norm(x))),
            "Your second half is correct. In the first half you normalize the attention's output. Normalize its input "
            "instead.",
            lambda X, A, F: _then(X + layer_norm(A(X)), lambda x: x + F(layer_norm(x))),
        ],
        _of_sublayers,
    ),
)

# --- parameters ---------------------------------------------------------------------------------------------------


def _parameters(d_model: int, d_ff: int, n_heads: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    network = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return attention + network + 2 * 2 * d_model


def _off_by(difference: Callable[[int, int, int], int]) -> Callable[[int, int, int], int]:
    """The right number and how far a mistake is from it."""
    return lambda d_model, d_ff, n_heads: _parameters(d_model, d_ff, n_heads) + difference(d_model, d_ff, n_heads)


_PARAMETERS = Exercise(
    "10.parameters",
    "the parameters of one block",
    _parameters,
    [(512, 2048, 8), (8, 16, 2), (12, 30, 3), (10, 7, 5)],
    [
        "You counted the matrices and half of the norms. Add a bias for each matrix, one entry per column, and a γ "
        "and a β for each norm.",
        _off_by(lambda d, f, h: -4 * d - f - d - 2 * d),
        # Both are 4 · d_model: the number alone can't tell which.
        "You are missing 4 · d_model + d_ff + d_model parameters: b₁ and b₂, and also either the biases of W_Q, W_K, "
        "W_V and W_O or the γ and β of both norms.",
        _off_by(lambda d, f, h: -4 * d - f - d),
        "You counted only the six matrices. Add their biases and the two norms.",
        _off_by(lambda d, f, h: -4 * d - f - d - 4 * d),
        "You are missing 4 · d_model parameters: either the biases of W_Q, W_K, W_V and W_O, or the γ and β of both "
        "norms.",
        _off_by(lambda d, f, h: -4 * d),  # as above
        "You leave out the biases of the feed-forward network. Add b₁ with d_ff entries and b₂ with d_model.",
        _off_by(lambda d, f, h: -f - d),
        "You are missing 3 · d_model parameters. They are the biases of W_Q, W_K and W_V, so add them.",
        _off_by(lambda d, f, h: -3 * d),
        "You return the base model's count for all widths. Count with `d_model` and `d_ff` instead.",
        lambda d_model, d_ff, n_heads: _parameters(512, 2048, 8),
        "You gave γ and β one entry each, but they have one entry for each feature. Count d_model for γ and d_model "
        "for β.",
        _off_by(lambda d, f, h: 4 - 4 * d),
        "You multiplied the attention by the number of heads. The heads share the columns of the matrices, so their "
        "number makes no difference.",
        _off_by(lambda d, f, h: (h - 1) * 4 * (d * d + d)),
        "You multiplied the attention's four matrices by the number of heads. The heads share their columns, so their "
        "number makes no difference.",
        _off_by(lambda d, f, h: (h - 1) * 4 * d * d),
        "You multiplied W_Q, W_K and W_V by the number of heads. A head has only d_model/h of their columns, so count "
        "d_model × d_model for each.",
        _off_by(lambda d, f, h: (h - 1) * 3 * (d * d + d)),
        "You counted W_Q, W_K and W_V of only one head. There are n_heads heads, so count the columns of all of them.",
        _off_by(lambda d, f, h: 3 * (d * (d // h) + d // h) - 3 * (d * d + d)),
        "You counted the attention of only one head. Together the n_heads heads fill four matrices of d_model × "
        "d_model.",
        _off_by(lambda d, f, h: 4 * (d * (d // h) + d // h) - 4 * (d * d + d)),
        "You counted only the first layer of the feed-forward network. Add the second one, d_ff × d_model, with its "
        "bias.",
        _off_by(lambda d, f, h: -(f * d + d)),
    ],
)

# --- the gated network --------------------------------------------------------------------------------------------


def _turned_swish(z: Array) -> Array:
    return z / (1 + np.exp(z))


def _swish(z: Array) -> Array:
    return z * sigmoid(z)


def _gated(x: Array, W: Array, V: Array, W_2: Array) -> Array:
    return (_swish(x @ W) * (x @ V)) @ W_2


def _gated_inputs(N: int, d_model: int, d_ff: int) -> tuple[Array, ...]:
    shapes = ((N, d_model), (d_model, d_ff), (d_model, d_ff), (d_ff, d_model))
    return tuple(_random.normal(size=shape) for shape in shapes)


_GATED = Exercise(
    "10.gated",
    "the gated network",
    _gated,
    # N = d_model = d_ff once, so that a matrix product in place of ⊙ runs at all.
    [_gated_inputs(5, 4, 7), _gated_inputs(3, 3, 3), _gated_inputs(4, 6, 2)],
    [
        "You apply the swish to the whole product. Apply it only to xW, before you multiply the two.",
        lambda x, W, V, W_2: _swish((x @ W) * (x @ V)) @ W_2,
        "You apply the swish to xV as well, but only xW goes through the swish. Leave xV as it is.",
        lambda x, W, V, W_2: (_swish(x @ W) * _swish(x @ V)) @ W_2,
        "You apply the swish last. Apply it to xW, before you multiply anything.",
        lambda x, W, V, W_2: _swish(((x @ W) * (x @ V)) @ W_2),
        "You have the wrong sign in the exponent, so your sigmoid falls instead of rising. Write σ(z) = 1 / (1 + "
        "e^(−z)).",
        lambda x, W, V, W_2: (_turned_swish(x @ W) * (x @ V)) @ W_2,
        "You multiply by σ(xW). The swish is z · σ(z), so multiply the sigmoid by z as well.",
        lambda x, W, V, W_2: (sigmoid(x @ W) * (x @ V)) @ W_2,
        "You use the ReLU. Use the swish instead: z · σ(z), with σ(z) = 1 / (1 + e^(−z)).",
        lambda x, W, V, W_2: (_relu(x @ W) * (x @ V)) @ W_2,
        "You use the GELU, z · Φ(z). The swish has the sigmoid instead of Φ: z · σ(z).",
        lambda x, W, V, W_2: (_gelu(x @ W) * (x @ V)) @ W_2,
        "You multiply the two as matrices, but ⊙ multiplies entry by entry. Use `*`.",
        lambda x, W, V, W_2: _swish(x @ W) @ (x @ V) @ W_2,
    ],
)

# --- a broken line ------------------------------------------------------------------------------------------------

Line = tuple[Array, Array, Array]  # b_1, W_2, b_2


def _slopes(at: Array, heights: Array) -> Array:
    return np.diff(heights) / np.diff(at)


def _changes(slopes: Array) -> Array:
    """By how much the slope changes at each point, (K, 1); before the first and after the last it is 0."""
    return (np.append(slopes, 0) - np.append(0, slopes))[:, np.newaxis]


def _broken_line(at: Array, heights: Array) -> Line:
    return -at, _changes(_slopes(at, heights)), heights[:1]


@in_steps
def _drawn_with(
    b_1: Callable[[Array, Array], Array] = lambda at, heights: -at,
    W_2: Callable[[Array, Array], Array] = lambda at, heights: _changes(_slopes(at, heights)),
    b_2: Callable[[Array, Array], Array] = lambda at, heights: heights[:1],
) -> Callable[[Array, Array], Line]:
    """The weights of the broken line with one of them put another way."""
    return lambda at, heights: (b_1(at, heights), W_2(at, heights), b_2(at, heights))


_POINTS = [
    (np.array([-1.0, 0.5, 2.0]), np.array([2.0, 0.5, 1.5])),
    (np.array([0.5, 1.0, 3.0, 3.5]), np.array([-1.0, 1.0, 1.5, -2.0])),
    (np.array([2.0, 6.0]), np.array([3.0, 1.0])),
    (np.array([-4.0, -2.5, -2.0, 1.0, 5.0]), np.array([0.5, 2.0, 2.0, -1.0, 3.0])),
]

_BROKEN_LINE = Exercise(
    "10.broken_line",
    "the weights of a broken line",
    _broken_line,
    _POINTS,
    [
        "You have the wrong sign in b₁. max(0, x + b) begins to rise at x = −b, so b₁ is minus the point's position.",
        _drawn_with(b_1=lambda at, heights: at.copy()),
        "You put the slopes after the points into W₂, but the earlier units keep rising. Give each unit only the "
        "change of the slope.",
        _drawn_with(W_2=lambda at, heights: np.append(_slopes(at, heights), 0)[:, np.newaxis]),
        "Your last unit adds nothing, so the line keeps its last slope after the last point. Let this unit cancel "
        "that slope.",
        _drawn_with(W_2=lambda at, heights: np.append(_changes(_slopes(at, heights))[:-1, 0], 0)[:, np.newaxis]),
        "You have no unit for the last point. Add a unit that makes the line level after it.",
        lambda at, heights: (
            -at[:-1],
            _changes(_slopes(at, heights))[:-1],
            heights[:1],
        ),
        "You put heights into W₂, but its entries say how steeply a unit rises. Put the changes of the slope there.",
        _drawn_with(W_2=lambda at, heights: heights[:, np.newaxis]),
        "You set b₂ to 0. Left of the first point no unit is above 0, so b₂ has to be the height there.",
        _drawn_with(b_2=lambda at, heights: np.zeros(1)),
    ],
)

_WHICH = choice(
    "10.which",
    "d",
    "(x + y)W₁W₂ is xW₁W₂ + yW₁W₂ for all x and y. A ReLU in between can break that: it turns 1 and −1 into 1 and 0, "
    "which sum to 1, but it turns their sum into 0.",
    {
        "a": "You chose something that holds with and without a nonlinearity, because each row goes through by "
        "itself, at any position. Look for a test that uses sums.",
        "b": (
            "You chose something that holds with and without a nonlinearity, because the rows meet only in the "
            "attention. Look for a test that uses sums."
        ),
        "c": "You chose a sign of the ReLU, which sets different units to 0 for different words. A network that does "
        "this isn't linear.",
    },
)

EXERCISES = (_BROKEN_LINE, _BLOCK, _PRE_NORM, _PARAMETERS, _GATED, _WHICH)
