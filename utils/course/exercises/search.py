"""Looking for the mistake in a wrong answer: known ones and relations first, then one change in the solution.

`Search.steps` says which are taken, and in which order; the first that finds something ends the search.
"""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from utils.course.exercises import words
from utils.course.exercises.asking import SEARCH_SECONDS, Inputs, Outcome, TriedAnswer, agree, run, same_error
from utils.course.exercises.changes import changes, clause_among, in_one_place, solution_of
from utils.course.exercises.exercise import Exercise
from utils.course.exercises.findings import Case, Finding, Kind, say
from utils.course.exercises.fresh import fresh
from utils.course.exercises.relations import partly, relation, where
from utils.course.exercises.responses import other_dependence, unused_argument
from utils.course.exercises.values import as_array, has_parts, is_finite, same_value
from utils.course.exercises.variants import variants

_NEW_INPUTS = 3  # on which a finding has to hold, too


@dataclass
class Search:
    """A wrong answer, with what it gives and what is right; `ran` are the ordinary inputs on which both run."""

    exercise: Exercise
    asked: TriedAnswer
    expected: Sequence[Outcome]
    until: float = field(default_factory=lambda: time.process_time() + SEARCH_SECONDS)

    def __post_init__(self) -> None:
        both = list(zip(self.asked.outcomes, self.expected, strict=True))
        ran = [i for i, (a, b) in enumerate(both) if a.error is None and b.error is None]
        n = len(self.exercise.inputs)
        self.ran, self.extremes = [i for i in ran if i < n], [i for i in ran if i >= n]
        self.values = [self.asked.outcomes[i].value for i in self.ran]
        self.cases = self.cases_at(self.ran)

    def cases_at(self, places: Sequence[int]) -> list[Case]:
        """The inputs in these `places`, with the results."""
        named, given = list(map(self.exercise.named, self.exercise.cases)), self.asked.outcomes
        return [Case(named[i], given[i].value, self.expected[i].value) for i in places]

    @functools.cached_property
    def elsewhere(self) -> list[tuple[Inputs, Outcome, Outcome]]:
        """New inputs on which the reference runs, with what the answer does there, and what is right."""
        made = (tuple(inputs.values()) for inputs in fresh(list(map(self.exercise.named, self.exercise.inputs))))
        ran = ((inputs, right) for inputs in made if not (right := run(self.exercise.reference, inputs)).error)
        asked = ((inputs, self.asked.again(inputs), right) for inputs, right in itertools.islice(ran, _NEW_INPUTS))
        return [(inputs, own, right) for inputs, own, right in asked if own is not None]

    @property
    def steps(self) -> Sequence[Callable[[Search], Finding | None]]:
        """What is looked for, in this order: it depends on what the answer returns, and where."""
        comparable = self.cases and all(words.comparable(case.given, case.right) for case in self.cases)
        differs = any(not same_value(case.given, case.right) for case in self.cases)
        changed = (_changed_argument, _changed_solution) if _telling(self.values) else ()
        if self.exercise.used and differs:  # weights and sizes are among the arguments: to change these says nothing
            flaws = (_two_flaws,) if changed else ()
            return (_related, *flaws, _placed) if comparable else flaws
        if not comparable:  # no finite numbers, or else a text, say
            may_be = any(has_parts(value) or as_array(value) is not None for value in self.values)
            return changed[1:] if may_be else ()
        stops = len(self.ran) < len(self.exercise.inputs)
        if not differs:
            return (_runs_where if stops else _at_extremes,)
        rest = (_runs_where,) if stops else (_unused, _right_where, _partly, _depends)
        return (_related, *changed, _placed, *rest)


def found_in(search: Search) -> Finding | None:
    """Find the mistake: take the steps for this situation until one finds something."""
    return next(filter(None, (step(search) for step in search.steps)), None)


def known_mistake(exercise: Exercise, given: Sequence[Outcome], in_extremes_alone: bool) -> Finding | None:
    """Find the known wrong answer that does what the student's does: everywhere, or at least on all ordinary inputs.

    The second catches two mistakes in one function, of which one shows only at large numbers. Both may stop on some
    inputs, but errors show nothing: on one ordinary input at least both return the same.
    """
    both, ordinary = list(zip(exercise.cases, given, strict=True)), len(exercise.inputs)
    if all(outcome.error for outcome in given[:ordinary]):
        return None
    does = lambda wrong, some: all(_does_as(run(wrong.function, case), outcome) for case, outcome in some)  # noqa: E731
    alike = [wrong for wrong in exercise.wrong_answers if does(wrong, both[:ordinary])]
    everywhere = [wrong for wrong in alike if does(wrong, both[ordinary:])]
    found = next(iter(everywhere or ([] if in_extremes_alone else alike)), None)
    return found and say(Kind.KNOWN, sentence=found.sentence)


def _does_as(wrong: Outcome, given: Outcome) -> bool:
    return agree(given, wrong) or same_error(given, wrong)


# --- relations -------------------------------------------------------------------------------------------------------


def _related(search: Search) -> Finding | None:
    """A relation between the results and the right ones that says what was done, on new inputs as well."""
    new = [
        Case(search.exercise.named(inputs), own.value, right.value)
        for inputs, own, right in search.elsewhere
        if own.error is None and words.comparable(own.value, right.value)
    ]
    found = relation([*search.cases, *new], search.exercise.parts)
    if found is None or found.is_a_place:
        return None
    extremes = search.cases_at(search.extremes)
    if not extremes or relation([*search.cases, *new, *extremes], search.exercise.parts) == found:
        return found
    return say(Kind.ORDINARY, found.about, inner=found)


def _placed(search: Search) -> Finding | None:
    """A relation that says only where they differ."""
    return relation(search.cases, search.exercise.parts)


def _partly(search: Search) -> Finding | None:
    """Which part of the results is right; or on how many inputs, and what is wrong with the others."""
    wrong = [case for case in search.cases if not same_value(case.given, case.right)]
    right = len(search.cases) - len(wrong)
    if (found := partly(search.cases)) or not right or len(wrong) < 2:
        return found
    inner = relation(wrong) or partly(wrong)
    return inner and say(Kind.SOME_INPUTS, inner.about, right=right, all=len(search.cases), inner=inner)


def _where(search: Search, well: str, ill: str, is_well: Callable[[Outcome, Outcome], bool]) -> Finding | None:
    """The size of the inputs with which it does well, on new ones, too."""

    def does(inputs: dict[str, Any]) -> bool | None:
        right = run(search.exercise.reference, tuple(inputs.values()))
        own = search.asked.again(tuple(inputs.values())) if right.error is None else None
        return None if own is None else is_well(own, right)

    named = list(map(search.exercise.named, search.exercise.cases))
    seen = [is_well(own, right) for own, right in zip(search.asked.outcomes, search.expected, strict=True)]
    good, bad = ([inputs for inputs, so in zip(named, seen, strict=True) if so is what] for what in (True, False))
    return where(good, bad, well, ill, does)


RUNS = "It runs"
_right_where = functools.partial(_where, well="Right", ill="wrong", is_well=agree)
_runs_where = functools.partial(_where, well=RUNS, ill="stops", is_well=lambda own, _: not own.error)


def _unused(search: Search) -> Finding | None:
    """An argument that makes no difference."""
    return unused_argument(search.exercise, search.asked)


def _depends(search: Search) -> Finding | None:
    """A line of an argument that changes what it should not, or not what it should. To be close says more."""
    first = search.cases[0]
    if any(words.has_another_shape(case.given, case.right) for case in search.cases):
        return None
    return None if words.is_close(first.given, first.right) else other_dependence(search.exercise, search.asked)


def _at_extremes(search: Search) -> Finding | None:
    """What is wrong at large numbers alone."""
    wrong = (case for case in search.cases_at(search.extremes) if not same_value(case.given, case.right))
    case = next(wrong, None)
    return case and say(Kind.EXTREMES, case, inner=say(Kind.OF_VALUE, said=words.of_a_value(case.given, case.right)))


# --- what a right answer gives that is changed in one place ----------------------------------------------------------


def _changed_argument(search: Search) -> Finding | None:
    """The change of an argument, or of two, that makes the reference return what the answer does."""
    right, known = search.exercise.reference, variants(search.exercise.names, search.exercise.inputs)
    made = ((lambda *inputs, change=change: right(*change(inputs)), clause) for clause, change in known)
    found = next(_alike(search, made, search.ran), None)
    return found and _told(say(Kind.ARGUMENT, clause=found[0]), found[1])


def _two_flaws(search: Search) -> Finding | None:
    """Two of the known mistakes at once, where no two others do the same."""
    made = ((function, (one, other)) for function, one, other in search.exercise.pairs())
    found = list(itertools.islice(_alike(search, made, search.ran), 2))
    if len({pair for pair, _ in found}) != 1:
        return None
    (one, other), always = found[0]
    return _told(say(Kind.TWO, one=one, other=other), always)


def _changed_solution(search: Search) -> Finding | None:
    """One change in the lesson's solution that makes it do what the answer does, be it to stop.

    Whole numbers and words may agree by chance: where changes in several places give them, none is told.
    """
    exercise = search.exercise
    made = list(changes(solution_of(exercise.name), exercise.names))
    alike = list(_alike(search, ((change.function, change) for change in made), range(len(exercise.inputs))))
    if not alike or not (_fractional(search.values) or in_one_place([change for change, _ in alike])):
        return None
    change, always = min(alike, key=lambda one: one[0].step)
    clause = clause_among(made, change)
    return _told(say(Kind.CHANGE, clause=clause), always) if clause else None


def _told(found: Finding, always: bool) -> Finding:
    """What is said of an answer that does what is `found`: always, or at least on ordinary inputs."""
    return found if always else say(Kind.ORDINARY, inner=found)


def _alike(
    search: Search, others: Iterator[tuple[Callable[..., Any], Any]], places: Sequence[int]
) -> Iterator[tuple[Any, bool]]:
    """What belongs to those functions that do what the answer does, on new inputs, too.

    places: of the ordinary inputs that are compared; of the extremes those where no number overflows are. With each
    stands whether it does so on all.
    """
    both = list(zip(search.exercise.cases, search.asked.outcomes, strict=True))
    extremes = [both[i] for i in search.extremes]
    compared = [*(both[i] for i in places), *((case, own) for case, own in extremes if is_finite(own.value))]
    does = lambda other, some: all(_just_as(run(other, case), own) for case, own in some)  # noqa: E731
    for function, of_it in others:
        if time.process_time() > search.until:
            return
        if does(function, compared) and _does_elsewhere(search, function):
            yield of_it, does(function, extremes)


def _does_elsewhere(search: Search, function: Callable[..., Any]) -> bool:
    """Whether both do the same on new inputs; where none can be asked, whether the results say enough."""
    both = [(own, run(function, inputs)) for inputs, own, _ in search.elsewhere]
    return all((a.error and b.error) or agree(a, b) for a, b in both) if both else _fractional(search.values)


def _just_as(a: Outcome, b: Outcome) -> bool:
    """Whether both returned the same, a list or a number alone, or stopped for the same reason."""
    if a.error is not None:
        return same_error(a, b) and words.message(a.error) == words.message(b.error)
    return agree(a, b) and agree(b, a)


def _telling(values: Sequence[Any]) -> bool:
    """Whether `values` say enough: by chance a few whole numbers, or words, can agree, and nan, or one number."""
    flat = [as_array(value) for value in values if value is not None]
    if any(array is None for array in flat):
        return True
    if flat and all(np.isnan(array).all() for array in flat):
        return False
    if len(values) > 1 and all(array.size == 1 for array in flat) and all(same_value(v, values[0]) for v in values):
        return False
    digits = sum(len(str(int(x))) for array in flat for x in np.abs(array[np.isfinite(array)]))
    return _fractional(values) or digits > 8


def _fractional(values: Sequence[Any]) -> bool:
    """Whether some of `values` are no whole numbers."""
    flat = [array for array in map(as_array, values) if array is not None]
    return any(array.dtype.kind == "f" and (array != array.round()).any() for array in flat)
