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
from utils.course.exercises.exercise import Exercise, carried, choice

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


def _block(
    first: Callable[[Array, Array], Array],
    second: Callable[[Array, Array, Array, Array, Callable[[Array], Array]], Array],
) -> Callable[..., Array]:
    """A block in two halves: a = first(X, attention), then second(X, attention, their sum, a, the network)."""

    def answer(X: Array, attention: Array, W_1: Array, b_1: Array, W_2: Array, b_2: Array) -> Array:
        a = first(X, attention)
        return second(X, attention, X + attention, a, lambda x: feed_forward(x, W_1, b_1, W_2, b_2))

    return answer


def _first_half(X: Array, attention: Array) -> Array:
    return layer_norm(X + attention)


def _second_half(X: Array, A: Array, s: Array, a: Array, network: Callable[[Array], Array]) -> Array:
    return layer_norm(a + network(a))


def _without_relu(X: Array, attention: Array, W_1: Array, b_1: Array, W_2: Array, b_2: Array) -> Array:
    a = layer_norm(X + attention)
    return layer_norm(a + (a @ W_1 + b_1) @ W_2 + b_2)


_BLOCK = Exercise(
    "10.block",
    "one block of the encoder, post-norm",
    _block(_first_half, _second_half),
    [_attended(4, 3, 5), _attended(2, 5, 3), _attended(3, 4, 6)],
    {
        "You normalize what each sub-layer gives and add x afterwards. In the paper the sum is normalized: first add, "
        "then norm.": _block(lambda X, A: X + layer_norm(A), lambda X, A, s, a, f: a + layer_norm(f(a))),
        "In the first half you normalize the attention and add X afterwards. First add, then norm, as in your second "
        "half.": _block(lambda X, A: X + layer_norm(A), _second_half),
        "In the first half you normalize X and add the attention afterwards. First add, then norm, as in your second "
        "half.": _block(lambda X, A: layer_norm(X) + A, _second_half),
        "The first half is right. In the second you normalize what the network gives and add afterwards. First add, "
        "then norm.": _block(_first_half, lambda X, A, s, a, f: a + layer_norm(f(a))),
        "Each half has a norm too many: what a sub-layer gives is added as it is, and only "
        "the sum is normalized.": _block(
            lambda X, A: layer_norm(X + layer_norm(A)), lambda X, A, s, a, f: layer_norm(a + layer_norm(f(a)))
        ),
        "The second half has a norm too many: what the network gives is added as it is, and only the sum is "
        "normalized.": _block(_first_half, lambda X, A, s, a, f: layer_norm(a + layer_norm(f(a)))),
        "You stop after the feed-forward network, where N5 stops, too. Its own add & norm is missing: add what went "
        "into it, then normalize.": _block(_first_half, lambda X, A, s, a, f: f(a)),
        "Both shortcuts are missing: what goes into a sub-layer is added to what comes out, x + F(x).": _block(
            lambda X, A: layer_norm(A), lambda X, A, s, a, f: layer_norm(f(a))
        ),
        "Your second shortcut starts before the first norm, at X + attention. In post-norm it starts after it: what is "
        "added is what the feed-forward network gets.": _block(_first_half, lambda X, A, s, a, f: layer_norm(s + f(a))),
        "You add X once more at the end. It is in the sum already, by the first shortcut.": _block(
            _first_half, lambda X, A, s, a, f: layer_norm(X + a + f(a))
        ),
        "You add the attention once more at the end. It is in a already.": _block(
            _first_half, lambda X, A, s, a, f: layer_norm(a + A + f(a))
        ),
        "You multiply what goes into a sub-layer with what comes out. The two are added: x + F(x).": _block(
            lambda X, A: layer_norm(X * A), lambda X, A, s, a, f: layer_norm(a * f(a))
        ),
        "You subtract what comes out of a sub-layer. It is added: x + F(x).": _block(
            lambda X, A: layer_norm(X - A), lambda X, A, s, a, f: layer_norm(a - f(a))
        ),
        "The sums are right. Each of them is normalized, and you have no norm at all.": _block(
            lambda X, A: X + A, lambda X, A, s, a, f: a + f(a)
        ),
        "That is pre-norm: the norm stands in front of the network, and the shortcut goes around both. The paper adds "
        "first and normalizes the sum.": _block(lambda X, A: X + A, lambda X, A, s, a, f: a + f(layer_norm(a))),
        "Your feed-forward network gets the sum before the norm. It gets the normalized one.": _block(
            _first_half, lambda X, A, s, a, f: layer_norm(a + f(s))
        ),
        "There is one shortcut around both sub-layers, and one norm. Each sub-layer has its own add & norm.": _block(
            lambda X, A: A, lambda X, A, s, a, f: layer_norm(X + f(a))
        ),
        "Right so far: that is the first add & norm. The feed-forward network with its own "
        "add & norm comes next.": _block(_first_half, lambda X, A, s, a, f: a),
        "You average down the columns: that is batch norm. Each token, a row, has its own mean and deviation.": _block(
            lambda X, A: batch_norm(X + A), lambda X, A, s, a, f: batch_norm(a + f(a))
        ),
        "The ReLU in the feed-forward network is missing.": _without_relu,
    },
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
        {
            "That is the paper's post-norm. Here the norm comes first: x + F(norm(x)), and "
            "the sum is left alone.": lambda X, A, F: _then(layer_norm(X + A(X)), lambda x: layer_norm(x + F(x))),
            "You normalize what comes out of each sub-layer. Pre-norm normalizes what goes in.": lambda X, A, F: _then(
                X + layer_norm(A(X)), lambda x: x + layer_norm(F(x))
            ),
            "Your shortcuts carry the normalized x. In pre-norm the shortcut carries x as it is; only the sub-layer "
            "sees the norm.": lambda X, A, F: _then(
                layer_norm(X), lambda n: _then(n + A(n), lambda x: _then(layer_norm(x), lambda m: m + F(m)))
            ),
            "Your first shortcut carries the normalized X. It carries X as it is; only the "
            "attention sees the norm.": lambda X, A, F: _then(
                _then(layer_norm(X), lambda n: n + A(n)), lambda x: x + F(layer_norm(x))
            ),
            "Your second shortcut carries the normalized sum. It carries the sum as it is; only the network sees the "
            "norm.": lambda X, A, F: _then(layer_norm(X + A(layer_norm(X))), lambda n: n + F(n)),
            "The first half is right. In the second you normalize the sum: that is post-norm. Here the norm stands in "
            "front of the network.": lambda X, A, F: _then(X + A(layer_norm(X)), lambda x: layer_norm(x + F(x))),
            "You have the two sub-layers in the wrong order: attention comes first, then the "
            "feed-forward network.": lambda X, A, F: _then(X + F(layer_norm(X)), lambda x: x + A(layer_norm(x))),
            "You normalize the output too. A pre-norm stack has one such norm behind its last block, not in every "
            "block.": lambda X, A, F: layer_norm(_then(X + A(layer_norm(X)), lambda x: x + F(layer_norm(x)))),
            "Both norms are missing: each sub-layer gets normalized numbers.": lambda X, A, F: _then(
                X + A(X), lambda x: x + F(x)
            ),
            "Both shortcuts are missing: x + F(norm(x)), twice.": lambda X, A, F: F(layer_norm(A(layer_norm(X)))),
            "The second half is right. In the first you normalize the sum: that is post-norm. Here the norm stands in "
            "front of the attention.": lambda X, A, F: _then(layer_norm(X + A(X)), lambda x: x + F(layer_norm(x))),
            "The second half is right. In the first you normalize what comes out of the attention. Normalize what goes "
            "in.": lambda X, A, F: _then(X + layer_norm(A(X)), lambda x: x + F(layer_norm(x))),
            "Your network gets the bare attention, normalized. It gets the sum, "
            "X + attention, normalized.": lambda X, A, F: _then(A(layer_norm(X)), lambda a: X + a + F(layer_norm(a))),
            "The attention is missing. It comes first, with a norm and a shortcut of its own.": lambda X, A, F: (
                X + F(layer_norm(X))
            ),
        },
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
    {
        "You counted the matrices, and half of the norms: both γ, "
        "or one norm. Every matrix has a bias too, one number for "
        "each of its columns, and each of the two norms a γ and a β.": _off_by(lambda d, f, h: -4 * d - f - d - 2 * d),
        # Both are 4 · d_model: the number alone can't tell which.
        "4 · d_model + d_ff + d_model numbers are missing. That is b₁ and b₂, and besides either the biases of W_Q, "
        "W_K, W_V and W_O or the γ and β of the two norms.": _off_by(lambda d, f, h: -4 * d - f - d),
        "You counted the six matrices. Their biases and the two norms are missing.": _off_by(
            lambda d, f, h: -4 * d - f - d - 4 * d
        ),
        "4 · d_model numbers are missing. Either the biases of W_Q, W_K, W_V and W_O, or the γ "
        "and β of the two norms.": _off_by(lambda d, f, h: -4 * d),  # as above
        "8 · d_model numbers are missing: the biases of W_Q, W_K, W_V and W_O, and the γ "
        "and β of the two norms.": _off_by(lambda d, f, h: -8 * d),
        "The biases of the feed-forward network are missing: b₁ has d_ff numbers, b₂ has d_model.": _off_by(
            lambda d, f, h: -f - d
        ),
        "d_ff numbers are missing: b₁, the bias of the first layer of the network.": _off_by(lambda d, f, h: -f),
        "d_model numbers are missing. Either b₂, or the bias of W_O.": _off_by(lambda d, f, h: -d),  # both are d_model
        "3 · d_model numbers are missing: the biases of W_Q, W_K and W_V.": _off_by(lambda d, f, h: -3 * d),
        "You counted two attentions and three norms: that is a block of the decoder. The encoder's has one attention "
        "and two norms.": _off_by(lambda d, f, h: 4 * (d * d + d) + 2 * d),
        "You return the base model's number whatever the "
        "widths are. Count with `d_model` and `d_ff`.": lambda d_model, d_ff, n_heads: _parameters(512, 2048, 8),
        "You gave γ and β one number each. They have one for each feature, d_model numbers.": _off_by(
            lambda d, f, h: 4 - 4 * d
        ),
        "You multiplied the attention by the number of heads. The heads share the columns of the matrices, so the "
        "number of heads makes no difference.": _off_by(lambda d, f, h: (h - 1) * 4 * (d * d + d)),
        "You multiplied the four matrices of the attention by the number of heads. The heads share their columns, so "
        "the number of heads makes no difference.": _off_by(lambda d, f, h: (h - 1) * 4 * d * d),
        "You multiplied W_Q, W_K and W_V by the number of heads. Each head's own matrix is d_model × d_model/h; "
        "together they are d_model × d_model.": _off_by(lambda d, f, h: (h - 1) * 3 * (d * d + d)),
        "You counted W_Q, W_K and W_V of one head. There are n_heads of them.": _off_by(
            lambda d, f, h: 3 * (d * (d // h) + d // h) - 3 * (d * d + d)
        ),
        "You counted the attention of one head. There are n_heads of them, and together each of the four matrices is "
        "d_model × d_model.": _off_by(lambda d, f, h: 4 * (d * (d // h) + d // h) - 4 * (d * d + d)),
        "You counted the first layer of the feed-forward network only. There is a second one, d_ff × d_model.": _off_by(
            lambda d, f, h: -(f * d + d)
        ),
        "You counted a second layer of d_ff × d_ff. It leads back to d_model: d_ff × d_model.": _off_by(
            lambda d, f, h: f * f - f * d + f - d
        ),
    },
)

# --- the gated network --------------------------------------------------------------------------------------------


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
    {
        "Your sigmoid is turned around: 1 / (1 + e^z) falls as z grows. It needs a minus, "
        "1 / (1 + e^(−z)).": lambda x, W, V, W_2: ((x @ W) * sigmoid(-(x @ W)) * (x @ V)) @ W_2,
        "Your swish is around the whole product. It belongs "
        "around xW alone, before the two are multiplied.": lambda x, W, V, W_2: _swish((x @ W) * (x @ V)) @ W_2,
        "You took the swish of xV as well. Only xW goes through it.": lambda x, W, V, W_2: (
            (_swish(x @ W) * _swish(x @ V)) @ W_2
        ),
        "Your swish comes last. It belongs around xW, before anything is multiplied.": lambda x, W, V, W_2: _swish(
            ((x @ W) * (x @ V)) @ W_2
        ),
        "You took σ(xW). The swish is z · σ(z): the number itself, times its sigmoid.": lambda x, W, V, W_2: (
            (sigmoid(x @ W) * (x @ V)) @ W_2
        ),
        "You took the ReLU. The swish is z · σ(z), with σ(z) = 1 / (1 + e^(−z)).": lambda x, W, V, W_2: (
            (_relu(x @ W) * (x @ V)) @ W_2
        ),
        "You took the GELU, z · Φ(z). The swish has the sigmoid in place of Φ: z · σ(z).": lambda x, W, V, W_2: (
            (_gelu(x @ W) * (x @ V)) @ W_2
        ),
        "You multiplied the two as matrices. ⊙ multiplies entry by entry: `*`.": lambda x, W, V, W_2: (
            _swish(x @ W) @ (x @ V) @ W_2
        ),
    },
)

# --- a broken line ------------------------------------------------------------------------------------------------

Line = tuple[Array, Array, Array]  # b_1, W_2, b_2


def _slopes(at: Array, heights: Array) -> Array:
    return np.diff(heights) / np.diff(at)


def _changes(slopes: Array) -> Array:
    """By how much the slope changes at each point, (K, 1); before the first and behind the last it is 0."""
    return (np.append(slopes, 0) - np.append(0, slopes))[:, np.newaxis]


def _broken_line(at: Array, heights: Array) -> Line:
    return -at, _changes(_slopes(at, heights)), heights[:1]


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
    {
        "The sign of b₁ is turned: max(0, x + b) begins to rise at x = −b, so b₁ is minus "
        "the place of the point.": _drawn_with(b_1=lambda at, heights: at.copy()),
        "W₂ holds the slopes behind the points, but the units before "
        "go on rising: a unit has only to add the change of the "
        "slope at its point.": _drawn_with(W_2=lambda at, heights: np.append(_slopes(at, heights), 0)[:, np.newaxis]),
        "The last unit adds nothing, so behind the last point your line goes on with the last slope: the last unit has "
        "to take that slope away.": _drawn_with(
            W_2=lambda at, heights: np.append(_changes(_slopes(at, heights))[:-1, 0], 0)[:, np.newaxis]
        ),
        "You have no unit for the last point: it takes one to make the line level there.": lambda at, heights: (
            -at[:-1],
            _changes(_slopes(at, heights))[:-1],
            heights[:1],
        ),
        "W₂ holds the heights: it says how steeply a unit rises, so slopes belong there, "
        "and the change of them.": _drawn_with(W_2=lambda at, heights: heights[:, np.newaxis]),
        "`np.gradient` gives a slope at each point, mostly a weighted "
        "mean of those on its two sides: asked for is the one behind the "
        "point minus the one before it.": _drawn_with(W_2=lambda at, heights: np.gradient(heights, at)[:, np.newaxis]),
        "Your b₂ is 0: left of the first point no unit is above 0, so b₂ alone makes the height there.": _drawn_with(
            b_2=lambda at, heights: np.zeros(1)
        ),
        "Your b₂ is the height of the last point: it is the height at which the line begins, "
        "that of the first.": _drawn_with(b_2=lambda at, heights: heights[-1:]),
        "Your b₂ is the height of the line at x = 0: it is the height where all units are 0, "
        "left of the first point.": _drawn_with(b_2=lambda at, heights: np.atleast_1d(np.interp(0.0, at, heights))),
    },
)

# --- who has heard of whom ----------------------------------------------------------------------------------------


def _reach(looks: Array, n_blocks: int) -> Array:
    return _ways(looks | np.eye(len(looks), dtype=bool), n_blocks) > 0


def _ways(step: Array, n_blocks: int) -> Array:
    """In how many ways something comes from word j to word i in n_blocks steps, (N, N)."""
    return np.linalg.matrix_power(step.astype(int), n_blocks)


def _itself(looks: Array) -> Array:
    return np.eye(len(looks), dtype=bool)


def _reached_twice_as_far(looks: Array, n_blocks: int) -> Array:
    reached = looks | _itself(looks)
    for _ in range(n_blocks):
        reached = reached @ reached
    return reached


def _and_instead_of_or(looks: Array, n_blocks: int) -> Array:
    reached = looks | _itself(looks)
    for _ in range(n_blocks - 1):
        reached = reached & (looks @ reached)
    return reached


_reach_random = np.random.default_rng(100)


def _window_back(N: int, width: int) -> Array:
    """Each word looks at the `width` words before it, and not at itself."""
    back = np.arange(N)[:, np.newaxis] - np.arange(N)
    return (back > 0) & (back <= width)


def _few(N: int, each: int) -> Array:
    """Each word looks at `each` others, drawn at random; the last word looks at nobody."""
    looks = np.zeros((N, N), dtype=bool)
    for i in range(N - 1):
        looks[i, _reach_random.choice([j for j in range(N) if j != i], size=each, replace=False)] = True
    return looks


_LOOKS = [
    (_window_back(8, 2), 3),
    (_few(7, 1), 2),
    (np.roll(np.eye(9, dtype=bool), 1, axis=1), 3),  # each at the next, the last at the first
    (_few(6, 2) | np.diag([True, False, True, False, True, False]), 2),
    (_few(5, 1), 1),
]

_REACH = Exercise(
    "10.reach",
    "who has heard of whom",
    _reach,
    _LOOKS,
    {
        "You have what arrives in one block, whatever n_blocks is. Each further block is one more matrix product, "
        "`looks @ reached`. (`**` takes the power of each entry.)": lambda looks, n_blocks: looks | _itself(looks),
        "The identity comes in once, at the end: the residual keeps "
        "in every block all that was there.": lambda looks, n_blocks: (_ways(looks, n_blocks) > 0) | _itself(looks),
        "The residual is missing: what a word had before a block stays with it. Yours keeps what comes in exactly "
        "n_blocks steps.": lambda looks, n_blocks: _ways(looks, n_blocks) > 0,
        "You multiply `reached` with itself, so each round doubles the number of blocks: a block adds one look, `looks "
        "@ reached`.": _reached_twice_as_far,
        "You let what is looked at hear of who looks: a look goes one way, from word j to word i where `looks[i, j]` "
        "is True.": lambda looks, n_blocks: _reach(looks | looks.T, n_blocks),
        "These are the words that arrive in the last block for the first time: those that were there before belong to "
        "it too.": lambda looks, n_blocks: _reach(looks, n_blocks) & ~_reach(looks, max(n_blocks - 1, 0)),
        "You join what was there and what comes by “and”, so nothing new is ever added: “or”, `|`.": _and_instead_of_or,
    },
    extremes=[(_few(4, 2), 0), (_window_back(12, 1), 20)],
)

_WHICH = choice(
    "10.which",
    "d",
    "(x + y)W₁W₂ is xW₁W₂ + yW₁W₂, whatever x and y are. A ReLU in between can break that: of 1 and −1 "
    "it keeps 1 and 0, together 1, and of their sum 0.",
    {
        "a": "That is so with and without a bend: each row goes through by itself, wherever it stands.",
        "b": (
            "That is so with and without a bend: the rows meet in the attention, and here each goes through by itself."
        ),
        "c": "That is the ReLU at work: it sets units to 0, for each word others. So something bends.",
    },
)

EXERCISES = (_BROKEN_LINE, _BLOCK, _PRE_NORM, _PARAMETERS, _GATED, _REACH, _WHICH)
