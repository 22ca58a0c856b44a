"""The exercises of lesson 08, masks, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import scaled_dot_product_attention, softmax
from utils.by_hand.masks import Mask, decoder_mask, look_ahead_mask, padding_mask
from utils.course.exercises.exercise import Exercise, choice
from utils.course.exercises.softmaxes import softmax_with

_random = np.random.default_rng(8)


def _case(n: int, m: int, d_k: int, size: float = 1.0) -> tuple[Array, Array, Mask]:
    """Queries, keys and a mask that leaves each row something, but not everything."""
    allowed = _random.random((n, m)) < 0.6
    allowed[np.arange(n), np.arange(n) % m] = True
    allowed[np.arange(n), (np.arange(n) + 1) % m] = False
    return size * _random.normal(size=(n, d_k)), size * _random.normal(size=(m, d_k)), allowed


_LOOK_AHEAD = (_random.normal(size=(4, 3)), _random.normal(size=(4, 3)), look_ahead_mask(4))
_ORDINARY = [_LOOK_AHEAD, _case(5, 5, 2), _case(3, 6, 4)]
_ALLOWED_LOUD = _case(4, 4, 3, size=30.0)
_FORBIDDEN_LOUD = (
    np.ones((2, 2)),
    np.array([[1.0, 0.0], [0.0, 2.0], [9e4, 9e4]]),
    np.array([[True, True, False], [True, False, False]]),
)
_ALLOWED_QUIET = (np.ones((2, 2)), np.array([[-2e4, -1e4], [-1.5e4, -1.4e4], [0.0, 0.5]]), _FORBIDDEN_LOUD[2])
_NOBODY = (_LOOK_AHEAD[0], _LOOK_AHEAD[1], look_ahead_mask(4) & (np.arange(4) > 0))  # row 1 may look at nobody


def _weights(Q: Array, K: Array, allowed: Mask) -> Array:
    return scaled_dot_product_attention(Q, K, K, allowed)[1]


def _scaled(Q: Array, K: Array) -> Array:
    return Q @ K.T / np.sqrt(K.shape[1])


def _after_and_renormalized(Q: Array, K: Array, allowed: Mask) -> Array:
    kept = softmax(_scaled(Q, K)) * allowed
    return kept / kept.sum(axis=1, keepdims=True)


def _filled(amount: float) -> Callable[[Array, Array, Mask], Array]:
    return lambda Q, K, allowed: softmax(np.where(allowed, _scaled(Q, K), amount))


def _added(amount: float) -> Callable[[Array, Array, Mask], Array]:
    return lambda Q, K, allowed: softmax((Q @ K.T + np.where(allowed, 0.0, amount)) / np.sqrt(K.shape[1]))


_LOOK_AHEAD_MASK = Exercise(
    "08.look_ahead",
    "look-ahead mask",
    lambda n: look_ahead_mask(n),
    [(4,), (1,), (6,)],
    {
        "The diagonal is masked too, so the first word may look at nobody. A word may look at itself: what its row has "
        "to say is the next word.": lambda n: np.tril(np.ones((n, n), dtype=bool), -1),
        "Each row but the last sees one word too many: the very word that it has to say. "
        "Row i ends at column i.": lambda n: np.tril(np.ones((n, n), dtype=bool), 1),
        "Each word sees only itself. It may look at all that came before, too.": lambda n: np.eye(n, dtype=bool),
        "That is M, with 0 and −∞, which is added to the scores. The mask itself says True "
        "or False (or 1 and 0).": lambda n: np.where(look_ahead_mask(n), 0.0, -np.inf),
    },
)

# In the last one there are as many sentences as places, so that lengths laid along the wrong axis at least run.
_BATCHES = [(np.array([3, 1, 5]), 5), (np.array([2, 0, 4]), 6), (np.array([4, 3]), 4), (np.array([1, 3, 2]), 3)]

# Rows with one end, with two, with none, and with one in the first place; in the second batch as many rows as places.
_WRITTEN = [
    (np.array([[5, 8, 2, 7, 7], [6, 2, 9, 2, 4], [3, 5, 8, 9, 6]]), 2),
    (np.array([[9, 4, 9], [4, 6, 5], [7, 7, 8]]), 9),
    (np.array([[2, 6, 2, 2], [8, 7, 6, 2]]), 2),
]


def _up_to_the_end(ids: Array, end: int) -> Mask:
    ends = ids == end
    return ends.cumsum(axis=1) - ends == 0


_PADDING_MASK = Exercise(
    "08.padding",
    "padding mask from the end tokens",
    _up_to_the_end,
    _WRITTEN,
    {
        "You leave out each `end`, and nothing else. What stands behind the first one is padding, and the first one "
        "itself is real.": lambda ids, end: ids != end,
        "The first `end` itself is missing. Count the "
        "ends that stand before a place, without its own.": lambda ids, end: (ids == end).cumsum(axis=1) == 0,
        "You find no padding. No id marks it here: it is all that stands behind the first `end`.": lambda ids, end: (
            np.ones_like(ids, dtype=bool)
        ),
        "One place too many is real: padding begins right behind the first `end`.": lambda ids, end: np.pad(
            _up_to_the_end(ids, end)[:, :-1], ((0, 0), (1, 0)), constant_values=True
        ),
        "You made (B, N, N) of it, a row for each query. Asked for is one row for each sentence, "
        "(B, N).": lambda ids, end: np.repeat(_up_to_the_end(ids, end)[:, np.newaxis], ids.shape[1], axis=1),
        "You go on up to the second `end`. What stands behind the first one is padding already.": lambda ids, end: (
            (ids == end).cumsum(axis=1) <= 1
        ),
        "Right where there is an `end`. Of a row without one `argmax` "
        "says 0, as if it stood in the first place. Such a row "
        "is real as a whole.": lambda ids, end: np.arange(ids.shape[1]) <= (ids == end).argmax(axis=1)[:, np.newaxis],
        "You go up to the last `end` of a row. It is the first one that counts, and a row without any is real.": [
            lambda ids, end, none=none: (
                ((ids == end)[:, ::-1].cumsum(axis=1)[:, ::-1] > 0) | (none & (ids != end).all(axis=1, keepdims=True))
            )
            for none in (False, True)
        ],
    },
)


_DECODER_MASK = Exercise(
    "08.both",
    "look-ahead and padding together",
    lambda lengths, n_tokens: decoder_mask(lengths, n_tokens),
    _BATCHES,
    {
        "Your padding mask lies on the rows (alone, or on the columns too), so "
        "the rows of the padding may look at nobody. It is about who is asked, "
        "the keys, and these are the columns alone: `[:, np.newaxis, :]`.": lambda lengths, n_tokens: (
            look_ahead_mask(n_tokens) & padding_mask(lengths, n_tokens)[:, :, np.newaxis]
        ),
        "The padding mask is (B, N), and NumPy takes its rows for the rows of the look-ahead "
        "mask. Each sentence has a mask of its own: put an axis in between, `[:, np.newaxis, "
        ":]`, (B, 1, N).": lambda lengths, n_tokens: look_ahead_mask(n_tokens) & padding_mask(lengths, n_tokens),
    },
)

_MASKED_WEIGHTS = Exercise(
    "08.masked_weights",
    "weights under a mask",
    _weights,
    _ORDINARY,
    {
        "You masked after the softmax. The forbidden words have already "
        "taken their share, so a row that forbids some no longer sums "
        "to 1. Put −∞ into the scores, then take the softmax.": lambda Q, K, allowed: softmax(_scaled(Q, K)) * allowed,
        "Right while the scores are small and each row may look at somebody. But your softmax, or the maximum that you "
        "take off, still sees the forbidden words: one loud score among them presses all others to 0, and then 0 is "
        "divided by 0. Put −∞ into the scores first.": _after_and_renormalized,
        "Right while the scores are small. But your softmax, or the maximum that you take off, still sees the "
        "forbidden words: one loud score among them presses all others to 0, and that row comes out as zeros. Put −∞ "
        "into the scores first.": lambda Q, K, allowed: np.nan_to_num(_after_and_renormalized(Q, K, allowed)),
        "You used the mask transposed: upper and lower have changed places. Row i of the "
        "mask belongs to query i.": lambda Q, K, allowed: _weights(Q, K, allowed.T),
        "You masked the diagonal as well. What a token may see is what the mask "
        "says, itself included.": lambda Q, K, allowed: _weights(Q, K, allowed & ~np.eye(*allowed.shape, dtype=bool)),
        "The forbidden scores have become 0, filled in or by multiplying with the mask. But 0 is a score like any "
        "other: e⁰ = 1. It has to be −∞, for e^(−∞) = 0.": lambda Q, K, allowed: softmax(_scaled(Q, K) * allowed),
        "You divided by the root of the number of keys. A score adds up d_k products, so divide by √d_k, "
        "`np.sqrt(K.shape[1])`.": lambda Q, K, allowed: softmax_with()(
            np.where(allowed, Q @ K.T / np.sqrt(len(K)), -np.inf)
        ),
        "You multiplied the scores with M. M is added: 0 changes nothing, and −∞ wipes out.": lambda Q, K, allowed: (
            softmax_with()(_scaled(Q, K) * np.where(allowed, 0.0, -np.inf))
        ),
        "You added the mask itself, which counts as 1 and 0. Make M of it first: 0 where "
        "allowed, −∞ elsewhere.": lambda Q, K, allowed: softmax(_scaled(Q, K) + allowed),
        "You divided by the root of the number of queries. d_k is the "
        "width of a query: `Q.shape[1]`.": lambda Q, K, allowed: _weights(Q * np.sqrt(K.shape[1] / len(Q)), K, allowed),
        "Your softmax runs down the columns: each row should sum to 1.": lambda Q, K, allowed: (
            _weights(K, Q, allowed.T).T
        ),
        "Right, but for one case: a row that may look at nobody. There −∞ − (−∞) is NaN, and so is 0/0. Such a row "
        "should hold zeros.": lambda Q, K, allowed: softmax_with()(np.where(allowed, _scaled(Q, K), -np.inf)),
        "Right for small scores, where each row may look at somebody. NaN for large ones: e to a large power "
        "overflows. Take the row's maximum off first.": lambda Q, K, allowed: softmax_with(lambda S: 0)(
            np.where(allowed, _scaled(Q, K), -np.inf)
        ),
        "−10⁴ is large, but not −∞. A forbidden score of 20 000 is still the largest after it. And in a row masked "
        "throughout all scores move alike, as if there were no mask. Such a row should hold zeros.": _added(-1e4),
        "−10⁴ is large, but not −∞: an allowed score of −20 000 lies below it. And in a row masked throughout all "
        "forbidden words get the same share. Such a row should hold zeros.": _filled(-1e4),
        "In a row masked throughout, all forbidden words get the same share: so it is with a large negative number in "
        "place of −∞. Such a row should hold zeros.": _filled(-1e9),
        "−10⁹, or a number like it, will do for most scores. But in a row masked throughout all scores move alike, as "
        "if there were no mask. Such a row should hold zeros.": _added(-1e9),
    },
    extremes=[_ALLOWED_LOUD, _FORBIDDEN_LOUD, _ALLOWED_QUIET, _NOBODY],
)

# --- a window, and several sentences in one row ---------------------------------------------------------------------


def _window(n: int, width: int) -> Mask:
    back = np.arange(n)[:, np.newaxis] - np.arange(n)
    return (back >= 0) & (back < width)


_WINDOW = Exercise(
    "08.window",
    "a window of words",
    _window,
    [(6, 3), (5, 1), (7, 4), (4, 9)],
    {
        "That is the whole look-ahead mask. What lies `width` "
        "places back, or further, is forbidden as well.": lambda n, width: look_ahead_mask(n),
        "How far back is right. But i − j is below 0 for all that comes after the word, and so below `width` too: ask "
        "for i − j ≥ 0 as well.": lambda n, width: np.arange(n)[:, np.newaxis] - np.arange(n) < width,
        "The word itself is missing: it is one of the `width` words in the window.": lambda n, width: (
            _window(n, width + 1) & ~np.eye(n, dtype=bool)
        ),
        "Your window reaches ahead too. Only the word itself and what came before is allowed.": lambda n, width: (
            _window(n, width) | _window(n, width).T
        ),
        "You allow the first words of the sentence. The window moves along with the word that asks.": lambda n, width: (
            look_ahead_mask(n) & (np.arange(n) < width)
        ),
    },
)

_PACKS = [
    (np.array([0, 0, 0, 1, 1]),),
    (np.array([5, 5, 2, 2, 2, 7]),),
    (np.array([3, 3, 3, 3]),),
    (np.array([1, 2, 2]),),
]


def _packed(sentence: Array) -> Mask:
    return look_ahead_mask(len(sentence)) & (sentence[:, np.newaxis] == sentence)


_PACKED = Exercise(
    "08.packed",
    "several sentences in one row",
    _packed,
    _PACKS,
    {
        "That is the look-ahead mask alone: the second sentence still looks at the first. Both words must belong to "
        "the same sentence too.": lambda sentence: look_ahead_mask(len(sentence)),
        "Words of one sentence, and nobody else: right. But they may not look ahead either.": lambda sentence: (
            sentence[:, np.newaxis] == sentence
        ),
        "The diagonal is masked too, so the first word of each sentence may look at nobody. A "
        "word may look at itself.": lambda sentence: _packed(sentence) & ~np.eye(len(sentence), dtype=bool),
    },
)

_WHICH = choice(
    "08.which",
    "a",
    "a word looks at itself and at those before it in each layer, so nothing ever reaches an earlier word.",
    {
        "b": "It is passed on, but only forwards: to words that may look at word 5, or at one that could. Can word 4?",
        "c": "Each word behind word 5 may look at it directly, however far behind it stands. One layer is enough.",
    },
)

EXERCISES = (_LOOK_AHEAD_MASK, _PADDING_MASK, _DECODER_MASK, _MASKED_WEIGHTS, _WINDOW, _PACKED, _WHICH)
