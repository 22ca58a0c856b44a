"""Copy a function's result as plain data: numbers, texts, arrays and lists, which run no code when they are read."""

from __future__ import annotations

import collections
import inspect
import numbers
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

LARGEST = 1_000_000  # the most entries of an array
PARTS = 100_000  # the most entries of all lists together
DEEPEST = 30  # the most levels of nested lists
LONGEST = 1_000_000  # the most letters of a text
_WITH_PARTS = (list, tuple, dict, set, frozenset, collections.deque, range)
_BITS = 1_000  # the most bits of an integer, because Python refuses to write very long ones


@dataclass(frozen=True)
class Opaque:
    """A value that answers no exercise; `said` is its description, with its article."""

    said: str

    def __repr__(self) -> str:
        return self.said


def plain(value: Any) -> Any:
    """Return a copy of `value` as plain data, with an `Opaque` for each part that can't be copied. Raise no error.

    A student's function may return anything: an object whose methods raise errors, a list that contains itself, an
    array of terabytes. So use the type instead of the object wherever that is enough.
    """
    return _Copy().of(value, 0)


class _Copy:
    """The making of one copy, with a count of its parts."""

    def __init__(self) -> None:
        self.parts = 0

    def of(self, value: Any, depth: int) -> Any:
        kind = type(value)
        self.parts += 1
        if value is None or kind in (bool, float, complex):
            return value
        if issubclass(kind, str):
            return str.__str__(value)[:LONGEST]
        if issubclass(kind, int):
            return int.__int__(value) if int.bit_length(value) <= _BITS else Opaque("a very large whole number")
        if issubclass(kind, _WITH_PARTS):
            return self._of_parts(value, kind, depth)
        if issubclass(kind, np.ndarray | np.generic):
            return self._of_array(value, depth)
        if inspect.iscoroutine(value):
            value.close()  # otherwise Python warns that it was never awaited
        try:
            return self._of_other(value, kind, depth)
        except KeyboardInterrupt:
            raise
        except BaseException:
            return Opaque(named(kind))

    def _of_parts(self, value: Any, kind: type, depth: int) -> Any:
        base = next(each for each in _WITH_PARTS if issubclass(kind, each))
        n = base.__len__(value)
        if depth == DEEPEST or self.parts + n > PARTS:
            return Opaque(f"{named(kind)} with {n} entries")
        if base is dict:
            return {self.of(key, depth + 1): self.of(value, depth + 1) for key, value in dict.items(value)}
        made = [self.of(part, depth + 1) for part in base.__iter__(value)]
        return tuple(made) if base is tuple else set(made) if base in (set, frozenset) else made

    def _of_array(self, value: Any, depth: int) -> Any:
        if value.size > LARGEST:
            return Opaque(f"an array of shape {value.shape}")
        if value.dtype.kind in "biufc":
            return np.array(value, subok=False) if isinstance(value, np.ndarray) else value
        if value.dtype.kind in "US":
            return np.array(value, subok=False) if isinstance(value, np.ndarray) else str(value)
        if value.dtype.kind == "O":
            array = np.array(self.of(np.asarray(value).tolist(), depth + 1), ndmin=value.ndim)
            if array.dtype.kind in "biufc" and array.shape == value.shape:
                return array
        return Opaque(f"an array of shape {value.shape} that holds things of the type {value.dtype}")

    def _of_other(self, value: Any, kind: type, depth: int) -> Any:
        if issubclass(kind, float):
            return float.__float__(value)
        if issubclass(kind, numbers.Number):  # a fraction, a decimal number
            return float(value)
        torch = sys.modules.get("torch")
        if torch and issubclass(kind, torch.Tensor):
            tensor = value.detach()
            if tensor.numel() > LARGEST:
                return Opaque(f"a tensor of shape {tuple(tensor.shape)}")
            if tensor.dtype == torch.bfloat16:  # with its two digits, a wrong number can look right
                return Opaque("a tensor of bfloat16")
            return np.array(tensor.cpu().resolve_conj().resolve_neg().numpy())
        if hasattr(kind, "__array__"):
            return self._of_array(np.asarray(value), depth)
        return Opaque(named(kind))


def named(kind: type) -> str:
    """Return the name of a type, with its article."""
    name = type.__getattribute__(kind, "__name__")
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
