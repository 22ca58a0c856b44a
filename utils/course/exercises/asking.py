"""A student's function is called as it is: on a copy of each input, and a few times more."""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from utils.course.exercises.own_state import students_state
from utils.course.exercises.results import plain
from utils.course.exercises.values import same_value
from utils.course.exercises.words import FindingError

Inputs = tuple[Any, ...]
State = Callable[[], contextlib.AbstractContextManager]

MORE_CALLS = 32  # beyond one for each input: whether what is said of a size or an argument holds elsewhere
MORE_SECONDS = 0.5  # of processor time that these may take in all
LONGEST_WAIT = 2.0  # on the clock, for what sleeps, or for a machine with much to do: a student waits
SECOND_CALLS = 12  # of each input, at most: a draw may give the same a few times
SECOND_SECONDS = 0.01  # of processor time that they may take in all, after the first
SEARCH_SECONDS = 1.2  # of processor time in which a mistake is looked for; then less is said
_HEARD = 20_000  # letters of what a function prints


@dataclass(frozen=True)
class Outcome:
    """What a function did with one input: the value it returned, as plain data, or the exception it raised."""

    value: Any = None
    error: BaseException | None = None
    changed: int | None = None  # the first argument that it has changed, counted from 0
    printed: str = ""


class Elsewhere:
    """A function that runs in another process, and says itself what it does with a copy of its inputs."""

    def outcome(self, inputs: Inputs) -> Outcome:
        """What it does with `inputs`."""
        raise NotImplementedError

    def __call__(self, *inputs: Any) -> Any:
        """Return what it gives, or raise what it raises."""
        outcome = self.outcome(inputs)
        if outcome.error is not None:
            raise outcome.error
        return outcome.value


class TriedAnswer:
    """A student's function with what it gave for each of `cases`, in the notebook's own `state`, or in the judge's."""

    def __init__(self, function: Callable[..., Any], cases: Sequence[Inputs], state: State = students_state) -> None:
        self.function, self._cases, self._state = function, cases, state
        begun, defaults = _times(), _defaults(function)
        self.outcomes = [run(function, case, state) for case in cases]
        self.kept = next((name for name, value in _defaults(function).items() if value != defaults[name]), None)
        self._a_call = _since(begun) / max(1, len(cases))
        self._left, self._spent = MORE_CALLS, np.zeros(2)

    def again(self, inputs: Inputs) -> Outcome | None:
        """What it does with further inputs; None when it has been asked often or long enough."""
        if self._left == 0 or (self._spent + self._a_call > (MORE_SECONDS, LONGEST_WAIT)).any():
            return None
        begun, self._left = _times(), self._left - 1
        outcome = run(self.function, inputs, self._state)
        self._spent += _since(begun)
        return outcome

    def gives_two_results(self) -> bool:
        """Whether another call with the same input gives something else."""
        until, seconds = time.process_time() + SECOND_SECONDS, []
        with self._state():
            for case, first in [*zip(self._cases, self.outcomes, strict=True)] * SECOND_CALLS:
                seconds.append((first, run(self.function, case)))
                if time.process_time() > until:
                    break
        return not all(agree(first, second) or same_error(first, second) for first, second in seconds)


def _defaults(function: Callable[..., Any]) -> dict[str, int]:
    """Return how long the lists, sets and dicts are that a function has as defaults."""
    function = getattr(function, "written", None) or function
    parameters = inspect.signature(function).parameters.values() if inspect.isfunction(function) else ()
    return {one.name: len(one.default) for one in parameters if type(one.default) in (list, set, dict)}


def _times() -> np.ndarray:
    """The processor's time, and the clock's."""
    return np.array([time.process_time(), time.perf_counter()])


def _since(begun: np.ndarray) -> np.ndarray:
    return _times() - begun


def run(function: Callable[..., Any], inputs: Inputs, state: State = contextlib.nullcontext) -> Outcome:
    """What `function` does in `state` with a copy of `inputs`, whatever it is; only a student's stop goes on up."""
    if isinstance(function, Elsewhere):
        return function.outcome(inputs)
    own, said = copy.deepcopy(inputs), _Heard()
    try:
        with contextlib.redirect_stdout(said), _unheard():
            with state(), _unheard():
                value = function(*own)
            value = plain(value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Outcome(error=error, printed=said.getvalue())
    both = enumerate(zip(own, inputs, strict=True))
    changed = next((i for i, (a, b) in both if not same_value(plain(a), plain(b))), None)
    return Outcome(value, changed=changed, printed=said.getvalue())


@contextlib.contextmanager
def _unheard() -> Iterator[None]:
    """Leave warnings unsaid."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


class _Heard(io.StringIO):
    """The beginning of what is printed; it can't be closed."""

    def write(self, text: str) -> int:
        super().write(text[: max(0, _HEARD - self.tell())])
        return len(text)

    def close(self) -> None:
        pass


def agree(a: Outcome, b: Outcome) -> bool:
    """Whether both returned the same. What raises returns nothing, so two errors agree in nothing."""
    return a.error is None and b.error is None and same_value(a.value, b.value)


def same_error(a: Outcome, b: Outcome) -> bool:
    """Whether both stopped with the same kind of exception, or an exercise says the same of both."""
    said = isinstance(a.error, FindingError)
    return a.error is not None and type(a.error) is type(b.error) and (not said or a.error.args == b.error.args)


def all_agree(some: Sequence[Outcome], others: Sequence[Outcome]) -> bool:
    """Whether all of `some` agree with those of `others` that are counted with them."""
    return all(map(agree, some, others))
