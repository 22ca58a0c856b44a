"""How a function answers when one of its arguments changes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from utils.course.exercises.asking import Inputs, TriedAnswer, run
from utils.course.exercises.exercise import Exercise
from utils.course.exercises.findings import Case, Finding, Kind, first_place, say
from utils.course.exercises.values import as_array, same_value

ASKED = 10  # other values of an argument that are tried, at most, before it is said to make no difference
FEWEST = 3  # that have to be tried


def unused_argument(exercise: Exercise, asked: TriedAnswer) -> Finding | None:
    """An argument that the right result depends on, and the answer's does not on any input that was tried."""
    for place, name in enumerate(exercise.names):
        if not _seen_to_matter(place, exercise.cases, asked) and _told_by(place, exercise, asked):
            return say(Kind.UNUSED, name=name)
    return None


def _seen_to_matter(place: int, cases: Sequence[Inputs], asked: TriedAnswer) -> bool:
    """Whether two cases that differ in one argument alone have led to different results."""
    for i, (case, outcome) in enumerate(zip(cases, asked.outcomes, strict=True)):
        for other, another in zip(cases[:i], asked.outcomes[:i], strict=True):
            alike = all(same_value(a, b) for at, (a, b) in enumerate(zip(case, other, strict=True)) if at != place)
            if alike and not same_value(outcome.value, another.value):
                return True
    return False


def _told_by(place: int, exercise: Exercise, asked: TriedAnswer) -> bool:
    """Whether other values of an argument leave the answer's result as it is, and not the right one."""
    tried = 0
    of_each = [[(i, value) for value in _others(case[place])] for i, case in enumerate(exercise.inputs)]
    for i, value in (one for several in itertools.zip_longest(*of_each) for one in several if one is not None):
        case, outcome = exercise.inputs[i], asked.outcomes[i]
        other = (*case[:place], value, *case[place + 1 :])
        before, after = run(exercise.reference, case), run(exercise.reference, other)
        if outcome.error or before.error or after.error or same_value(before.value, after.value):
            continue
        own = asked.again(other)
        if own is None or own.error or not same_value(own.value, outcome.value):
            return False
        tried += 1
        if tried == ASKED:
            return True
    return tried >= FEWEST


def _others(value: Any) -> list[Any]:
    """Values of the same kind that are far from `value`: smaller and larger, in another order, with other signs."""
    array = as_array(value)
    if isinstance(value, str | list | tuple):
        alike = value[:1] * len(value)  # else only the order changes, and a set of the entries hardly does
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


def other_dependence(exercise: Exercise, asked: TriedAnswer) -> Finding | None:
    """A row, a column or an entry of an argument that changes a place of the result which it should not, or
    the reverse, on the first input."""
    case, outcome = exercise.inputs[0], asked.outcomes[0]
    expected = run(exercise.reference, case).value
    own, right, about = as_array(outcome.value), as_array(expected), Case(exercise.named(case), outcome.value, expected)
    if own is None or right is None or own.shape != right.shape or right.ndim == 0 or right.dtype.kind != "f":
        return None
    for place, name in enumerate(exercise.names):
        for line, others in _with_one_line_changed(case[place]):
            inputs = [(*case[:place], other, *case[place + 1 :]) for other in others]
            moves = [as_array(run(exercise.reference, other).value) for other in inputs]
            again = asked.again(inputs[0])
            moved = None if again is None else as_array(again.value)
            if moved is None or moved.shape != own.shape or any(x is None or x.shape != right.shape for x in moves):
                continue
            touched, stays = [_differ(x, right) for x in moves], ~_differ(moved, own)
            wrongly = ~stays & ~np.any(touched, 0)
            if wrongly.any() and not (wrongly & _may_touch(exercise, case, place, others)).any():
                return say(Kind.DEPENDS, about, line=line, name=name, at=first_place(wrongly))
            if (missed := stays & np.all(touched, 0)).any():
                return say(Kind.STAYS, about, line=line, name=name, at=first_place(missed))
    return None


def _may_touch(exercise: Exercise, case: Inputs, place: int, others: Sequence[Any]) -> np.ndarray:
    """Which entries of a right result `others`, in that place, change where another argument has the opposite sign.

    Behind a ReLU that is shut, say, an entry stays as it is on one input, and moves on another.
    """
    touched = np.zeros(np.shape(run(exercise.reference, case).value), dtype=bool)
    for at, value in enumerate(case):
        array = as_array(value)
        if at == place or array is None or array.dtype.kind != "f":
            continue
        turned = (*case[:at], -value if isinstance(value, float) else -array, *case[at + 1 :])
        before = as_array(run(exercise.reference, turned).value)
        for other in others:
            after = as_array(run(exercise.reference, (*turned[:place], other, *turned[place + 1 :])).value)
            if before is not None and after is not None and before.shape == after.shape == touched.shape:
                touched |= _differ(before, after)
    return touched


def _with_one_line_changed(value: Any) -> Iterator[tuple[str, list[Any]]]:
    """`value` with its first row changed in several ways, then its last one, then its columns; each with its name."""
    array = as_array(value)
    if array is None or array.dtype.kind != "f" or isinstance(value, list | tuple) or not 0 < array.ndim < 3:
        return
    moved = array * 1.25 + 0.1 * np.cos(1 + np.arange(array.size).reshape(array.shape))
    for axis, line in enumerate(("row", "column") if array.ndim == 2 else ("entry",)):
        for number in sorted({0, array.shape[axis] - 1}):
            at = np.indices(array.shape)[axis] == number
            yield f"{line} {number}", [np.where(at, new, array) for new in (moved, -array, 10 * array + 1)]


def _differ(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return ~np.isclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True)
