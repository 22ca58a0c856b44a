"""The exercises of lesson 05, self-attention by hand, with the mistakes that they recognize."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import attention_steps, softmax
from utils.course.exercises.exercise import Exercise, Mistakes, carried, choice, in_steps
from utils.course.exercises.softmaxes import with_wrong_softmax

_random = np.random.default_rng(5)


def _projections(n: int, d_model: int, d_k: int, d_v: int, size: float = 1.0) -> tuple[Array, Array, Array, Array]:
    """X, W_Q, W_K, W_V with all four sizes different where it matters, so that no two mistakes look alike."""
    shapes = ((n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v))
    return tuple(size * _random.normal(size=shape) for shape in shapes)  # type: ignore[return-value]


# N = d_k = d_model somewhere, so that a product in the wrong order runs at all; elsewhere all sizes differ.
_INPUTS = [_projections(5, 4, 3, 2), _projections(3, 3, 3, 3), _projections(4, 6, 5, 6), _projections(3, 4, 3, 3)]
_LARGE = _projections(4, 5, 3, 2, size=12.0)
_LARGE_ROLLED = (np.roll(_LARGE[0], 1, axis=0), *_LARGE[1:])  # another token is the loudest
_QUERIES_AND_KEYS = [(X @ W_Q, X @ W_K) for X, W_Q, W_K, _ in _INPUTS]


def _weights(X: Array, W_Q: Array, W_K: Array) -> Array:
    return attention_steps(X, W_Q, W_K, W_K).weights


def _output(X: Array, W_Q: Array, W_K: Array, W_V: Array) -> Array:
    return attention_steps(X, W_Q, W_K, W_V).output


def _raw(X: Array, W_Q: Array, W_K: Array) -> Array:
    return (X @ W_Q) @ (X @ W_K).T


def _scaled(X: Array, W_Q: Array, W_K: Array) -> Array:
    return _raw(X, W_Q, W_K) / np.sqrt(W_K.shape[1])


def _only_the_first_row(Q: Array, K: Array) -> Array:
    S = np.zeros((len(Q), len(K)))
    S[0] = K @ Q[0]
    return S


_SCORES = Exercise(
    "05.scores",
    "scores of every query with every key",
    lambda Q, K: Q @ K.T,
    _QUERIES_AND_KEYS,
    [
        "You computed KQᵀ, which has the scores mirrored across the diagonal. Row i should belong to query i, so put "
        "the queries first: QKᵀ.",
        lambda Q, K: K @ Q.T,
        "You computed QK, without the transpose. Every row of Q should meet every row of K, so turn the rows of K "
        "into columns, with Kᵀ.",
        lambda Q, K: Q @ K,
        "You used `*`, which multiplies entry by entry. A score is a dot product, so use `@`, with Kᵀ on the right.",
        lambda Q, K: Q * K,
        "You compared each query only with its own key. Every query meets every key, so return N × N scores instead "
        "of N.",
        lambda Q, K: (Q * K).sum(axis=1),
        "You divided by the lengths of query and key, which gives their cosine. A score is the plain dot product, so "
        "leave the division out.",
        lambda Q, K: Q @ K.T / np.outer(np.linalg.norm(Q, axis=1), np.linalg.norm(K, axis=1)),
        "You filled only the first row. Perhaps the `return` is inside your loop and ends it too early. If so, move "
        "the `return` to the left.",
        _only_the_first_row,
    ],
)


@in_steps
def _weights_with(
    rows: Callable[[Array], Array] = softmax,
    divisor: Callable[[Array, Array], float] = lambda X, W_K: W_K.shape[1],
) -> Callable[[Array, Array, Array], Array]:
    return lambda X, W_Q, W_K: rows(_raw(X, W_Q, W_K) / np.sqrt(divisor(X, W_K)))


_WRONG_WEIGHTS = [
    *with_wrong_softmax(lambda rows: _weights_with(rows)),
    "You left out the scale. Divide the scores by √d_k, the square root of the number of columns of W_K.",
    _weights_with(divisor=lambda X, W_K: 1),
    "You divided by √d_model, the width of X. But a score adds up d_k products, one for each column of W_K, so divide "
    "by √d_k.",
    _weights_with(divisor=lambda X, W_K: X.shape[1]),
    "You divided after the softmax, so your rows no longer sum to 1. Divide the scores first, then apply the softmax.",
    lambda X, W_Q, W_K: softmax(_raw(X, W_Q, W_K)) / np.sqrt(W_K.shape[1]),
    "You compared the tokens themselves, XXᵀ. First turn them into queries and keys: Q = X W_Q and K = X W_K.",
    lambda X, W_Q, W_K: softmax(X @ X.T / np.sqrt(W_K.shape[1])),
    lambda X, W_Q, W_K: softmax(X @ X.T / np.sqrt(X.shape[1])),
    "You divided by √3, which is correct only if d_k is 3, as in the lesson. Take d_k from the input instead: "
    "`W_K.shape[1]`.",
    _weights_with(divisor=lambda X, W_K: 3),
    "You divided by √N, where N is the number of tokens, because `len(…)` counts rows. Divide by √d_k, where d_k is "
    "the number of columns, `W_K.shape[1]`.",
    _weights_with(divisor=lambda X, W_K: len(X)),
]


def _with_wrong_weights(output: Callable[[Array, Array], Any]) -> Mistakes:
    """Each mistake in the weights A once more, where it shows only in `output(A, V)`."""
    made = lambda weights: lambda X, W_Q, W_K, W_V: output(weights(X, W_Q, W_K), X @ W_V)  # noqa: E731
    return carried(_WRONG_WEIGHTS, made, "The mistake is in the weights. ")


_WEIGHTS = Exercise(
    "05.weights",
    "attention weights",
    _weights,
    [inputs[:3] for inputs in _INPUTS],
    _WRONG_WEIGHTS,
    extremes=[_LARGE[:3], _LARGE_ROLLED[:3]],
)


def _pays_and_is_paid(A: Array, V: Array, n: int = 1) -> tuple[Array, float]:
    return A[n] @ V, A[:, n].sum()


def _x2_with(answer: Callable[[Array, Array], Any]) -> Callable[[Array, Array, Array, Array], Any]:
    """What is answered from the right weights and values."""
    return lambda X, W_Q, W_K, W_V: answer(_weights(X, W_Q, W_K), X @ W_V)


_ATTENTION_ON_X2 = Exercise(
    "05.attention_on_x2",
    "the attention on x₂",
    _x2_with(_pays_and_is_paid),
    _INPUTS,
    [
        "You answered for x₃. Python counts from 0, but our names count from 1, so use row 1 and column 1 of the "
        "weights for x₂.",
        _x2_with(lambda A, V: _pays_and_is_paid(A, V, 2)),
        "You answered for x₁. Python counts from 0, but our names count from 1, so use row 1 and column 1 of the "
        "weights for x₂.",
        _x2_with(lambda A, V: _pays_and_is_paid(A, V, 0)),
        "You swapped row and column. Make the output from row 2, the attention that x₂ pays, and add up column 2, the "
        "attention that x₂ receives.",
        _x2_with(lambda A, V: (A[:, 1] @ V, A[1].sum())),
        "You made the output from column 2 of the weights, the attention that x₂ receives. Use row 2, the attention "
        "that x₂ pays; your second number is correct.",
        _x2_with(lambda A, V: (A[:, 1] @ V, A[:, 1].sum())),
        "You added up row 2, the attention that x₂ pays, but each row sums to 1. Add up column 2 instead; your output "
        "is correct.",
        _x2_with(lambda A, V: (A[1] @ V, A[1].sum())),
        "You left out the attention that x₂ pays to itself, but x₂ receives that as well. Add it; your output is "
        "correct.",
        _x2_with(lambda A, V: (A[1] @ V, A[:, 1].sum() - A[1, 1])),
        "You returned v₂ itself. The output of x₂ is a sum over all values, so multiply each value by the attention "
        "that x₂ pays to it, and add them up.",
        _x2_with(lambda A, V: (V[1], A[:, 1].sum())),
        "You added up three terms, but there may be more than three tokens. Add up the terms of all tokens.",
        _x2_with(lambda A, V: (A[1, :3] @ V[:3], A[:3, 1].sum())),
        *_with_wrong_weights(_pays_and_is_paid),
    ],
    extremes=[_LARGE, _LARGE_ROLLED],
    parts=("what x₂ becomes", "what x₂ is paid"),
)

_OUTPUT = Exercise(
    "05.output",
    "self-attention, complete",
    _output,
    _INPUTS,
    [
        "You used the raw scores as weights, but their rows don't sum to 1. Apply the softmax to each row first.",
        lambda X, W_Q, W_K, W_V: _scaled(X, W_Q, W_K) @ (X @ W_V),
        "You returned two arrays, outputs and weights, as `scaled_dot_product_attention` does. This exercise needs "
        "only the outputs, so return those.",
        lambda X, W_Q, W_K, W_V: (
            _output(X, W_Q, W_K, W_V),
            _weights(X, W_Q, W_K),
        ),
        "You divided the scores by d_k. Divide by its square root instead, √d_k.",
        lambda X, W_Q, W_K, W_V: softmax(_raw(X, W_Q, W_K) / W_K.shape[1]) @ (X @ W_V),
        "You divided by the square root of the values' width. A score is made of queries and keys, so take the width "
        "of the keys, `K.shape[1]`.",
        lambda X, W_Q, W_K, W_V: softmax(_raw(X, W_Q, W_K) / np.sqrt(W_V.shape[1])) @ (X @ W_V),
        *_with_wrong_weights(lambda A, V: A @ V),
    ],
    extremes=[_LARGE, _LARGE_ROLLED],
)


_WHICH = choice(
    "05.which",
    "a",
    "5 more in each exponent is a factor of e⁵ in numerator and denominator, so weights and output stay the same.",
    {
        "b": "You let every value gain, but the weights of a row always sum to 1, so one weight can gain only if "
        "another loses. Which weight would lose?",
        "c": "You moved the weights closer together, which happens when the differences between the scores shrink. "
        "Here every difference is the same as before.",
    },
)

EXERCISES = (_SCORES, _WEIGHTS, _ATTENTION_ON_X2, _OUTPUT, _WHICH)
