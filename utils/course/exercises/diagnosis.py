"""How an answer is judged: it is compared with the reference, and if it differs, the mistake is looked for.

The student's function is called as it is, on a copy of each input, and at most `MORE_CALLS` times more, where what is
said of a size or an argument has to hold elsewhere. No changed version of it is ever made: what is changed to find a
mistake is the course's own solution. `diagnose` never raises, and it has an end, whatever the function returns.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import traceback
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from utils.course.exercises import words
from utils.course.exercises.asking import Asked, Inputs, Outcome, Patience, agree, all_agree, run
from utils.course.exercises.changes import changes, clause_among, in_one_place, solution_of
from utils.course.exercises.exercise import Adapter, Exercise, WrongAnswer
from utils.course.exercises.fresh import fresh
from utils.course.exercises.relations import Case, Kind, Relation, partly, placed, relation, where
from utils.course.exercises.responses import other_dependence, unused_argument
from utils.course.exercises.results import plain
from utils.course.exercises.values import as_array, same_value
from utils.course.exercises.variants import given_otherwise, variants

Function = Callable[..., Any]
_NEW_INPUTS = 3  # on which a finding has to hold, too, where it rests on small whole numbers


class Verdict(Enum):
    """How an answer stands."""

    NOT_TRIED = "not tried yet"
    PASSED = "passed"
    MISTAKE = "not yet"


@dataclass(frozen=True)
class Diagnosis:
    """What `check` says: the verdict, one sentence, and where there is more to see, the details."""

    verdict: Verdict
    sentence: str
    details: str = ""
    mistake: str = ""  # the sentence of the known wrong answer, or the name of the relation, where one fits
    input_shown: str = ""  # an input on which it differs, for reading
    printed: str = ""  # what the function printed on the first input


def judged(exercise: Exercise, answer: Any) -> Diagnosis:
    """Diagnose what a student has handed over, used as the exercise uses it."""
    return diagnose(exercise, exercise.used(answer) if exercise.used else answer)


def diagnose(exercise: Exercise, answer: Any) -> Diagnosis:
    """Run `answer` on the exercise's inputs and name the mistake, if there is one.

    A function that still raises NotImplementedError counts as not tried, not as wrong.
    """
    if not callable(answer):
        return Diagnosis(
            Verdict.MISTAKE,
            f"Hand over the function itself, without calling it: this is {words.kind(plain(answer))}, not a function.",
        )
    asked, expected = Asked(answer, _cases(exercise)), _expected(exercise)
    outright = _outright(exercise, asked, expected)
    found = outright or _mistake(exercise, asked, expected)
    return replace(found, printed=asked.outcomes[0].printed)


def _cases(exercise: Exercise) -> list[Inputs]:
    return [*exercise.inputs, *exercise.extremes]


@functools.lru_cache(maxsize=2)  # a student asks about one exercise again and again
def _expected(exercise: Exercise) -> list[Outcome]:
    return [run(exercise.reference, case) for case in _cases(exercise)]


def _outright(exercise: Exercise, asked: Asked, expected: Sequence[Outcome]) -> Diagnosis | None:
    """What is said without looking for a mistake: not written yet, passed, inputs changed, an id as a float."""
    for outcome in asked.outcomes:
        if isinstance(outcome.error, NotImplementedError):
            return Diagnosis(Verdict.NOT_TRIED, _not_written(asked.function, outcome.error))
    if any(outcome.changed_inputs for outcome in asked.outcomes):
        sentence = (
            f"Your function changes what it is given. Build a new {'tensor' if exercise.used else 'array'} instead, "
            "so that whoever called you still has theirs."
        )
        return Diagnosis(Verdict.MISTAKE, sentence, mistake="changes its inputs")
    if not all_agree(asked.outcomes, expected):
        return None
    if exercise.is_id and any(as_array(outcome.value).dtype.kind == "f" for outcome in asked.outcomes):
        sentence = "The right number, but as a float, and an id chooses a row: `table[3.0]` stops. Return an int."
        return Diagnosis(Verdict.MISTAKE, sentence, mistake="an id as a float")
    return Diagnosis(Verdict.PASSED, "Right: your function agrees with the reference on every input.")


def _mistake(exercise: Exercise, asked: Asked, expected: Sequence[Outcome]) -> Diagnosis:
    """The card of a wrong answer."""
    at = _shown(exercise, asked.outcomes, expected)
    case, given, right = _cases(exercise)[at], asked.outcomes[at], expected[at]
    named = _known_mistake(exercise, asked.outcomes, expected)
    found = named.relation if named else _found(exercise, asked, expected)
    if given.error is not None and not named:
        if found and (found.about or isinstance(given.error, words.FindingError)):
            found = None  # a card speaks of one input, and shows it
        sentence = words.of_an_error(given.error)
        runs = any(outcome.error is None for outcome in asked.outcomes[: len(exercise.inputs)])
        of_those = " Where it runs:" if runs and found and found.kind is not Kind.RUNS else ""
        sentence += f"{of_those} {found.sentence}" if found else ""
        details = _student_line(asked.function, given.error)
    else:
        sentence = found.sentence if found else _in_general(asked.outcomes, expected, at)
        if found and found.about:
            case = tuple(found.about.inputs.values())
            given, right = Outcome(found.about.given), Outcome(found.about.right)
        details = words.first_difference(given.value, right.value)
        if found:  # else the sentence says it
            stops = given.error is not None and right.error is None
            details = words.STOPS_HERE if stops else details or words.one_is_none(given.value, right.value)
        if words.has_another_shape(given.value, right.value) and not named:
            details = f"For this input, {words.shapes(exercise.names, case)}."
            details += _borrowed(asked.function, given, right)
    shown = words.written(exercise.names, case)
    return Diagnosis(Verdict.MISTAKE, sentence, details, found.name if found else "", shown)


def _shown(exercise: Exercise, given: Sequence[Outcome], expected: Sequence[Outcome]) -> int:
    """Which input a card speaks of: one where it stops, or gives no numbers, or another shape; else the shortest."""
    wrong = [i for i, (a, b) in enumerate(zip(given, expected, strict=True)) if not agree(a, b)]
    ordinary = [i for i in wrong if i < len(exercise.inputs)]
    stops = [i for i in ordinary if given[i].error]
    no_numbers = [i for i in ordinary if as_array(given[i].value) is None and as_array(expected[i].value) is not None]
    misshapen = [i for i in wrong if words.has_another_shape(given[i].value, expected[i].value)]
    if first := stops or no_numbers or misshapen:
        return first[0]
    cases = _cases(exercise)
    return min(ordinary or wrong, key=lambda i: len(words.written(exercise.names, cases[i])))


def _in_general(given: Sequence[Outcome], expected: Sequence[Outcome], at: int) -> str:
    """What is said where no mistake is known that leads to the results."""
    if all(words.is_close(a.value, b.value) for a, b in zip(given, expected, strict=True)):
        return words.VERY_CLOSE
    may_be_none = any(outcome.value is None for outcome in expected)
    sentence = words.of_a_value(given[at].value, expected[at].value, may_be_none)
    never = may_be_none and all(outcome.value is None for outcome in given)
    return f"{sentence} It returns None each time: is the `return` missing?" if never else sentence


def _known_mistake(exercise: Exercise, given: Sequence[Outcome], expected: Sequence[Outcome]) -> WrongAnswer | None:
    """The known wrong answer that does what the student's does: everywhere, or at least on all ordinary inputs.

    The second look catches two mistakes in one function, of which one shows only at large numbers.
    """
    ordinary = len(exercise.inputs)
    in_extremes_alone = all_agree(given[:ordinary], expected[:ordinary])
    cases = list(zip(_cases(exercise), given, strict=True))
    alike = [wrong for wrong in exercise.wrong_answers if _does_as(wrong, cases[:ordinary])]
    found = next((wrong for wrong in alike if _does_as(wrong, cases[ordinary:])), None)
    return found or (None if in_extremes_alone else next(iter(alike), None))


def _does_as(wrong: WrongAnswer, cases: Sequence[tuple[Inputs, Outcome]]) -> bool:
    return all(agree(outcome, run(wrong.function, case)) for case, outcome in cases)


# --- looking for a mistake ------------------------------------------------------------------------------------------


@dataclass
class _Search:
    """What the steps below look at: the ordinary inputs on which both the answer and the reference run."""

    exercise: Exercise
    asked: Asked
    expected: Sequence[Outcome]
    ran: Sequence[int]
    patience: Patience

    @property
    def inputs(self) -> list[Inputs]:
        return [self.exercise.inputs[i] for i in self.ran]

    @property
    def values(self) -> list[Any]:
        return [self.asked.outcomes[i].value for i in self.ran]

    @property
    def cases(self) -> list[Case]:
        return self.cases_at(self.ran)

    @property
    def extremes(self) -> list[int]:
        """The extreme inputs on which both run."""
        upto = range(len(self.exercise.inputs), len(self.expected))
        return [i for i in upto if self.asked.outcomes[i].error is None and self.expected[i].error is None]

    @functools.cached_property
    def new_cases(self) -> list[Case]:
        """A few inputs that are none of the exercise's: what is found has to hold on them, too, not by chance."""
        return [
            Case(self.exercise.named(inputs), own.value, right.value)
            for inputs, own, right in self.elsewhere
            if own.error is None and words.comparable(own.value, right.value)
        ]

    @functools.cached_property
    def elsewhere(self) -> list[tuple[Inputs, Outcome, Outcome]]:
        """New inputs on which the reference runs, with what the answer does there, and what is right."""
        named = [self.exercise.named(case) for case in self.exercise.inputs]
        made = (tuple(inputs.values()) for inputs in fresh(named))
        ran = ((inputs, right) for inputs in made if not (right := run(self.exercise.reference, inputs)).error)
        asked = ((inputs, self.asked.again(inputs), right) for inputs, right in itertools.islice(ran, _NEW_INPUTS))
        return [(inputs, own, right) for inputs, own, right in asked if own is not None]

    def cases_at(self, places: Sequence[int]) -> list[Case]:
        named, given = map(self.exercise.named, _cases(self.exercise)), self.asked.outcomes
        every = [Case(n, a.value, b.value) for n, a, b in zip(named, given, self.expected, strict=True)]
        return [every[i] for i in places]


def _found(exercise: Exercise, asked: Asked, expected: Sequence[Outcome]) -> Relation | None:
    """What the steps find, the first of them that finds something."""
    both = zip(exercise.inputs, asked.outcomes, expected, strict=False)
    ran = [i for i, (_, a, b) in enumerate(both) if a.error is None and b.error is None]
    search = _Search(exercise, asked, expected, ran, Patience())
    for step in _steps(search):
        found = step(search)
        if found is not None:
            return found
    return None


def _steps(search: _Search) -> Sequence[Callable[[_Search], Relation | None]]:
    """Which steps are taken, in their order."""
    cases = search.cases
    are_comparable = cases and all(words.comparable(case.given, case.right) for case in cases)
    differs = any(not same_value(case.given, case.right) for case in cases)
    if search.exercise.used:  # weights and sizes are among the arguments: to change these says nothing
        return () if not differs else (_related, _two_flaws, _placed) if are_comparable else (_two_flaws,)
    if not are_comparable:
        return (_changed_solution,)
    if len(search.ran) < len(search.exercise.inputs):
        return (_related, _changed_argument, _changed_solution, _placed, _runs_where) if differs else (_runs_where,)
    if not differs:
        return (_at_extremes,)
    return (
        _related,
        _changed_argument,
        _two_flaws,
        _changed_solution,
        _placed,
        _unused,
        _right_where,
        _partly,
        _depends,
    )


def _related(search: _Search) -> Relation | None:
    """A relation between the results and the right ones that says what was done."""
    cases = [*search.cases, *search.new_cases]
    found = relation(cases, search.exercise.parts)
    if found is None or found.kind is Kind.WHERE:
        return None
    extremes = search.cases_at(search.extremes)
    if not extremes or relation([*cases, *extremes]) == found:
        return found
    overflows = any(not words.comparable(case.given, case.right) for case in extremes)
    return _on_ordinary_inputs(found) if overflows else replace(found, sentence=f"On ordinary inputs: {found.sentence}")


def _placed(search: _Search) -> Relation | None:
    """A relation that says only where they differ."""
    return relation(search.cases, search.exercise.parts)


def _changed_argument(search: _Search) -> Relation | None:
    """The change of an argument, or of two, that makes the reference return what the answer does."""
    if not _telling(search.values):
        return None
    exercise = search.exercise
    others = (
        WrongAnswer(functools.partial(given_otherwise, exercise.reference, variant.change), variant.sentence)
        for variant in variants(exercise.names, exercise.inputs)
    )
    return _alike(search, others, search.ran)


def _two_flaws(search: _Search) -> Relation | None:
    """Two of the known flaws of the reference, where these have been written down, and no two others do the same."""
    if not (_telling(search.values) if search.exercise.parts else _fractional(search.values)):
        return None
    found = list(itertools.islice(_all_alike(search, search.exercise.pairs(), search.ran), 2))
    return _told(*found[0]) if len({other.sentence for other, _ in found}) == 1 else None


def _changed_solution(search: _Search) -> Relation | None:
    """One change in the lesson's solution that makes it do what the answer does, be it to stop.

    Whole numbers and words may agree by chance: where changes in several places give them, none is told.
    """
    if not _telling(search.values):
        return None
    exercise = search.exercise
    sentence = "Your result is what a right answer gives {}." if search.ran else "So does a right answer {}."
    made = list(changes(solution_of(exercise.name)))
    others = (WrongAnswer(change.function, str(at)) for at, change in enumerate(made))
    alike = [(made[int(o.sentence)], always) for o, always in _all_alike(search, others, range(len(exercise.inputs)))]
    if not alike or not (_fractional(search.values) or in_one_place([change for change, _ in alike])):
        return None
    change, always = min(alike, key=lambda one: one[0].step.rank)
    clause = clause_among(made, change, exercise.names)
    return _told(WrongAnswer(change.function, sentence.format(clause)), always) if clause else None


def _alike(search: _Search, others: Iterator[WrongAnswer], places: Sequence[int]) -> Relation | None:
    """The first of `others` that does on all inputs what the answer does; where numbers overflow, on ordinary ones."""
    found = next(_all_alike(search, others, places), None)
    return found and _told(*found)


def _told(other: WrongAnswer, always: bool) -> Relation:
    """What is said of an answer that does what `other` does: always, or at least on ordinary inputs."""
    return other.relation if always else _on_ordinary_inputs(other.relation)


def _all_alike(
    search: _Search, others: Iterator[WrongAnswer], places: Sequence[int]
) -> Iterator[tuple[WrongAnswer, bool]]:
    """Those of `others` that do what the answer does: on all inputs, or where numbers overflow, on all ordinary ones.

    places: of the ordinary inputs that are compared. With each stands whether it does so on all.
    """
    both = list(zip(_cases(search.exercise), search.asked.outcomes, strict=True))
    extremes = [both[i] for i in search.extremes]
    finite = [(case, outcome) for case, outcome in extremes if _is_finite(outcome.value)]

    def does(other: WrongAnswer, some: Sequence[tuple[Inputs, Outcome]]) -> bool:
        return all(_just_as(run(other.function, case), outcome) for case, outcome in some)

    compared = [*(both[i] for i in places), *finite]
    for other in search.patience.while_left(others):
        if does(other, compared) and _elsewhere(search, other):
            yield other, does(other, extremes)


def _is_finite(value: Any) -> bool:
    array = as_array(value)
    return array is None or bool(np.isfinite(array).all())


def _on_ordinary_inputs(found: Relation) -> Relation:
    return replace(found, sentence=f"On ordinary inputs, though not on an extreme one: {found.sentence}")


def _just_as(a: Outcome, b: Outcome) -> bool:
    """Whether both returned the same, a list or a number alone, or stopped with the same words."""
    return agree(a, b) and agree(b, a) and (a.error is None or words.of_an_error(a.error) == words.of_an_error(b.error))


def _elsewhere(search: _Search, other: WrongAnswer) -> bool:
    """Whether both do the same on new inputs; where none can be asked, whether the results say enough without."""
    both = [(own, run(other.function, inputs)) for inputs, own, _ in search.elsewhere]
    return all((a.error and b.error) or agree(a, b) for a, b in both) if both else _fractional(search.values)


def _unused(search: _Search) -> Relation | None:
    """An argument that makes no difference."""
    return unused_argument(search.exercise, search.asked)


def _right_where(search: _Search) -> Relation | None:
    """The size of the inputs that are answered well."""
    cases = search.cases_at([*search.ran, *search.extremes])
    good = [case.inputs for case in cases if same_value(case.given, case.right)]
    bad = [case.inputs for case in cases if not same_value(case.given, case.right)]
    return where(good, bad, "Right", "wrong", lambda inputs: _does(search, inputs, agree))


def _runs_where(search: _Search) -> Relation | None:
    """The size of the inputs on which it does not stop."""
    named, given = search.exercise.named, search.asked.outcomes
    good = [named(case) for case, outcome in zip(_cases(search.exercise), given, strict=True) if not outcome.error]
    bad = [named(case) for case, outcome in zip(_cases(search.exercise), given, strict=True) if outcome.error]
    found = where(good, bad, "It runs", "stops", lambda inputs: _does(search, inputs, lambda own, _: not own.error))
    return found and replace(found, kind=Kind.RUNS)


def _does(search: _Search, inputs: dict[str, Any], well: Callable[[Outcome, Outcome], bool]) -> bool | None:
    """Whether the answer does `well` with new `inputs`; None where that can't be asked."""
    right = run(search.exercise.reference, tuple(inputs.values()))
    own = search.asked.again(tuple(inputs.values())) if right.error is None else None
    return None if own is None else well(own, right)


def _partly(search: _Search) -> Relation | None:
    """Which part of the results is right; or on how many inputs, and what is wrong with the others."""
    cases = search.cases
    wrong = [case for case in cases if not same_value(case.given, case.right)]
    found = partly(cases)
    if found is None and 1 < len(wrong) < len(cases) and (found := relation(wrong) or partly(wrong)):
        how_many = f"Right on {len(cases) - len(wrong)} of {len(cases)} ordinary inputs. On the others: "
        found = placed(found.name, how_many + found.sentence, found.about)
    return found


def _depends(search: _Search) -> Relation | None:
    """A line of an argument that changes what it should not, or not what it should. To be close says more."""
    if any(words.has_another_shape(case.given, case.right) for case in search.cases):
        return None
    if words.is_close(search.cases[0].given, search.cases[0].right):
        return None
    return other_dependence(search.exercise, search.asked)


def _at_extremes(search: _Search) -> Relation | None:
    """What is wrong at large numbers alone."""
    for case in search.cases_at(search.extremes):
        if not same_value(case.given, case.right):
            how = words.of_a_value(case.given, case.right)
            return placed("extremes", f"Right on ordinary inputs, but not on an extreme one. {how}", case)
    return None


def _telling(values: Sequence[Any]) -> bool:
    """Whether `values` say enough: by chance a few whole numbers, or words, can agree, and nan, or one number."""
    flat = [as_array(value) for value in values if value is not None]
    if any(array is None for array in flat):
        return True
    if flat and all(np.isnan(array).all() for array in flat):
        return False
    if _is_one_number(values):
        return False
    digits = sum(len(str(int(x))) for array in flat for x in np.abs(array[np.isfinite(array)]))
    return _fractional(values) or digits > 8


def _is_one_number(values: Sequence[Any]) -> bool:
    """Whether `values` are one and the same number, whatever the input."""
    are_numbers = all(array is not None and array.size == 1 for array in map(as_array, values))
    return len(values) > 1 and are_numbers and all(same_value(value, values[0]) for value in values)


def _fractional(values: Sequence[Any]) -> bool:
    """Whether some of `values` are no whole numbers."""
    flat = [array for array in map(as_array, values) if array is not None]
    return any(array.dtype.kind == "f" and (array != array.round()).any() for array in flat)


# --- the student's code, which is read and not run --------------------------------------------------------------------


def _code(function: Any) -> types.CodeType | None:
    """The code of a function that was written with `def` or `lambda`, or that an exercise uses; None of all else."""
    if issubclass(type(function), Adapter):
        return function.code
    return function.__code__ if type(function) is types.FunctionType else None


def _not_written(answer: Any, error: BaseException) -> str:
    """Who still raises NotImplementedError: the answer itself, or another function that it calls."""
    frame, code = traceback.extract_tb(error.__traceback__)[-1], _code(answer)
    if frame.name in (code.co_name if code else frame.name, "<lambda>"):
        return "Not tried yet. Write your code where the stub raises, and run the cell."
    return f"Not tried yet: it calls `{frame.name}`, which is not written yet. Write that one first, and run its cell."


def _borrowed(answer: Any, given: Outcome, expected: Outcome) -> str:
    """A question, if the student's code reads a value of the notebook, or writes out a size that it returns."""
    code = _code(answer)
    if code is None or type(answer) is not types.FunctionType:
        return ""
    around = inspect.getclosurevars(answer).globals.items()
    used = [f"the notebook's `{name}`" for name, value in around if not callable(value) and not inspect.ismodule(value)]
    several = (constant if isinstance(constant, tuple) else (constant,) for constant in code.co_consts)
    written = set(itertools.chain.from_iterable(several))
    wrong = set(np.shape(given.value)) - set(np.shape(expected.value))
    used += [f"the number {size}" for size in wrong if size > 2 and size in written]
    return f" Does your function use {used[0]}, where it should use what it is given?" if used else ""


def _student_line(answer: Any, error: BaseException) -> str:
    """The last line of the student's cell that the exception passed through, not one of a function that it calls."""
    code = _code(answer)
    frames = traceback.extract_tb(error.__traceback__) if code else []
    own = [frame for frame in frames if frame.filename == code.co_filename]
    return f"It happens in line {own[-1].lineno} of your cell: {own[-1].line}" if own else ""
