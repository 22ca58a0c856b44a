"""A second exercise for lesson 08, for marks. Only the teacher has this file."""

from __future__ import annotations

import numpy as np

from utils.by_hand.arrays import Array
from utils.course.exercises.exercise import Exercise

_random = np.random.default_rng(82)


def _words(lengths: Array, n: int) -> Array:
    return np.arange(n) >= n - lengths[:, np.newaxis]


def _before(n: int, diagonal: int = 0) -> Array:
    return np.tril(np.ones((n, n), dtype=bool), diagonal)


def _mask(lengths: Array, n: int) -> Array:
    return _before(n) & _words(lengths, n)[:, np.newaxis]


def _drawn(B: int, n: int) -> tuple[Array, int]:
    """The lengths of B sentences, one of which fills all n places and one of which does not."""
    lengths = _random.integers(1, n, size=B)
    lengths[_random.integers(B - 1)] = n
    return lengths, n


_FRONT = Exercise(
    "08.second",
    "padding in front",
    _mask,
    [_drawn(2, 5), _drawn(3, 4), _drawn(4, 6), _drawn(5, 7)],
    [
        "You put the words first and the padding after them. Here the padding comes first: the last positions of a "
        "row hold its words.",
        lambda lengths, n: _before(n) & (np.arange(n) < lengths[:, np.newaxis])[:, np.newaxis],
        "You inverted the mask. In this course True means that attention is allowed, so swap True and False.",
        lambda lengths, n: ~_mask(lengths, n),
        "You hid the padding, but not the later words. Allow each word to look only at itself and at the words before "
        "it.",
        lambda lengths, n: np.repeat(_words(lengths, n)[:, np.newaxis], n, axis=1),
        "You hid the later words, but not the padding. Forbid the first n − length columns of each sentence, too.",
        lambda lengths, n: np.repeat(_before(n)[np.newaxis], len(lengths), axis=0),
        "You set the diagonal to False, but a word may look at itself. Allow the diagonal at the words.",
        lambda lengths, n: _before(n, -1) & _words(lengths, n)[:, np.newaxis],
        "You hid the rows of padding instead of its columns. The position j that is looked at must be a word.",
        lambda lengths, n: _before(n) & _words(lengths, n)[:, :, np.newaxis],
        "You let a word look at the words after it. Row i may see only the columns up to i.",
        lambda lengths, n: _before(n).T & _words(lengths, n)[:, np.newaxis],
    ],
)

EXERCISES = (_FRONT,)
