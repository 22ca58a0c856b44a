"""The exercises of lesson 07, multi-head attention, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.by_hand.multi_head import join_heads, multi_head_attention, split_heads
from utils.course.exercises.exercise import Exercise, WrongAnswer

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


def _join_and_project(heads: Array, W_O: Array) -> Array:
    return join_heads(heads) @ W_O


def _output(X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, n_heads: int) -> Array:
    return multi_head_attention(X, W_Q, W_K, W_V, W_O, n_heads).output


def _reshaped(Q: Array, n_heads: int) -> Array:
    return Q.reshape(n_heads, len(Q), -1)


def _dealt(Q: Array, n_heads: int) -> Array:
    """Column c to head c mod h, as cards are dealt."""
    return Q.reshape(len(Q), -1, n_heads).transpose(2, 0, 1)


def _glued(heads: Array) -> Array:
    return heads.reshape(heads.shape[1], -1)


def _root_of_d_k(q: Array, X: Array) -> float:
    return float(np.sqrt(q.shape[-1]))


def _with(
    split: Callable[[Array, int], Array] = split_heads,
    join: Callable[[Array], Array] = join_heads,
    divisor: Callable[[Array, Array], float] = _root_of_d_k,
    weigh: Callable[[Array], Array] = softmax,
    use_w_o: bool = True,
) -> Callable[..., Array]:
    """Multi-head attention with one part replaced."""

    def answer(X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, n_heads: int) -> Array:
        q, k, v = (split(X @ W, n_heads) for W in (W_Q, W_K, W_V))
        A = weigh(q @ k.swapaxes(1, 2) / divisor(q, X))
        joined = join(A @ v)
        return joined @ W_O if use_w_o else joined

    return answer


def _first_head_for_all(Q: Array, n_heads: int) -> Array:
    return np.repeat(split_heads(Q, n_heads)[:1], n_heads, axis=0)


_SPLIT = Exercise(
    "07.split_heads",
    "split among the heads",
    lambda Q, n_heads: split_heads(Q, n_heads),
    _SPLITS,
    (
        WrongAnswer(
            "reshape without the transpose",
            _reshaped,
            "The shape is right, but the tokens are mixed: a reshape alone cuts the list of numbers where it stands. "
            "Head 1 gets numbers of the first tokens alone, and nothing of the last one. First "
            "`reshape(N, n_heads, d_k)`, which cuts each row, then move the heads to the front with a transpose.",
        ),
        WrongAnswer(
            "columns dealt like cards",
            _dealt,
            "You dealt the columns out in turn, the first to head 1, the second to head 2, and so on. Head 1 should "
            "get the first d_k columns, head 2 the next d_k: `reshape(N, n_heads, d_k)`, the heads before the width.",
        ),
        WrongAnswer(
            "as many heads as columns in a head",
            lambda Q, n_heads: split_heads(Q, Q.shape[1] // n_heads),
            "The two numbers have changed places: you made d_k heads, each n_heads wide.",
        ),
        WrongAnswer(
            "tokens split instead of columns",
            lambda Q, n_heads: np.stack(np.split(Q[: len(Q) // n_heads * n_heads], n_heads)),
            "You gave each head some of the tokens. Every head gets every token, and some of its columns.",
        ),
        WrongAnswer(
            "every head gets everything",
            lambda Q, n_heads: np.stack([Q] * n_heads),
            "Every head got all the columns. They share them: each gets d_k = columns / n_heads.",
        ),
    ),
)

_JOIN = Exercise(
    "07.join_heads",
    "concatenate and project",
    _join_and_project,
    _JOINS,
    (
        WrongAnswer(
            "reshape without the transpose",
            lambda heads, W_O: _glued(heads) @ W_O,
            "The shape is right, but the tokens are mixed: the reshape puts rows of one head side by side. "
            "What stands side by side should be one token in all heads. Transpose first, to (N, n_heads, d_v).",
        ),
        WrongAnswer(
            "heads summed",
            lambda heads, W_O: heads.sum(axis=0),
            "You added the heads up. Then nobody can tell any more which head said what. Put them side by side, "
            "N × (n_heads·d_v), and multiply with W_O.",
        ),
        WrongAnswer(
            "heads averaged",
            lambda heads, W_O: heads.mean(axis=0),
            "You averaged the heads. Then nobody can tell any more which head said what. Put them side by side, "
            "N × (n_heads·d_v), and multiply with W_O.",
        ),
        WrongAnswer(
            "one head's width before W_O",
            lambda heads, W_O: heads.sum(axis=0) @ W_O,
            "It runs for one head only: W_O has a row for every column of all heads together, and meets the columns "
            "of one. The heads have to stand side by side; neither their sum nor their mean nor one of them will do.",
        ),
        WrongAnswer(
            "heads below each other",
            lambda heads, W_O: heads.reshape(-1, heads.shape[2]),
            "You put the heads below each other, so there are n_heads times as many tokens. They go side by side: "
            "one row for each token.",
        ),
        WrongAnswer(
            "columns dealt like cards",
            lambda heads, W_O: heads.transpose(1, 2, 0).reshape(heads.shape[1], -1) @ W_O,
            "Column 1 of every head comes first, then column 2 of every head. Put all of head 1 first, "
            "then all of head 2: transpose to (N, n_heads, d_v).",
        ),
        WrongAnswer(
            "W_O transposed",
            lambda heads, W_O: join_heads(heads) @ W_O.T,
            "You multiplied with the transpose of W_O. It has a row for each column of the joined heads, so it stands "
            "on the right as it is.",
        ),
    ),
)

_MULTI_HEAD = Exercise(
    "07.multi_head",
    "multi-head attention, complete",
    _output,
    _CASES,
    (
        WrongAnswer(
            "reshape without the transpose",
            _with(split=_reshaped, join=_glued),
            "The tokens are mixed, on the way in and on the way out: you reshape to (n_heads, N, d_k) at once. "
            "Reshape to (N, n_heads, d_k), then transpose; and the other way round at the end.",
        ),
        WrongAnswer(
            "reshape without the transpose, going in",
            _with(split=_reshaped),
            "The tokens are mixed on the way in: reshape to (N, n_heads, d_k) first, then move the heads to the front.",
        ),
        WrongAnswer(
            "reshape without the transpose, coming out",
            _with(join=_glued),
            "The tokens are mixed on the way out: move the tokens to the front, (N, n_heads, d_v), before you reshape.",
        ),
        WrongAnswer(
            "heads summed",
            _with(join=lambda heads: heads.sum(axis=0), use_w_o=False),
            "You added the heads up. Put them side by side, and multiply with W_O.",
        ),
        WrongAnswer(
            "heads averaged",
            _with(join=lambda heads: heads.mean(axis=0), use_w_o=False),
            "You averaged the heads. Put them side by side, and multiply with W_O.",
        ),
        WrongAnswer(
            "one head's width before W_O",
            _with(join=lambda heads: heads.sum(axis=0)),
            "It runs for one head only: W_O has a row for every column of all heads together. "
            "Put the heads side by side; neither their sum nor their mean nor one of them will do.",
        ),
        WrongAnswer(
            "scaled by √d_model",
            _with(divisor=lambda q, X: float(np.sqrt(X.shape[1]))),
            "You divided by √d_model, as note N4 writes. In a head a score adds up d_k products: divide by √d_k, "
            "the root of one head's width.",
        ),
        WrongAnswer(
            "scaled by the width of all heads",
            _with(divisor=lambda q, X: float(np.sqrt(q.shape[0] * q.shape[2]))),
            "You divided by the root of all columns of W_Q, n_heads·d_k. One head has d_k of them: divide by √d_k.",
        ),
        WrongAnswer(
            "not scaled",
            _with(divisor=lambda q, X: 1.0),
            "The scale is missing: in every head, divide the scores by √d_k.",
        ),
        WrongAnswer(
            "scaled by √n_heads",
            _with(divisor=lambda q, X: float(np.sqrt(len(q)))),
            "You divided by the root of the number of heads. It is √d_k, the width of one head.",
        ),
        WrongAnswer(
            "scaled by √N",
            _with(divisor=lambda q, X: float(np.sqrt(q.shape[1]))),
            "You divided by the root of the number of tokens: with three axes `q.shape[1]` is N. The width of one head "
            "is `q.shape[2]`.",
        ),
        WrongAnswer(
            "scaled by d_k",
            _with(divisor=lambda q, X: float(q.shape[2])),
            "You divided by d_k. The scores are divided by its root, √d_k.",
        ),
        WrongAnswer(
            "heads not moved to the front",
            _with(
                split=lambda Q, n_heads: Q.reshape(len(Q), n_heads, -1),
                join=lambda heads: heads.reshape(len(heads), -1),
            ),
            "The heads are not in front: with (N, n_heads, d_k) the heads of one token attend to each other, and no "
            "token meets another. Move the heads to the front, `transpose(1, 0, 2)`, before the scores.",
        ),
        WrongAnswer(
            "columns dealt like cards",
            _with(split=_dealt),
            "You dealt the columns out in turn, the first to head 1, the second to head 2, and so on. Head 1 should "
            "get the first d_k columns: `reshape(N, n_heads, d_k)`, the heads before the width.",
        ),
        WrongAnswer(
            "softmax across the heads",
            _with(weigh=lambda S: softmax(S, axis=0)),
            "Your softmax runs across the heads, so that the heads share out 1. In each head each row should sum to 1: "
            "the last axis.",
        ),
        WrongAnswer(
            "softmax down the columns",
            _with(weigh=lambda S: softmax(S, axis=1)),
            "Your softmax runs down the columns. With three axes the keys are the last one: `axis=-1`.",
        ),
        WrongAnswer(
            "the first head for all",
            _with(split=_first_head_for_all),
            "Every head is the first one. Is the number of the head missing where you cut the columns?",
        ),
        WrongAnswer(
            "no softmax",
            _with(weigh=lambda S: S),
            "The softmax is missing: in each head each row of weights sums to 1.",
        ),
    ),
)


def _number_of_parameters(d_model: int, n_heads: int) -> float:
    return 4.0 * d_model**2


_PARAMETERS = Exercise(
    "07.parameters",
    "how many numbers are learnt",
    _number_of_parameters,
    [(512, 8), (512, 1), (768, 12), (6, 3)],
    (
        WrongAnswer(
            "times the heads",
            lambda d_model, n_heads: 4.0 * d_model**2 * n_heads,
            "You counted full-size matrices for every head. A head has d_model × d_k, and d_k shrinks as the heads "
            "grow in number.",
        ),
        WrongAnswer(
            "W_O forgotten",
            lambda d_model, n_heads: 3.0 * d_model**2,
            "W_O is missing: it is learnt too, and has d_model × d_model numbers.",
        ),
        WrongAnswer(
            "one head only",
            lambda d_model, n_heads: 3.0 * d_model * (d_model // n_heads) + d_model**2,
            "W_O is right. For W_Q, W_K and W_V you have 3·d_model·d_k: that is one head, or as many heads of "
            "d_k × d_k. Every head has its own three, each d_model × d_k.",
        ),
        WrongAnswer(
            "W_O of one head",
            lambda d_model, n_heads: 3.0 * d_model**2 + d_model * (d_model // n_heads),
            "W_Q, W_K and W_V are right. W_O meets all heads side by side: it is h·d_v × d_model, not d_v × d_model.",
        ),
        WrongAnswer(
            "with biases",
            lambda d_model, n_heads: 4.0 * d_model**2 + 4.0 * d_model,
            "The matrices are right. You added biases, and here there are none.",
        ),
        WrongAnswer(
            "one head, without W_O",
            lambda d_model, n_heads: 3.0 * d_model * (d_model // n_heads),
            "That is 3·d_model·d_k: the matrices of one head, or those of as many heads of d_k × d_k. Every head has "
            "its own three, each d_model × d_k, and W_O comes on top.",
        ),
        WrongAnswer(
            "heads and W_O shrink",
            lambda d_model, n_heads: 4.0 * d_model * (d_model // n_heads),
            "That is the right number divided by n_heads. A head makes d_k numbers out of all d_model of a token, so "
            "it has d_model × d_k; there are n_heads of them, and W_O is one whole matrix.",
        ),
        WrongAnswer(
            "W_O for every head",
            lambda d_model, n_heads: (3.0 + n_heads) * d_model**2,
            "You counted a whole W_O for every head. There is one, behind all of them: h·d_v × d_model.",
        ),
    ),
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


def _without_head(C: Array, W_O: Array, n_heads: int, head: int) -> Array:
    return _off(C, n_heads, head) @ W_O


def _columns_as_cards(C: Array, W_O: Array, n_heads: int, head: int) -> Array:
    left = C.copy()
    left[:, head::n_heads] = 0
    return left @ W_O


def _cut_out(C: Array, W_O: Array, n_heads: int, head: int) -> Array:
    """The head's columns are cut out of C, and as many rows off the end of W_O."""
    d_v = C.shape[1] // n_heads
    return np.delete(C, range(head * d_v, (head + 1) * d_v), axis=1) @ W_O[: (n_heads - 1) * d_v]


def _columns_of_the_output_off(C: Array, W_O: Array, n_heads: int, head: int) -> Array:
    d_v = C.shape[1] // n_heads
    output = C @ W_O
    output[:, head * d_v : (head + 1) * d_v] = 0
    return output


def _head_of_tokens_off(C: Array, W_O: Array, n_heads: int, head: int) -> Array:
    left = C.copy()
    left[head] = 0
    return left @ W_O


_WITHOUT_HEAD = Exercise(
    "07.without_head",
    "one head off",
    _without_head,
    _OFF,
    (
        WrongAnswer(
            "that head alone",
            lambda C, W_O, n_heads, head: (C - _off(C, n_heads, head)) @ W_O,
            "That is what this head adds. Asked for is what the others leave: everything but this part.",
        ),
        WrongAnswer(
            "nothing off",
            lambda C, W_O, n_heads, head: C @ W_O,
            "All heads are still there. Take off what the one head adds: its columns of C times its rows of W_O.",
        ),
        WrongAnswer(
            "columns dealt like cards",
            _columns_as_cards,
            "You took every n_heads-th column. A head's columns stand side by side: d_v of them from head · d_v on.",
        ),
        WrongAnswer(
            "a token off",
            _head_of_tokens_off,
            "You put 0 into a row of C: that is a token in all heads. A head is a block of columns.",
        ),
        WrongAnswer(
            "one column off",
            lambda C, W_O, n_heads, head: C @ W_O - C[:, [head]] @ W_O[[head]],
            "You took off one column. A head has d_v of them, from head · d_v on; d_v is the columns of C / n_heads.",
        ),
        WrongAnswer(
            "columns of the output off",
            _columns_of_the_output_off,
            "You put 0 into columns of the output, or of W_O. There all heads are added up already. A head has its own "
            "columns in C, before W_O, and the rows of W_O with the same numbers.",
        ),
        WrongAnswer(
            "columns without their rows",
            _cut_out,
            "You cut the head's columns out of C, and rows off the end of W_O. The rows that go with the head are "
            "those with the same numbers as its columns.",
        ),
    ),
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


def _grouped_with(
    share: Callable[[Array, int], Array] = lambda k, times: np.repeat(k, times, axis=0),
    width: Callable[[int, int, int], int] = lambda d_k, times, d_model: d_k,
    join: Callable[[Array], Array] = join_heads,
    use_w_o: bool = True,
    split: Callable[[Array, int], Array] = split_heads,
) -> Callable[..., Array]:
    """Grouped-query attention with one part replaced.

    `share` makes n_heads keys (or values) out of n_groups; the scores are divided by the root of `width`.
    """

    def answer(X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, n_heads: int, n_groups: int) -> Array:
        times = n_heads // n_groups
        q = split(X @ W_Q, n_heads)
        k, v = (share(split(X @ W, n_groups), times) for W in (W_K, W_V))
        scale = 1 / np.sqrt(width(q.shape[2], times, X.shape[1]))
        joined = join(softmax(q @ k.swapaxes(1, 2) * scale) @ v)
        return joined @ W_O if use_w_o else joined

    return answer


def _one_head_a_group(X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, n_heads: int, n_groups: int) -> Array:
    """As many heads as groups, each with several heads' queries averaged; its answer is handed to all of the group."""
    times = n_heads // n_groups
    q = split_heads(X @ W_Q, n_heads).reshape(n_groups, times, len(X), -1).mean(axis=1)
    k, v = (split_heads(X @ W, n_groups) for W in (W_K, W_V))
    answers = softmax(q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])) @ v
    return join_heads(np.repeat(answers, times, axis=0)) @ W_O


_GROUPED = Exercise(
    "07.grouped",
    "grouped-query attention",
    _grouped_with(),
    _GROUPED_CASES,
    (
        WrongAnswer(
            "groups dealt in turn",
            _grouped_with(share=lambda k, times: np.tile(k, (times, 1, 1))),
            "You dealt the groups out in turn, as `np.tile` does: heads 1, 2, 3, 4 met groups 1, 2, 1, 2. Heads that "
            "stand side by side share a group, 1, 1, 2, 2: `np.repeat(k, n_heads // n_groups, axis=0)`.",
        ),
        WrongAnswer(
            "the first group for all",
            _grouped_with(share=lambda k, times: np.repeat(k[:1], times * len(k), axis=0)),
            "All your heads ask the first group. That is multi-query attention; here each group has its own heads.",
        ),
        WrongAnswer(
            "groups not repeated",
            _grouped_with(share=lambda k, times: k),
            "It runs with a single group only, which NumPy stretches over all heads by itself. With more groups, the "
            "keys and the values need as many heads as the queries: `np.repeat(k, n_heads // n_groups, axis=0)`.",
        ),
        WrongAnswer(
            "reshape without the transpose, going in",
            _grouped_with(split=_reshaped),
            "The tokens are mixed on the way in: reshape to (N, n_heads, d_k), and the keys and values to "
            "(N, n_groups, …), before you move that axis to the front.",
        ),
        WrongAnswer(
            "one question for each group",
            _one_head_a_group,
            "You made one query of a group's queries. Each head keeps its own; they share the keys and values alone.",
        ),
        WrongAnswer(
            "scaled by the width of a group",
            _grouped_with(width=lambda d_k, times, d_model: d_k * times),
            "You divided by the root of a whole group's width. A score still adds up d_k products: divide by √d_k.",
        ),
        WrongAnswer(
            "scaled by √d_model",
            _grouped_with(width=lambda d_k, times, d_model: d_model),
            "You divided by √d_model, the width of X. A head's score adds up d_k products: divide by √d_k.",
        ),
        WrongAnswer(
            "not scaled",
            _grouped_with(width=lambda d_k, times, d_model: 1),
            "The scale is missing: divide the scores by √d_k.",
        ),
        WrongAnswer(
            "reshape without the transpose, coming out",
            _grouped_with(join=_glued),
            "The tokens are mixed on the way out: move the tokens to the front, (N, n_heads, d_v), before you reshape.",
        ),
    ),
)

EXERCISES = (_SPLIT, _JOIN, _MULTI_HEAD, _WITHOUT_HEAD, _PARAMETERS, _GROUPED)
