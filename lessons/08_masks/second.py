"""What lesson 08 asks a second time, for marks: only the teacher has this file."""

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
    {
        "Your words stand in front, and the padding behind. Here the last places of "
        "a row hold its words.": lambda lengths, n: _before(n) & (np.arange(n) < lengths[:, np.newaxis])[:, np.newaxis],
        "Upside down: in this course True means allowed.": lambda lengths, n: ~_mask(lengths, n),
        "Padding is hidden, and what comes later is not: a word may look "
        "at itself and at those before it.": lambda lengths, n: np.repeat(_words(lengths, n)[:, np.newaxis], n, axis=1),
        "What comes later is hidden, and padding is not: the first "
        "n − length columns of a sentence.": lambda lengths, n: np.repeat(_before(n)[np.newaxis], len(lengths), axis=0),
        "A word may look at itself, too: in yours the diagonal is False.": lambda lengths, n: (
            _before(n, -1) & _words(lengths, n)[:, np.newaxis]
        ),
        "You hide the rows of padding, and not its columns: j, the place "
        "that is looked at, must be a word.": lambda lengths, n: _before(n) & _words(lengths, n)[:, :, np.newaxis],
        "In yours a word looks at what comes after it. Row i may see columns up to i.": lambda lengths, n: (
            _before(n).T & _words(lengths, n)[:, np.newaxis]
        ),
    },
)

EXERCISES = (_FRONT,)
