"""What lesson 12a asks a second time, for marks: only the teacher has this file.

PyTorch is imported where it is needed, as in exercises.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from utils.course.exercises.exercise import Exercise
from utils.course.exercises.tensors import FindingError, of_tensors, pytorch, values_of

_random = np.random.default_rng(122)


def _use_given(given_mask: Any, n: int, m: int) -> Any:
    mask = given_mask(n, m)
    values = values_of(mask)
    if mask.dtype is not pytorch().bool:
        raise FindingError(f"A mask holds True and False, `dtype=torch.bool`: yours is of the type {mask.dtype}.")
    return values


def _made(mask: Callable[[Any, Any, int], Any]) -> Callable[[], Any]:
    """An answer that is made of the places i, a column, and j, a row, and of m."""

    def make() -> Any:
        def given_mask(n: int, m: int) -> Any:
            places = pytorch().arange(n)
            return mask(places[:, None], places[None], m)

        return given_mask

    return make


def _drawn() -> list[tuple[int, int]]:
    """Texts of which some words are given and some are not."""
    return [(n, int(_random.integers(2, n - 1))) for n in (5, 7, 8, 10)]


_GIVEN = of_tensors(
    "12a.second",
    "a text that is given",
    _use_given,
    _made(lambda i, j, m: (j <= i) | (j < m)),
    "n m",
    _drawn(),
    {
        "The given words see only what stands before them. They may see each other.": _made(lambda i, j, m: j <= i),
        "The words behind the given ones see these, and not each other.": _made(lambda i, j, m: (j < m) & (i >= 0)),
        "The given words look at what has not been written yet: among them only the first m are to be seen.": _made(
            lambda i, j, m: (j <= i) | ((i < m) & (j >= 0))
        ),
        "A word that is written may look at itself, too.": _made(lambda i, j, m: (j < i) | (j < m)),
        "Upside down: in this course True means allowed.": _made(lambda i, j, m: ~((j <= i) | (j < m))),
        "One too many: the given words are 0 to m − 1.": _made(lambda i, j, m: (j <= i) | (j <= m)),
        "One too few: the given words are 0 to m − 1.": _made(lambda i, j, m: (j <= i) | (j < m - 1)),
        "In yours a word looks at what comes after it.": _made(lambda i, j, m: (i <= j) | (j < m)),
    },
)

EXERCISES: tuple[Exercise, ...] = (_GIVEN,)
