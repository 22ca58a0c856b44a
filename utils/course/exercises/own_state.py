"""Give the settings of the whole process, which a notebook can change, fixed values while the judge computes.

`fixed_state` sets the fixed values, and `students_state` restores the notebook's values while the answer runs. Not
covered are replaced methods of a class, replaced functions in modules outside `_MODULES`, environment variables,
PyTorch's other modes, modes that the answer enters and never leaves, and other threads.
"""

from __future__ import annotations

import contextlib
import functools
import locale
import os
import random
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

_COURSE = str(Path(__file__).parents[3])
_PRINTED = {
    "edgeitems": 3, "threshold": 1000, "floatmode": "maxprec", "precision": 8, "suppress": False, "linewidth": 75,
    "nanstr": "nan", "infstr": "inf", "sign": "-", "formatter": None, "legacy": False, "override_repr": None,
}  # fmt: skip
_MODULES = ("builtins", "math", "numpy", "numpy.linalg", "torch.nn.functional")


@dataclass(frozen=True)
class _Setting:
    """A setting of the whole process; `written` is the line that sets it, if a result can depend on it."""

    get: Callable[[], Any]
    put: Callable[[Any], object]
    fixed: Any
    written: str = ""

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Restore the current value at the end."""
        found = self.get()
        try:
            yield
        finally:
            self.put(found)

    @contextlib.contextmanager
    def as_fixed(self) -> Iterator[None]:
        """Set the fixed value, and restore the current value at the end."""
        with self.kept():
            self.put(self.fixed)
            yield


def _folder() -> str:
    with contextlib.suppress(OSError):
        return os.getcwd()
    return ""  # the folder has been deleted, and a process that leaves it can't return


def _go_to(folder: str) -> None:
    with contextlib.suppress(OSError):
        os.chdir(folder if _folder() else ".")


def _draw_from(state: Any) -> None:
    with contextlib.suppress(ValueError):  # a student has chosen another kind of generator
        np.random.set_state(state)


def _where_it_differs(get: Callable[[], Any], put: Callable[[Any], object]) -> Callable[[Any], object]:
    return lambda value: None if value == get() else put(value)


_usual_limit = max(1_000, sys.getrecursionlimit())
_PLAIN = [
    _Setting(sys.getrecursionlimit, sys.setrecursionlimit, _usual_limit, "sys.setrecursionlimit({})"),
    _Setting(np.geterr, lambda to: np.seterr(**to), dict.fromkeys(np.geterr(), "ignore")),
    _Setting(np.get_printoptions, lambda to: np.set_printoptions(**to), _PRINTED),
    _Setting(random.getstate, random.setstate, random.Random(0).getstate()),
    _Setting(lambda: np.random.get_state(legacy=False), _draw_from, np.random.RandomState(0).get_state(legacy=False)),
    _Setting(lambda: locale.setlocale(locale.LC_NUMERIC), lambda to: locale.setlocale(locale.LC_NUMERIC, to), "C"),
    _Setting(_folder, _go_to, _COURSE),
]


@functools.cache
def _of_torch(torch: Any) -> list[_Setting]:
    def deterministic() -> tuple[bool, bool]:
        return torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()

    # Setting this loads PyTorch's compiler, which takes seconds.
    set_deterministic = _where_it_differs(
        deterministic, lambda to: torch.use_deterministic_algorithms(*to[:1], warn_only=to[1])
    )
    threads, precision = torch.get_num_threads, torch.get_float32_matmul_precision
    draws = torch.default_generator
    return [
        _Setting(torch.get_default_dtype, torch.set_default_dtype, torch.float32, "torch.set_default_dtype({})"),
        _Setting(torch.is_grad_enabled, torch.set_grad_enabled, True, "torch.set_grad_enabled({})"),
        _Setting(deterministic, set_deterministic, (False, False), "torch.use_deterministic_algorithms(True)"),
        _Setting(precision, torch.set_float32_matmul_precision, "highest", "torch.set_float32_matmul_precision({!r})"),
        _Setting(threads, _where_it_differs(threads, torch.set_num_threads), 1),
        _Setting(draws.get_state, draws.set_state, torch.Generator("cpu").manual_seed(0).get_state()),
    ]


def _settings() -> list[_Setting]:
    return _PLAIN + (_of_torch(sys.modules["torch"]) if "torch" in sys.modules else [])


def _modes() -> dict[str, contextlib.AbstractContextManager]:
    """Return, for each active mode of PyTorch, the line that enters it -> a context that suspends it."""
    torch = sys.modules.get("torch")
    if torch is None:
        return {}
    device, modes = torch.get_default_device(), {}
    if torch.is_inference_mode_enabled():
        modes["torch.inference_mode()"] = torch.inference_mode(False)
    if torch.is_autocast_enabled("cpu"):
        modes["torch.autocast"] = torch.autocast("cpu", enabled=False)
    if device.type != "cpu":
        modes[f'torch.set_default_device("{device}")'] = torch.device("cpu")
    return modes


@functools.cache
def _originals(module: types.ModuleType) -> dict[str, Any]:
    """Return a module's functions by name, as they are at the first call."""
    functions = {name: value for name, value in vars(module).items() if callable(value) and not isinstance(value, type)}
    return {name: value for name, value in functions.items() if name[0] != "_" and name != "input"}


def _replaced() -> list[tuple[types.ModuleType, str]]:
    """Return the module and name of each function of Python, NumPy and PyTorch that a student has replaced."""
    modules = [(sys.modules[name], vars(sys.modules[name])) for name in _MODULES if name in sys.modules]
    return [
        (module, name)
        for module, now in modules
        for name, original in _originals(module).items()
        if now.get(name) is not original
    ]


_replaced()  # caches the original functions now


@contextlib.contextmanager
def _with_originals() -> Iterator[None]:
    found = [(module, name, vars(module).get(name)) for module, name in _replaced()]
    for module, name, _ in found:
        setattr(module, name, _originals(module)[name])
    try:
        yield
    finally:
        for module, name, value in found:
            setattr(module, name, value)


def _unusual() -> tuple[str, ...]:
    """Return the lines of code for the student's settings that may change a result."""
    telling = [(setting, setting.get()) for setting in _settings() if setting.written]
    changed = [setting.written.format(value) for setting, value in telling if value != setting.fixed]
    return (*changed, *_modes(), *(f"{module.__name__}.{name} = …" for module, name in _replaced()))


_judging: contextlib.ExitStack | None = None  # while the fixed state is set, the stack that restores the student's


def _fix() -> contextlib.ExitStack:
    global _judging
    _judging = contextlib.ExitStack()
    _judging.enter_context(_with_originals())
    _judging.enter_context(warnings.catch_warnings())
    warnings.resetwarnings()
    warnings.simplefilter("ignore")
    for context in (*_modes().values(), *(setting.as_fixed() for setting in _settings())):
        _judging.enter_context(context)
    return _judging


@contextlib.contextmanager
def fixed_state() -> Iterator[tuple[str, ...]]:
    """Set the judge's state, and restore the student's at the end, even where the answer has changed it.

    Yield the lines of code for the student's unusual settings that may change a result.
    """
    global _judging
    if _judging is not None:
        yield ()
        return
    with contextlib.ExitStack() as student:
        unusual = _unusual()
        for setting in _settings():
            student.enter_context(setting.kept())
        try:
            _fix()
            yield unusual
        finally:
            _judging.close()
            _judging = None


@contextlib.contextmanager
def students_state() -> Iterator[None]:
    """Restore the student's state for a while; changes in it last until the next time."""
    global _judging
    if _judging is None:
        yield
        return
    _judging.close()
    _judging = None
    try:
        yield
    finally:
        _fix()
