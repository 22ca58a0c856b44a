"""How a wrong result is related to the right one: transposed, off by one factor, right but for its last row, …

A relation is said only where it holds on every input that it is asked about.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np

from utils.by_hand.attention import softmax
from utils.course.exercises.fresh import sizes, tells
from utils.course.exercises.values import as_array, close, has_parts, same_value
from utils.course.exercises.words import of_a_value

Array = np.ndarray


@dataclass(frozen=True)
class Case:
    """One input, by the names of its arguments, with what came of it and what should have."""

    inputs: dict[str, Any]
    given: Any
    right: Any


class Kind(Enum):
    """What a finding tells."""

    DONE = "what was done"
    WHERE = "where it is wrong"
    RUNS = "where it runs"


@dataclass(frozen=True)
class Relation:
    """How all given results come from the right ones: a short name, a sentence about it, and what that tells.

    `about` is the input that the sentence speaks of, where it speaks of one alone.
    """

    name: str
    sentence: str
    kind: Kind = Kind.DONE
    about: Case | None = field(default=None, compare=False)


def placed(name: str, sentence: str, about: Case | None = None) -> Relation:
    """A finding that tells only where the result is wrong."""
    return Relation(name, sentence, Kind.WHERE, about)


def relation(cases: Sequence[Case], parts: Sequence[str] = ()) -> Relation | None:
    """The first relation that holds in all `cases`; None if there is none.

    parts: what the compared things are called, where they are not what an answer returns.
    """
    return _of_named(cases, parts) if parts else _first(_RELATIONS, cases) or _of_parts(cases)


def partly(cases: Sequence[Case]) -> Relation | None:
    """What is true of the result where no plain relation is: which part of it is right."""
    return _first(_PARTLY, cases)


def _first(
    relations: Sequence[Callable[[Sequence[Case], Arrays], Relation | None]], cases: Sequence[Case]
) -> Relation | None:
    arrays = [(as_array(case.given), as_array(case.right)) for case in cases]
    if any(array is None for pair in arrays for array in pair):
        return None
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the mean of nothing
        return next(filter(None, (find(cases, arrays) for find in relations)), None)


def _of_parts(cases: Sequence[Case]) -> Relation | None:
    if any(
        not has_parts(case.given) or not has_parts(case.right) or as_array(case.right) is not None for case in cases
    ):
        return None
    return _several(cases) or _listed(cases)


def where(
    good: Sequence[dict[str, Any]],
    bad: Sequence[dict[str, Any]],
    well: str,
    ill: str,
    is_well: Callable[[dict[str, Any]], bool | None],
) -> Relation | None:
    """The size that tells the inputs `good`, where an answer does `well`, from the others, and from new ones too."""
    if not good or not bad:
        return None
    first, *rest = [_sizes(inputs) for inputs in (*good, *bad)]
    names = [name for name in first if all(name in each for each in rest)]
    for law, called, name, sentence in _laws([_sizes(inputs) for inputs in good], names):
        fits = all(law(_sizes(inputs)) for inputs in good) and not any(law(_sizes(inputs)) for inputs in bad)
        if fits and tells(law, called, [*good, *bad], is_well):
            return placed(f"{name}", sentence.format(well=well, ill=ill))
    return None


Law = Callable[[dict[str, float]], bool]


def _laws(good: Sequence[dict[str, float]], names: Sequence[str]) -> Iterator[tuple[Law, list[str], str, str]]:
    """What may tell the sizes `good` from others: a law, the sizes that it asks about, its name, a sentence."""
    for a, b in itertools.combinations(names, 2):
        yield (
            lambda s, a=a, b=b: s[a] == s[b],
            [a, b],
            "one size for another",
            f"{{well}} where {a} and {b} are equal, {{ill}} where they differ. Is one taken for the other?",
        )
    for name in names:
        n = good[0][name]
        yield (
            lambda s, name=name, n=n: s[name] == n,
            [name],
            "one size only",
            f"{{well}} where {name} is {n:g}, {{ill}} where it is another."
            + f" Does your function count on {n:g}?" * (n > 1),
        )
    for name in names:
        most = max(each[name] for each in good)
        yield (
            lambda s, name=name, most=most: s[name] <= most,
            [name],
            "small sizes only",
            f"{{well}} where {name} is at most {most:g}, {{ill}} where it is larger.",
        )


# --- numbers in another arrangement, or too few or too many of them ----------------------------------------------

Arrays = Sequence[tuple[Array, Array]]


_BUT = "The numbers are right, but"
_LINES = ("row", "column")


def _line(ndim: int, axis: int) -> str:
    """What is counted along an axis."""
    return _LINES[axis] if ndim == 2 else "entry" if ndim == 1 else f"entry along axis {axis}"


def _lines(ndim: int, axis: int) -> str:
    return f"{_LINES[axis]}s" if ndim == 2 else _line(ndim, axis).replace("entry", "entries")


def _arrangements(given: Array, right: Array) -> Iterator[tuple[str, Array, str]]:
    """What `right` may have become: a name, the array, a sentence."""
    if right.ndim == 2:
        yield "transposed", right.T, f"{_BUT} transposed: your rows are the columns, and your columns the rows."
        yield "turned round both ways", right[::-1, ::-1], f"{_BUT} both the rows and the columns run backwards."
    if right.ndim > 2:
        for axes in itertools.islice(itertools.permutations(range(right.ndim)), 1, None):  # all but as they are
            order = f"({', '.join(map(str, axes))})"
            said = f"{_BUT} the axes stand in another order: {order} of what is expected."
            yield f"axes {axes}", right.transpose(axes), said
    for axis in range(right.ndim):
        lines = _lines(right.ndim, axis)
        yield f"{lines} backwards", np.flip(right, axis), f"{_BUT} the {lines} run backwards."
        for step, which in ((1, "the last comes first"), (-1, "the first comes last")):
            said = f"{_BUT} the {lines} have moved on by one: {which}."
            yield f"{lines} rolled {step}", np.roll(right, step, axis), said
        said = f"{_BUT} sorted by their size. Their order says where they belong."
        yield f"{lines} sorted", np.sort(right, axis), said
    for axis in range(right.ndim):
        if right.shape[axis] < 2:
            continue
        line = _line(right.ndim, axis)
        for which, one, rest in _ENDS:
            alone = _at(right, axis, one)
            for part in (alone, np.expand_dims(alone, axis)):
                said = f"That is the {which} {line} alone, and it is right. All of them are asked for."
                yield f"{which} {line} alone", part, said
            said = f"The {which} {line} is missing; the others are right."
            yield f"{which} {line} missing", _at(right, axis, rest), said
        along = "" if right.ndim == 1 else f" along axis {axis}"
        for name, total in (("added up", right.sum(axis)), ("averaged", right.mean(axis))):
            for kept in (total, np.expand_dims(total, axis)):
                said = f"The right numbers, but {name}{along}: each of them should stay by itself."
                yield f"{name}{along}", kept, said
    if right.ndim and right.size > 1:
        yield "all added up", right.sum(), "The right numbers, but all added up to one."
        yield "all averaged", right.mean(), "The right numbers, but the mean of all is taken."
    if right.ndim == 1:
        said = f"{_BUT} they stand in a column of a table. A flat row of them is expected."
        yield "a column", right[:, np.newaxis], said
        yield "a table of one row", right[np.newaxis], f"{_BUT} your result has an axis too many: a table of one row."
    if given.ndim == 0 and right.size == 1 and right.ndim:
        said = f"The number is right, but alone: a list or an array of shape {right.shape} is expected."
        yield "not in a list", right.reshape(()), said
    elif given.ndim != right.ndim and given.size == right.size:
        said = f"The numbers are right, and in their order, but the shape is {given.shape}; it should be {right.shape}."
        yield "another shape", right.reshape(given.shape), said


_ENDS = (("first", 0, slice(1, None)), ("last", -1, slice(-1)))  # which entry, and the others


def _at(array: Array, axis: int, part: int | slice) -> Array:
    return array[(slice(None),) * axis + (part,)]


def _arranged(cases: Sequence[Case], arrays: Arrays) -> Relation | None:
    of_each = [
        {name: sentence for name, array, sentence in _arrangements(given, right) if _equal(given, array)}
        for given, right in arrays
    ]
    name = next((name for name in of_each[0] if all(name in others for others in of_each)), None)
    return None if name is None else Relation(name, of_each[0][name])


def _undone(cases: Sequence[Case], arrays: Arrays) -> Relation | None:
    """A last step that is missing: the right result is a part of the given one, or its sum."""
    if all(given.shape == right.shape for given, right in arrays):
        return None
    for name, step, sentence in _last_steps(max(given.ndim for given, _ in arrays)):
        if all(_equal(_tried(step, given), right) for given, right in arrays):
            return Relation(name, sentence)
    return None


def _last_steps(ndim: int) -> Iterator[tuple[str, Callable[[Array], Array], str]]:
    """What may be yet to do with arrays of `ndim` axes: a name, how it is done, a sentence."""
    sums, last = "These have not been added up yet:", "The last step is missing:"
    for axis in range(ndim):
        line = _line(ndim, axis)
        along = f" along axis {axis}" * (ndim > 1)
        total = f"{sums} the sum{along} is what is asked for."
        yield f"not added up along axis {axis}", lambda g, a=axis: g.sum(a), total
        yield f"not averaged along axis {axis}", lambda g, a=axis: g.mean(a), f"{last} take the mean{along}."
        for which, one, rest in _ENDS:
            too_many = f"There is one {line} too many, the {which} one; the others are right."
            yield f"one too many, {which}, axis {axis}", lambda g, a=axis, part=rest: _at(g, a, part), too_many
            only = f"Only the {which} {line} of yours is asked for."
            yield f"not chosen, {which}, axis {axis}", lambda g, a=axis, part=one: _at(g, a, part), only
    yield "all not added up", np.sum, f"{sums} their sum is what is asked for."
    yield "all not averaged", np.mean, f"{last} take the mean of all of them."
    yield "the largest", np.max, f"{last} the largest of these is asked for."
    yield "its place", np.argmax, f"{last} the place of the largest is asked for."
    yield "its place in each row", lambda g: g.argmax(-1), f"{last} the place of the largest in each row is asked for."
    yield "the diagonal", np.diagonal, "What is asked for stands on the diagonal of yours."


def _misshapen(cases: Sequence[Case], arrays: Arrays) -> Relation | None:
    """A size of the result that is that of another thing."""
    for axis in range(max(right.ndim for _, right in arrays)):
        if any(g.ndim != r.ndim or g.ndim <= axis for g, r in arrays):
            return None
        own, right = ([x.shape[axis] for x in some] for some in zip(*arrays, strict=True))
        if own != right:
            line = f"number of {_lines(arrays[0][1].ndim, axis)}"
            taken, asked = (_named(numbers, cases) if len(set(numbers)) > 1 else None for numbers in (own, right))
            if taken and asked and taken != asked:
                return placed("another size", f"The {line} is {taken} in yours; it should be {asked}.")
    return None


def _sequence(cases: Sequence[Case], arrays: Arrays) -> Relation | None:
    """Flat lists of different lengths: how far they agree."""
    if any(g.ndim != 1 or r.ndim != 1 for g, r in arrays) or all(g.shape == r.shape for g, r in arrays):
        return None
    return _as_far_as(cases, [(list(g), list(r)) for g, r in arrays])


def _as_far_as(cases: Sequence[Case], lists: Sequence[tuple[list, list]]) -> Relation | None:
    if all(_same_list(g, r[: len(g)]) for g, r in lists):
        return placed("ends early", "Right as far as it goes, but it ends too early.")
    if all(_same_list(g[: len(r)], r) for g, r in lists):
        return placed("goes on", "It begins with all that is asked for, and then goes on.")
    if all(len(g) <= len(r) and _same_list(g, r[len(r) - len(g) :]) for g, r in lists):
        return placed("begins late", "The end of yours is right, but what comes before it is missing.")
    case, g, r = next((case, g, r) for case, (g, r) in zip(cases, lists, strict=True) if not _same_list(g, r))
    at = next((i for i, (a, b) in enumerate(zip(g, r, strict=False)) if not same_value(a, b)), 0)
    if at:
        return placed(
            "right up to",
            f"Right up to entry {at}, counted from 0. There yours has {_said(g[at])}; it should be {_said(r[at])}.",
            case,
        )
    return None


def _said(value: Any) -> str:
    return (
        f"{value:.6g}"
        if isinstance(value, np.floating | float)
        else str(value)
        if isinstance(value, np.generic)
        else repr(value)
    )


def _reordered(cases: Sequence[Case], arrays: Arrays) -> Relation | None:
    for axis in range(2):
        if all(g.shape == r.shape and 2 >= g.ndim > axis and _same_lines(g, r, axis) for g, r in arrays):
            lines = _lines(arrays[0][1].ndim, axis)
            return Relation(f"{lines} reordered", f"The {lines} are right, but they stand in another order.")
    return None


def _same_lines(given: Array, right: Array, axis: int) -> bool:
    left = list(np.moveaxis(right, axis, 0))
    for line in np.moveaxis(given, axis, 0):
        at = next((i for i, other in enumerate(left) if close(line, other)), None)
        if at is None:
            return False
        del left[at]
    return True


# --- every entry changed in one way ---------------------------------------------------------------------------------


def _share(x: Array, axis: int | None) -> Array:
    return x / x.sum(axis=axis, keepdims=True)


def _standardized(x: Array, axis: int) -> Array:
    return (x - x.mean(axis=axis, keepdims=True)) / x.std(axis=axis, keepdims=True)


# What may have been done once too often, or be missing at the end: its name, and how it is done.
_LAST: dict[str, Callable[[Array], Array]] = {
    "square root": np.sqrt,
    "square": np.square,
    "exponential": np.exp,
    "logarithm": np.log,
    "logarithm with a minus": lambda x: -np.log(x),
    "softmax of each row": softmax,
    "softmax of each column": lambda x: softmax(x, 0),
    "norm of each row": lambda x: _standardized(x, -1),
    "norm of each column": lambda x: _standardized(x, 0),
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "running sum of each row": lambda x: x.cumsum(-1),
}


def _cut(bound: int, side: str) -> Callable[[Array], Array | None]:
    cut = np.maximum if side == "below" else np.minimum
    return lambda x: None if x.dtype == bool else cut(x, bound)


# A name; what was done; what is said if it was done to the right result, and if it is yet to be done.
_STEPS: list[tuple[str, Callable[[Array], Array], str, str]] = [
    (
        "inverted",
        lambda x: 1 - x if x.dtype == bool else None,
        "Yours is inverted: True where it should be False, and the reverse.",
        "",
    ),
    ("1 −", lambda x: 1 - x, "Every entry is 1 minus what it should be.", ""),
    (
        "reciprocal",
        lambda x: 1 / x,
        "Yours is 1 divided by the right result: what is above and below the line has changed places.",
        "",
    ),
    (
        "size",
        lambda x: np.abs(x) if (x > 0).any() else None,  # else the sign is turned, and not gone
        "The sizes are right, but the signs are gone.",
        "",
    ),
    *(
        (
            name,
            step,
            f"That is the {name} of the right result: one {name.split(' of ')[0]} too many.",
            f"The {name} is missing: that of yours is right.",
        )
        for name, step in _LAST.items()
    ),
    *(
        (
            f"shares of {line}",
            lambda x, axis=axis: _share(x, axis),
            f"You divide {line} by its sum, which is not asked for.",
            f"Divide {line} by its own sum: that would be right.",
        )
        for line, axis in (("each row", -1), ("each column", 0), ("everything", None))
    ),
    (
        "row off its mean",
        lambda x: x - x.mean(-1, keepdims=True),
        "You take the mean of each row off, which is not asked for.",
        "The mean of each row is yet to be taken off.",
    ),
    (
        "row off its maximum",
        lambda x: x - x.max(-1, keepdims=True),
        "You take the largest off each row, which is not asked for here.",
        "",
    ),
    *(
        (
            f"nothing {side} {bound}",
            _cut(bound, side),
            f"What is {side} {bound} has become {bound}; all else is right.",
            f"What is {side} {bound} should become {bound}; all else is right.",
        )
        for bound in (0, 1)
        for side in ("below", "above")
    ),
    (
        "differences",
        lambda x: np.diff(x, prepend=0),
        "These are the differences from one right number to the next.",
        "",
    ),
    (
        "places",
        lambda x: x.argsort(),
        "That is how `argsort` orders the right numbers, not the numbers themselves.",
        "",
    ),
]


def _stepped(cases: Sequence[Case], arrays: Arrays) -> Relation | None:
    if any(given.shape != right.shape for given, right in arrays) or not _of_interest(arrays):
        return None
    is_flat = all(right.ndim == 1 for _, right in arrays)
    said = lambda words: words.replace("each row by its", "your numbers by their") if is_flat else words  # noqa: E731
    for name, step, done, missing in _STEPS:
        if done and all(_equal(given, _tried(step, right)) for given, right in arrays):
            return Relation(name, said(done))
        if missing and all(_equal(_tried(step, given), right) for given, right in arrays):
            return Relation(f"{name} missing", said(missing))
    return None


def _of_interest(arrays: Arrays) -> bool:
    """Whether the numbers differ, on both sides, so that more than a chance is seen in them."""
    sides = [np.concatenate([array.ravel() for array in side]) for side in zip(*arrays, strict=True)]
    return not any(same_value(numbers, np.full(numbers.shape, numbers[0])) for numbers in sides)


def _rounded(cases: Sequence[Case], arrays: Arrays) -> Relation | None:
    for decimals in range(7):
        if all(
            g.shape == r.shape and r.dtype.kind == "f" and np.allclose(g, np.round(r, decimals), rtol=0, atol=1e-9)
            for g, r in arrays
        ):
            return Relation("rounded", f"Your result is rounded to {decimals} decimals. Keep all of them on the way.")
    return None


# --- a number that has a name ---------------------------------------------------------------------------------------

_CONSTANTS = {
    "1": 1, "2": 2, "3": 3, "4": 4, "½": 0.5, "10": 10, "ln 2": np.log(2), "1/ln 2": 1 / np.log(2), "ln 10": np.log(10),
    "1/ln 10": 1 / np.log(10), "√2": np.sqrt(2), "1/√2": np.sqrt(0.5), "π": np.pi, "e": np.e, "1/e": 1 / np.e,
    "180/π": 180 / np.pi, "π/180": np.pi / 180,
}  # fmt: skip


def _sizes(inputs: dict[str, Any]) -> dict[str, float]:
    return {called: size for called, (_, size) in sizes(inputs).items()}


def _named(numbers: Sequence[float], cases: Sequence[Case]) -> str | None:
    """What `numbers`, one of each case, are: a constant, a size or its root, a product of two, or what is left to 1."""
    if not np.isfinite(numbers).all():
        return None
    same = lambda others: np.allclose(numbers, others, rtol=1e-6, atol=1e-9)  # noqa: E731
    if same(numbers[0]):
        number = float(numbers[0])
        names = [
            f"{sign}{name}" for name, value in _CONSTANTS.items() for sign, s in (("", 1), ("−", -1)) if same(s * value)
        ]
        short = f"{number:.4g}"
        shown = short if abs(float(short) - round(number)) > 1e-9 else f"{number:.7g}"  # 1.0001 is not 1
        return names[0] if names else shown.replace("-", "−")
    numbers_of = [_sizes(case.inputs) for case in cases]
    of = {n: np.array([each[n] for each in numbers_of]) for n in numbers_of[0] if all(n in each for each in numbers_of)}
    with np.errstate(all="ignore"):
        for sign, s in (("", 1), ("−", -1)):
            for form, value in _forms(of):
                if same(s * value):
                    return f"{sign}{form}"
    return None


def _forms(of: dict[str, Array]) -> Iterator[tuple[str, Array]]:
    """What may be made of the sizes `of`, by their names: of one alone, then of two."""
    for name, n in of.items():
        yield name, n
        yield f"√{name}", np.sqrt(n)
        yield f"1/{name}", 1 / n
        yield f"1/√{name}", 1 / np.sqrt(n)
        yield f"{name}²", n**2
        yield f"({name} − 1)", n - 1
        yield f"({name} + 1)", n + 1
        yield f"(1 − {name})", 1 - n
        yield f"{name}/2", n / 2
        yield f"2 · {name}", 2 * n
        yield f"{name} / ({name} − 1)", n / (n - 1)
        yield f"({name} − 1) / {name}", (n - 1) / n
        yield f"1/{name}²", 1 / n**2
        yield f"√({name} / ({name} − 1))", np.sqrt(n / (n - 1))
        yield f"√(({name} − 1) / {name})", np.sqrt((n - 1) / n)
    for (a, m), (b, n) in itertools.permutations(of.items(), 2):
        yield f"{a} · {b}", m * n
        yield f"{a} / {b}", m / n
        yield f"√({a} / {b})", np.sqrt(m / n)
        yield f"√({a} · {b})", np.sqrt(m * n)
        yield f"1/({a} · {b})", 1 / (m * n)
        yield f"({a} + {b})", m + n
        yield f"({a} − {b})", m - n
        yield f"2 · {a} · {b}", 2 * m * n
        yield f"{a}² · {b}", m**2 * n
        yield f"{a} · √{b}", m * np.sqrt(n)


def _off_by(cases: Sequence[Case], arrays: Arrays) -> Relation | None:
    """One factor or one summand for all entries."""
    if any(given.shape != right.shape or given.size == 0 for given, right in arrays) or not _finite(arrays):
        return None
    if all(right.dtype == bool for _, right in arrays):  # a mask has no factor
        return None
    enough = sum(right.size for _, right in arrays) > 1
    for name, number, nothing, done in _CHANGED:
        seen, numbers = _numbers(name, number, cases, _floats(arrays))
        if name == "factor" and all(right.dtype.kind in "iu" for _, right in arrays):
            counts = np.unique(np.concatenate([right.ravel() for _, right in arrays]))
            numbers = numbers if counts.size > 3 else []  # two ids of a pair are multiples of others by chance
        if enough and numbers and None not in numbers and not np.allclose(numbers, nothing, atol=1e-9):
            called = _named(numbers, seen)
            which = "Every entry" if any(right.ndim for _, right in arrays) else "Your number"
            if called == "0" and name == "factor":
                return Relation("0", "All your entries are 0.")
            if called == "−1" and name == "factor":
                return Relation("sign", "The sign is turned everywhere: a minus is missing, or one too many.")
            if called is not None:
                changed = f"less {called[1:]}" if (done, called[0]) == ("plus", "−") else f"{done} {called}"
                return Relation(f"{name} {called}", f"{which} is the right one {changed}.")
            if any(right.size > 3 for _, right in arrays):
                most = max(numbers, key=lambda x: abs(x - nothing))
                shown, about = f"{most:.4g}".replace("-", "−"), seen[numbers.index(most)]
                such = f"{which} is the right one {done} one number, here {shown}, and another one for each input."
                return Relation(name, such, about=about)
    return None


def _numbers(
    name: str, number: Callable[[Array, Array], float | None], cases: Sequence[Case], arrays: Arrays
) -> tuple[list[Case], list[float | None]]:
    """The `number` of each case, and those cases; where only zeros are expected and given, no factor can be seen."""
    seen = [(c, g, r) for c, (g, r) in zip(cases, arrays, strict=True) if name != "factor" or g.any() or r.any()]
    return [c for c, _, _ in seen], [number(g, r) for _, g, r in seen]


def _factor(given: Array, right: Array) -> float | None:
    if np.abs(given[right == 0]).max(initial=0) > 1e-9:
        return None
    return _constant(given / np.where(right == 0, np.nan, right))


def _summand(given: Array, right: Array) -> float | None:
    return _constant(given - right)


# A name; the number that all entries have been changed by; the one that changes nothing; in words.
_CHANGED = (("factor", _factor, 1, "times"), ("summand", _summand, 0, "plus"))


def _constant(values: Array) -> float | None:
    """The number that all of `values` are, where they are numbers; None if they differ."""
    values = values[np.isfinite(values)]
    if not values.size or not np.allclose(values, values.flat[0], rtol=1e-6, atol=1e-10):
        return None
    return float(values.flat[0])


def _floats(arrays: Arrays) -> list[tuple[Array, Array]]:
    return [(given.astype(float), right.astype(float)) for given, right in arrays]


def _finite(arrays: Arrays) -> bool:
    return all(np.isfinite(given).all() and np.isfinite(right).all() for given, right in arrays)


def _off_by_line(cases: Sequence[Case], arrays: Arrays) -> Relation | None:
    """A factor or a summand for each row, or for each column."""
    if not _finite(arrays) or any(g.shape != r.shape or g.ndim != 2 or r.dtype == bool for g, r in arrays):
        return None
    arrays = _floats(arrays)
    if not any(min(r.shape) > 1 for _, r in arrays):
        return None
    for axis, line in enumerate(("row", "column")):
        looked_at = (f"each {line} is divided or multiplied by", f"is taken off each {line}, or added to it")
        for (name, number, nothing, done), what in zip(_CHANGED, looked_at, strict=True):
            numbers = [[number(g.take(i, axis), r.take(i, axis)) for i in range(r.shape[axis])] for g, r in arrays]
            flat = list(itertools.chain(*numbers))
            if None not in flat and 0 not in np.round(flat, 9) and not np.allclose(flat, nothing, atol=1e-9):
                here = next(i for i, of_one in enumerate(numbers) if not np.allclose(of_one, nothing, atol=1e-9))
                first = ", ".join(f"{x:.4g}".replace("-", "−") for x in numbers[here][:3])
                return placed(
                    f"{name} of each {line}",
                    f"Each {line} is the right one {done} a number of its own, here "
                    f"{first}{' …' * (len(numbers[here]) > 3)}. Look at what {what}.",
                    cases[here],
                )
    return None


def _sharpness(cases: Sequence[Case], arrays: Arrays) -> Relation | None:
    """Two softmaxes of the same scores, one of them multiplied: the scale, or the base of the power."""
    if not _finite(arrays) or any(g.shape != r.shape or r.ndim == 0 or r.dtype.kind != "f" for g, r in arrays):
        return None
    telling = [(c, pair) for c, pair in zip(cases, arrays, strict=True) if not _has_one_winner(*pair)]
    cases, arrays = [c for c, _ in telling], [pair for _, pair in telling]
    if not arrays or not all((x > 0).all() and np.allclose(x.sum(-1), 1) for pair in arrays for x in pair):
        return None
    logs = [[np.log(x) - np.log(x).mean(-1, keepdims=True) for x in pair] for pair in arrays]
    numbers = [_constant(g / np.where(np.abs(r) < 1e-9, np.nan, r)) for g, r in logs]
    if None in numbers or not any(np.unique(r.round(9)).size > 2 for _, r in logs):
        return None
    called = _named(numbers, cases)
    by = f"{called} times" if called else "another number of times"
    return Relation(
        f"sharpness {called}",
        f"It is a softmax of the right scores, but {by} as large as they should be. Look at the scale before it.",
    )


def _has_one_winner(given: Array, right: Array) -> bool:
    """Whether both give everything to the same entry of each row: then no scale of the scores can be seen."""
    return bool(np.isin(right, (0, 1)).all()) and close(given, right)


# --- most of it right ------------------------------------------------------------------------------------------------


def _places(right: Array) -> Iterator[tuple[str, str, Array]]:
    """Kinds of places, True where they are, with the words for what is not right."""
    index = np.indices(right.shape)
    for axis in range(right.ndim):
        name, last = _line(right.ndim, axis), right.shape[axis] - 1
        if last:
            yield f"first {name}", f"the first {name}", index[axis] == 0
            yield f"last {name}", f"the last {name}", index[axis] == last
            yield f"but the first {name}", f"what comes after the first {name}", index[axis] != 0
            yield f"but the last {name}", f"what comes before the last {name}", index[axis] != last
        if last > 1:
            yield f"even {name}", f"every second {name}, 0, 2, 4, …", index[axis] % 2 == 0
            yield f"odd {name}", f"every second {name}, 1, 3, 5, …", index[axis] % 2 == 1
    if right.ndim >= 2:
        i, j = index[-2:]
        yield "diagonal", "the diagonal", i == j
        yield "above", "what stands above the diagonal", j > i
        yield "below", "what stands below the diagonal", j < i
        yield "off the diagonal", "what stands off the diagonal", i != j
    yield "where 0", "the places that should hold 0", right == 0
    if right.dtype != bool:
        yield "negative", "the places that should be below 0", right < 0
        yield "positive", "the places that should be above 0", right > 0
    if right.ndim:
        top = right.max(-1, keepdims=True)
        yield "largest", "the place of the largest number" + " in each row" * (right.ndim > 1), right == top
        yield "all but the largest", "all but the largest number" + " in each row" * (right.ndim > 1), right != top


def _mostly(cases: Sequence[Case], arrays: Arrays) -> Relation | None:
    """Right but for some places that have a name."""
    if any(given.shape != right.shape for given, right in arrays):
        return None
    if all(right.dtype == bool and np.isin(given, (0, 1)).all() for given, right in arrays):
        return _mask(cases, arrays)
    wrong = [~np.isclose(g, r, rtol=1e-7, atol=1e-8, equal_nan=True) for g, r in arrays]
    of_each = [{name: (words, at) for name, words, at in _places(right)} for _, right in arrays]
    if not any(w.size > 2 and not w.all() for w in wrong):
        return None
    rest = np.concatenate([r[~w].ravel() for w, (_, r) in zip(wrong, arrays, strict=True)])
    if rest.dtype.kind == "f" and rest.size and np.ptp(rest) < 1e-9 and 2 * rest.size <= sum(w.size for w in wrong):
        return None  # such as the diagonal of a table of cosines: it is 1 for any vectors, and nothing was got right
    for name, (words, _) in of_each[0].items():
        there = [places[name][1] for places in of_each if name in places]
        if len(there) < len(of_each) or all(at.all() for at in there):  # some input has none, or nothing else
            continue
        if 2 * sum(w.sum() for w in wrong) > sum(w.size for w in wrong):  # then little is as it should be
            break
        if all((w <= at).all() and 4 * w.sum() >= 3 * at.sum() for w, at in zip(wrong, there, strict=True)):
            return placed(f"right but for {name}", f"Right but for one thing: {words}. All else is as it should be.")
    if all((~w).any() for w in wrong) and sum(w.sum() for w in wrong) * 3 <= sum(w.size for w in wrong):
        few = [(w, case) for w, case in zip(wrong, cases, strict=True) if 0 < w.mean() <= 1 / 3]
        here, case = min(few, key=lambda one: one[0].size)
        at = np.argwhere(here)[0].tolist()
        return placed(
            "most entries right",
            f"Most of it is right: it differs in {here.sum()} of {here.size} entries, the first at {at}. "
            "What is special there?",
            case,
        )
    return None


def _mask(cases: Sequence[Case], arrays: Arrays) -> Relation | None:
    """A mask that lets too much through, or forbids too much."""
    given = [g.astype(bool) for g, _ in arrays]
    more = [g & ~r for g, (_, r) in zip(given, arrays, strict=True)]
    less = [~g & r for g, (_, r) in zip(given, arrays, strict=True)]
    at = lambda mask: list(map(int, np.argwhere(mask)[0]))  # noqa: E731
    telling = max(range(len(cases)), key=lambda i: (int(more[i].any()) + int(less[i].any()), -more[i].size))
    case, too_much, too_little = cases[telling], more[telling], less[telling]
    if not any(m.any() for m in less):
        everything = " Yours is True everywhere." if all(g.all() for g in given) else ""
        return placed(
            "too much True",
            f"All that should be True is True, and more besides: the entry at {at(too_much)} should be False."
            f"{everything}",
            case,
        )
    if not any(m.any() for m in more):
        nothing = " Yours is False everywhere." if not any(g.any() for g in given) else ""
        return placed(
            "too much False",
            f"Nothing is True that should not be. But the entry at {at(too_little)} should be True, and is False."
            f"{nothing}",
            case,
        )
    if too_much.any() and too_little.any():
        here = f"the entry at {at(too_much)} should be False, and the one at {at(too_little)} should be True"
    else:
        here = f"here the entry at {at(too_much | too_little)} should be {bool(too_little.any())}"
    return placed("both ways", f"Wrong both ways: {here}.", case)


def _argument(cases: Sequence[Case], arrays: Arrays) -> Relation | None:
    """The input unchanged, or something plain made of it."""
    for name in cases[0].inputs:
        values = [as_array(case.inputs.get(name)) for case in cases]
        if all(value is not None and _equal(given, value) for value, (given, _) in zip(values, arrays, strict=True)):
            return Relation(
                f"{name} unchanged", f"Your result is `{name}`, as it came in. Nothing has been done to it."
            )
        if all(
            v is not None and v.ndim and v.dtype != bool and len(v) and _equal(g, v[-1])
            for v, (g, _) in zip(values, arrays, strict=True)
        ):
            return Relation(f"last of {name}", f"Your result is the last entry of `{name}`, as it came in.")
    apart = [i for i, (_, r) in enumerate(arrays) if r.size and r.dtype != bool and np.ptp(r) > 1e-6]
    if apart and all(given.size > 1 and np.allclose(given, given.flat[0], atol=0) for given, _ in arrays):
        number = arrays[apart[0]][0].flat[0] + 0
        said = f"All your entries are alike, {number:.4g}. They should differ."
        return Relation("constant", said, about=cases[apart[0]])
    numbers = {given.item() for given, _ in arrays if given.size == 1}
    if len(arrays) > 2 and len(numbers) == 1 and all(given.size == right.size == 1 for given, right in arrays):
        return placed("one number", f"Your number is {numbers.pop() + 0:.6g} each time.")
    return None


def _sums(cases: Sequence[Case], arrays: Arrays) -> Relation | None:
    """Rows that should sum to 1, and don't."""
    if any(r.ndim == 0 or g.shape != r.shape or r.dtype.kind != "f" for g, r in arrays) or not _finite(arrays):
        return None
    if not all(np.allclose(right.sum(-1), 1) and (right >= 0).all() for _, right in arrays):
        return None
    for case, (given, _) in zip(cases, arrays, strict=True):
        sums = np.atleast_1d(given.sum(-1))
        off = ~np.isclose(sums, 1)
        if off.any():
            which = "Your numbers sum" if given.ndim == 1 else f"Row {int(off.ravel().argmax())} of yours sums"
            instead = ", and each column does" if given.ndim == 2 and np.allclose(given.sum(0), 1) else ""
            return placed(
                "sums",
                f"{which} to {sums.ravel()[off.ravel()][0]:.4g}; it should be 1{instead}.".replace("-", "−"),
                case,
            )
        if (given < 0).any():
            return placed(
                "negative",
                f"Yours holds a number below 0, −{-given.min():.4g}. Shares never are: that is what the exponential is "
                "for.",
                case,
            )
    return None


def _powers(cases: Sequence[Case], arrays: Arrays) -> Relation | None:
    """All entries to one power."""
    if not _finite(arrays) or any(g.shape != r.shape for g, r in arrays):
        return None
    if not all((g > 0).all() and (r > 0).all() for g, r in arrays) or sum(r.size for _, r in arrays) < 3:
        return None
    numbers = [_constant(np.log(g) / np.where(np.abs(np.log(r)) < 1e-9, np.nan, np.log(r))) for g, r in arrays]
    called = None if None in numbers else _named(numbers, cases)
    return (
        Relation(f"power {called}", f"Yours is the right result to the power of {called}.")
        if called and called != "1"
        else None
    )


def _plus_an_argument(cases: Sequence[Case], arrays: Arrays) -> Relation | None:
    """The right result, and an argument added to it, or taken off: a residual."""
    if any(g.shape != r.shape or g.size < 2 or g.dtype == bool or r.dtype == bool for g, r in arrays):
        return None
    for name in cases[0].inputs:
        values = [as_array(case.inputs.get(name)) for case in cases]
        for sign, word in ((1, "plus"), (-1, "less")):
            sums = [
                None if v is None or v.shape != r.shape or v.dtype == bool else r + sign * v
                for v, (_, r) in zip(values, arrays, strict=True)
            ]
            if all(_equal(g, s) for s, (g, _) in zip(sums, arrays, strict=True)):
                return Relation(f"{word} {name}", f"Your result is the right one {word} `{name}`.")
    return None


_RELATIONS = [
    _arranged, _argument, _stepped, _off_by, _plus_an_argument, _undone, _rounded, _reordered, _powers, _sharpness
]  # fmt: skip
_PARTLY = [_misshapen, _sequence, _off_by_line, _mostly, _sums]

# --- several things, and lists of what is no number ------------------------------------------------------------------


def _several(cases: Sequence[Case]) -> Relation | None:
    """Returned things of a fixed number: in another order, or one of them wrong."""
    number = len(cases[0].right)
    if not all(isinstance(case.right, tuple) and len(case.right) == len(case.given) == number for case in cases):
        return None
    for order in itertools.permutations(range(number)):
        if order != tuple(range(number)) and all(
            all(same_value(case.given[i], case.right[j]) for i, j in enumerate(order)) for case in cases
        ):
            return Relation("parts in another order", "The things that you return are right, but in another order.")
    wrong = [i for i in range(number) if not all(same_value(case.given[i], case.right[i]) for case in cases)]
    if len(wrong) == number:
        return None
    if len(wrong) > 1:
        which = " and ".join(str(i + 1) for i in wrong)
        return placed(f"parts {which}", f"Of the returned things, numbers {which} are not right yet.")
    inner = _of_one_part(cases, wrong[0])
    sentence = f"Number {wrong[0] + 1} of the returned things: {inner.sentence} The others are right."
    return replace(inner, sentence=sentence)


def _of_one_part(cases: Sequence[Case], part: int) -> Relation:
    """What is said of one of several things, which is wrong in some of the cases."""
    of_one = [Case(case.inputs, case.given[part], case.right[part]) for case in cases]
    inner = relation(of_one)
    if inner is not None:
        return replace(inner, name=f"part {part}: {inner.name}", about=_whole(inner, of_one, cases))
    case, first = next((c, one) for c, one in zip(cases, of_one, strict=True) if not same_value(one.given, one.right))
    return placed(f"part {part}", of_a_value(first.given, first.right, may_be_none=True), case)


def _of_named(cases: Sequence[Case], parts: Sequence[str]) -> Relation | None:
    """Which of the compared things, called `parts`, are wrong, and what is said of the first of these."""
    wrong = [i for i in range(len(parts)) if not all(same_value(case.given[i], case.right[i]) for case in cases)]
    if not wrong:
        return None
    first, kind = wrong[0], Kind.WHERE
    case = next(case for case in cases if not same_value(case.given[first], case.right[first]))
    if isinstance(case.right[first], str | int):
        is_now = case.given[first] if case.given[first] != "" else "nothing"
        found = placed(f"part {first}", f"{is_now} in yours; it should be {case.right[first]}.", case)
    else:
        found = _of_one_part(cases, first)
        kind = found.kind if len(wrong) == 1 else kind
    *before, last = (parts[i] for i in wrong)
    all_wrong = f"Not right yet: {', '.join(before)} and {last}. " if before else ""
    called = f"{parts[first][0].upper()}{parts[first][1:]}"
    return replace(found, sentence=f"{all_wrong}{called}: {found.sentence}", kind=kind)


_ListForms = list[tuple[str, Callable[[list], list], str]]  # a name, how it is made, a sentence
_ONE_ROUND = "Only the first entry is there, and it is right. Does a `return` end the loop after one round?"
_LIST_FORMS: _ListForms = [  # of the right list
    ("backwards", lambda r: r[::-1], "The entries are right, but they run backwards."),
    ("first missing", lambda r: r[1:], "The first entry is missing; the others are right."),
    ("last missing", lambda r: r[:-1], "The last entry is missing; the others are right."),
    ("first alone", lambda r: r[:1], _ONE_ROUND),
    ("nothing", lambda r: [], "Your list is empty."),
    ("each entry backwards", lambda r: [x[::-1] for x in r], "The entries are right, but each is turned round."),
]
_ONE_MORE = "Your list has one entry too many, the {}; the others are right."
_TOGETHER = "Your entries stand in lists inside the list; put them all into one."
_LEFT_TO_DO: _ListForms = [  # with the given list, which makes it right
    ("one too many in front", lambda g: g[1:], _ONE_MORE.format("first")),
    ("one too many at the end", lambda g: g[:-1], _ONE_MORE.format("last")),
    ("one list in another", lambda g: g[0], "Your list stands inside another list. Return the inner one."),
    ("not put into one", lambda g: [x for part in g for x in part], _TOGETHER),
]


def _listed(cases: Sequence[Case]) -> Relation | None:
    """Lists of words, of pairs, or of lists."""
    lists = [(list(case.given), list(case.right)) for case in cases]
    for name, form, sentence in _LIST_FORMS:
        if all(_same_list(given, _tried_list(form, right)) for given, right in lists):
            return Relation(name, sentence)
    for name, form, sentence in _LEFT_TO_DO:
        if all(_same_list(_tried_list(form, given), right) for given, right in lists):
            return Relation(name, sentence)
    if all(_sorted_alike(given, right) for given, right in lists):
        return Relation("another order", "The entries are right, but they stand in another order.")
    if all(len(g) == len(r) and all(has_parts(x) and len(x) == 2 for x in g + r) for g, r in lists):
        for i, which in enumerate(("first", "second")):
            if all(all(same_value(x[i], y[i]) for x, y in zip(g, r, strict=True)) for g, r in lists):
                said = f"The {which} half of each pair is right. It is the other half that differs."
                return placed(f"{which} halves", said)
    return _as_far_as(cases, lists) or _within(cases, lists)


def _within(cases: Sequence[Case], lists: Sequence[tuple[list, list]]) -> Relation | None:
    """How each entry of a list is related to the right one, where the entries are lists or texts themselves."""
    wholes, inside = [], []
    for case, (g, r) in zip(cases, lists, strict=True):
        for a, b in zip(g, r, strict=True) if len(g) == len(r) else ():
            if not same_value(a, b):
                if not has_parts(a) or not has_parts(b):
                    return None
                wholes.append(case)
                inside.append(Case(case.inputs, list(a), list(b)))
    inner = _listed(inside) if inside else None
    return inner and placed("within", f"In the lists inside your list: {inner.sentence}", _whole(inner, inside, wholes))


def _whole(found: Relation, of_parts: Sequence[Case], wholes: Sequence[Case]) -> Case | None:
    """The case of which the one that `found` speaks of is a part."""
    return next((whole for whole, part in zip(wholes, of_parts, strict=True) if part is found.about), None)


def _same_list(a: list | None, b: list | None) -> bool:
    return a is not None and b is not None and len(a) == len(b) and all(map(same_value, a, b))


def _sorted_alike(a: list, b: list) -> bool:
    return sorted(map(repr, a)) == sorted(map(repr, b))


# --- helpers -----------------------------------------------------------------------------------------------------


def _equal(a: Array | None, b: Array | None) -> bool:
    return a is not None and b is not None and np.shape(a) == np.shape(b) and close(np.asarray(a), np.asarray(b))


def _tried(step: Callable[[Array], Array], array: Array) -> Array | None:
    try:
        with np.errstate(all="ignore"):
            return step(array)
    except Exception:  # a step that this array does not allow
        return None


def _tried_list(step: Callable[[list], list], values: list) -> list | None:
    try:
        return list(step(values))
    except Exception:
        return None
