"""Find arguments that a student's function swaps, confuses or never uses."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from utils.course.exercises.asking import Inputs, TriedAnswer, agree, run
from utils.course.exercises.exercise import Exercise
from utils.course.exercises.findings import Finding, Kind, say
from utils.course.exercises.values import as_array, same_value
from utils.course.exercises.words import has_another_shape

ASKED = 10  # the most other values of an argument to try before the diagnosis says that it makes no difference
FEWEST = 3  # the fewest values to try


def mistaken_argument(exercise: Exercise, tried: TriedAnswer) -> Finding | None:
    """Find two arguments that are swapped, or one used for another, if the reference then agrees with the answer."""
    names, ordinary = exercise.names, tried.outcomes[: len(exercise.inputs)]

    def gives_the_same(order: Sequence[int]) -> bool:
        reordered = (tuple(case[i] for i in order) for case in exercise.inputs)
        return all(agree(run(exercise.reference, case), own) for case, own in zip(reordered, ordinary, strict=True))

    places = range(len(names))
    for a, b in itertools.combinations(places, 2):
        if gives_the_same([{a: b, b: a}.get(i, i) for i in places]):
            return say(Kind.SWAPPED, a=names[a], b=names[b])
    for a, b in itertools.permutations(places, 2):
        if gives_the_same([b if i == a else i for i in places]):
            return say(Kind.TAKEN_FOR, a=names[a], b=names[b])
    return None


def unused_argument(exercise: Exercise, tried: TriedAnswer) -> Finding | None:
    """Find an argument that changes the correct result, but never changed the answer's result."""
    for place, name in enumerate(exercise.names):
        if not _seen_to_matter(place, exercise.cases, tried) and _makes_no_difference(place, exercise, tried):
            return say(Kind.UNUSED, name=name)
    return None


def _seen_to_matter(place: int, cases: Sequence[Inputs], tried: TriedAnswer) -> bool:
    """Return whether two cases that differ only in the argument at index `place` gave different results."""
    for (case, own), (other, another) in itertools.combinations(zip(cases, tried.outcomes, strict=True), 2):
        alike = all(same_value(a, b) for at, (a, b) in enumerate(zip(case, other, strict=True)) if at != place)
        if alike and not same_value(own.value, another.value):
            return True
    return False


def _makes_no_difference(place: int, exercise: Exercise, tried: TriedAnswer) -> bool:
    """Return whether other values of the argument at `place` change the correct result but never the answer's."""
    n = 0
    of_each = [[(i, value) for value in _others(case[place])] for i, case in enumerate(exercise.inputs)]
    for i, value in (one for several in itertools.zip_longest(*of_each) for one in several if one is not None):
        case, outcome = exercise.inputs[i], tried.outcomes[i]
        other = (*case[:place], value, *case[place + 1 :])
        before, after = run(exercise.reference, case), run(exercise.reference, other)
        if outcome.error or before.error or after.error or same_value(before.value, after.value):
            continue
        if has_another_shape(outcome.value, before.value) and not has_another_shape(before.value, after.value):
            continue  # the answer's shape is wrong for another reason, which may also hide the argument
        own = tried.again(other)
        if own is None or own.error or not same_value(own.value, outcome.value):
            return False
        n += 1
        if n == ASKED:
            return True
    return n >= FEWEST


def _others(value: Any) -> list[Any]:
    """Return values of the same type that differ much from `value`: in size, order or sign."""
    array = as_array(value)
    if isinstance(value, str | list | tuple):
        alike = value[:1] * len(value)  # the others mostly change the order, which a set of the entries hides
        return [alike, value[::-1], value[1:] + value[:1], value[1:], value[:1] + value, value + value[::-1]]
    if array is None:
        return []
    if isinstance(value, bool):
        return [not value]
    if array.ndim == 0 and array.dtype.kind in "iu":
        return [type(value)(n) for n in (4 * value + 3, value + 1, value - 1, 1, 0) if n != value]
    if array.ndim == 0:
        return [3 * value + 0.5, value / 4, -value]
    if array.dtype.kind != "f":
        other = ~array if array.dtype.kind == "b" else np.full_like(array, array.flat[0])
        return [other, np.flip(array), np.roll(array, 1, -1), np.roll(array, 1, 0)]
    return [np.flip(array) * (1.5 + np.cos(np.arange(array.size).reshape(array.shape))), -array, np.roll(array, 1, 0)]
