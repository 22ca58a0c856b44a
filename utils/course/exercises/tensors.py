"""Exercises in PyTorch: a student's function of tensors, or class of modules, compared as a function of arrays.

Weights are drawn from a seed and the names of the parts, the same for every answer. PyTorch is imported where it is
needed, since the lessons without it load this file, too.
"""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from utils.course.exercises.exercise import Adapter, Exercise, WrongAnswer


def pytorch() -> Any:
    """Return PyTorch, imported when it is asked for."""
    import torch

    return torch


class Used(Adapter):
    """A student's function or class as a function of arrays; `how(answer, *inputs)` uses it."""

    def __init__(self, how: Callable[..., Any], answer: Any) -> None:
        self._how, self._answer = how, answer
        own = vars(answer).values() if inspect.isclass(answer) else [inspect.unwrap(answer)]  # of a decorator
        written = next(filter(inspect.isfunction, own), None)
        self.code = getattr(written, "__code__", None)  # whose file tells the student's own lines from those of others

    def __call__(self, *inputs: Any) -> Any:
        return self._how(self._answer, *inputs)


def tensor_of(array: Any) -> Any:
    """In single precision, as models are."""
    array = np.asarray(array)
    return pytorch().from_numpy(array.astype(np.float32) if array.dtype.kind == "f" else array.copy())


def filled(module: Any, like: Any, seed: int) -> Any:
    """`module` with weights that hang on their names and the seed alone. Its parts must be those of `like`."""
    torch, own, expected = pytorch(), module.state_dict(), like.state_dict()
    if missing := [name for name in expected if name not in own]:
        asked = "Are all parts made in __init__, under the lesson's names?"
        if "feed_forward" in missing[0]:
            asked = "The network is nn.Sequential of three: nn.Linear, nn.ReLU(), nn.Linear."
        raise AttributeError(f"there is no self.{missing[0]}. {asked}")
    if extra := [name for name in own if name not in expected]:
        raise AttributeError(f"self.{extra[0]} is one part too many.")
    with torch.no_grad():
        for name, tensor in own.items():
            if tensor.shape != expected[name].shape:
                now, wanted = tuple(tensor.shape), tuple(expected[name].shape)
                raise ValueError(f"self.{name} has the shape {now}; it should be {wanted}.")
            dice = np.random.default_rng([seed, zlib.crc32(name.encode())])
            spread = 0.5 if tensor.ndim == 1 else 1.5 * tensor.shape[-1] ** -0.5
            around = 1.0 if "norm" in name and name.endswith("weight") else 0.0
            tensor.copy_(torch.from_numpy(around + spread * dice.normal(size=tuple(tensor.shape))))
    return module


def values_of(result: Any) -> Any:
    if not hasattr(result, "detach"):
        also = ": without `.item()`, the gradients come from it" if isinstance(result, float) else ""
        raise TypeError(f"it returns {type(result).__name__}, where a tensor is expected{also}.")
    return result.detach().numpy()


def _named(function: Callable[..., Any], names: str) -> Callable[..., Any]:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    function.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names.split()])
    return function


def of_tensors(
    name: str,
    title: str,
    how: Callable[..., Any],
    right: Callable[[], Any],
    arguments: str,
    inputs: Iterable[tuple[Any, ...]],
    wrong: Iterable[tuple[Callable[[], Any], str]],
) -> Exercise:
    """Make an exercise; its right and wrong answers are made when they are asked for, as a student would write them.

    `how(answer, *inputs)` uses an answer on arrays, and `arguments` are what these are called.
    """

    def made(make: Callable[[], Any]) -> Callable[..., Any]:
        return _named(lambda *inputs: how(make(), *inputs), arguments)

    return Exercise(
        name,
        title,
        made(right),
        list(inputs),
        tuple(WrongAnswer(made(make), sentence) for make, sentence in wrong),
        used=lambda answer: Used(how, answer) if callable(answer) else answer,
    )
