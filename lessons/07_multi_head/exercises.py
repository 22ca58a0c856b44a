"""The exercises of lesson 07, multi-head attention, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.by_hand.multi_head import join_heads, multi_head_attention, split_heads
from utils.course.exercises.exercise import Exercise, choice, in_steps

_random = np.random.default_rng(7)


def _case(N: int, d_model: int, n_heads: int, d_k: int, d_v: int) -> tuple[Array, Array, Array, Array, Array, int]:
    """X, W_Q, W_K, W_V, W_O and the number of heads; queries and values may have different widths."""
    wide_k, wide_v = n_heads * d_k, n_heads * d_v
    shapes = ((N, d_model), (d_model, wide_k), (d_model, wide_k), (d_model, wide_v), (wide_v, d_model))
    return (*(_random.normal(size=shape) for shape in shapes), n_heads)  # type: ignore[return-value]


# All widths equal as in the paper, then none; then one head, with which a wrong way of joining at least runs.
_CASES = [_case(5, 6, 3, 2, 2), _case(4, 6, 2, 4, 5), _case(3, 9, 3, 3, 3), _case(4, 4, 1, 3, 4)]
_SPLITS = [(_random.normal(size=(N, h * d_k)), h) for N, h, d_k in ((5, 3, 2), (4, 2, 4), (3, 4, 3), (6, 2, 3))]
_JOINS = [
    (_random.normal(size=(h, N, d_v)), _random.normal(size=(h * d_v, d_model)))
    for h, N, d_v, d_model in ((3, 5, 2, 6), (2, 4, 5, 7), (4, 3, 3, 12), (1, 4, 3, 3))
]


def _reshaped(Q: Array, n_heads: int) -> Array:
    return Q.reshape(n_heads, len(Q), -1)


def _dealt(Q: Array, n_heads: int) -> Array:
    """Column c to head c mod h, as cards are dealt."""
    return Q.reshape(len(Q), -1, n_heads).transpose(2, 0, 1)


def _glued(heads: Array) -> Array:
    return heads.reshape(heads.shape[1], -1)


def _interleaved(heads: Array) -> Array:
    return heads.transpose(1, 2, 0).reshape(heads.shape[1], -1)


@in_steps
def _with(
    split: Callable[[Array, int], Array] = split_heads,
    join: Callable[[Array], Array] = join_heads,
    divisor: Callable[[Array, Array], float] = lambda q, X: float(np.sqrt(q.shape[-1])),
    shares: Callable[[Array], Array] = softmax,
) -> Callable[..., Array]:
    """Multi-head attention with one part replaced."""

    def answer(X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, n_heads: int) -> Array:
        q, k, v = (split(X @ W, n_heads) for W in (W_Q, W_K, W_V))
        A = shares(q @ k.swapaxes(1, 2) / divisor(q, X))
        return join(A @ v) @ W_O

    return answer


_SPLIT = Exercise(
    "07.split_heads",
    "split among the heads",
    lambda Q, n_heads: split_heads(Q, n_heads),
    _SPLITS,
    [
        "You mixed the tokens, although the shape is correct: a single reshape cuts across the rows, so head 1 gets "
        "only the first tokens. Use `reshape(N, n_heads, d_k)` first, then move the heads to the front.",
        _reshaped,
        "You dealt the columns out to the heads in turn, but head 1 should get the first d_k columns and head 2 the "
        "next d_k. Use `reshape(N, n_heads, d_k)`, with the heads before the width.",
        _dealt,
        "You gave each head some of the tokens, but every head needs every token. Give each head some of the columns "
        "instead.",
        lambda Q, n_heads: np.stack(np.split(Q[: len(Q) // n_heads * n_heads], n_heads)),
        "You gave every head all columns, but the heads share them. Give each head d_k = columns / n_heads of them.",
        lambda Q, n_heads: np.stack([Q] * n_heads),
    ],
)

_JOIN = Exercise(
    "07.join_heads",
    "concatenate and project",
    lambda heads, W_O: join_heads(heads) @ W_O,
    _JOINS,
    [
        "You mixed the tokens, although the shape is correct: your reshape puts rows of one head side by side, "
        "instead of one token's rows from all heads. Transpose first, to (N, n_heads, d_v).",
        lambda heads, W_O: _glued(heads) @ W_O,
        "You added the heads up, so you can't tell which head gave which answer. Put them side by side, N × "
        "(n_heads·d_v), and multiply by W_O.",
        lambda heads, W_O: heads.sum(axis=0),
        "You averaged the heads, so you can't tell which head gave which answer. Put them side by side, N × "
        "(n_heads·d_v), and multiply by W_O.",
        lambda heads, W_O: heads.mean(axis=0),
        "Your code runs only with one head, because W_O has a row for every column of all heads together. Put the "
        "heads side by side before you multiply.",
        lambda heads, W_O: heads.sum(axis=0) @ W_O,
        "You put the heads one below the other, which makes n_heads times as many tokens. Put them side by side, so "
        "that each token has one row.",
        lambda heads, W_O: heads.reshape(-1, heads.shape[2]),
        "You put the first columns of all heads side by side, then the second ones, and so on. Keep each head's "
        "columns together: transpose to (N, n_heads, d_v) before you reshape.",
        lambda heads, W_O: _interleaved(heads) @ W_O,
        "You used `heads.T`, which reverses all three axes and so interleaves the heads. Swap only the first two: "
        "`heads.transpose(1, 0, 2)`.",
        lambda heads, W_O: heads.T.reshape(heads.shape[1], -1) @ W_O,
    ],
)

_MULTI_HEAD = Exercise(
    "07.multi_head",
    "multi-head attention, complete",
    lambda X, W_Q, W_K, W_V, W_O, n_heads: multi_head_attention(X, W_Q, W_K, W_V, W_O, n_heads).output,
    _CASES,
    [
        "You mixed the tokens when splitting and when joining, because you reshape to (n_heads, N, d_k) at once. "
        "Reshape to (N, n_heads, d_k), then transpose, and reverse both steps at the end.",
        _with(split=_reshaped, join=_glued),
        "You mixed the tokens when splitting, because your reshape cuts across the rows. Reshape to (N, n_heads, d_k) "
        "first, then move the heads to the front.",
        _with(split=_reshaped),
        "You mixed the tokens when joining, because your reshape puts rows of one head side by side. Move the tokens "
        "to the front, (N, n_heads, d_v), before you reshape.",
        _with(join=_glued),
        "You divided by √d_model, but a score within a head adds up only d_k products. Divide by √d_k, the square "
        "root of one head's width.",
        _with(divisor=lambda q, X: float(np.sqrt(X.shape[1]))),
        "You divided by the square root of the number of all columns of W_Q, n_heads·d_k, but one head has only d_k "
        "of them. Divide by √d_k.",
        _with(divisor=lambda q, X: float(np.sqrt(q.shape[0] * q.shape[2]))),
        "You left out the scale. Divide the scores of each head by √d_k, the square root of its width.",
        _with(divisor=lambda q, X: 1.0),
        "You divided by d_k. Divide by its square root instead, √d_k.",
        _with(divisor=lambda q, X: float(q.shape[-1])),
        "You left out the softmax, so your weights are raw scores. Apply the softmax to each row of each head.",
        _with(shares=lambda S: S),
        "Your softmax runs over the queries or over the heads, but the weights of each query should sum to 1. Take "
        "the last axis.",
        _with(shares=lambda S: softmax(S.swapaxes(1, 2)).swapaxes(1, 2)),
        _with(shares=lambda S: softmax(S.swapaxes(0, 2)).swapaxes(0, 2)),
        "You mixed the columns when joining. Transpose to (N, n_heads, d_v) before you reshape, so that each head's "
        "columns stay together.",
        _with(join=_interleaved),
        "You left the tokens in front, (N, n_heads, d_k), so the heads of one token attend to each other. Move the "
        "heads to the front before the scores: `transpose(1, 0, 2)`.",
        _with(
            split=lambda Q, n_heads: Q.reshape(len(Q), n_heads, -1),
            join=lambda heads: heads.reshape(len(heads), -1),
        ),
        "You dealt the columns out to the heads in turn, but head 1 should get the first d_k columns. Use `reshape(N, "
        "n_heads, d_k)`, with the heads before the width.",
        _with(split=_dealt),
    ],
)


def _counted(keys: Callable[[int, int, int], int]) -> Callable[[int, int, int], int]:
    """The count of W_Q and W_O, whole, and of two matrices with keys(d_k, n_groups, n_heads) columns."""
    return lambda d_model, n_heads, n_groups: 2 * d_model**2 + 2 * d_model * keys(d_model // n_heads, n_groups, n_heads)


_PARAMETERS = Exercise(
    "07.parameters",
    "the parameters of grouped queries",
    _counted(lambda d_k, n_groups, _: n_groups * d_k),
    [(512, 8, 2), (512, 64, 1), (768, 12, 4), (60, 6, 3), (40, 5, 5)],
    [
        "You counted keys and values for every head, but only the groups have them. Make W_K and W_V narrower.",
        lambda d_model, n_heads, n_groups: 4 * d_model**2,
        "You gave each group only one column of W_K and of W_V. But a group has as many columns as a head, so count "
        "d_k for each group.",
        _counted(lambda d_k, n_groups, _: n_groups),
        "You counted n_heads / n_groups sets of keys and values, but that is how many heads share a set. Count "
        "n_groups sets.",
        _counted(lambda d_k, n_groups, n_heads: n_heads // n_groups * d_k),
        "You made all four matrices narrower, but every head keeps its queries, and W_O meets all heads side by side. "
        "Count d_model × d_model for these two.",
        lambda d_model, n_heads, n_groups: 4 * d_model * n_groups * (d_model // n_heads),
        "You counted keys or values, but a group has both. Count two such matrices, W_K and W_V.",
        lambda d_model, n_heads, n_groups: 2 * d_model**2 + d_model * n_groups * (d_model // n_heads),
        "You made only one of W_K and W_V narrower. A group has one set of keys and one set of values, so make both "
        "matrices narrower.",
        lambda d_model, n_heads, n_groups: 3 * d_model**2 + d_model * n_groups * (d_model // n_heads),
        "You made three matrices narrower, but only W_K and W_V belong to groups. Every head keeps its queries, and "
        "W_O meets all heads side by side.",
        lambda d_model, n_heads, n_groups: d_model**2 + 3 * d_model * n_groups * (d_model // n_heads),
        "You counted only one whole matrix, but there are two. W_Q and W_O are both d_model × d_model, so add the "
        "second.",
        lambda d_model, n_heads, n_groups: d_model**2 + 2 * d_model * n_groups * (d_model // n_heads),
    ],
)

# --- one head off ---------------------------------------------------------------------------------------------------

_OFF = [
    (_random.normal(size=(N, h * d_v)), _random.normal(size=(h * d_v, d_model)), h, head)
    for N, h, d_v, d_model, head in ((5, 3, 2, 6, 1), (4, 2, 5, 7, 1), (3, 4, 3, 12, 2), (6, 4, 4, 5, 0))
]


def _off(C: Array, n_heads: int, head: int) -> Array:
    """C with 0 in the columns of one head."""
    d_v = C.shape[1] // n_heads
    left = C.copy()
    left[:, head * d_v : (head + 1) * d_v] = 0
    return left


def _columns_as_cards(C: Array, W_O: Array, n_heads: int, head: int) -> Array:
    left = C.copy()
    left[:, head::n_heads] = 0
    return left @ W_O


def _cut_out(C: Array, W_O: Array, n_heads: int, head: int) -> Array:
    """The head's columns are cut out of C, and as many rows off the end of W_O."""
    d_v = C.shape[1] // n_heads
    return np.delete(C, range(head * d_v, (head + 1) * d_v), axis=1) @ W_O[: (n_heads - 1) * d_v]


def _columns_of_the_output_off(C: Array, W_O: Array, n_heads: int, head: int, axis: int) -> Array:
    width = (C, W_O)[axis].shape[1] // n_heads
    output = C @ W_O
    output[:, head * width : (head + 1) * width] = 0
    return output


def _one_head_too_early(C: Array, W_O: Array, n_heads: int, head: int) -> Array:
    return (_off(C, n_heads, head - 1) if head else C) @ W_O


def _head_of_tokens_off(C: Array, W_O: Array, n_heads: int, head: int) -> Array:
    left = C.copy()
    left[head] = 0
    return left @ W_O


_WITHOUT_HEAD = Exercise(
    "07.without_head",
    "one head off",
    lambda C, W_O, n_heads, head: _off(C, n_heads, head) @ W_O,
    _OFF,
    [
        "You left all heads in. Subtract the part that this one head adds, which is its columns of C times its rows "
        "of W_O.",
        lambda C, W_O, n_heads, head: C @ W_O,
        "You counted the heads from 1, so you left out the previous head, or none. Heads count from 0: cut from head "
        "· d_v to (head + 1) · d_v.",
        _one_head_too_early,
        "You returned only what the one head adds. Subtract that from C W_O.",
        lambda C, W_O, n_heads, head: (C - _off(C, n_heads, head)) @ W_O,
        "You took every n_heads-th column, but the columns of a head are neighbours. Take d_v of them, from head · "
        "d_v on.",
        _columns_as_cards,
        "You set a row of C to 0, which is one token in all heads. A head is a block of columns, so set that block to "
        "0.",
        _head_of_tokens_off,
        "You removed only one column, but a head has d_v of them. Remove d_v columns from head · d_v on, where d_v is "
        "the number of columns of C, divided by n_heads.",
        lambda C, W_O, n_heads, head: C @ W_O - C[:, [head]] @ W_O[[head]],
        "You set columns of the output or of W_O to 0, but there all heads are already added up. A head has its own "
        "columns only in C, so set these to 0 before you multiply by W_O.",
        *[partial(_columns_of_the_output_off, axis=axis) for axis in (0, 1)],
        "You cut the head's columns out of C, but took rows off the end of W_O. Remove the rows with the same numbers "
        "as the columns.",
        _cut_out,
    ],
)

# --- grouped-query attention ----------------------------------------------------------------------------------------


def _grouped_case(N: int, d_model: int, n_heads: int, n_groups: int, d_k: int, d_v: int) -> tuple[object, ...]:
    """X, W_Q, W_K, W_V, W_O, the number of heads and that of groups: keys and values for the groups alone."""
    shapes = (
        (N, d_model),
        (d_model, n_heads * d_k),
        (d_model, n_groups * d_k),
        (d_model, n_groups * d_v),
        (n_heads * d_v, d_model),
    )
    return (*(_random.normal(size=shape) for shape in shapes), n_heads, n_groups)


_GROUPED_CASES = [_grouped_case(5, 6, 4, 2, 3, 2), _grouped_case(3, 5, 6, 3, 2, 4), _grouped_case(4, 8, 4, 1, 5, 2)]


@in_steps
def _grouped_with(
    share: Callable[[Array, int], Array] = lambda k, times: np.repeat(k, times, axis=0),
    width: Callable[[Array, int, int], int] = lambda q, times, d_model: q.shape[2],
    split: Callable[[Array, int], Array] = split_heads,
    join: Callable[[Array], Array] = join_heads,
) -> Callable[..., Array]:
    """Grouped-query attention with one part replaced.

    `share` makes n_heads keys (or values) out of n_groups; the scores are divided by the root of `width`.
    """

    def answer(X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, n_heads: int, n_groups: int) -> Array:
        times = n_heads // n_groups
        q = split(X @ W_Q, n_heads)
        k, v = (share(split(X @ W, n_groups), times) for W in (W_K, W_V))
        scale = 1 / np.sqrt(width(q, times, X.shape[1]))
        return join(softmax(q @ k.swapaxes(1, 2) * scale) @ v) @ W_O

    return answer


_GROUPED = Exercise(
    "07.grouped",
    "grouped-query attention",
    _grouped_with(),
    _GROUPED_CASES,
    [
        "You dealt the groups out to the heads in turn, as `np.tile` does: 1, 2, 1, 2. Neighbouring heads share a "
        "group, 1, 1, 2, 2: `np.repeat(k, n_heads // n_groups, axis=0)`.",
        _grouped_with(share=lambda k, times: np.tile(k, (times, 1, 1))),
        "You let all heads use the first group, which is multi-query attention. Give each group its own heads, so "
        "that the other groups are used as well.",
        _grouped_with(share=lambda k, times: np.repeat(k[:1], times * len(k), axis=0)),
        "Your code runs only with one group, which NumPy stretches over all heads. With more groups, repeat the keys "
        "and values for their heads: `np.repeat(k, n_heads // n_groups, axis=0)`.",
        _grouped_with(share=lambda k, times: k),
        "You mixed the tokens when splitting. Reshape to (N, n_heads, d_k), and the keys and values to (N, n_groups, "
        "…), before you move that axis to the front.",
        _grouped_with(split=_reshaped),
        "You mixed the tokens when joining, because your reshape puts rows of one head side by side. Move the tokens "
        "to the front, (N, n_heads, d_v), before you reshape.",
        _grouped_with(join=_glued),
        "You divided by √d_model, the width of X, but a head's score adds up only d_k products. Divide by √d_k.",
        _grouped_with(width=lambda q, times, d_model: d_model),
        "You divided by the square root of the whole width of Q, but a head's score adds up only d_k products. Divide "
        "by √d_k.",
        _grouped_with(width=lambda q, times, d_model: q.shape[0] * q.shape[2]),
    ],
)

_WHICH = choice(
    "07.which",
    "b",
    "both heads hand over the same rows, and head·A + head·B is head·(A + B).",
    {
        "a": "You chose two questions. With the same W_Q and W_K both heads ask the same question of the same keys, "
        "so their weights are equal.",
        "c": "You chose twice as much, which is true only if their rows of W_O are also equal. Here these rows "
        "differ: write down the sum.",
    },
)

EXERCISES = (_SPLIT, _JOIN, _MULTI_HEAD, _WITHOUT_HEAD, _PARAMETERS, _GROUPED, _WHICH)
