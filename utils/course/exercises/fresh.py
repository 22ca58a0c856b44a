"""Inputs made of those of an exercise, with other contents and sizes: what is told as a law is tried on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from utils.course.exercises.values import as_array

Place = tuple[str, int | None]  # an argument, and the axis that is counted; None where it is a number itself
LARGEST_SIZE = 40


def sizes(inputs: dict[str, Any]) -> dict[str, tuple[Place, float]]:
    """The numbers that an input brings, by what a card calls them: sizes of arrays and texts, and plain numbers."""
    found: dict[str, tuple[Place, float]] = {}
    for name, value in inputs.items():
        array = as_array(value)
        if array is not None and array.ndim == 0:
            found[f"`{name}`"] = (name, None), float(array)
        elif array is not None and not isinstance(value, list | tuple):
            for axis, n in enumerate(array.shape):
                found[f"`{name}.shape[{axis}]`" if array.ndim > 1 else f"`len({name})`"] = (name, axis), n
        elif hasattr(value, "__len__"):
            found[f"`len({name})`"] = (name, 0), len(value)
    return {called: (place, size) for called, (place, size) in found.items() if size != 0}


def fresh(cases: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each of `cases` with other contents, and with each of its sizes larger."""
    random = np.random.default_rng(len(cases))
    for case in cases:
        yield {name: _moved(value, random) for name, value in case.items()}
        for called, (_, size) in sizes(case).items():
            yield from of_size(cases, case, called, size + 3)


def of_size(
    cases: Sequence[dict[str, Any]], case: dict[str, Any], called: str, size: float
) -> Iterator[dict[str, Any]]:
    """`case` with other contents, where `called`, and what is as large in all of `cases`, has another size."""
    if not 0 < size <= max(LARGEST_SIZE, sizes(case)[called][1]):
        return
    random = np.random.default_rng(int(size))
    of_all = [{other: n for other, (_, n) in sizes(each).items()} for each in cases]
    tied = [place for other, (place, _) in sizes(case).items() if all(n.get(other) == n.get(called) for n in of_all)]
    made = dict(case)
    for name, axis in tied:
        made[name] = type(case[name])(size) if axis is None else _resized(made[name], axis, int(size))
    yield {name: value if (name, None) in tied else _moved(value, random) for name, value in made.items()}


def _resized(value: Any, axis: int, size: int) -> Any:
    if isinstance(value, list | tuple | str):
        return (value * size)[:size]
    is_array = isinstance(value, np.ndarray)  # a dictionary stays as large as it is
    return np.take(value, np.arange(size) % value.shape[axis], axis) if is_array else value


def _moved(value: Any, random: np.random.Generator) -> Any:
    """A value of the same kind, size and signs, with other contents."""
    array = as_array(value)
    if isinstance(value, bool | str | list | tuple) or array is None:
        return value
    if array.dtype.kind == "f":
        return value * random.uniform(0.5, 1.5, array.shape)
    return np.roll(array, 1, axis=-1) if array.ndim else value


def tells(
    law: Callable[[dict[str, float]], bool],
    called: Sequence[str],
    cases: Sequence[dict[str, Any]],
    is_well: Callable[[dict[str, Any]], bool | None],
) -> bool:
    """Whether `law`, which is asked about the sizes `called`, tells on new inputs where it is well, both ways.

    `is_well` says it of an input, or None where that can't be asked.
    """
    numbers = {sizes(case)[name][1] + more for case in cases for name in called for more in (-1, 0, 1)}
    seen = []
    for case in cases:
        for inputs in (made for n in sorted(numbers) for made in of_size(cases, case, called[0], n)):
            well = is_well(inputs)
            if well is not None:
                says = law({name: n for name, (_, n) in sizes(inputs).items()})
                if well != says:
                    return False
                seen.append(well)
    return seen.count(True) > 1 and seen.count(False) > 1
