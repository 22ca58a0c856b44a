"""The exercises of lesson 08, masks, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import scaled_dot_product_attention, softmax
from utils.by_hand.masks import Mask, decoder_mask, look_ahead_mask, padding_mask
from utils.course.exercises.exercise import Exercise, choice, in_steps
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
    [
        "You masked the diagonal as well, so the first word may not look at anything. Allow each word to look at "
        "itself, since its row predicts the next word.",
        lambda n: np.tril(np.ones((n, n), dtype=bool), -1),
        "You allow one word too many in each row, the very word that the row has to predict. Let row i end at column "
        "i.",
        lambda n: np.tril(np.ones((n, n), dtype=bool), 1),
        "You let each word look ahead, at the words that it has to predict. Keep the other triangle, so that each "
        "word looks only at itself and back.",
        lambda n: np.triu(np.ones((n, n), dtype=bool)),
        "You let each word see only itself, but it may also look at all words before it. Keep the whole lower "
        "triangle.",
        lambda n: np.eye(n, dtype=bool),
        "You returned 0 and −∞, which are added to the scores later. The mask itself has True and False (or 1 and 0).",
        lambda n: np.where(look_ahead_mask(n), 0.0, -np.inf),
    ],
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
    [
        "You left out each `end`, but nothing else. Everything after the first `end` is padding, whereas the first "
        "`end` itself is real, so keep it.",
        lambda ids, end: ids != end,
        "You left out the first `end`, which is real. Count only the ends before a position, not the end at the "
        "position itself.",
        lambda ids, end: (ids == end).cumsum(axis=1) == 0,
        "You found no padding. No id marks the padding here, so look for the first `end`: everything after it is "
        "padding.",
        lambda ids, end: np.ones_like(ids, dtype=bool),
        "You marked one position too many as real. Let the padding begin directly after the first `end`.",
        lambda ids, end: np.pad(_up_to_the_end(ids, end)[:, :-1], ((0, 0), (1, 0)), constant_values=True),
        "You returned (B, N, N), with a row for each query. This mask has only one row for each sentence, so return "
        "(B, N).",
        lambda ids, end: np.repeat(_up_to_the_end(ids, end)[:, np.newaxis], ids.shape[1], axis=1),
        "You continue up to the second `end`, but everything after the first one is already padding. Stop at the "
        "first one.",
        lambda ids, end: (ids == end).cumsum(axis=1) <= 1,
        "Your rows with an `end` are correct, but for a row without one `argmax` gives 0, as if `end` came first. "
        "Make every position of such a row real.",
        lambda ids, end: np.arange(ids.shape[1]) <= (ids == end).argmax(axis=1)[:, np.newaxis],
        "You go up to the last `end` of a row, but the first one ends the sentence. Stop at the first one; in a row "
        "without any, every position is real.",
        *[
            lambda ids, end, none=none: (
                ((ids == end)[:, ::-1].cumsum(axis=1)[:, ::-1] > 0) | (none & (ids != end).all(axis=1, keepdims=True))
            )
            for none in (False, True)
        ],
    ],
)


@in_steps
def _both_with(
    ahead: Callable[[int], Mask] = look_ahead_mask,
    real: Callable[[Array, int], Mask] = padding_mask,
    along: Callable[[Mask], Mask] = lambda real: real[:, np.newaxis, :],
) -> Callable[[Array, int], Mask]:
    return lambda lengths, n_tokens: ahead(n_tokens) & along(real(lengths, n_tokens))


_DECODER_MASK = Exercise(
    "08.both",
    "look-ahead and padding together",
    lambda lengths, n_tokens: decoder_mask(lengths, n_tokens),
    _BATCHES,
    [
        "You applied the padding mask to the rows, so the rows of the padding may look at nothing. This mask is about "
        "who is asked, so use the columns: `[:, np.newaxis, :]`.",
        _both_with(along=lambda real: real[:, :, np.newaxis]),
        "You combined (B, N) with (N, N), so NumPy takes sentences for rows of the look-ahead mask. Insert an axis, "
        "`[:, np.newaxis, :]`, which makes (B, 1, N).",
        _both_with(along=lambda real: real),
        "You masked the diagonal as well, but a word may look at itself. Allow the diagonal of the look-ahead mask.",
        _both_with(ahead=lambda n: np.tri(n, k=-1, dtype=bool)),
        "You kept the upper triangle, so a word may look only at itself and ahead. Keep the lower triangle.",
        _both_with(ahead=lambda n: np.tri(n, dtype=bool).T),
        "You marked one position too many of each sentence as real. Positions count from 0, so a real one is below "
        "the length.",
        _both_with(real=lambda lengths, n_tokens: np.arange(n_tokens) <= lengths[:, np.newaxis]),
    ],
)


@in_steps
def _weights_with(
    mask: Callable[[Mask], Mask] = lambda allowed: allowed,
    divisor: Callable[[Array, Array], float] = lambda Q, K: K.shape[1],
) -> Callable[[Array, Array, Mask], Array]:
    return lambda Q, K, allowed: _weights(Q * np.sqrt(K.shape[1] / divisor(Q, K)), K, mask(allowed))


_MASKED_WEIGHTS = Exercise(
    "08.masked_weights",
    "weights under a mask",
    _weights,
    _ORDINARY,
    [
        "You masked after the softmax. By then the forbidden words have already taken their share, so the rows no "
        "longer sum to 1. Put −∞ into the scores first.",
        lambda Q, K, allowed: softmax(_scaled(Q, K)) * allowed,
        "You let the forbidden words into the softmax or its maximum, where one large score among them makes all "
        "others 0, and you divide 0 by 0. Put −∞ into the scores first.",
        _after_and_renormalized,
        "You let the forbidden words into the softmax or its maximum, where one large score among them turns the "
        "whole row into zeros. Put −∞ into the scores first.",
        lambda Q, K, allowed: np.nan_to_num(_after_and_renormalized(Q, K, allowed)),
        "You transposed the mask, which swaps who asks and who is asked. Row i of the mask belongs to query i, so use "
        "the mask as it is.",
        _weights_with(mask=np.transpose),
        "You masked the diagonal as well, but only the given mask decides what a token may see. Use that mask as it "
        "is.",
        _weights_with(mask=lambda allowed: allowed & ~np.eye(*allowed.shape, dtype=bool)),
        "You masked the allowed words instead of the forbidden ones. True means allowed, so put −∞ where the mask is "
        "False.",
        _weights_with(mask=np.logical_not),
        "You left out the scale. Divide the scores by √d_k, the square root of a key's width, before the softmax.",
        _weights_with(divisor=lambda Q, K: 1),
        "You turned the forbidden scores into 0, but 0 is a score like any other, since e⁰ = 1. Make them −∞, because "
        "e^(−∞) = 0.",
        lambda Q, K, allowed: softmax(_scaled(Q, K) * allowed),
        "You divided by √2, as in the lesson's example, where d_k is 2. In general d_k is the width of a key, so use "
        "`K.shape[1]`.",
        _weights_with(divisor=lambda Q, K: 2),
        "You took the softmax down the columns, but each row should sum to 1. Take the softmax along the rows.",
        lambda Q, K, allowed: _weights(K, Q, allowed.T).T,
        "You missed only one case, a row in which everything is forbidden. There −∞ − (−∞) is NaN, and so is 0/0. "
        "Return zeros for such a row.",
        lambda Q, K, allowed: softmax_with()(np.where(allowed, _scaled(Q, K), -np.inf)),
        "You get NaN for large scores, because e to a large power overflows. Subtract the row's maximum first, and "
        "return zeros if a row allows nothing.",
        lambda Q, K, allowed: softmax_with(lambda S: 0)(np.where(allowed, _scaled(Q, K), -np.inf)),
        "You added −10⁴, but a forbidden score of 20,000 is still the largest after that, and a row that allows "
        "nothing looks unmasked. Use −∞, and zeros for such a row.",
        _added(-1e4),
        "You filled in −10⁴, but an allowed score of −20,000 is below that, and a row that allows nothing gets equal "
        "shares. Use −∞, and zeros for such a row.",
        _filled(-1e4),
        "You filled in a large negative number instead of −∞, so a row that allows nothing gets equal shares. Return "
        "zeros for such a row.",
        _filled(-1e9),
        "You added a large negative number instead of −∞, so a row that allows nothing looks as if there were no "
        "mask. Return zeros for such a row.",
        _added(-1e9),
    ],
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
    [
        "You returned the whole look-ahead mask, but the window also ends on its left side. Forbid words that are "
        "`width` positions back or further.",
        lambda n, width: look_ahead_mask(n),
        "You limited only how far a word looks back. For later words, i − j is below 0 and therefore also below "
        "`width`, so require i − j ≥ 0 as well.",
        lambda n, width: np.arange(n)[:, np.newaxis] - np.arange(n) < width,
        "You left out the word itself, but it is one of the `width` words in the window. Allow the diagonal, and one "
        "earlier word fewer.",
        lambda n, width: _window(n, width + 1) & ~np.eye(n, dtype=bool),
        "You let the window reach ahead as well. Allow only the word itself and the words before it.",
        lambda n, width: _window(n, width) | _window(n, width).T,
        "You allowed one word too many. With the word itself there are `width` of them, so use i − j < `width`.",
        lambda n, width: _window(n, width + 1),
        "You allowed the first words of the sentence to every row, but the window moves along with the word that "
        "asks. Use i − j.",
        lambda n, width: look_ahead_mask(n) & (np.arange(n) < width),
    ],
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
    [
        "You returned only the look-ahead mask, so the second sentence still looks at the first. Also require that "
        "both words belong to the same sentence.",
        lambda sentence: look_ahead_mask(len(sentence)),
        "You kept the sentences apart, but inside a sentence the words still look ahead. Add the look-ahead mask with "
        "`&`.",
        lambda sentence: sentence[:, np.newaxis] == sentence,
        "You masked the diagonal as well, so the first word of each sentence may not look at anything. Allow each "
        "word to look at itself.",
        lambda sentence: _packed(sentence) & ~np.eye(len(sentence), dtype=bool),
    ],
)

_WHICH = choice(
    "08.which",
    "a",
    "in each layer a word looks only at itself and at earlier words, so a change never reaches an earlier word.",
    {
        "b": "You let the change reach all words, but a change is passed on only forwards, to words that may look at "
        "word 5 or at a later one. Can word 4 look there?",
        "c": "You let the change move one word per layer, but every later word may look at word 5 directly, so one "
        "layer is enough.",
    },
)

EXERCISES = (_LOOK_AHEAD_MASK, _PADDING_MASK, _DECODER_MASK, _MASKED_WEIGHTS, _WINDOW, _PACKED, _WHICH)
