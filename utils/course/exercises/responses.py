"""How a function answers when one of its arguments changes, and where the right one answers otherwise."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from utils.course.exercises.relations import Relation
from utils.course.exercises.values import as_array, same_value

Array = np.ndarray
Function = Callable[..., Any]
Inputs = tuple[Any, ...]


def unused_argument(
    answer: Function, reference: Function, names: Sequence[str], cases: Sequence[Inputs]
) -> Relation | None:
    """An argument that the right result depends on, and the answer's does not, however much it is changed."""
    for place, name in enumerate(names):
        right, own = (_changes_with(function, place, cases) for function in (reference, answer))
        if any(right) and not any(own):
            return Relation(
                f"{name} unused",
                f"Your result is the same whatever `{name}` is. Somewhere on the way it has to be used.",
            )
    return None


def _changes_with(function: Function, place: int, cases: Sequence[Inputs]) -> list[bool]:
    changed = []
    for case in cases:
        before = _result(function, case)
        after = [_result(function, _with(case, place, other)) for other in _others(case[place])]
        changed += [value is not None and not same_value(value, before) for value in after]
    return changed


def other_dependence(
    answer: Function, reference: Function, names: Sequence[str], cases: Sequence[Inputs]
) -> Relation | None:
    """A row, a column or an entry of an argument that changes a place of the result which it should not, or
    the reverse."""
    for case in cases:
        right, own = (as_array(_result(function, case)) for function in (reference, answer))
        if right is None or own is None or right.shape != own.shape or right.ndim == 0 or right.dtype.kind != "f":
            continue
        for place, name in enumerate(names):
            for line, others in _with_one_line_changed(case[place]):
                inputs = [_with(case, place, other) for other in others]
                moved, moves = (
                    _moved_places(function, inputs, before) for function, before in ((answer, own), (reference, right))
                )
                what = f"On one of the inputs, if {line} of `{name}` changes,"
                if not moved or not moves:
                    continue
                wrongly, missed = np.any(moved, 0) & ~np.any(moves, 0), np.all(moves, 0) & ~np.any(moved, 0)
                if wrongly.any():
                    return Relation(
                        f"where: depends on {name}",
                        f"{what} your entry at {_first(wrongly)} changes too. It should not.",
                    )
                if missed.any():
                    return Relation(
                        f"where: takes no notice of {name}",
                        f"{what} the entry at {_first(missed)} should change with it. Yours stays as it is.",
                    )
    return None


def _moved_places(function: Function, some: Sequence[Inputs], before: Array) -> list[Array]:
    """For each of `some` inputs where the result differs from that `before`; none where one of them does not run."""
    results = [as_array(_result(function, inputs)) for inputs in some]
    fits = all(result is not None and result.shape == before.shape for result in results)
    return [_differ(result, before) for result in results] if fits else []


def right_about(
    answer: Function, reference: Function, names: Sequence[str], cases: Sequence[Inputs]
) -> Relation | None:
    """Arguments that change the answer's result as they should: what is wrong has nothing to do with them."""
    for error in (np.subtract, np.divide):
        right = [name for place, name in enumerate(names) if _steady(error, answer, reference, place, cases)]
        others = [f"`{name}`" for name in names if name not in right]
        if right and others:
            fine, rest = " and ".join(f"`{name}`" for name in right), " and ".join(others)
            return Relation(
                f"where: right about {fine}",
                f"Yours changes with {fine} as it should. Look at what is done with {rest}.",
            )
    return None


def _steady(error: Function, answer: Function, reference: Function, place: int, cases: Sequence[Inputs]) -> bool:
    """Whether the error, a difference or a ratio, stays when the argument at `place` is another, and the result does
    not."""
    for case in cases:
        both = [case, _with(case, place, _another(case[place]))]
        own, right = ([as_array(_result(function, inputs)) for inputs in both] for function in (answer, reference))
        if any(x is None or x.dtype == bool for x in own + right) or len({x.shape for x in own + right}) > 1:
            return False
        with np.errstate(all="ignore"):
            before, after = (error(a, b) for a, b in zip(own, right, strict=True))
        if not np.allclose(before, after, rtol=1e-7, atol=1e-10) or np.allclose(*right):
            return False
    return True


def _result(function: Function, inputs: Inputs) -> Any:
    """What `function` returns, None if it stops; inputs are its own to change."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return function(*copy.deepcopy(inputs))
    except Exception:
        return None


def _with(inputs: Inputs, place: int, value: Any) -> Inputs:
    return (*inputs[:place], value, *inputs[place + 1 :])


def _another(value: Any) -> Any:
    """A value of the same kind and shape, and with other contents."""
    array = as_array(value)
    if array is None:
        return value[::-1] if isinstance(value, str | list | tuple) else value
    if array.ndim == 0:
        return not value if isinstance(value, bool) else value + 1 if array.dtype.kind in "iu" else value * 1.5
    if isinstance(value, list | tuple):
        return value[::-1]
    return _moved(array) if array.dtype.kind == "f" else np.roll(array, 1, axis=-1)


def _others(value: Any) -> Iterator[Any]:
    """Values of the same kind and shape: one that is changed a little, and some that are changed a lot."""
    yield _another(value)
    array = as_array(value)
    if isinstance(value, str | list | tuple):
        yield from (value[:1] * len(value), value[:-1], value + value)
    elif array is not None and array.ndim:
        yield from (array[::-1], np.full_like(array, array.flat[0] if array.size else 0), array[:-1])
        if array.dtype.kind == "f":
            yield from (array[..., ::-1], -array, 10 * array + 1)


def _moved(array: Array) -> Array:
    return array * 1.25 + 0.1 * np.cos(1 + np.arange(array.size).reshape(array.shape))


def _with_one_line_changed(value: Any) -> Iterator[tuple[str, list[Any]]]:
    """`value` with its first row changed in several ways, then its last one, then its columns; each with its name."""
    array = as_array(value)
    if array is None or array.dtype.kind != "f" or isinstance(value, list | tuple) or not 0 < array.ndim < 3:
        return
    for axis, line in enumerate(("row", "column") if array.ndim == 2 else ("entry",)):
        for number in sorted({0, array.shape[axis] - 1}):
            at = np.indices(array.shape)[axis] == number
            yield f"{line} {number}", [np.where(at, new, array) for new in (_moved(array), -array, 10 * array + 1)]


def _differ(a: Array, b: Array) -> Array:
    return ~np.isclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True)


def _first(places: Array) -> list[int]:
    return list(map(int, np.argwhere(places)[0]))
