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
    """An argument that the right result depends on, and the answer's never does."""
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
        before, after = (_result(function, inputs) for inputs in (case, _with(case, place, _another(case[place]))))
        changed.append(after is not None and not same_value(after, before))
    return changed


def other_dependence(
    answer: Function, reference: Function, names: Sequence[str], cases: Sequence[Inputs]
) -> Relation | None:
    """A row, a column or an entry of an argument that changes a place of the result which it should not, or the "
    "reverse."""
    for case in cases:
        right, own = (as_array(_result(function, case)) for function in (reference, answer))
        if right is None or own is None or right.shape != own.shape or right.ndim == 0:
            continue
        for place, name in enumerate(names):
            for line, other in _with_one_line_changed(case[place]):
                inputs = _with(case, place, other)
                new_right, new_own = (as_array(_result(function, inputs)) for function in (reference, answer))
                if new_right is None or new_own is None or new_right.shape != right.shape or new_own.shape != own.shape:
                    continue
                moved, moves = _differ(new_own, own), _differ(new_right, right)
                what = f"{line} of `{name}`"
                if (moved & ~moves).any():
                    at = _first(moved & ~moves)
                    return Relation(
                        f"where: depends on {name}",
                        f"If {what} changes, your entry at {at} changes too. It should not: it has nothing to do with "
                        f"that {line.split()[0]}.",
                    )
                if (moves & ~moved).any():
                    at = _first(moves & ~moved)
                    return Relation(
                        f"where: takes no notice of {name}",
                        f"If {what} changes, the entry at {at} should change with it. Yours stays as it is.",
                    )
    return None


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
    """Whether the error, a difference or a ratio, stays when the argument at `place` is another, and the result does "
    "not."""
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


def _moved(array: Array) -> Array:
    return array * 1.25 + 0.1 * np.cos(1 + np.arange(array.size).reshape(array.shape))


def _with_one_line_changed(value: Any) -> Iterator[tuple[str, Any]]:
    """`value` with its first row changed, then its last one, then its columns; each with its name."""
    array = as_array(value)
    if array is None or array.dtype.kind != "f" or isinstance(value, list | tuple) or not 0 < array.ndim < 3:
        return
    for axis, line in enumerate(("row", "column") if array.ndim == 2 else ("entry",)):
        for number in sorted({0, array.shape[axis] - 1}):
            other, at = array.copy(), (slice(None),) * axis + (number,)
            other[at] = _moved(array)[at]
            yield f"{line} {number}", other


def _differ(a: Array, b: Array) -> Array:
    return ~np.isclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True)


def _first(places: Array) -> list[int]:
    return list(map(int, np.argwhere(places)[0]))
