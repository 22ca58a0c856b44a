"""Calls as students make them and files as disks leave them, by the thousand: `make fuzz`, five minutes of them.

A target is something to call, arguments that fit it, and what is true of a right answer. Of every second call one
argument is spoilt. Three things may come of it: a right answer; one clear sentence, raised by our own code; and where
the argument was of a foreign kind, Python's own TypeError or AttributeError. Everything else is a failure: an answer
that is wrong, NaN from finite numbers, another error, more than five seconds, more than two gigabytes.

The targets are in tests/fuzz_targets.py; what failed is printed with the smallest arguments found.
Whatever has failed once stays, as a test of its own.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import re
import signal
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[1]
SECONDS, BYTES = 5, 2 * 2**30  # what no call may take


@dataclasses.dataclass(frozen=True)
class Target:
    """`arguments` fit `call`, which returns an answer of which `right` is true."""

    call: Callable[..., Any]
    arguments: st.SearchStrategy[Sequence[Any]]
    right: Callable[..., bool] = lambda answer, *_: True
    spoils: bool = True  # its arguments; where False, they are spoilt already
    name: str = ""  # where it is not that of `call`

    def __str__(self) -> str:
        return self.name or self.call.__name__


# --- arguments --------------------------------------------------------------------------------------------------

SCALES = (1.0, 1.0, 1.0, 0.0, 1e-300, 1e-9, 30.0, 1e6, 1e154, 1e307)
FOREIGN = (None, "text", b"bytes", {}, {"a": 1}, object(), [], [None], [["a"]], [[1], [1, 2]], 1j, len, range(3))
ODD = (0, 1, -1, 2, 3.0, 2.5, True, math.nan, math.inf, -math.inf, 10**30, -(10**30), 1e308, 5e-324)
texts = st.text(max_size=30) | st.sampled_from(
    ["The weather is great.", "low lower lowest", "هوا عالی است.", "e\u0301 🙂"]
)
words = st.lists(texts, min_size=1, max_size=6)
small = st.integers(1, 6)


@st.composite
def numbers(draw: Callable[..., Any], shapes: str) -> list[np.ndarray]:
    """An array for each of `shapes`: "N d, d k" are two, the second with as many rows as the first has columns."""
    sizes = {letter: draw(small) for letter in sorted(set(re.findall(r"\w", shapes)))}
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    wanted = [tuple(sizes[letter] for letter in shape.split()) for shape in shapes.split(",")]
    return [generator.normal(size=shape) * draw(st.sampled_from(SCALES)) for shape in wanted]


def with_more(shapes: str, *others: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    """Arrays, then what `others` give."""
    return st.tuples(numbers(shapes), st.tuples(*others)).map(lambda both: [*both[0], *both[1]])


def bent(value: Any, how: int) -> Any:
    """`value` with something wrong about it: a row less, NaN, another rank, text in it, another type."""
    array = value.numpy(force=True) if isinstance(value, torch.Tensor) else value
    if not isinstance(array, np.ndarray | list | tuple | str) or not len(array):
        return [value]
    if isinstance(array, str | tuple | list):
        return (array[:-1], array * 2, list(array), array[::-1], [array], array[0])[how % 6]
    spoilt = array.astype(np.float64)
    spoilt.flat[how % max(1, array.size)] = (math.nan, math.inf, -math.inf, 1e308)[how % 4]
    changes = (array[:-1], array[None], array[..., :-1], array.T, array.tolist(), array.astype(str), spoilt, spoilt)
    changed = (*changes, array.astype(object), array.astype(np.int8), array > 0, array * 1j)[how % 12]
    if isinstance(value, torch.Tensor) and isinstance(changed, np.ndarray) and changed.dtype.kind in "fbi":
        return torch.from_numpy(np.ascontiguousarray(changed))
    return changed


@st.composite
def spoilt(draw: Callable[..., Any], target: Target) -> tuple[list[Any], bool]:
    """The target's arguments, of which one may be spoilt, and whether a kind of object then came in that is foreign."""
    arguments = list(draw(target.arguments))
    how = draw(st.integers(0, 5)) if target.spoils and arguments else 0
    if how < 3:
        return arguments, not target.spoils
    place = draw(st.integers(0, len(arguments) - 1))
    options = (FOREIGN, ODD)[how % 2] if how > 3 else [bent(arguments[place], draw(st.integers(0, 59)))]
    before, arguments[place] = arguments[place], draw(st.sampled_from(options))
    return arguments, kind_of(before) != kind_of(arguments[place])


def kind_of(value: Any) -> str:
    """Arrays are of the kind of their numbers, lists of that of what is in them."""
    if isinstance(value, np.ndarray | torch.Tensor):
        return str(value.dtype)
    inside = [kind_of(part) for part in value] if isinstance(value, list | tuple) else []
    return f"{type(value).__name__} {sorted(set(inside))}"


# --- what comes of it -------------------------------------------------------------------------------------------


class Failure(AssertionError):
    """What no call may do."""


def outcome(target: Target, arguments: Sequence[Any], foreign: bool) -> str:
    """ "right", "sentence" or "foreign". Raises Failure for anything else."""
    try:
        with limits():
            answer = target.call(*arguments)
            if finite(arguments) and not target.right(answer, *arguments):  # NaN for NaN is right
                raise Failure(f"a wrong answer: {answer!r:.300}")
        return "right"
    except Failure:
        raise
    except Exception as error:
        frames = [Path(frame.filename) for frame in traceback.extract_tb(error.__traceback__)]
        ours = frames[-1].is_relative_to(ROOT / "utils") or frames[-1].is_relative_to(ROOT / "lessons")
        said = str(error)
        if ours and isinstance(error, ValueError | TypeError | OSError) and re.fullmatch(r"[^\n]+[.!?]", said):
            return "sentence"
        if foreign and isinstance(error, TypeError | AttributeError):
            return "foreign"
        raise Failure(f"{type(error).__name__}, {said[:300]!r}, at {frames[-1]}") from error


@contextlib.contextmanager
def limits() -> Iterator[None]:
    """Inside, what takes too long or too much memory is a failure, where the system can tell."""

    def too_long(*_: Any) -> None:
        raise Failure(f"more than {SECONDS} seconds")

    if not hasattr(signal, "setitimer"):
        yield
        return
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # of work: a busy machine is no failure
    try:
        if Path("/proc/self/statm").exists():
            now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (now + BYTES, most[1]))
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, most)


def finite(answer: Any, *_: Any) -> bool:
    """Whether all numbers in it are."""
    if isinstance(answer, torch.Tensor):
        return not answer.is_floating_point() or bool(torch.isfinite(answer).all())
    if isinstance(answer, np.ndarray | float):
        return np.asarray(answer).dtype.kind not in "fc" or bool(np.isfinite(answer).all())
    if dataclasses.is_dataclass(answer):
        return finite([getattr(answer, field.name) for field in dataclasses.fields(answer)])
    if isinstance(answer, Mapping):
        return finite(list(answer.values()))
    return not isinstance(answer, list | tuple) or all(map(finite, answer))


def shares(answer: Any, *_: Any) -> bool:
    """Rows of weights, each summing to 1, or to 0 where all is masked."""
    weights = answer[1] if isinstance(answer, tuple) else getattr(answer, "weights", answer)
    weights = np.asarray(weights)
    sums = weights.sum(axis=-1)
    return finite(answer) and bool((weights >= 0).all() and np.isclose(sums[..., None], [0, 1]).any(axis=-1).all())


def as_json(answer: Any, *_: Any) -> bool:
    """Whether the page can be told: JSON without NaN."""
    json.dumps(answer, allow_nan=False)
    return True


def run(target: Target, cases: int, number: int = 0) -> Counter[str]:
    """How often which outcome came of `cases` calls, made from the seed `number`. Raises Failure at the first other."""
    counts: Counter[str] = Counter()

    @seed(number)
    @settings(
        max_examples=cases,
        deadline=None,
        database=None,
        verbosity=Verbosity.quiet,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(spoilt(target))
    def go(case: tuple[list[Any], bool]) -> None:
        try:
            counts[outcome(target, *case)] += 1
        except Failure as failure:
            arguments = ", ".join(f"{argument!r:.200}" for argument in case[0])
            raise Failure(f"{target}({arguments}): {failure}") from None

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        go()
    return counts
