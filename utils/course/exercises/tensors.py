"""Make exercises in PyTorch, which compare a student's function of tensors, or module, as a function of arrays.

Weights are drawn from a seed and the names of the parameters, so they are the same for every answer. PyTorch is
imported only where needed, because lessons without PyTorch load this file, too.
"""

from __future__ import annotations

import dis
import functools
import inspect
import itertools
import zlib
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from utils.course.exercises.exercise import Exercise, Mistakes, carried
from utils.course.exercises.own_state import fixed_state
from utils.course.exercises.results import named
from utils.course.exercises.students_code import Adapter
from utils.course.exercises.words import FindingError


def pytorch() -> Any:
    """Import PyTorch and return it."""
    import torch

    return torch


class Used(Adapter):
    """A student's function or class as a function of arrays; `how(answer, *inputs)` uses it on tensors.

    The tensors share their memory with the arrays, so that the caller sees if the answer changes one.
    """

    def __init__(self, how: Callable[..., Any], answer: Any, names: Sequence[str]) -> None:
        self._how, self._answer, self._names = how, answer, names
        own = vars(answer).values() if inspect.isclass(answer) else [inspect.unwrap(answer)]  # undo decorators
        self.written = next(filter(inspect.isfunction, own), None)

    def __call__(self, *inputs: Any) -> Any:
        if name := _only_named(self.written):
            why = "without parentheses, which only names the method and doesn't call it"
            raise FindingError(f"You write `{name}` {why}. Add them: `{name}()`.")
        given = [tensor_of(value) if isinstance(value, np.ndarray) else value for value in inputs]
        result = self._how(self._answer, *given)
        for name, tensor, before in zip(self._names, given, inputs, strict=True):
            _must_be_as_it_was(name, tensor, before)
        return result


def _only_named(function: Any) -> str:
    """Return a method without () that is a statement by itself and occurs nowhere else, or ""."""
    steps = [*dis.get_instructions(function)] if function else []
    bare = {step.argval for step, after in itertools.pairwise(steps) if after.opname == "POP_TOP"}
    bare &= {"zero_grad", "backward", "step", "train", "eval"}  # methods that need no argument
    return next((name for name in bare if sum(step.argval == name for step in steps) == 1), "")


def _must_be_as_it_was(name: str, tensor: Any, before: Any) -> None:
    """Raise FindingError if an answer has changed the shape of the tensor `name`, or made it keep gradients."""
    if not isinstance(before, np.ndarray):
        return
    if tensor.requires_grad:
        raise FindingError(
            f"Your code changes `{name}` itself, which belongs to the caller: from now on it keeps gradients, and each "
            f"`backward` adds to them. Take a copy first: `{name}.clone()`."
        )
    if tuple(tensor.shape) != before.shape:
        raise FindingError(f"Your code changes the shape of `{name}` itself, which belongs to the caller.")


def tensor_of(array: np.ndarray) -> Any:
    """Return `array` as a tensor, floats in single precision. They share memory if no conversion is needed."""
    return pytorch().from_numpy(array.astype(np.float32, copy=False) if array.dtype.kind == "f" else array)


def filled(module: Any, like: Any, seed: int) -> Any:
    """Fill `module` with weights that depend only on their names, shapes and the seed, and return it.

    Raise FindingError if its parameters don't have the names and shapes of those in `like`.
    """
    torch, own, expected = pytorch(), module.state_dict(), like.state_dict()
    if missing := [name for name in expected if name not in own]:
        raise FindingError(f"There is no `self.{missing[0]}`. {_why_missing(missing[0], own, module)}")
    if extra := [name for name in own if name not in expected]:
        layer, _, last = extra[0].rpartition(".")
        no_bias = last == "bias" and f"{layer}.weight" in expected
        more = f" Make `self.{layer}` with `bias=False`." if no_bias else ""
        raise FindingError(f"`self.{extra[0]}` is one part too many.{more}")
    with torch.no_grad():
        for name, tensor in own.items():
            if tensor.shape != expected[name].shape:
                now, wanted = tuple(tensor.shape), tuple(expected[name].shape)
                sizes = " Did you swap the two sizes of `nn.Linear`?" if now == wanted[::-1] != wanted else ""
                raise FindingError(f"`self.{name}` has the shape {now}; it should be {wanted}.{sizes}")
            tensor.copy_(_weights(name, tuple(tensor.shape), seed))
    return module


@functools.lru_cache(maxsize=1000)  # hundreds of wrong answers have weights with the same names
@fixed_state()
def _weights(name: str, shape: tuple[int, ...], seed: int) -> Any:
    dice = np.random.default_rng([seed, zlib.crc32(name.encode())])
    spread = 0.5 if len(shape) == 1 else 1.5 * shape[-1] ** -0.5
    around = 1.0 if "norm" in name and name.endswith("weight") else 0.0
    return pytorch().from_numpy(around + spread * dice.normal(size=shape))


def _why_missing(name: str, own: Container[str], module: Any) -> str:
    """Return the likely reason why `module`, with the parameters `own`, has no parameter `name`."""
    layer, _, last = name.rpartition(".")
    if last == "bias" and f"{layer}.weight" in own:
        return "`nn.Linear` makes one, so leave `bias=False` out."
    for attribute, value in vars(module).items():
        parts = [*value.values()] if isinstance(value, dict) else value
        is_module = isinstance(parts, list | tuple) and any(isinstance(part, pytorch().nn.Module) for part in parts)
        if is_module and not attribute.startswith("_"):
            kind = type(value).__name__
            return (
                f"`self.{attribute}` is a plain {kind}, in which PyTorch finds no layers. Use `nn.Sequential` if they "
                "follow one another, and `nn.ModuleList` otherwise."
            )
    if "feed_forward" in name:
        return "Make the network an `nn.Sequential` of three modules: `nn.Linear`, `nn.ReLU()`, `nn.Linear`."
    return "Do you make all parts in `__init__`, with the names that its docstring gives?"


def values_of(result: Any, returned_by: str = "Your function") -> Any:
    """Return the numbers of a tensor as an array. Raise FindingError if `result` is no tensor, or is float64."""
    if result is None:
        raise FindingError(f"{returned_by} returns nothing: is the `return` missing?")
    if not hasattr(result, "detach"):
        also = " A plain number has no gradient, so leave `.item()` out." if isinstance(result, float) else ""
        raise FindingError(f"{returned_by} returns {named(type(result))}, but a tensor is expected.{also}")
    if str(result.dtype) == "torch.float64":
        so = "models compute in float32, and masks hold True and False. If numbers are wanted, add `.float()`."
        raise FindingError(f"{returned_by} returns float64, but {so}")
    return result.detach().numpy()


@dataclass(frozen=True)
class Module:
    """The use of a student's class: `made(answer, *inputs)` returns an instance and the tensors to call it with.

    The comparison sees only `seen(values, *inputs)` of the result.
    """

    made: Callable[..., tuple[Any, tuple[Any, ...]]]
    seen: Callable[..., Any] = lambda values, *inputs: values

    def __call__(self, answer: Any, *inputs: Any) -> Any:
        """Return the numbers that an instance of the class computes."""
        module, given = self.made(answer, *inputs)
        return self.seen(values_of(module(*given), "`forward`"), *inputs)

    def of_student(self, answer: Any, *inputs: Any) -> Any:
        """Return the same numbers. Raise FindingError if the module can't be trained or its results are random."""
        with pytorch().enable_grad():
            module, given = self.made(answer, *inputs)
            return self.seen(_trainable(module, *given), *inputs)


def _trainable(module: Any, *inputs: Any) -> Any:
    result = module(*inputs)
    values = values_of(result, "`forward`").copy()
    if not result.requires_grad:
        raise FindingError(
            "What `forward` returns keeps no gradient, so no weight can learn. Is there a `detach`, a `.data` or a "
            "`no_grad` in it?"
        )
    try:
        result.sum().backward()
    except RuntimeError as error:
        raise FindingError(_of_backward(str(error))) from None
    again = values_of(module(*inputs), "`forward`")
    if values.shape != again.shape or not np.allclose(values, again, equal_nan=True):
        raise FindingError(
            "Called twice with the same input, `forward` returns different numbers. Is something in it drawn at "
            "random, as in dropout, or kept from one call to the next?"
        )
    return values


def _of_backward(message: str) -> str:
    if "inplace operation" in message:
        return (
            "This can't be trained: `backward` still needs a tensor that `forward` has changed in place. Is there a "
            "`+=`, or a method whose name ends in `_`? Make a new tensor: `x = x + …`."
        )
    return f"This can't be trained: `backward` stops on what `forward` returns. {message}"


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
    mistakes: Mistakes,
    parts: tuple[str, ...] = (),
) -> Exercise:
    """Return an exercise whose right and wrong answers are written as a student would, and made only when needed.

    how: called as how(answer, *inputs), it uses an answer on tensors. For a class, pass a `Module`.
    right: returns the reference.
    arguments: the names of the tensors, separated by blanks.
    parts: the names, in the feedback, of the values that `how` returns, if these differ from the answer's results.
    """
    judged = how.of_student if isinstance(how, Module) else how

    def made(make: Callable[[], Any]) -> Callable[..., Any]:
        return _named(lambda *inputs: Used(how, make(), arguments.split())(*inputs), arguments)

    return Exercise(
        name,
        title,
        made(right),
        list(inputs),
        carried(mistakes, made),
        used=lambda answer: Used(judged, answer, arguments.split()) if callable(answer) else answer,
        parts=parts,
    )
