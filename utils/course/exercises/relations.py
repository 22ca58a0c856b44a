"""How a wrong result is related to the right one: transposed, off by one factor, without its last row, …

A relation is told only where it holds on every input that it is asked about. The tables at the end
say in which order they are looked for.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from utils.by_hand.attention import softmax
from utils.course.exercises.findings import Case, Finding, Kind, first_place, number, say
from utils.course.exercises.fresh import sizes, tells
from utils.course.exercises.values import as_array, close, has_parts, same_value
from utils.course.exercises.words import of_a_value, shown

Array = np.ndarray
Arrays = Sequence[tuple[Array, Array]]  # what is given and what is right, for each case
Find = Callable[[Sequence[Case], Arrays], Finding | None]
# What was done; what is said if it was done to the right result, and if it is yet to be done.
Step = tuple[Callable[[Array], Array | None], Finding | None, Finding | None]


def relation(cases: Sequence[Case], parts: Sequence[str] = ()) -> Finding | None:
    """Find the first relation that holds in all `cases`.

    parts: what the compared things are called, where they are not what an answer returns.
    """
    return _of_named(cases, parts) if parts else _first(_RELATIONS, _OF_OTHER_SHAPES, cases) or _of_parts(cases)


def partly(cases: Sequence[Case]) -> Finding | None:
    """Find which part of the result is right, where no plain relation is found."""
    return _first(_PARTLY, _PARTLY_OF_OTHER_SHAPES, cases)


def _first(of_one_shape: Sequence[Find], of_others: Sequence[Find], cases: Sequence[Case]) -> Finding | None:
    """Find the first relation among those for results of the right shape, or for others."""
    arrays = [(as_array(case.given), as_array(case.right)) for case in cases]
    if any(array is None for pair in arrays for array in pair):
        return None
    relations = of_one_shape if all(given.shape == right.shape for given, right in arrays) else of_others
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the mean of nothing
        return next(filter(None, (find(cases, arrays) for find in relations)), None)


def _of_parts(cases: Sequence[Case]) -> Finding | None:
    """Returned things of a fixed number, some of them wrong; or a list of what is no number."""
    if not all(has_parts(case.given) and has_parts(case.right) and as_array(case.right) is None for case in cases):
        return None
    if not all(isinstance(case.right, tuple) for case in cases):
        return _listed(cases)
    n = len(cases[0].right)
    if not all(len(case.right) == len(case.given) == n for case in cases):
        return None
    found = _of_named(cases, [f"number {i + 1} of the returned things" for i in range(n)])
    return found if found is None or found.kind is Kind.PARTS_ORDER or len(_wrong_parts(cases, n)) < n else None


# --- for which inputs it is right ------------------------------------------------------------------------------------

Law = Callable[[dict[str, float]], bool]


def where(
    good: Sequence[dict[str, Any]],
    bad: Sequence[dict[str, Any]],
    well: str,
    ill: str,
    is_well: Callable[[dict[str, Any]], bool | None],
) -> Finding | None:
    """Find the size that tells the inputs `good`, where an answer does `well`, from the others, and from new ones."""
    if not good or not bad:
        return None
    of_good, of_bad = ([_sizes(inputs) for inputs in some] for some in (good, bad))
    names = [name for name in of_good[0] if all(name in each for each in (*of_good, *of_bad))]
    for law, called, kind, said in _laws(of_good, names):
        if all(map(law, of_good)) and not any(map(law, of_bad)) and tells(law, called, [*good, *bad], is_well):
            return say(kind, well=well, ill=ill, **said)
    return None


def _laws(good: Sequence[dict[str, float]], names: Sequence[str]) -> Iterator[tuple[Law, list[str], Kind, dict]]:
    """Make what may tell the sizes `good` from others: a law, the sizes that it asks about, and what is said."""
    for a, b in itertools.combinations(names, 2):
        yield lambda s, a=a, b=b: s[a] == s[b], [a, b], Kind.EQUAL_SIZES, {"a": a, "b": b}
    for name in names:
        n = good[0][name]
        question = f" Does your function count on {n:g}?" if n > 1 else ""
        said = {"name": name, "size": f"{n:g}", "question": question}
        yield lambda s, name=name, n=n: s[name] == n, [name], Kind.ONE_SIZE, said


# --- numbers in another arrangement, or too few or too many of them --------------------------------------------------

_ENDS = (("first", 0, slice(1, None)), ("last", -1, slice(-1)))  # which entry, and the others


def _line(ndim: int, axis: int, several: bool = False) -> str:
    """What is counted along an axis."""
    if ndim == 2:
        return ("row", "column")[axis] + "s" * several
    return ("entries" if several else "entry") + f" along axis {axis}" * (ndim > 1)


def _at(array: Array, axis: int, part: int | list[int] | slice) -> Array | None:
    return array[(slice(None),) * axis + (part,)] if array.shape[axis] > 1 else None


def _arrangements(ndim: int) -> Iterator[Step]:
    """What may be done to an array of `ndim` axes."""
    if ndim == 2:
        yield np.transpose, say(Kind.TRANSPOSED), None
    if ndim > 2:
        for axes in itertools.islice(itertools.permutations(range(ndim)), 1, None):  # all but as they are
            order = f"({', '.join(map(str, axes))})"
            yield lambda x, axes=axes: x.transpose(axes), say(Kind.AXES, order=order), None
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
    """The right numbers in another arrangement, or a part of them, or their sum; or the reverse."""
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


def _misshapen(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """A size of the result that is that of another thing."""
    for axis in range(max(right.ndim for _, right in arrays)):
        if any(g.ndim != r.ndim or g.ndim <= axis for g, r in arrays):
            return None
        own, right = ([x.shape[axis] for x in some] for some in zip(*arrays, strict=True))
        if own != right:
            taken, asked = (_named(numbers, cases) if len(set(numbers)) > 1 else None for numbers in (own, right))
            if taken and asked and taken != asked:
                return say(Kind.SIZE, lines=_line(arrays[0][1].ndim, axis, several=True), own=taken, right=asked)
    return None


def _sequence(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """Flat lists of different lengths: how far they agree."""
    flat = all(g.ndim == r.ndim == 1 for g, r in arrays)
    return _as_far_as(cases, [(list(g), list(r)) for g, r in arrays]) if flat else None


def _as_far_as(cases: Sequence[Case], lists: Sequence[tuple[list, list]]) -> Finding | None:
    if all(same_list(g, r[: len(g)]) for g, r in lists):
        return say(Kind.ENDS_EARLY)
    case, g, r = next((case, g, r) for case, (g, r) in zip(cases, lists, strict=True) if not same_list(g, r))
    at = next((i for i, (a, b) in enumerate(zip(g, r, strict=False)) if not same_value(a, b)), 0)
    return say(Kind.UP_TO, case, at=at, own=shown(g[at]), right=shown(r[at])) if at else None


def _reordered(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    for axis in range(2):
        ordered = lambda x, axis=axis: np.array(sorted(np.moveaxis(x, axis, 0).tolist()))  # noqa: E731
        if all(2 >= g.ndim > axis and _equal(ordered(g), ordered(r)) for g, r in arrays):
            return say(Kind.REORDERED, lines=_line(arrays[0][1].ndim, axis, several=True))
    return None


# --- every entry changed in one way ----------------------------------------------------------------------------------


# What may have been done once too often, or be missing at the end.
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
    (lambda x: np.abs(x) if (x > 0).any() else None, say(Kind.NO_SIGNS), None),  # else the sign is turned, not gone
    *(
        (step, say(Kind.STEP_TOO_MANY, step=name, short=name.split(" of ")[0]), say(Kind.STEP_MISSING, step=name))
        for name, step in _LAST.items()
    ),
    *((step, say(Kind.DONE_TOO_MUCH, what=what), say(Kind.YET_TO_DO, what=what)) for what, step in _SHARED.items()),
]


def _stepped(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    if not _of_interest(arrays):
        return None
    for step, done, missing in _STEPS:
        if done and all(_equal(given, _tried(step, right)) for given, right in arrays):
            return done
        if missing and all(_equal(_tried(step, given), right) for given, right in arrays):
            return missing
    return None


def _of_interest(arrays: Arrays) -> bool:
    """Whether the numbers differ, on both sides, so that more than a chance is seen in them."""
    sides = [np.concatenate([array.ravel() for array in side]) for side in zip(*arrays, strict=True)]
    return not any(same_value(numbers, np.full(numbers.shape, numbers[0])) for numbers in sides)


def _cut(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """Right but for the decimals."""
    return _integers(cases, arrays) if all(_equal(g, np.trunc(r)) for g, r in arrays) else None


def _integers(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """Integers in the place of numbers with decimals."""
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
    "{}²": np.square, "({} − 1)": lambda n: n - 1, "({} + 1)": lambda n: n + 1,
    "{}/2": lambda n: n / 2, "2 · {}": lambda n: 2 * n, "4 · {}": lambda n: 4 * n, "1/{}²": lambda n: 1 / n**2,
    "{0} / ({0} − 1)": lambda n: n / (n - 1), "({0} − 1) / {0}": lambda n: (n - 1) / n,
    "√({0} / ({0} − 1))": lambda n: np.sqrt(n / (n - 1)), "√(({0} − 1) / {0})": lambda n: np.sqrt((n - 1) / n),
}  # fmt: skip
_OF_TWO: dict[str, Callable[[Array, Array], Array]] = {
    "{} · {}": lambda m, n: m * n, "{} / {}": lambda m, n: m / n, "√({} / {})": lambda m, n: np.sqrt(m / n),
    "√({} · {})": lambda m, n: np.sqrt(m * n), "1/({} · {})": lambda m, n: 1 / (m * n), "({} + {})": lambda m, n: m + n,
    "({} − {})": lambda m, n: m - n, "2 · {} · {}": lambda m, n: 2 * m * n,
}  # fmt: skip


def _sizes(inputs: dict[str, Any]) -> dict[str, float]:
    return {called: size for called, (_, size) in sizes(inputs).items()}


def _named(numbers: Sequence[float], cases: Sequence[Case]) -> str | None:
    """What `numbers`, one of each case, are: a constant, a size or its root, a product of two, or what is left to 1."""
    if not np.isfinite(numbers).all():
        return None
    same = lambda others: np.allclose(numbers, others, rtol=1e-6, atol=1e-9)  # noqa: E731
    if same(numbers[0]):
        x = float(numbers[0])
        names = [f"{sign}{n}" for n, value in _CONSTANTS.items() for sign, s in (("", 1), ("−", -1)) if same(s * value)]
        short = f"{x:.4g}"
        return names[0] if names else number(x, 4 if abs(float(short) - round(x)) > 1e-9 else 7)  # 1.0001 is not 1
    of_each = [_sizes(case.inputs) for case in cases]
    of = {name: np.array([each[name] for each in of_each]) for name in of_each[0] if all(name in e for e in of_each)}
    with np.errstate(all="ignore"):
        for sign, s in (("", 1), ("−", -1)):
            for form, value in _forms(of):
                if same(s * value):
                    return f"{sign}{form}"
    return None


def _forms(of: dict[str, Array]) -> Iterator[tuple[str, Array]]:
    """What may be made of the sizes `of`, by their names: of one alone, then of two."""
    for name, n in of.items():
        yield from ((form.format(name), make(n)) for form, make in _OF_ONE.items())
    for (a, m), (b, n) in itertools.permutations(of.items(), 2):
        yield from ((form.format(a, b), make(m, n)) for form, make in _OF_TWO.items())


def _factor(given: Array, right: Array) -> float | None:
    if np.abs(given[right == 0]).max(initial=0) > 1e-9:
        return None
    return _constant(given / np.where(right == 0, np.nan, right))


# What all entries have been changed by; the number that changes nothing; how; and what may change a whole line so.
_CHANGED = (
    (_factor, 1, "times", "each {} is divided or multiplied by"),
    (lambda given, right: _constant(given - right), 0, "plus", "is taken off each {}, or added to it"),
)


def _constant(values: Array) -> float | None:
    """The number that all of `values` are, where they are numbers; None if they differ."""
    values = values[np.isfinite(values)]
    if not values.size or not np.allclose(values, values.flat[0], rtol=1e-6, atol=1e-10):
        return None
    return float(values.flat[0])


def _off_by(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """One factor or one summand for all entries."""
    if any(right.size == 0 for _, right in arrays) or not _finite(arrays):
        return None
    if all(right.dtype == bool for _, right in arrays) or sum(right.size for _, right in arrays) < 2:
        return None
    which = "Every entry" if any(right.ndim for _, right in arrays) else "Your number"
    whole = all(right.dtype.kind in "iu" for _, right in arrays)
    for changed_by, nothing, how, _ in _CHANGED:
        is_factor = changed_by is _factor
        if is_factor and whole and np.unique(np.concatenate([right.ravel() for _, right in arrays])).size < 4:
            continue  # the two ids of a pair are multiples of others by chance
        each = [(c, g, r) for c, (g, r) in zip(cases, _floats(arrays), strict=True)]
        seen = [(c, g, r) for c, g, r in each if not is_factor or g.any() or r.any()]
        numbers, of_these = [changed_by(g, r) for _, g, r in seen], [case for case, _, _ in seen]
        if not numbers or None in numbers or np.allclose(numbers, nothing, atol=1e-9):
            continue
        if is_factor and np.allclose(numbers, -1):
            return say(Kind.SIGN)
        if (called := _named(numbers, of_these)) is not None:
            below = how == "plus" and called.startswith("−")
            return say(Kind.OFF_BY, which=which, how="less" if below else how, number=called[below:])
        if any(right.size > 3 for _, right in arrays):
            most = max(numbers, key=lambda x: abs(x - nothing))
            return say(Kind.OFF_BY_SOME, of_these[numbers.index(most)], which=which, how=how, number=number(most))
    return None


def _floats(arrays: Arrays) -> list[tuple[Array, Array]]:
    return [(given.astype(float), right.astype(float)) for given, right in arrays]


def _finite(arrays: Arrays) -> bool:
    return all(np.isfinite(given).all() and np.isfinite(right).all() for given, right in arrays)


def _off_by_line(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """A factor or a summand for each row, or for each column."""
    if not _finite(arrays) or any(r.ndim != 2 or r.dtype == bool for _, r in arrays):
        return None
    if not any(min(r.shape) > 1 for _, r in arrays):
        return None
    for axis, line in enumerate(("row", "column")):
        for changed_by, nothing, how, what in _CHANGED:
            lines = [zip(np.moveaxis(g, axis, 0), np.moveaxis(r, axis, 0), strict=True) for g, r in _floats(arrays)]
            numbers = [[changed_by(g, r) for g, r in of_one] for of_one in lines]
            flat = list(itertools.chain(*numbers))
            if None in flat or np.allclose(flat, nothing, atol=1e-9) or (how == "times" and 0 in np.round(flat, 9)):
                continue  # a row of zeros is no multiple of the right one: it is missing
            here = next(i for i, of_one in enumerate(numbers) if not np.allclose(of_one, nothing, atol=1e-9))
            first = ", ".join(map(number, numbers[here][:3])) + " …" * (len(numbers[here]) > 3)
            return say(Kind.OFF_BY_LINE, cases[here], line=line, how=how, numbers=first, what=what.format(line))
    return None


def _sharpness(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """Two softmaxes of the same scores, one of them multiplied: the scale, or the base of the power."""
    if not _finite(arrays) or any(r.ndim == 0 or r.dtype.kind != "f" for _, r in arrays):
        return None
    # Where both give everything to the same entry of each row, no scale of the scores can be seen.
    one_wins = lambda g, r: np.isin(r, (0, 1)).all() and close(g, r)  # noqa: E731
    telling = [(c, pair) for c, pair in zip(cases, arrays, strict=True) if not one_wins(*pair)]
    if not telling or not all((x > 0).all() and np.allclose(x.sum(-1), 1) for _, pair in telling for x in pair):
        return None
    logs = [[np.log(x) - np.log(x).mean(-1, keepdims=True) for x in pair] for _, pair in telling]
    numbers = [_constant(g / np.where(np.abs(r) < 1e-9, np.nan, r)) for g, r in logs]
    if None in numbers or not any(np.unique(r.round(9)).size > 2 for _, r in logs):
        return None
    called = _named(numbers, [case for case, _ in telling])
    return say(Kind.SHARPNESS, by=f"{called} times" if called else "another number of times")


def _of_an_argument(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """An argument unchanged, or added to the right result, as in a residual, or taken off; or one number everywhere."""
    for name in cases[0].inputs:
        values = [as_array(case.inputs.get(name)) for case in cases]
        of_each = [(v, g, r) for v, (g, r) in zip(values, arrays, strict=True) if v is not None]
        if len(of_each) < len(arrays):
            continue
        if all(_equal(g, v) for v, g, _ in of_each):
            return say(Kind.UNCHANGED, name=name)
        numbers = all(
            v.shape == r.shape and g.size > 1 and bool not in (v.dtype, g.dtype, r.dtype) for v, g, r in of_each
        )
        for sign, word in ((1, "plus"), (-1, "less")):
            if numbers and all(_equal(g, r + sign * v) for v, g, r in of_each):
                return say(Kind.PLUS_ARGUMENT, sign=word, name=name)
    apart = [i for i, (_, r) in enumerate(arrays) if r.size and r.dtype != bool and np.ptp(r) > 1e-6]
    if apart and all(given.size > 1 and np.allclose(given, given.flat[0], atol=0) for given, _ in arrays):
        return say(Kind.CONSTANT, cases[apart[0]], number=number(arrays[apart[0]][0].flat[0]))
    numbers = {given.item() for given, _ in arrays if given.size == 1}
    if len(arrays) > 2 and len(numbers) == 1 and all(given.size == right.size == 1 for given, right in arrays):
        return say(Kind.ONE_NUMBER, number=f"{numbers.pop() + 0:.6g}")
    return None


# --- most of it right ------------------------------------------------------------------------------------------------


def _mostly(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """Right but for a few entries, or a mask."""
    if all(right.dtype == bool and np.isin(given, (0, 1)).all() for given, right in arrays):
        return _mask(cases, arrays)
    wrong = [~np.isclose(g, r, rtol=1e-7, atol=1e-8, equal_nan=True) for g, r in arrays]
    few = [(w, case) for w, case in zip(wrong, cases, strict=True) if 0 < w.mean() <= 1 / 3]
    if few and all((~w).any() for w in wrong) and 3 * sum(w.sum() for w in wrong) <= sum(w.size for w in wrong):
        here, case = min(few, key=lambda one: one[0].size)
        return say(Kind.MOSTLY, case, wrong=int(here.sum()), size=here.size, at=first_place(here))
    return None


def _mask(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """A mask that lets too much through, or forbids too much."""
    seen = [(c, g.astype(bool) & ~r, ~g.astype(bool) & r) for c, (g, r) in zip(cases, arrays, strict=True)]
    case, more, less = max(seen, key=lambda one: (int(one[1].any()) + int(one[2].any()), -one[1].size))
    if not any(m.any() for _, _, m in seen):
        return say(Kind.TOO_MUCH_TRUE, case, at=first_place(more))
    if not any(m.any() for _, m, _ in seen):
        return say(Kind.TOO_LITTLE_TRUE, case, at=first_place(less))
    at = first_place(more | less)
    return say(Kind.BOTH_WAYS, case, at=at, right=at == first_place(less) if less.any() else False)


def _sums(cases: Sequence[Case], arrays: Arrays) -> Finding | None:
    """Rows that should sum to 1, and don't."""
    if any(r.ndim == 0 or r.dtype.kind != "f" for _, r in arrays) or not _finite(arrays):
        return None
    if not all(np.allclose(right.sum(-1), 1) and (right >= 0).all() for _, right in arrays):
        return None
    for case, (given, _) in zip(cases, arrays, strict=True):
        sums = np.atleast_1d(given.sum(-1))
        off = ~np.isclose(sums, 1)
        if off.any():
            which = "Your numbers sum" if given.ndim == 1 else f"Row {int(off.ravel().argmax())} of yours sums"
            instead = ", and each column does" if given.ndim == 2 and np.allclose(given.sum(0), 1) else ""
            return say(Kind.SUMS, case, which=which, sum=number(sums.ravel()[off.ravel()][0]), instead=instead)
        if (given < 0).any():
            return say(Kind.NEGATIVE, case, number=number(given.min()))
    return None


# --- several things, and lists of what is no number ------------------------------------------------------------------


def _in_another_order(cases: Sequence[Case], n: int) -> bool:
    return any(
        all(same_value(case.given[i], case.right[j]) for case in cases for i, j in enumerate(order))
        for order in itertools.islice(itertools.permutations(range(n)), 1, None)
    )


def _wrong_parts(cases: Sequence[Case], n: int) -> list[int]:
    return [i for i in range(n) if not all(same_value(case.given[i], case.right[i]) for case in cases)]


def _of_one_part(cases: Sequence[Case], part: int) -> Finding:
    """What is said of one of several things, which is wrong in some of the cases."""
    of_one = [Case(case.inputs, case.given[part], case.right[part]) for case in cases]
    inner = relation(of_one)
    if inner is not None:
        about = (case for case, one in zip(cases, of_one, strict=True) if one is inner.about)
        return replace(inner, about=next(about, None))
    case, first = next((c, one) for c, one in zip(cases, of_one, strict=True) if not same_value(one.given, one.right))
    return say(Kind.OF_VALUE, case, said=of_a_value(first.given, first.right, may_be_none=True))


def _of_named(cases: Sequence[Case], parts: Sequence[str]) -> Finding | None:
    """Which of the compared things, called `parts`, are wrong, and what is said of the first of these."""
    wrong = _wrong_parts(cases, len(parts))
    if not wrong:
        return None
    if _in_another_order(cases, len(parts)):
        return say(Kind.PARTS_ORDER)
    first = wrong[0]
    case = next(case for case in cases if not same_value(case.given[first], case.right[first]))
    if isinstance(case.right[first], str | int):
        inner = say(Kind.DIFFERS_FROM, case, own=case.given[first] or "nothing", right=case.right[first])
    else:
        inner = _of_one_part(cases, first)
    called = f"{parts[first][0].upper()}{parts[first][1:]}"
    if len(wrong) == 1:
        return say(Kind.NAMED_PART, inner.about, part=called, inner=inner)
    *before, last = (parts[i] for i in wrong)
    return say(Kind.NAMED_PARTS, inner.about, wrong=f"{', '.join(before)} and {last}", part=called, inner=inner)


def _listed(cases: Sequence[Case]) -> Finding | None:
    """Lists of words, of pairs, or of lists."""
    lists = [(list(case.given), list(case.right)) for case in cases]
    if all(same_list(given, right[::-1]) for given, right in lists):
        return say(Kind.BACKWARDS, lines="entries")
    if all(same_list(given, right[:1]) for given, right in lists):
        return say(Kind.LIST_FIRST)
    if all(sorted(map(repr, given)) == sorted(map(repr, right)) for given, right in lists):
        return say(Kind.REORDERED, lines="entries")
    return _as_far_as(cases, lists)


def same_list(a: list | None, b: list | None) -> bool:
    """Whether two lists have the same entries."""
    return a is not None and b is not None and len(a) == len(b) and all(map(same_value, a, b))


# --- helpers, and the order ------------------------------------------------------------------------------------------


def _equal(a: Array | None, b: Array | None) -> bool:
    return a is not None and b is not None and np.shape(a) == np.shape(b) and close(np.asarray(a), np.asarray(b))


def _tried(step: Callable[[Any], Any], values: Any) -> Any:
    """What a step makes of an array or a list; None where these do not allow it."""
    try:
        with np.errstate(all="ignore"):
            return step(values)
    except Exception:
        return None


_RELATIONS: Sequence[Find] = (
    _cut, _arranged, _of_an_argument, _stepped, _off_by, _rounded, _reordered, _sharpness, _integers,
)  # fmt: skip
_OF_OTHER_SHAPES: Sequence[Find] = (_arranged, _of_an_argument)
_PARTLY: Sequence[Find] = (_off_by_line, _mostly, _sums)
_PARTLY_OF_OTHER_SHAPES: Sequence[Find] = (_misshapen, _sequence)
