"""The exercises of lesson 05, self-attention by hand, and the mistakes that they know."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import attention_steps, softmax
from utils.course.exercises.exercise import Exercise, WrongAnswer

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


def _scores(Q: Array, K: Array) -> Array:
    return Q @ K.T


def _weights(X: Array, W_Q: Array, W_K: Array) -> Array:
    return attention_steps(X, W_Q, W_K, W_K).weights


def _output(X: Array, W_Q: Array, W_K: Array, W_V: Array) -> Array:
    return attention_steps(X, W_Q, W_K, W_V).output


def _attention_on_x2(X: Array, W_Q: Array, W_K: Array, W_V: Array) -> Array:
    return _output(X, W_Q, W_K, W_V)[1]


def _raw(X: Array, W_Q: Array, W_K: Array) -> Array:
    return (X @ W_Q) @ (X @ W_K).T


def _scaled(X: Array, W_Q: Array, W_K: Array) -> Array:
    return _raw(X, W_Q, W_K) / np.sqrt(W_K.shape[1])


def _without_max_shift(X: Array, W_Q: Array, W_K: Array) -> Array:
    e = np.exp(_scaled(X, W_Q, W_K))
    return e / e.sum(axis=1, keepdims=True)


def _without_max_shift_by_loops(X: Array, W_Q: Array, W_K: Array) -> Array:
    return np.array([[math.exp(s) / sum(map(math.exp, row)) for s in row] for row in _scaled(X, W_Q, W_K)])


def _without_keepdims(X: Array, W_Q: Array, W_K: Array) -> Array:
    S = _scaled(X, W_Q, W_K)
    e = np.exp(S - S.max())
    return e / e.sum(axis=1)


def _row_maxima_but_sums_flat(X: Array, W_Q: Array, W_K: Array) -> Array:
    S = _scaled(X, W_Q, W_K)
    e = np.exp(S - S.max(axis=1, keepdims=True))
    return e / e.sum(axis=1)


def _without_any_keepdims(X: Array, W_Q: Array, W_K: Array) -> Array:
    S = _scaled(X, W_Q, W_K)
    e = np.exp(S - S.max(axis=1))
    return e / e.sum(axis=1)


def _unnormalised(X: Array, W_Q: Array, W_K: Array) -> Array:
    S = _scaled(X, W_Q, W_K)
    return np.exp(S - S.max(axis=1, keepdims=True))


def _one_maximum_for_all(X: Array, W_Q: Array, W_K: Array) -> Array:
    S = _scaled(X, W_Q, W_K)
    e = np.exp(S - S.max())
    return e / e.sum(axis=1, keepdims=True)


def _maxima_along_the_wrong_axis(X: Array, W_Q: Array, W_K: Array) -> Array:
    S = _scaled(X, W_Q, W_K)
    e = np.exp(S - S.max(axis=1))
    return e / e.sum(axis=1, keepdims=True)


def _row_maxima_but_one_sum(X: Array, W_Q: Array, W_K: Array) -> Array:
    S = _scaled(X, W_Q, W_K)
    e = np.exp(S - S.max(axis=1, keepdims=True))
    return e / e.sum()


def _only_the_first_row(Q: Array, K: Array) -> Array:
    S = np.zeros((len(Q), len(K)))
    S[0] = K @ Q[0]
    return S


def _over_all_entries(X: Array, W_Q: Array, W_K: Array) -> Array:
    return softmax(_scaled(X, W_Q, W_K).ravel()).reshape(len(X), len(X))


_SCORES = Exercise(
    "05.scores",
    "scores of every query with every key",
    _scores,
    _QUERIES_AND_KEYS,
    (
        WrongAnswer(
            "K Qᵀ",
            lambda Q, K: K @ Q.T,
            "You computed KQᵀ, the right numbers mirrored across the diagonal. Row i should belong to query i: "
            "the queries come first, QKᵀ.",
        ),
        WrongAnswer(
            "Q K without the transpose",
            lambda Q, K: Q @ K,
            "The transpose is missing: you computed QK. Every row of Q should meet every row of K, "
            "and that is what the columns of Kᵀ are for.",
        ),
        WrongAnswer(
            "entry by entry",
            lambda Q, K: Q * K,
            "`*` multiplies entry by entry. A score is a dot product: use `@`, with Kᵀ on the right.",
        ),
        WrongAnswer(
            "only the own key",
            lambda Q, K: (Q * K).sum(axis=1),
            "You met each query with its own key only. Every query meets every key: N × N scores, not N.",
        ),
        WrongAnswer(
            "already scaled",
            lambda Q, K: Q @ K.T / np.sqrt(K.shape[1]),
            "These are the scaled scores. The plain scores are asked for here; √d_k comes in the next step.",
        ),
        WrongAnswer(
            "return inside the loop",
            _only_the_first_row,
            "Only the first row is filled. Is the `return` indented so far that it ends the loop after one round?",
        ),
    ),
)

_WRONG_WEIGHTS = (
    WrongAnswer(
        "no max-shift",
        _without_max_shift,
        "Right for small scores, NaN for large ones: e to a large power overflows. Take the row's maximum off "
        "before `np.exp`; the weights stay the same.",
    ),
    WrongAnswer(
        "no max-shift, math.exp",
        _without_max_shift_by_loops,
        "Right for small scores, but `math.exp` overflows for large ones. Use `np.exp`, and subtract the row's "
        "maximum first; "
        "the weights stay the same.",
    ),
    WrongAnswer(
        "softmax down the columns",
        lambda X, W_Q, W_K: softmax(_scaled(X, W_Q, W_K), axis=0),
        "Your softmax runs down the columns: each row should sum to 1, since each row is one query's attention.",
    ),
    WrongAnswer(
        "softmax over all entries",
        _over_all_entries,
        "Your softmax runs over the whole matrix: all entries together sum to 1. Each row should sum to 1 by itself.",
    ),
    WrongAnswer(
        "keepdims forgotten",
        _without_keepdims,
        "You divide by the right sums, but along the wrong axis: NumPy lines a flat vector of sums up with the "
        "columns. Say `keepdims=True`, so that each row is divided by its own sum.",
    ),
    WrongAnswer(
        "keepdims forgotten in the sum",
        _row_maxima_but_sums_flat,
        "Your maxima are right, and you divide by the right sums, but along the wrong axis: NumPy lines a flat vector "
        "up with the columns. Say `keepdims=True` in the sum too.",
    ),
    WrongAnswer(
        "keepdims forgotten twice",
        _without_any_keepdims,
        "The right maxima and the right sums, both along the wrong axis: NumPy lines a flat vector up with the "
        "columns. Say `keepdims=True` in both.",
    ),
    WrongAnswer(
        "not normalised",
        _unnormalised,
        "You stopped after the exponential: divide each row by its sum, so that it sums to 1.",
    ),
    WrongAnswer(
        "no softmax",
        _scaled,
        "These are the scaled scores. The softmax is missing: weights are positive, and each row sums to 1.",
    ),
    WrongAnswer(
        "not scaled",
        lambda X, W_Q, W_K: softmax(_raw(X, W_Q, W_K)),
        "The scale is missing: divide the scores by √d_k before the softmax.",
    ),
    WrongAnswer(
        "scaled by √d_model",
        lambda X, W_Q, W_K: softmax(_raw(X, W_Q, W_K) / np.sqrt(X.shape[1])),
        "You divided by √d_model, the width of X. The dot product adds up d_k products, "
        "one for each column of W_K: divide by √d_k.",
    ),
    WrongAnswer(
        "scaled by d_k",
        lambda X, W_Q, W_K: softmax(_raw(X, W_Q, W_K) / W_K.shape[1]),
        "In all you divided by d_k. Dividing by its square root √d_k, once, is enough.",
    ),
    WrongAnswer(
        "scaled by √N",
        lambda X, W_Q, W_K: softmax(_raw(X, W_Q, W_K) / np.sqrt(len(X))),
        "You divided by √N, the root of the number of tokens. The scale knows nothing of the length of the sentence: "
        "it is √d_k, the width of a key.",
    ),
    WrongAnswer(
        "multiplied by the scale",
        lambda X, W_Q, W_K: softmax(_raw(X, W_Q, W_K) * np.sqrt(W_K.shape[1])),
        "You multiplied by √d_k. Divide: the scores should shrink.",
    ),
    WrongAnswer(
        "K Qᵀ",
        lambda X, W_Q, W_K: softmax(_scaled(X, W_Q, W_K).T),
        "Queries and keys have changed places: you started from KQᵀ. Row i should belong to query i: QKᵀ.",
    ),
    WrongAnswer(
        "scaled after the softmax",
        lambda X, W_Q, W_K: softmax(_raw(X, W_Q, W_K)) / np.sqrt(W_K.shape[1]),
        "You scaled after the softmax, so your rows no longer sum to 1. Divide the scores, then take the softmax.",
    ),
    WrongAnswer(
        "one maximum for all rows",
        _one_maximum_for_all,
        "One maximum for the whole matrix is not enough: in a row far below it every e^z becomes 0, and 0 is divided "
        "by 0. Subtract from each row its own maximum.",
    ),
    WrongAnswer(
        "maxima along the wrong axis",
        _maxima_along_the_wrong_axis,
        "You subtract the right maxima, but along the wrong axis: NumPy lines a flat vector up with the columns. "
        "Say `S.max(axis=1, keepdims=True)`.",
    ),
    WrongAnswer(
        "row maxima, but one sum",
        _row_maxima_but_one_sum,
        "You divide by the sum of all entries. Each row should be divided by its own sum: `axis=1, keepdims=True`.",
    ),
    WrongAnswer(
        "exponential, not normalised",
        lambda X, W_Q, W_K: np.exp(_scaled(X, W_Q, W_K)),
        "You stopped after the exponential: divide each row by its sum, so that it sums to 1.",
    ),
    WrongAnswer(
        "no exponential",
        lambda X, W_Q, W_K: _scaled(X, W_Q, W_K) / _scaled(X, W_Q, W_K).sum(axis=1, keepdims=True),
        "The exponential is missing: you divided the scores themselves by their sum, and with negative scores these "
        "are no shares.",
    ),
    WrongAnswer(
        "no exponential, without signs",
        lambda X, W_Q, W_K: np.abs(_scaled(X, W_Q, W_K)) / np.abs(_scaled(X, W_Q, W_K)).sum(axis=1, keepdims=True),
        "The exponential is missing. Without their signs these sum to 1, but a score of −3 gets as much as one of 3. "
        "e to the power of a score is positive, and keeps the order of the scores.",
    ),
    *(
        WrongAnswer(
            f"X Xᵀ over √{name}",
            lambda X, W_Q, W_K, of=of: softmax(X @ X.T / np.sqrt(of(X, W_K))),
            "You met the tokens with the tokens, XXᵀ. First make queries and keys of them: Q = X W_Q, K = X W_K.",
        )
        for name, of in (("d_k", lambda X, W_K: W_K.shape[1]), ("d_model", lambda X, W_K: X.shape[1]))
    ),
    WrongAnswer(
        "scaled by √3",
        lambda X, W_Q, W_K: softmax(_raw(X, W_Q, W_K) / np.sqrt(3)),
        "You divided by √3, which is right only where d_k is 3, as in the lesson. Take d_k from what the function is "
        "given: `W_K.shape[1]`.",
    ),
)


def _with_wrong_weights(output: Callable[[Array, Array], Array]) -> Iterator[WrongAnswer]:
    """Each mistake in the weights A once more, where it shows only in `output(A, V)`."""
    for wrong in _WRONG_WEIGHTS:
        yield WrongAnswer(
            f"weights: {wrong.name}",
            lambda X, W_Q, W_K, W_V, weights=wrong.function: output(weights(X, W_Q, W_K), X @ W_V),
            f"The mistake is in the weights. {wrong.sentence}",
        )


_WEIGHTS = Exercise(
    "05.weights",
    "attention weights",
    _weights,
    [inputs[:3] for inputs in _INPUTS],
    _WRONG_WEIGHTS,
    extremes=[_LARGE[:3], _LARGE_ROLLED[:3]],
)

_ATTENTION_ON_X2 = Exercise(
    "05.attention_on_x2",
    "the attention on x₂",
    _attention_on_x2,
    _INPUTS,
    (
        WrongAnswer(
            "the third token",
            lambda *inputs: _output(*inputs)[2],
            "That is x₃. Python counts from 0, the notes from 1: x₂ is row 1.",
        ),
        WrongAnswer(
            "the first token",
            lambda *inputs: _output(*inputs)[0],
            "That is x₁. Python counts from 0, the notes from 1: x₂ is row 1.",
        ),
        WrongAnswer(
            "column instead of row",
            lambda X, W_Q, W_K, W_V: _weights(X, W_Q, W_K)[:, 1] @ (X @ W_V),
            "You took column 2 of the weights: what each token pays to x₂. Row 2 is what x₂ pays to each token, "
            "and that is what its output is made of.",
        ),
        WrongAnswer(
            "column of V instead of the sum",
            lambda X, W_Q, W_K, W_V: (X @ W_V)[1],
            "That is v₂ itself. The output of x₂ is a sum over all values, each times the attention that x₂ pays "
            "to it.",
        ),
        WrongAnswer(
            "the weights alone",
            lambda X, W_Q, W_K, W_V: _weights(X, W_Q, W_K)[1],
            "These are the weights α₂ⱼ. The last step is missing: the sum of α₂ⱼ vⱼ over all j.",
        ),
        WrongAnswer(
            "plain mean",
            lambda X, W_Q, W_K, W_V: (X @ W_V).mean(axis=0),
            "You gave every value the same weight. Weigh vⱼ with α₂ⱼ.",
        ),
        WrongAnswer(
            "weights applied to X",
            lambda X, W_Q, W_K, W_V: _weights(X, W_Q, W_K)[1] @ X,
            "You weighed the inputs xⱼ. The weights belong to the values vⱼ = xⱼ W_V.",
        ),
        WrongAnswer(
            "all rows",
            _output,
            "These are the outputs of all tokens. Only the one of x₂ is asked for.",
        ),
        WrongAnswer(
            "three terms only",
            lambda X, W_Q, W_K, W_V: _weights(X, W_Q, W_K)[1, :3] @ (X @ W_V)[:3],
            "You added three terms. There may be more tokens than three: add up all of them.",
        ),
        WrongAnswer(
            "its own value only",
            lambda X, W_Q, W_K, W_V: _weights(X, W_Q, W_K)[1, 1] * (X @ W_V)[1],
            "You took only the share of its own value, α₂₂v₂. Add the shares of all the others.",
        ),
        *_with_wrong_weights(lambda A, V: A[1] @ V),
    ),
    extremes=[_LARGE, _LARGE_ROLLED],
)

_OUTPUT = Exercise(
    "05.output",
    "self-attention, complete",
    _output,
    _INPUTS,
    (
        WrongAnswer(
            "weights applied to X",
            lambda X, W_Q, W_K, W_V: _weights(X, W_Q, W_K) @ X,
            "You weighed the inputs X. The weights belong to the values: V = X W_V.",
        ),
        WrongAnswer(
            "Aᵀ V",
            lambda X, W_Q, W_K, W_V: _weights(X, W_Q, W_K).T @ (X @ W_V),
            "You computed AᵀV. Row i of the output is made with row i of A: it is AV.",
        ),
        WrongAnswer(
            "no softmax",
            lambda X, W_Q, W_K, W_V: _scaled(X, W_Q, W_K) @ (X @ W_V),
            "The softmax is missing, as on the page of note N2: (QKᵀ/√d)V weighs with raw scores, "
            "whose rows do not sum to 1.",
        ),
        WrongAnswer(
            "the weights alone",
            lambda X, W_Q, W_K, W_V: _weights(X, W_Q, W_K),
            "These are the weights. The last step is missing: multiply them with V.",
        ),
        WrongAnswer(
            "scaled by √d_v",
            lambda X, W_Q, W_K, W_V: softmax(_raw(X, W_Q, W_K) / np.sqrt(W_V.shape[1])) @ (X @ W_V),
            "You divided by √d_v, the width of a value. The scores are dot products of queries and keys: divide "
            "by √d_k.",
        ),
        WrongAnswer(
            "outputs and weights",
            lambda X, W_Q, W_K, W_V: (_output(X, W_Q, W_K, W_V), _weights(X, W_Q, W_K)),
            "Your function returns two arrays, outputs and weights, as `scaled_dot_product_attention` does. Only the "
            "outputs are asked for.",
        ),
        *(wrong for wrong in _with_wrong_weights(lambda A, V: A @ V) if wrong.name != "weights: no softmax"),
    ),
    extremes=[_LARGE, _LARGE_ROLLED],
)


def _without(A: Array, V: Array, j: int) -> Array:
    """The outputs of the other tokens once token j is gone: its share goes to the rest, in their proportions."""
    rest = np.delete(np.delete(A, j, axis=0), j, axis=1)
    return rest / rest.sum(axis=1, keepdims=True) @ np.delete(V, j, axis=0)


def _spread_evenly(A: Array, V: Array, j: int) -> Array:
    rest = np.delete(np.delete(A, j, axis=0), j, axis=1)
    return (rest + np.delete(A, j, axis=0)[:, [j]] / len(rest)) @ np.delete(V, j, axis=0)


def _rest_by(shared: Callable[[Array], Array]) -> Callable[[Array, Array, int], Array]:
    """The outputs of the others with another way of sharing out what is left."""
    return lambda A, V, j: shared(np.delete(np.delete(A, j, axis=0), j, axis=1)) @ np.delete(V, j, axis=0)


_leaving = np.random.default_rng(50)  # of its own, so that the inputs above stay as they are
_LEAVING = [
    (softmax(_leaving.normal(size=(n, n))), _leaving.normal(size=(n, d_v)), j)
    for n, d_v, j in ((4, 3, 1), (5, 2, 3), (3, 2, 0))
]

_WITHOUT = Exercise(
    "05.without",
    "one token leaves",
    _without,
    _LEAVING,
    (
        WrongAnswer(
            "not shared out anew",
            _rest_by(lambda rest: rest),
            "Your rows no longer sum to 1: the share of token j is lost. Share out each row anew.",
        ),
        WrongAnswer(
            "its row only",
            lambda A, V, j: np.delete(A, j, axis=0) @ V,
            "You took away its row: it asks no longer. But the others still ask it. Its column must go too, and its "
            "value.",
        ),
        WrongAnswer(
            "its column only",
            lambda A, V, j: (
                (np.delete(A, j, axis=1) / np.delete(A, j, axis=1).sum(axis=1, keepdims=True)) @ np.delete(V, j, axis=0)
            ),
            "Nobody asks it any more, but it still asks: take away its row too. There are N − 1 outputs.",
        ),
        WrongAnswer(
            "nothing taken away",
            lambda A, V, j: A @ V,
            "These are the outputs with everybody still there. Take away row j, column j and value j first.",
        ),
        WrongAnswer(
            "spread evenly",
            _spread_evenly,
            "You gave everybody the same part of token j's share. In a softmax the others keep their proportions: "
            "divide each row by its sum.",
        ),
        WrongAnswer(
            "columns sum to 1",
            _rest_by(lambda rest: rest / rest.sum(axis=0)),
            "You divided the columns by their sums. Each row is one query's attention: divide each row by its own sum, "
            "with `axis=1, keepdims=True`.",
        ),
        WrongAnswer(
            "keepdims forgotten",
            _rest_by(lambda rest: rest / rest.sum(axis=1)),
            "The right sums, along the wrong axis: NumPy lines a flat vector up with the columns. Say `keepdims=True`.",
        ),
        WrongAnswer(
            "softmax once more",
            _rest_by(softmax),
            "You took the softmax of weights. They have been through it: what is left has only to sum to 1 again.",
        ),
        WrongAnswer(
            "counted from 1, nobody leaves at 0",
            lambda A, V, j: _without(A, V, j - 1) if j else A @ V,
            "That is the token before it, and for j = 0 nobody leaves. j counts from 0, as Python does.",
        ),
        WrongAnswer(
            "always the first",
            lambda A, V, j: _without(A, V, 0),
            "You always take the first token away. Take the one that is given, j.",
        ),
        WrongAnswer(
            "always the last",
            lambda A, V, j: _without(A, V, len(A) - 1),
            "You always take the last token away. Take the one that is given, j.",
        ),
        WrongAnswer(
            "the weights alone",
            lambda A, V, j: np.delete(_without(A, np.eye(len(A)), j), j, axis=1),
            "These are the new weights. The last step is missing: multiply them with the values that are left.",
        ),
    ),
)

# --- a token that stands there several times ---------------------------------------------------------------------


def _repeated(Q: Array, K: Array, V: Array, counts: Array) -> Array:
    """The outputs (N, d_v) as if each key stood there counts times."""
    return _counted_into(lambda e, counts: counts * e)(Q, K, V, counts)


def _scaled_scores(Q: Array, K: Array) -> Array:
    return Q @ K.T / np.sqrt(K.shape[1])


def _counted_into(weigh: Callable[[Array, Array], Array]) -> Callable[[Array, Array, Array, Array], Array]:
    """The outputs with the counts put another way into the exponentials, before each row is divided by its sum."""

    def outputs(Q: Array, K: Array, V: Array, counts: Array) -> Array:
        S = _scaled_scores(Q, K)
        e = weigh(np.exp(S - S.max(axis=1, keepdims=True)), counts)
        return e / e.sum(axis=1, keepdims=True) @ V

    return outputs


def _counted_below_the_line(Q: Array, K: Array, V: Array, counts: Array) -> Array:
    S = _scaled_scores(Q, K)
    e = np.exp(S - S.max(axis=1, keepdims=True))
    return e / (counts * e).sum(axis=1, keepdims=True) @ V


def _counted_down_the_columns(Q: Array, K: Array, V: Array, counts: Array) -> Array:
    S = _scaled_scores(Q, K)
    e = counts * np.exp(S - S.max(axis=0))
    return e / e.sum(axis=0) @ V


def _counted_without_max_shift(Q: Array, K: Array, V: Array, counts: Array) -> Array:
    e = counts * np.exp(_scaled_scores(Q, K))
    return e / e.sum(axis=1, keepdims=True) @ V


_repeating = np.random.default_rng(51)


def _sentence(N: int, d_k: int, d_v: int, counts: list[int], size: float = 1.0) -> tuple[Array, Array, Array, Array]:
    """Q (N, d_k), K (M, d_k), V (M, d_v) and the M counts."""
    M = len(counts)
    Q, K = size * _repeating.normal(size=(N, d_k)), size * _repeating.normal(size=(M, d_k))
    return Q, K, _repeating.normal(size=(M, d_v)), np.array(counts)


_REPEATED = Exercise(
    "05.repeated",
    "a token that stands there several times",
    _repeated,
    # N = M = d_k = d_v once, so that counts laid along the rows run at all; elsewhere all sizes differ.
    [
        _sentence(4, 2, 5, [3, 1, 2]),
        _sentence(3, 3, 3, [1, 4, 2]),
        _sentence(2, 4, 3, [2, 1, 1, 5, 3]),
        _sentence(5, 3, 2, [1, 6, 1, 2]),
    ],
    (
        WrongAnswer(
            "counts forgotten",
            _counted_into(lambda e, counts: e),
            "Every token counts once here: one that stands there three times has three keys to be found by.",
        ),
        WrongAnswer(
            "scores multiplied",
            lambda Q, K, V, counts: softmax(_scaled_scores(Q, K) * counts) @ V,
            "You multiply the scores by the counts, and e^(2s) is the square of e^s: two equal tokens add up to "
            "2 e^s, so multiply the exponentials.",
        ),
        WrongAnswer(
            "counts added to the scores",
            lambda Q, K, V, counts: softmax(_scaled_scores(Q, K) + counts) @ V,
            "You add the counts to the scores, and 2 more in a score is a factor of e² in its exponential: the factor "
            "should be the count itself.",
        ),
        WrongAnswer(
            "weights multiplied, not shared out anew",
            lambda Q, K, V, counts: softmax(_scaled_scores(Q, K)) * counts @ V,
            "You multiply weights (or values) that have been shared out already, so more than 1 is handed out: the "
            "counts belong below the line of the softmax too.",
        ),
        WrongAnswer(
            "counted below the line only",
            _counted_below_the_line,
            "The counts stand in the sum below the line only, so a row hands out less than 1: above the line a token "
            "that stands there three times gives its value three times.",
        ),
        WrongAnswer(
            "divided by the counts",
            _counted_into(lambda e, counts: e / counts),
            "You divide by the counts, so what stands there often gets little: multiply.",
        ),
        WrongAnswer(
            "counts along the rows",
            _counted_into(lambda e, counts: counts[:, np.newaxis] * e),
            "Your counts stand in a column, one for each query, and cancel when a row is divided by its sum: they "
            "belong to the keys, so leave them flat.",
        ),
        WrongAnswer(
            "the commonest token alone",
            lambda Q, K, V, counts: np.tile(V[counts.argmax()], (len(Q), 1)),
            "You hand out the value of the commonest token: how well its key fits the query counts as well.",
        ),
        WrongAnswer(
            "by counts alone",
            lambda Q, K, V, counts: np.tile(counts @ V / counts.sum(), (len(Q), 1)),
            "That is the mean of the values by their counts: the scores play no part in it yet.",
        ),
        WrongAnswer(
            "down the columns",
            _counted_down_the_columns,
            "Your softmax runs down the columns: each query, a row, shares out its own 1.",
        ),
        WrongAnswer(
            "not scaled",
            lambda Q, K, V, counts: _repeated(Q * np.sqrt(K.shape[1]), K, V, counts),
            "The scale is missing: divide the scores by √d_k.",
        ),
        WrongAnswer(
            "the weights alone",
            lambda Q, K, V, counts: _repeated(Q, K, np.eye(len(K)), counts),
            "These are the weights of the different tokens, and they are right: multiply them with the values.",
        ),
        WrongAnswer(
            "queries repeated too",
            lambda Q, K, V, counts: np.repeat(_repeated(Q, K, V, counts), counts, axis=0),
            "You repeat the queries as well: each query is there once, and gives one row.",
        ),
        WrongAnswer(
            "no max-shift",
            _counted_without_max_shift,
            "Right for small scores, NaN for large ones: take the row's maximum off before `np.exp`.",
        ),
    ),
    extremes=[_sentence(3, 4, 2, [2, 1, 3, 1], size=40.0)],
)

EXERCISES = (_SCORES, _WEIGHTS, _ATTENTION_ON_X2, _OUTPUT, _WITHOUT, _REPEATED)
