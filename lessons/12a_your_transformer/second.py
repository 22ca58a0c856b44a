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
        raise FindingError(", but it should hold True and False. Make it with `dtype=torch.bool`.")
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
    [
        "You let the given words see only the words before them. Allow them to see each other in both directions.",
        _made(lambda i, j, m: j <= i),
        "You let the later words see only the given ones. Each may also see the words before it.",
        _made(lambda i, j, m: (j < m) & (i >= 0)),
        "You let the given words see words that aren't written yet. They may see only the first m words.",
        _made(lambda i, j, m: (j <= i) | ((i < m) & (j >= 0))),
        "You forbid a written word to look at itself. Make the diagonal True as well.",
        _made(lambda i, j, m: (j < i) | (j < m)),
        "You return True where attention is forbidden. In this course True means allowed, so turn the mask round.",
        _made(lambda i, j, m: ~((j <= i) | (j < m))),
        "You treat one word too many as given. The given words are 0 to m − 1.",
        _made(lambda i, j, m: (j <= i) | (j <= m)),
        "You treat one word too few as given. The given words are 0 to m − 1.",
        _made(lambda i, j, m: (j <= i) | (j < m - 1)),
        "You let a word look at what comes after it. Allow only itself, the words before it and the given ones.",
        _made(lambda i, j, m: (i <= j) | (j < m)),
    ],
)

EXERCISES: tuple[Exercise, ...] = (_GIVEN,)
