"""Call a student's function, unchanged, on a copy of each input and on a few more."""

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
from utils.course.exercises.students_code import written
from utils.course.exercises.values import same_value
from utils.course.exercises.words import FindingError

Inputs = tuple[Any, ...]
State = Callable[[], contextlib.AbstractContextManager]

MORE_CALLS = 32  # extra calls, to test whether a finding on a size or an argument also holds on other inputs
MORE_SECONDS = 0.5  # on the clock `_now`, for all extra calls
SECOND_CALLS = 12  # the most repeated calls of each input, because a random function may repeat a result
SECOND_SECONDS = 0.01  # on the clock `_now`, for all repeated calls, after the first
SEARCH_SECONDS = 1.2  # of processor time for the search for a mistake; then the diagnosis says less
_HEARD = 20_000  # the most letters to keep of a function's printed output


@dataclass(frozen=True)
class Outcome:
    """The outcome of one call: the value that the function returned, as plain data, or the exception that it raised."""

    value: Any = None
    error: BaseException | None = None
    changed: int | None = None  # the index of the first argument that the function has changed
    printed: str = ""


class Elsewhere:
    """A function that runs in another process and reports the outcome itself."""

    def outcome(self, inputs: Inputs) -> Outcome:
        """Return the outcome for a copy of `inputs`."""
        raise NotImplementedError

    def __call__(self, *inputs: Any) -> Any:
        """Return the function's result, or raise the function's exception."""
        outcome = self.outcome(inputs)
        if outcome.error is not None:
            raise outcome.error
        return outcome.value


class TriedAnswer:
    """A student's function and its outcome for each of `cases`, in the notebook's own `state` or in the judge's."""

    def __init__(self, function: Callable[..., Any], cases: Sequence[Inputs], state: State = students_state) -> None:
        self.function, self._cases, self._state = function, cases, state
        begun, defaults = _now(), _defaults(function)
        self.outcomes = [run(function, case, state) for case in cases]
        self.kept = next((name for name, value in _defaults(function).items() if value != defaults[name]), None)
        self._a_call = (_now() - begun) / max(1, len(cases))
        self._left, self._spent = MORE_CALLS, 0.0

    def again(self, inputs: Inputs) -> Outcome | None:
        """Return the outcome for further inputs, or None if the limit of calls or time is reached."""
        if self._left == 0 or self._spent + self._a_call > MORE_SECONDS:
            return None
        begun, self._left = _now(), self._left - 1
        outcome = run(self.function, inputs, self._state)
        self._spent += _now() - begun
        return outcome

    def gives_two_results(self) -> bool:
        """Return whether another call with the same input gives another outcome."""
        until, seconds = _now() + SECOND_SECONDS, []
        with self._state():
            for case, first in [*zip(self._cases, self.outcomes, strict=True)] * SECOND_CALLS:
                seconds.append((first, run(self.function, case)))
                if _now() > until:
                    break
        return not all(agree(first, second) or same_error(first, second) for first, second in seconds)


def _now() -> float:
    """Return the processor time plus a tenth of the wall time, in seconds, so that a function that sleeps uses some."""
    return time.process_time() + time.perf_counter() / 10


def _defaults(function: Callable[..., Any]) -> dict[str, int]:
    """Return parameter name -> length of its default value, for defaults that are lists, sets or dicts."""
    own = written(function)
    parameters = inspect.signature(own).parameters.values() if own else ()
    return {one.name: len(one.default) for one in parameters if type(one.default) in (list, set, dict)}


def run(function: Callable[..., Any], inputs: Inputs, state: State = contextlib.nullcontext) -> Outcome:
    """Return the outcome of `function` in `state` for a copy of `inputs`. Let only KeyboardInterrupt pass."""
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
    """Suppress warnings."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


class _Heard(io.StringIO):
    """A stream that keeps only the beginning of the output and can't be closed."""

    def write(self, text: str) -> int:
        super().write(text[: max(0, _HEARD - self.tell())])
        return len(text)

    def close(self) -> None:
        pass


def agree(a: Outcome, b: Outcome) -> bool:
    """Return whether both functions returned the same value. An error agrees with nothing, not even with an error."""
    return a.error is None and b.error is None and same_value(a.value, b.value)


def same_error(a: Outcome, b: Outcome) -> bool:
    """Return whether both functions raised exceptions of the same type, and for FindingError of the same text."""
    said = isinstance(a.error, FindingError)
    return a.error is not None and type(a.error) is type(b.error) and (not said or a.error.args == b.error.args)


def all_agree(some: Sequence[Outcome], others: Sequence[Outcome]) -> bool:
    """Return whether each outcome in `some` agrees with the one in `others` at the same index."""
    return all(map(agree, some, others))
