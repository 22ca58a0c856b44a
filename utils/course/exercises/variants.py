"""Mistakes that every exercise knows without being told: an argument that is left out, turned, or taken for another.

A variant is the reference, given other arguments than it should be.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from utils.by_hand.attention import softmax
from utils.course.exercises.asking import Inputs
from utils.course.exercises.values import as_array, is_finite

Array = np.ndarray


Variant = tuple[str, Callable[[Inputs], Inputs]]  # how a card says it, "if … were …", and what is done to the inputs


def _of_kind(kinds: str, value: Any) -> Array | None:
    array = as_array(value)
    return array if array is not None and array.dtype.kind in kinds else None


_of_floats, _of_masks = functools.partial(_of_kind, "f"), functools.partial(_of_kind, "b")


def _of_arrays(value: Any) -> Array | None:
    array = _of_kind("iuf", value)
    return array if array is not None and array.ndim else None


def _of_counts(value: Any) -> int | None:
    return value if isinstance(value, int | np.integer) and not isinstance(value, bool) else None


def _of_sequences(value: Any) -> Any:
    return value if isinstance(value, list | tuple | str) and len(value) > 1 else _of_arrays(value)


# What may be done to one argument, by its kind: in words, with its name as {}, and how. A change may be None.
_DONE: dict[Callable[[Any], Any], dict[str, Callable[[Any], Any]]] = {
    _of_floats: {
        "{} were 0": lambda x: x * 0,
        "{} were 1": lambda x: x * 0 + 1,
        "{} had the opposite sign": lambda x: -x,
        "{} were doubled": lambda x: 2 * x,
        "1/{} stood for {}": lambda x: 1 / x,
        "{} were squared": lambda x: x**2,
        "the root of {} stood for it": lambda x: np.sqrt(x),
        "{} were larger by 1": lambda x: x + 1,
        "the exponential of {} were taken once more": lambda x: np.exp(x) if x.ndim else None,
        "a softmax of {} were taken first": lambda x: softmax(x) if x.ndim else None,
        "the rows of {} were divided by their lengths": lambda x: x / np.linalg.norm(x, axis=1)[:, None],
        "{} had its mean in every row": lambda x: x * 0 + x.mean(0) if x.ndim == 2 else None,
        "all parts of {} were replaced by their mean": lambda x: x * 0 + x.mean(0) if x.ndim > 2 else None,
    },
    _of_arrays: {
        "{} were transposed": lambda x: x.T if x.ndim == 2 else None,
        "only the first of {} were there (does a `return` end a loop after one round?)": lambda x: x[:1],
        "{} had moved on by one, each to the place after its own": lambda x: np.roll(x, 1, 0),
        "{} had moved back by one, each to the place before its own": lambda x: np.roll(x, -1, 0),
    },
    _of_sequences: {
        "the first of {} were missing": lambda x: x[1:],
        "the last of {} were missing": lambda x: x[:-1],
        "{} ran backwards": lambda x: x[::-1],
    },
    _of_masks: {
        "{} were inverted": lambda x: ~x,
        "{} were True everywhere": np.ones_like,
        "{} were transposed": lambda x: x.T if x.ndim == 2 else None,
    },
    _of_counts: {
        "{} were larger by 1": lambda x: x + 1,
        "{} were smaller by 1": lambda x: x - 1,
        "{} were 0": lambda x: 0,
        "{} were 1": lambda x: 1,
        "{} were doubled": lambda x: 2 * x,
    },
}
_FIXED = (3, 2, 4, 8, 64, 512, 1e-5, 1e-6, 1e-8, 1e-3, 0.1, 0.5, 10000.0, 10.0, 100.0)


def variants(names: Sequence[str], cases: Sequence[Inputs]) -> Iterator[Variant]:
    """Make all that may be done to the arguments `names`, as far as the first of `cases` allows it."""
    for place, name in enumerate(names):
        for fits, changes in _DONE.items():
            for clause, done in changes.items() if fits(cases[0][place]) is not None else ():
                yield clause.replace("{}", f"`{name}`"), _changed(place, fits, done)
    for a, b in itertools.permutations(range(len(names)), 2):
        yield f"`{names[b]}` stood for `{names[a]}`", lambda inputs, a=a, b=b: _put(inputs, a, inputs[b])
        if a < b:
            swap = lambda inputs, a=a, b=b: _put(_put(inputs, a, inputs[b]), b, inputs[a])  # noqa: E731
            yield f"`{names[a]}` and `{names[b]}` had changed places", swap
    for place, name in enumerate(names):
        value = as_array(cases[0][place])
        is_count = _of_counts(cases[0][place]) is not None  # an array of 10,000 rows and columns takes seconds
        for n in _FIXED if value is not None and value.ndim == 0 else ():
            if not is_count or (n % 1 == 0 and n <= 512):
                yield f"`{name}` were always {n:g}", lambda inputs, place=place, n=n: _put(inputs, place, n)


def _put(inputs: Inputs, place: int, value: Any) -> Inputs:
    return (*inputs[:place], value, *inputs[place + 1 :])


def _changed(place: int, fits: Callable[[Any], Any], done: Callable[[Any], Any]) -> Callable[[Inputs], Inputs]:
    def change(inputs: Inputs) -> Inputs:
        value = done(fits(inputs[place]))
        if value is None or not is_finite(value):
            raise ValueError("not of this kind")
        return _put(inputs, place, list(value) if isinstance(inputs[place], list) else value)

    return change
