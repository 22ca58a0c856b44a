"""Find how a wrong result is related to the correct one: transposed, off by one factor, without its last row, …

A relation must hold on every input. If a sentence is about one input, it is about the first, which the student sees.
The tables at the end give the order in which relations are tried.
"""

from __future__ import annotations

import functools
import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from utils.by_hand.attention import softmax
from utils.course.exercises.findings import Case, Finding, Kind, first_place, number, say
from utils.course.exercises.values import as_array, close, has_parts, same_value
from utils.course.exercises.words import is_close, of_a_value, parts_of, shown

Array = np.ndarray
Arrays = Sequence[tuple[Array, Array]]  # the given and the correct result for each case
Find = Callable[[Sequence[Case], Arrays], Finding | None]
# A step; the finding if the student took it after the correct result; the finding if the student still has to take it.
Step = tuple[Callable[[Array], Array | None], Finding | None, Finding | None]


def relation(cases: Sequence[Case], parts: Sequence[str] = ()) -> Finding | None:
    """Return the first relation that explains all `cases`, or None.

    parts: the names of the compared values, if these differ from the answer's results.
    """
    several = all(isinstance(case.right, tuple) and has_parts(case.given) for case in cases)
    n = len(cases[0].right) if several else 0
    apart = several and (as_array(cases[0].right) is None or any(map(has_parts, cases[0].right)))  # no pair of ids
    if (apart or parts) and all(len(case.given) == len(case.right) == n for case in cases):
        return _of_parts(cases, parts or parts_of(cases[0].right))
    for which, at in (("first", 0), ("last", -1)) if apart else ():
        if all(same_value(case.given, case.right[at]) for case in cases):
            return say(Kind.ONE_LINE, which=which, line="value")
    if found := _first(_RELATIONS, _OF_OTHER_SHAPES, cases):
        return found
    listed = all(has_parts(case.given) and has_parts(case.right) and as_array(case.right) is None for case in cases)
    return _of_lists(cases) if listed and not several else None


def partly(cases: Sequence[Case]) -> Finding | None:
    """Return a finding on which part of the result is correct, or None. Call it if no relation explains the result."""
    return _first(_PARTLY, (_sequence,), cases)


def _first(of_one_shape: Sequence[Find], of_others: Sequence[Find], cases: Sequence[Case]) -> Finding | None:
    """Return the first finding of `of_one_shape` if all shapes are correct, else of `of_others`, or None."""
    arrays = [(as_array(case.given), as_array(case.right)) for case in cases]
    if any(array is None for pair in arrays for array in pair):
        return None
    relations = of_one_shape if all(given.shape == right.shape for given, right in arrays) else of_others
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the mean of nothing
        return next(filter(None, (find(cases, arrays) for find in relations)), None)


# --- numbers in another arrangement, or too few or too many of them --------------------------------------------------

_ENDS = (("first", 0, slice(1, None)), ("last", -1, slice(-1)))  # which entry, and the others


def _line(ndim: int, axis: int, several: bool = False) -> str:
    """Return the name of the parts along an axis: row, column or entry."""
    if ndim == 2:
        return ("row", "column")[axis] + "s" * several
    return ("entries" if several else "entry") + f" along axis {axis}" * (ndim > 1)


def _at(array: Array, axis: int, part: int | list[int] | slice) -> Array | None:
    return array[(slice(None),) * axis + (part,)] if array.shape[axis] > 1 else None


def _arrangements(ndim: int) -> Iterator[Step]:
    """Yield the ways to rearrange or reduce an array of `ndim` axes."""
    if ndim == 2:
        yield np.transpose, say(Kind.TRANSPOSED), None
    if ndim > 2:
        for axes in itertools.islice(itertools.permutations(range(ndim)), 1, None):  # all except the original order
            yield lambda x, axes=axes: x.transpose(axes), say(Kind.AXES, order=f"({', '.join(map(str, axes))})"), None
    for axis in range(ndim):
        lines = _line(ndim, axis, several=True)
        yield lambda x, a=axis: np.flip(x, a), say(Kind.BACKWARDS, lines=lines), None
        for by, which in ((1, "the last comes first"), (-1, "the first comes last")):
            yield lambda x, a=axis, by=by: np.roll(x, by, a), say(Kind.MOVED_ON, lines=lines, which=which), None
    for axis in range(ndim):
        line, along = _line(ndim, axis), f" along axis {axis}" * (ndim > 1)
        for which, one, rest in _ENDS:
            of_it = {"which": which, "line": line}
            for part in (one, [one]):
                alone = say(Kind.ONE_LINE, **of_it), say(Kind.ONE_ASKED, **of_it)
                yield lambda x, a=axis, part=part: _at(x, a, part), *alone
            left = say(Kind.MISSING, **of_it), say(Kind.TOO_MANY, **of_it)
            yield lambda x, a=axis, part=rest: _at(x, a, part), *left
        for total, how, missing in (
            (np.sum, "added up", say(Kind.NOT_ADDED, total=f"the sum{along}")),
            (np.mean, "averaged", say(Kind.LAST_STEP, step=f"take the mean{along}")),
        ):
            combined = say(Kind.COMBINED, how=how, along=along)
            yield lambda x, a=axis, total=total: total(x, a) if x.shape[a] > 1 else None, combined, missing
    yield np.sum, None, say(Kind.NOT_ADDED, total="their sum")


def _arranged(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """Find the correct numbers in another arrangement, a part of them, or their sum; or find that this is missing."""
    given, right = zip(*arrays, strict=True)
    for step, done, _ in _arrangements(max(array.ndim for array in right)):
        if done and all(_equal(g, _tried(step, r)) for g, r in arrays):
            return done
    if all(g.ndim != r.ndim and g.size == r.size and _equal(g, r.reshape(g.shape)) for g, r in arrays):
        return say(Kind.RESHAPED, own=given[0].shape, shape=right[0].shape)
    for step, _, missing in _arrangements(max(array.ndim for array in given)):
        if missing and all(_equal(_tried(step, g), r) for g, r in arrays):
            return missing
    return None


def _reordered(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    for axis in range(2):
        ordered = lambda x, axis=axis: np.array(sorted(np.moveaxis(x, axis, 0).tolist()))  # noqa: E731
        if all(2 >= g.ndim > axis and _equal(ordered(g), ordered(r)) for g, r in arrays):
            return say(Kind.REORDERED, lines=_line(arrays[0][1].ndim, axis, several=True))
    return None


def _sequence(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """Find up to which entry flat lists of different lengths agree."""
    flat = all(g.ndim == r.ndim == 1 for g, r in arrays)
    return _as_far_as([(list(g), list(r)) for g, r in arrays]) if flat else None


def _as_far_as(lists: Sequence[tuple[list, list]]) -> Finding | None:
    if all(_same_list(g, r[: len(g)]) for g, r in lists):
        return say(Kind.ENDS_EARLY)
    given, right = lists[0]
    at = next((i for i, (a, b) in enumerate(zip(given, right, strict=False)) if not same_value(a, b)), 0)
    return say(Kind.UP_TO, at=at, own=shown(given[at]), right=shown(right[at])) if 2 * at >= len(right) else None


# --- every entry changed in one way ----------------------------------------------------------------------------------

# Steps that may be missing at the end, or one too many.
_LAST: dict[str, Callable[[Array], Array]] = {
    "square root": np.sqrt,
    "square": np.square,
    "exponential": np.exp,
    "logarithm": np.log,
    "logarithm with a minus": lambda x: -np.log(x),
    "softmax of each row": softmax,
    "norm of each row": lambda x: (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}
_SHARED: dict[str, Callable[[Array], Array | None]] = {
    "your numbers by their sum": lambda x: x / x.sum() if x.ndim == 1 else None,
    "each row by its sum": lambda x: x / x.sum(-1, keepdims=True),
    "each column by its sum": lambda x: x / x.sum(0, keepdims=True),
    "everything by its sum": lambda x: x / x.sum(),
    "your numbers by their length": lambda x: x / np.linalg.norm(x) if x.ndim == 1 else None,
    "each row by its length": lambda x: x / np.linalg.norm(x, axis=-1, keepdims=True),
}
_STEPS: list[Step] = [
    (lambda x: 1 - x if x.dtype == bool else None, say(Kind.INVERTED), None),
    (lambda x: 1 - x, say(Kind.ONE_MINUS), None),
    (lambda x: 1 / x, say(Kind.RECIPROCAL), None),
    (lambda x: np.abs(x) if (x > 0).any() else None, say(Kind.NO_SIGNS), None),  # otherwise it is reversed
    *((step, say(Kind.STEP_TOO_MANY, step=name), say(Kind.STEP_MISSING, step=name)) for name, step in _LAST.items()),
    *((step, say(Kind.DONE_TOO_MUCH, what=what), say(Kind.YET_TO_DO, what=what)) for what, step in _SHARED.items()),
]


def _stepped(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    sides = [np.concatenate([array.ravel() for array in side]) for side in zip(*arrays, strict=True)]
    if any(same_value(numbers, np.full(numbers.shape, numbers[0])) for numbers in sides):
        return None  # equal numbers can agree accidentally
    for step, done, missing in _STEPS:
        if done and all(_equal(given, _tried(step, right)) for given, right in arrays):
            return done
        if missing and all(_equal(_tried(step, given), right) for given, right in arrays):
            return missing
    return None


def _cut(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """Find numbers that are correct except for decimals that were cut off."""
    return _integers(cases, arrays) if all(_equal(g, np.trunc(r)) for g, r in arrays) else None


def _integers(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """Find integers in place of numbers with decimals."""
    all_are = all(g.dtype.kind in "iu" and r.dtype.kind == "f" for g, r in arrays)
    return say(Kind.CUT) if all_are and any((r % 1).any() for _, r in arrays) else None


def _rounded(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    for decimals in range(7):
        if all(r.dtype.kind == "f" and _equal(g, np.round(r, decimals)) for g, r in arrays):
            return say(Kind.ROUNDED, decimals=decimals)
    return None


# --- a number that has a name ----------------------------------------------------------------------------------------

_CONSTANTS = {"ln 2": np.log(2), "1/ln 2": 1 / np.log(2), "ln 10": np.log(10), "1/ln 10": 1 / np.log(10)}
_OF_ONE: dict[str, Callable[[Array], Array]] = {
    "{}": lambda n: n, "√{}": np.sqrt, "1/{}": lambda n: 1 / n, "1/√{}": lambda n: 1 / np.sqrt(n),
    "{}²": np.square, "{}/2": lambda n: n / 2, "2 · {}": lambda n: 2 * n, "1/{}²": lambda n: 1 / n**2,
    "({0} − 1) / {0}": lambda n: (n - 1) / n, "{0} / ({0} − 1)": lambda n: n / (n - 1),
    "√(({0} − 1) / {0})": lambda n: np.sqrt((n - 1) / n),
}  # fmt: skip
_OF_TWO: dict[str, Callable[[Array, Array], Array]] = {
    "{} · {}": lambda m, n: m * n, "{} / {}": lambda m, n: m / n, "√({} / {})": lambda m, n: np.sqrt(m / n),
    "1/({} · {})": lambda m, n: 1 / (m * n),
}  # fmt: skip


def _sizes(inputs: dict[str, Any]) -> dict[str, float]:
    """Return code -> value for the nonzero numbers of an input: plain numbers, and sizes of arrays and texts."""
    found: dict[str, float] = {}
    for name, value in inputs.items():
        array = as_array(value)
        if array is not None and array.ndim == 0:
            found[f"`{name}`"] = float(array)
        elif array is not None and array.ndim > 1 and not isinstance(value, list | tuple):
            found |= {f"`{name}.shape[{axis}]`": n for axis, n in enumerate(array.shape)}
        elif hasattr(value, "__len__"):
            found[f"`len({name})`"] = len(value)
    return {called: size for called, size in found.items() if size != 0}


def _named(numbers: Sequence[float], cases: Sequence[Case]) -> str | None:
    """Return `numbers`, one for each case, as one number or a formula of one or two sizes, as text; otherwise None."""
    if not np.isfinite(numbers).all():
        return None
    same = lambda others: np.allclose(numbers, others, rtol=1e-6, atol=1e-9)  # noqa: E731
    signs = (("", 1), ("−", -1))
    if same(numbers[0]):
        x = float(numbers[0])
        names = [f"{sign}{name}" for name, value in _CONSTANTS.items() for sign, s in signs if same(s * value)]
        return names[0] if names else number(x, 4 if abs(float(f"{x:.4g}") - round(x)) > 1e-9 else 7)  # 1.0001 is not 1
    of_each = [_sizes(case.inputs) for case in cases]
    of = {name: np.array([each[name] for each in of_each]) for name in of_each[0] if all(name in e for e in of_each)}
    forms = itertools.chain(
        ((form.format(name), make(n)) for name, n in of.items() for form, make in _OF_ONE.items()),
        (
            (form.format(a, b), make(m, n))
            for (a, m), (b, n) in itertools.permutations(of.items(), 2)
            for form, make in _OF_TWO.items()
        ),
    )
    return next((f"{sign}{form}" for form, value in forms for sign, s in signs if same(s * value)), None)


def _constant(values: Array) -> float | None:
    """Return the number that all finite `values` equal, or None if they differ or there are none."""
    values = values[np.isfinite(values)]
    if not values.size or not np.allclose(values, values.flat[0], rtol=1e-6, atol=1e-10):
        return None
    return float(values.flat[0])


def _factor(given: Array, right: Array) -> float | None:
    """Return the factor, other than 0, by which `given` is `right` multiplied, or None if there is none."""
    if np.abs(given[right == 0]).max(initial=0) > 1e-9 or not given.any():
        return None
    return _constant(given / np.where(right == 0, np.nan, right))


# The function that finds the change; the number that means no change; its word; and the likely cause in a whole line.
_CHANGED = (
    (_factor, 1, "times", "each {} is divided or multiplied by"),
    (lambda given, right: _constant(given - right), 0, "plus", "is subtracted from each {}, or added to it"),
)


def _off_by(cases: Sequence[Case], arrays: Arrays, another_each_time: bool = False) -> Finding | None:
    """Find one factor or summand for all entries, the same one for all inputs unless `another_each_time`."""
    if not _finite(arrays) or any(right.size == 0 for _, right in arrays):
        return None
    if all(right.dtype == bool for _, right in arrays) or sum(right.size for _, right in arrays) < 2:
        return None
    which = "Every entry" if any(right.ndim for _, right in arrays) else "Your number"
    whole = all(right.dtype.kind in "iu" for _, right in arrays)
    for changed_by, nothing, how, _ in _CHANGED:
        is_factor = changed_by is _factor
        if is_factor and whole and np.unique(np.concatenate([right.ravel() for _, right in arrays])).size < 4:
            continue  # the two ids of a pair may be multiples of others accidentally
        seen = [(c, g, r) for c, (g, r) in zip(cases, _floats(arrays), strict=True)]
        seen = [(c, g, r) for c, g, r in seen if not is_factor or g.any() or r.any()]
        numbers = [changed_by(g, r) for _, g, r in seen]
        if not numbers or None in numbers or np.allclose(numbers, nothing, atol=1e-9):
            continue
        if is_factor and np.allclose(numbers, -1):
            return say(Kind.SIGN)
        if (called := _named(numbers, [case for case, _, _ in seen])) is not None:
            below = how == "plus" and called.startswith("−")
            return say(Kind.OFF_BY, which=which, how="minus" if below else how, number=called[below:])
        many = any(right.size > 3 for _, right in arrays)
        if another_each_time and many and not np.isclose(numbers[0], nothing):
            return say(Kind.OFF_BY_SOME, which=which, how=how, number=number(numbers[0]))
    return None


def _floats(arrays: Arrays) -> list[tuple[Array, Array]]:
    return [(given.astype(float), right.astype(float)) for given, right in arrays]


def _finite(arrays: Arrays) -> bool:
    return all(np.isfinite(given).all() and np.isfinite(right).all() for given, right in arrays)


def _off_by_line(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """Find a factor or a summand for each row, or for each column."""
    if not _finite(arrays) or any(r.ndim != 2 or r.dtype == bool or min(r.shape) < 2 for _, r in arrays):
        return None
    for axis, line in enumerate(("row", "column")):
        for changed_by, nothing, how, what in _CHANGED:
            lines = [zip(np.moveaxis(g, axis, 0), np.moveaxis(r, axis, 0), strict=True) for g, r in _floats(arrays)]
            numbers = [[changed_by(g, r) for g, r in of_one] for of_one in lines]
            if None in itertools.chain(*numbers) or np.allclose(numbers[0], nothing, atol=1e-9):
                continue
            first = ", ".join(map(number, numbers[0][:3])) + " …" * (len(numbers[0]) > 3)
            return say(Kind.OFF_BY_LINE, line=line, how=how, numbers=first, what=what.format(line))
    return None


def _sharpness(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """Find a softmax of the correct scores times a factor, from a wrong scale or base."""
    if not _finite(arrays) or any(r.ndim == 0 or r.dtype.kind != "f" for _, r in arrays):
        return None
    # If both give all weight to the same entry of each row, the scale of the scores doesn't show.
    one_wins = lambda g, r: np.isin(r, (0, 1)).all() and close(g, r)  # noqa: E731
    seen = [(c, pair) for c, pair in zip(cases, arrays, strict=True) if not one_wins(*pair)]
    if not seen or not all((x > 0).all() and np.allclose(x.sum(-1), 1) for _, pair in seen for x in pair):
        return None
    logs = [[np.log(x) - np.log(x).mean(-1, keepdims=True) for x in pair] for _, pair in seen]
    numbers = [_constant(g / np.where(np.abs(r) < 1e-9, np.nan, r)) for g, r in logs]
    if None in numbers or not any(np.unique(r.round(9)).size > 2 for _, r in logs):
        return None
    called = _named(numbers, [case for case, _ in seen])
    return say(Kind.SHARPNESS, by=f"{called} times" if called else "another number of times")


def _of_an_argument(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """Find a result that is an unchanged argument, the correct result plus or minus an argument, or a constant."""
    for name in cases[0].inputs:
        values = [as_array(case.inputs.get(name)) for case in cases]
        if any(value is None for value in values):
            continue
        of_each = [(v, g, r) for v, (g, r) in zip(values, arrays, strict=True)]
        if all(_equal(g, v) for v, g, _ in of_each):
            return say(Kind.UNCHANGED, name=name)
        if all(v.shape == r.shape and g.size > 1 and bool not in (v.dtype, g.dtype, r.dtype) for v, g, r in of_each):
            for sign, word in ((1, "plus"), (-1, "minus")):
                if all(_equal(g, r + sign * v) for v, g, r in of_each):
                    return say(Kind.PLUS_ARGUMENT, sign=word, name=name)
    given, right = arrays[0]
    differ = right.size and right.dtype != bool and np.ptp(right) > 1e-6
    if differ and all(g.size > 1 and np.allclose(g, g.flat[0], atol=0) for g, _ in arrays):
        return say(Kind.CONSTANT, number=number(given.flat[0]))
    if len(arrays) > 2 and all(g.size == r.size == 1 for g, r in arrays) and len({g.item() for g, _ in arrays}) == 1:
        return say(Kind.ONE_NUMBER, number=number(given.item(), 6))
    return None


# --- most of it correct ----------------------------------------------------------------------------------------------


def _mostly(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """Find the first wrong entry of a mask, or of a result in which at most a third is wrong."""
    if all(right.dtype == bool and np.isin(given, (0, 1)).all() for given, right in arrays):
        return _mask(arrays)
    wrong = [~np.isclose(g, r, rtol=1e-7, atol=1e-8, equal_nan=True) for g, r in arrays]
    if all((~w).any() for w in wrong) and 3 * sum(w.sum() for w in wrong) <= sum(w.size for w in wrong):
        here = wrong[0]
        if 0 < here.mean() <= 1 / 3:
            return say(Kind.MOSTLY, wrong=int(here.sum()), size=here.size, at=first_place(here))
    return None


def _mask(arrays: Arrays) -> Finding | None:
    """Find a mask that has too many True entries, or too many False ones."""
    more, less = ([a.astype(bool) & ~b.astype(bool) for a, b in pairs] for pairs in (arrays, [p[::-1] for p in arrays]))
    if more[0].any() and not any(m.any() for m in less):
        return say(Kind.TOO_MUCH_TRUE, at=first_place(more[0]))
    if less[0].any() and not any(m.any() for m in more):
        return say(Kind.TOO_LITTLE_TRUE, at=first_place(less[0]))
    return None


def _sums(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """Find rows that should be shares but don't sum to 1, or contain negative numbers."""
    if not _finite(arrays) or any(r.ndim == 0 or r.dtype.kind != "f" for _, r in arrays):
        return None
    if not all(np.allclose(right.sum(-1), 1) and (right >= 0).all() for _, right in arrays):
        return None
    given = arrays[0][0]
    sums = np.atleast_1d(given.sum(-1))
    off = ~np.isclose(sums, 1).ravel()
    if off.any():
        which = "Your numbers sum" if given.ndim == 1 else f"Your row {int(off.argmax())} sums"
        instead = ", as each of your columns does" if given.ndim == 2 and np.allclose(given.sum(0), 1) else ""
        return say(Kind.SUMS, which=which, sum=number(sums.ravel()[off][0]), instead=instead)
    return say(Kind.NEGATIVE, number=number(given.min())) if (given < 0).any() else None


# --- several values, and lists without numbers -----------------------------------------------------------------------


def _of_parts(cases: Sequence[Case], parts: Sequence[str]) -> Finding | None:
    """Find which of the compared values, called `parts`, are wrong, and explain the first of them."""
    n = len(parts)
    orders = itertools.islice(itertools.permutations(range(n)), 1, None)
    if any(all(same_value(c.given[i], c.right[j]) for c in cases for i, j in enumerate(order)) for order in orders):
        return say(Kind.PARTS_ORDER)
    wrong = [i for i in range(n) if not all(same_value(case.given[i], case.right[i]) for case in cases)]
    if not wrong:
        return None
    of_one = [Case(case.inputs, case.given[wrong[0]], case.right[wrong[0]]) for case in cases]
    inner = relation(of_one)
    if inner is None:
        first = next(case for case in of_one if not same_value(case.given, case.right))
        inner = of_a_value(first.given, first.right, may_be_none=True)
        if isinstance(first.right, str | int):
            inner = say(Kind.PART_IS, own=first.given or "nothing", right=first.right)
        if inner.kind in (Kind.NUMBER, Kind.NUMBERS):
            if all(is_close(case.given, case.right) for case in cases):
                return None  # the finding that all are close says more
            inner = say(Kind.COMPARE)
    if len(wrong) == 1:
        return say(Kind.ONE_PART, part=parts[wrong[0]], inner=inner)
    *before, last = (parts[i] for i in wrong)
    return say(Kind.SOME_PARTS, wrong=f"{', '.join(before)} and {last}", inner=inner)


def _of_lists(cases: Sequence[Case]) -> Finding | None:
    """Find how lists of words, of pairs, or of lists are related."""
    lists = [(list(case.given), list(case.right)) for case in cases]
    if all(_same_list(given, right[::-1]) for given, right in lists):
        return say(Kind.BACKWARDS, lines="entries")
    if all(_same_list(given, right[:1]) for given, right in lists):
        return say(Kind.FIRST_ONLY)
    if all(sorted(map(repr, given)) == sorted(map(repr, right)) for given, right in lists):
        return say(Kind.REORDERED, lines="entries")
    return _as_far_as(lists)


def _same_list(a: list, b: list) -> bool:
    return len(a) == len(b) and all(map(same_value, a, b))


# --- helpers, and the order ------------------------------------------------------------------------------------------


def _equal(a: Array | None, b: Array | None) -> bool:
    return a is not None and b is not None and np.shape(a) == np.shape(b) and close(np.asarray(a), np.asarray(b))


def _tried(step: Callable[[Any], Any], values: Any) -> Any:
    """Return the result of a step on an array or a list, or None if the step raises an error."""
    try:
        with np.errstate(all="ignore"):
            return step(values)
    except Exception:
        return None


_RELATIONS: Sequence[Find] = (
    _cut, _arranged, _of_an_argument, _stepped, _off_by, _rounded, _reordered, _sharpness, _integers,
)  # fmt: skip
_OF_OTHER_SHAPES: Sequence[Find] = (_arranged, _of_an_argument)
_PARTLY: Sequence[Find] = (functools.partial(_off_by, another_each_time=True), _off_by_line, _mostly, _sums)
