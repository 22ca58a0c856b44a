"""An exercise: a reference, fresh inputs, and the known wrong answers with the sentence each deserves.

`diagnose` compares a student's function with the reference. It never raises: whatever the function
does, the outcome is a Diagnosis in words.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import io
import itertools
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from utils.course.exercises import words
from utils.course.exercises.changes import Change, changes, code_of, solution_of
from utils.course.exercises.fresh import fresh
from utils.course.exercises.relations import Case, Relation, partly, plain_relation, relation, where
from utils.course.exercises.responses import other_dependence, right_about, unused_argument
from utils.course.exercises.values import as_array, same_value
from utils.course.exercises.variants import given_otherwise, variants

Inputs = tuple[Any, ...]


class Verdict(Enum):
    """How an answer stands."""

    NOT_TRIED = "not tried yet"
    PASSED = "passed"
    MISTAKE = "not yet"


@dataclass(frozen=True)
class WrongAnswer:
    """A mistake that students make: the function that makes it, and what a good tutor would say."""

    function: Callable[..., Any]
    sentence: str

    @property
    def relation(self) -> Relation:
        """That a result is this answer's."""
        return Relation(self.sentence, self.sentence)


@dataclass(frozen=True)
class Flaw:
    """Another way to take one step of a reference that is built of steps, and what a good tutor would say of it."""

    step: str
    way: Callable[..., Any]
    sentence: str


def flawed(build: Callable[..., Callable[..., Any]], flaws: Sequence[Flaw]) -> tuple[WrongAnswer, ...]:
    """The answers with one of `flaws`; `build` makes an answer of its steps, which have the right way as default."""
    return tuple(WrongAnswer(build(**{flaw.step: flaw.way}), flaw.sentence) for flaw in flaws)


def flawed_twice(
    build: Callable[..., Callable[..., Any]], flaws: Sequence[Flaw]
) -> Callable[[], Iterator[WrongAnswer]]:
    """The answers with two of `flaws`, in different steps; they are made when they are asked for."""
    return lambda: (
        WrongAnswer(build(**{a.step: a.way, b.step: b.way}), _both(a.sentence, b.sentence))
        for a, b in itertools.combinations(flaws, 2)
        if a.step != b.step
    )


@dataclass(frozen=True, eq=False)  # each is itself, so that what it leads to can be kept
class Exercise:
    """What `check` needs to know.

    `inputs` are the argument tuples that every answer meets, the ordinary ones first; `extremes` are
    tried after them and are there for mistakes that show only at large numbers. `pairs` makes the answers with
    two mistakes at once; they are looked at only where no single one fits. `is_id` says that the result is to choose
    a row of a table, which no float can. `used` makes of what a student hands over, a class say, the function that is
    compared.
    """

    name: str
    title: str
    reference: Callable[..., Any]
    inputs: Sequence[Inputs]
    wrong_answers: tuple[WrongAnswer, ...]
    extremes: Sequence[Inputs] = ()
    pairs: Callable[[], Iterator[WrongAnswer]] = lambda: iter(())
    is_id: bool = False
    used: Callable[[Any], Any] | None = None

    @property
    def lesson(self) -> str:
        """The two digits of the lesson that asks it."""
        return self.name.split(".")[0]

    @property
    def names(self) -> list[str]:
        """What its arguments are called."""
        return list(inspect.signature(self.reference).parameters)

    def named(self, inputs: Inputs) -> dict[str, Any]:
        """`inputs` by the names of the arguments."""
        return dict(zip(self.names, inputs, strict=True))


@dataclass(frozen=True)
class Diagnosis:
    """What `check` says: the verdict, one sentence, and where there is more to see, the details."""

    verdict: Verdict
    sentence: str
    details: str = ""
    mistake: str = ""  # the sentence of the known wrong answer, or the name of the relation, where one fits
    input_shown: str = ""  # the input on which it differs first, for reading
    printed: str = ""  # what the function printed on the first input


@dataclass(frozen=True)
class Outcome:
    """What a function did with one input: the value it returned, or the exception it raised."""

    value: Any = None
    error: BaseException | None = None
    changed_inputs: bool = False
    printed: str = ""


def judged(exercise: Exercise, answer: Any) -> Diagnosis:
    """What a student has handed over, used as the exercise uses it, and then diagnosed."""
    return diagnose(exercise, exercise.used(answer) if exercise.used else answer)


def diagnose(exercise: Exercise, answer: Any) -> Diagnosis:
    """Runs `answer` on the exercise's inputs and names the mistake, if there is one.

    A function that still raises NotImplementedError counts as not tried, not as wrong.
    """
    if not callable(answer):
        return Diagnosis(
            Verdict.MISTAKE,
            f"Hand over the function itself, without calling it: this is {words.kind(answer)}, not a function.",
        )
    cases = [*exercise.inputs, *exercise.extremes]
    expected = [run(exercise.reference, case) for case in cases]
    given = [run(answer, case) for case in cases]
    printed = given[0].printed
    for outcome in given:
        if isinstance(outcome.error, NotImplementedError):
            return Diagnosis(Verdict.NOT_TRIED, _not_written(answer, outcome.error), printed=printed)
    if any(outcome.changed_inputs for outcome in given):
        return Diagnosis(
            Verdict.MISTAKE,
            "Your function changes what it is given. Build a new array instead, "
            "so that whoever called you still has theirs.",
            mistake="changes its inputs",
            printed=printed,
        )
    wrong = [i for i, (a, b) in enumerate(zip(given, expected, strict=True)) if not agree(a, b)]
    first = wrong[0] if wrong else None
    if wrong and as_array(given[first].value) is not None:  # in a square, a wrong shape may look right
        first = next((i for i in wrong if words.has_another_shape(given[i].value, expected[i].value)), first)
    first = next((i for i in wrong if i < len(exercise.inputs) and given[i].error), first)
    if first is None and exercise.is_id and any(as_array(outcome.value).dtype.kind == "f" for outcome in given):
        return Diagnosis(
            Verdict.MISTAKE,
            "The right number, but as a float, and an id chooses a row: `table[3.0]` stops. Return an int.",
            mistake="an id as a float",
            printed=printed,
        )
    if first is None:
        return Diagnosis(
            Verdict.PASSED, "Right: your function agrees with the reference on every input.", printed=printed
        )
    names = exercise.names
    details, shown = _details(answer, given[first], expected[first]), words.written(names, cases[first])
    named = _known_mistake(exercise, given, expected)
    known = named or _related(exercise, answer, given, expected)
    error = given[first].error
    if error is not None and not named:
        sentence = words.of_an_error(error)
        if known:  # where it stops it has no result
            sentence += " " + known.sentence.replace("Your result is", "Where it runs, the result is", 1)
        details = _student_line(answer, error)
    elif known is not None:
        sentence = known.sentence
    else:
        may_be_none = any(o.value is None for o in expected) and any(o.value is not None for o in given)
        sentence = words.of_a_value(given[first].value, expected[first].value, may_be_none)
        if all(words.is_close(a.value, b.value) for a, b in zip(given, expected, strict=True)):
            sentence = words.VERY_CLOSE
    if words.has_another_shape(given[first].value, expected[first].value) and not named:
        borrowed = _borrowed(answer, given[first], expected[first])
        details = f"For this input, {words.shapes(names, cases[first])}.{borrowed}"
    mistake = named.sentence if named else known.name if known else ""
    return Diagnosis(Verdict.MISTAKE, sentence, details, mistake, shown, printed)


def run(function: Callable[..., Any], inputs: Inputs) -> Outcome:
    """What `function` does with `inputs`, whatever it is; only being stopped by the student goes on up."""
    own, said = copy.deepcopy(inputs), io.StringIO()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(said):
            warnings.simplefilter("ignore")
            value = function(*own)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Outcome(error=error, printed=said.getvalue())
    return Outcome(value, changed_inputs=not all(map(same_value, own, inputs)), printed=said.getvalue())


def agree(a: Outcome, b: Outcome) -> bool:
    """Whether both returned the same, or stopped with the same kind of exception."""
    if a.error is not None or b.error is not None:
        return type(a.error) is type(b.error)
    return same_value(a.value, b.value)


def _agree_running(a: Outcome, b: Outcome) -> bool:
    """Whether both ran and returned the same."""
    return a.error is None and b.error is None and agree(a, b)


def _all_agree(some: Sequence[Outcome], others: Sequence[Outcome]) -> bool:
    return all(map(agree, some, others))


def _known_mistake(exercise: Exercise, given: Sequence[Outcome], expected: Sequence[Outcome]) -> WrongAnswer | None:
    """The known wrong answer that does what the student's does: everywhere, or at least on all ordinary inputs.

    The second look catches two mistakes in one function, of which one shows only at large numbers.
    """
    ordinary = len(exercise.inputs)
    in_extremes_alone = _all_agree(given[:ordinary], expected[:ordinary])
    for upto in {len(given): None} if in_extremes_alone else {len(given): None, ordinary: None}:
        for wrong, outcome in _known_outcomes(exercise):
            if _all_agree(given[:upto], outcome[:upto]):
                return wrong
    return None


@functools.lru_cache(maxsize=2)  # a student asks about one exercise again and again
def _known_outcomes(exercise: Exercise) -> list[tuple[WrongAnswer, list[Outcome]]]:
    cases = [*exercise.inputs, *exercise.extremes]
    return [(wrong, [run(wrong.function, case) for case in cases]) for wrong in exercise.wrong_answers]


def _related(
    exercise: Exercise, answer: Callable[..., Any], given: Sequence[Outcome], expected: Sequence[Outcome]
) -> Relation | None:
    """How the results are related to the right ones, or to those of a known mistake, on all ordinary inputs."""
    ran = [i for i in range(len(exercise.inputs)) if given[i].error is None and expected[i].error is None]
    inputs, values = [exercise.inputs[i] for i in ran], [given[i].value for i in ran]

    def compared(right: Sequence[Any]) -> list[Case]:
        return [Case(exercise.named(case), a, b) for case, a, b in zip(inputs, values, right, strict=False)]

    cases = compared([expected[i].value for i in ran])
    wrong = [case for case in cases if not same_value(case.given, case.right)]
    if exercise.used:  # weights and sizes are among the arguments: to change these says nothing
        return relation(cases) if wrong else None
    right = [case.inputs for case in cases if same_value(case.given, case.right)]
    functions = answer, exercise.reference, exercise.names, inputs

    def does(inputs: dict[str, Any], well: Callable[[Outcome, Outcome], bool]) -> bool | None:
        """Whether the answer does `well` with new `inputs`; None where the reference has nothing to say of them."""
        right = run(exercise.reference, tuple(inputs.values()))
        return well(run(answer, tuple(inputs.values())), right) if right.error is None else None

    if not ran or not all(words.comparable(case.given, case.right) for case in cases):
        return _one_change(exercise, answer, given, expected)
    if len(ran) < len(exercise.inputs):
        stopped = [exercise.named(case) for i, case in enumerate(exercise.inputs) if i not in ran]
        found = relation(cases) if wrong else None
        return (
            _unless_a_place(found)
            or (_single(exercise, answer, ran, values) if wrong else None)
            or _one_change(exercise, answer, given, expected)
            or found
            or where(
                [case.inputs for case in cases],
                stopped,
                "It runs",
                "stops",
                lambda i: does(i, lambda a, _: not a.error),
            )
        )
    if not wrong:
        return _one_change(exercise, answer, given, expected) or _at_extremes(exercise, given, expected)
    found = relation(cases)
    single = _unless_a_place(found) or _single(exercise, answer, ran, values)
    nearly = all(words.is_close(case.given, case.right) for case in cases)  # one thing is enough to be so near
    with_a_sign = single is not None and "the opposite sign" in single.sentence  # the code says where it is turned
    return (
        (None if with_a_sign else single)
        or _one_change(exercise, answer, given, expected)
        or single
        or (None if nearly else _two_at_once(exercise, answer, values, compared))
        or found
        or unused_argument(*functions)
        or where(right, [case.inputs for case in wrong], "Right", "wrong", lambda i: does(i, agree))
        or partly(cases)
        or _on_some(cases, wrong)
        or right_about(*functions)
        or _otherwise_dependent(cases, functions)
    )


def _unless_a_place(found: Relation | None) -> Relation | None:
    """`found` if it says what was done; None if it says only where the result is wrong."""
    return None if found is None or found.name.startswith("where: ") else found


def _otherwise_dependent(cases: Sequence[Case], functions: tuple[Any, ...]) -> Relation | None:
    if words.is_close(cases[0].given, cases[0].right):  # to be close says more
        return None
    if any(words.has_another_shape(case.given, case.right) for case in cases):  # so does a wrong shape
        return None
    return other_dependence(*functions)


def _on_some(cases: Sequence[Case], wrong: Sequence[Case]) -> Relation | None:
    found = relation(wrong) or partly(wrong)
    how_many = f"Right on {len(cases) - len(wrong)} of {len(cases)} ordinary inputs. On the others: "
    return found and Relation(f"where: {found.name}", how_many + found.sentence)


def _single(
    exercise: Exercise, answer: Callable[..., Any], ran: Sequence[int], values: Sequence[Any]
) -> Relation | None:
    """The change of an argument, or of two, that makes the reference return `values` for the inputs that `ran`."""
    inputs = [exercise.inputs[i] for i in ran]
    others = _changed_arguments(exercise, exercise.reference) if _telling(values) else ()
    found = (other for other in others if _returns(other.function, inputs, values))
    return next((o.relation for o in found if _alike_elsewhere(exercise, answer, o.function, values)), None)


def _alike_elsewhere(
    exercise: Exercise, answer: Callable[..., Any], other: Callable[..., Any], values: Sequence[Any]
) -> bool:
    """Whether both do the same on new inputs; asked only where `values` are small whole numbers or words."""
    if _fractional(values) or any(np.abs(a).max(initial=0) > 99 for a in map(as_array, values) if a is not None):
        return True
    for made in fresh([exercise.named(case) for case in exercise.inputs]):
        inputs = tuple(made.values())
        if run(exercise.reference, inputs).error is None and not agree(run(answer, inputs), run(other, inputs)):
            return False
    return True


def _same_as(others: Iterable[WrongAnswer], inputs: Sequence[Inputs], values: Sequence[Any]) -> Relation | None:
    """The first of `others` that returns `values` for `inputs`."""
    for other in others:
        if _returns(other.function, inputs, values):
            return other.relation
    return None


def _returns(function: Callable[..., Any], inputs: Sequence[Inputs], values: Sequence[Any]) -> bool:
    """Whether `function` returns `values`; it is run no further than to the first that is another."""
    outcomes = map(run, itertools.repeat(function), inputs)
    return all(o.error is None and same_value(value, o.value) for o, value in zip(outcomes, values, strict=True))


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


def _changed_arguments(exercise: Exercise, function: Callable[..., Any]) -> Iterator[WrongAnswer]:
    for variant in variants(exercise.names, exercise.inputs):
        yield WrongAnswer(functools.partial(given_otherwise, function, variant.change), variant.sentence)


def _changed_solutions(exercise: Exercise) -> Iterator[Change]:
    """The lesson's solution with one change each; none where it is not itself what is compared."""
    return iter(()) if exercise.used else changes(solution_of(exercise.name))


def _changed_solution(change: Change) -> WrongAnswer:
    """The lesson's solution with one change in its code."""
    return WrongAnswer(change.function, f"Your result is what a right answer gives {change.difference}.")


def _own_changes(answer: Callable[..., Any]) -> Iterator[tuple[Change, str]]:
    """The student's code with one change; with each the line of the cell to look at, and a question about it."""
    for change in changes(code_of(answer)):
        yield change, f"line {answer.__code__.co_firstlineno + change.line - 1}, {change.question}"


def _one_change(
    exercise: Exercise, answer: Callable[..., Any], given: Sequence[Outcome], expected: Sequence[Outcome]
) -> Relation | None:
    """One change in the student's code that makes it right, or one in the lesson's solution that makes it as wrong.

    At large numbers many mistakes give the same nan, so what is wrong there alone tells nothing of the solution.
    """
    cases = [*exercise.inputs, *exercise.extremes]
    values = [outcome.value for outcome in expected]
    for change, place in _own_changes(answer):
        if all(
            agree(run(change.function, case), right) for case, right in zip(cases, expected, strict=True)
        ) and _alike_elsewhere(exercise, exercise.reference, change.function, values):
            return Relation(f"one change: {change.question}", f"One change makes your function right. Look at {place}")
    ordinary = list(zip(exercise.inputs, given, strict=False))
    if _all_agree(given[: len(ordinary)], expected[: len(ordinary)]) or not _telling([a.value for _, a in ordinary]):
        return None
    for change in _changed_solutions(exercise):
        if all(_just_as(run(change.function, case), outcome) for case, outcome in ordinary) and _alike_elsewhere(
            exercise, answer, change.function, [outcome.value for _, outcome in ordinary]
        ):
            return _changed_solution(change).relation
    return None


def _just_as(a: Outcome, b: Outcome) -> bool:
    """Whether both returned the same, or stopped with the same words."""
    return agree(a, b) and (a.error is None or words.of_an_error(a.error) == words.of_an_error(b.error))


_PAIRS_TRIED = 2000  # of known mistakes with changed arguments; a student waits


def _two_at_once(
    exercise: Exercise,
    answer: Callable[..., Any],
    values: Sequence[Any],
    compared: Callable[[Sequence[Any]], list[Case]],
) -> Relation | None:
    """Two of the mistakes: a known one or a changed argument, and another of these or a plain relation on top of it."""
    if not _telling(values):
        return None
    is_exact = _fractional(values)  # two things at once agree with few whole numbers by chance
    changed = [*_changed_arguments(exercise, exercise.reference)] if is_exact else []
    of_known = (
        WrongAnswer(other.function, _both(wrong.sentence, other.sentence))
        for wrong in exercise.wrong_answers
        if is_exact
        for other in _changed_arguments(exercise, wrong.function)
    )
    others = [*exercise.wrong_answers, *changed]
    return (
        _same_as(exercise.pairs(), exercise.inputs, values)
        or (_beside_one_change(exercise, answer, others) if is_exact else None)
        or _same_as(itertools.islice(of_known, _PAIRS_TRIED), exercise.inputs, values)
        or _on_top(exercise, others, compared)
    )


def _beside_one_change(exercise: Exercise, answer: Callable[..., Any], others: list[WrongAnswer]) -> Relation | None:
    """One of the mistakes `others`, which is all that is left if the student's code is changed in one place."""
    case, *more = exercise.inputs
    # with another number much becomes like a known mistake that has nothing of it
    own = [(change, place) for change, place in _own_changes(answer) if not change.is_another_number]
    mistakes = [*others, *_changed_solutions(exercise)] if own else []
    by_result = {result: other for other in mistakes for result in [_key(run(other.function, case))] if result}
    for change, place in own:
        other = by_result.get(_key(run(change.function, case)))
        if (
            other
            and not (isinstance(other, Change) and other.is_of_a_loop and change.is_of_a_loop)  # both may cut it
            and all(_agree_running(run(change.function, each), run(other.function, each)) for each in more)
            and not words.has_another_shape(run(other.function, case).value, run(exercise.reference, case).value)
            and unused_argument(other.function, exercise.reference, exercise.names, exercise.inputs) is None
        ):  # where an argument is used no more, little is left that could differ
            if isinstance(other, Change) and other.leaves_out and change.leaves_out:  # agreed without one step
                where_it_is = place.removesuffix(f": {change.asked}")
                return Relation("where: one step", f"Look at {where_it_is}: what is around that is right.")
            other = other if isinstance(other, WrongAnswer) else _changed_solution(other)
            sentence = _both(other.sentence.replace("Your result is", "One is"), f"Look at {place}", change.leaves_out)
            return Relation("two things: one change", sentence)
    return None


def _key(outcome: Outcome) -> tuple[Any, ...] | None:
    """What two outcomes have in common that are the same; None where it could be so by chance."""
    array = as_array(outcome.value)
    if array is None or not _fractional([array]) or not np.isfinite(array).all():
        return None
    return array.shape, *(array.astype(float).round(6) + 0.0).flat


def _on_top(
    exercise: Exercise, others: Sequence[WrongAnswer], compared: Callable[[Sequence[Any]], list[Case]]
) -> Relation | None:
    """A plain relation to one of the mistakes `others`."""
    for other in others:
        made: list[Any] = []
        then = None
        for upto in dict.fromkeys((min(2, len(exercise.inputs)), len(exercise.inputs))):  # most fail at two inputs
            outcomes = [run(other.function, case) for case in exercise.inputs[len(made) : upto]]
            made += [outcome.value for outcome in outcomes]
            then = None if any(outcome.error for outcome in outcomes) else plain_relation(compared(made))
            if then is None:
                break
        # one factor for each input says too little here, and so does what becomes equal when it is cut
        too_little = _unless_a_place(then) is None or then.name in ("factor", "summand") or then.name.endswith(" alone")
        if not too_little and not _is_one_number(made) and not then.name.startswith("nothing "):
            sentence = f"Two things at once. {other.sentence} Apart from that: {then.sentence}"
            return Relation(f"two things: {then.name}", sentence)
    return None


def _both(first: str, second: str, perhaps: bool = False) -> str:
    return f"{'Perhaps two' if perhaps else 'Two'} things at once. {first} And: {second}"


def _at_extremes(exercise: Exercise, given: Sequence[Outcome], expected: Sequence[Outcome]) -> Relation | None:
    """What is wrong at large numbers alone."""
    for a, b in zip(given[len(exercise.inputs) :], expected[len(exercise.inputs) :], strict=True):
        if not agree(a, b) and a.error is None and b.error is None:
            how = words.of_a_value(a.value, b.value)
            return Relation("where: extremes", f"Right on ordinary inputs, but not on an extreme one. {how}")
    return None


def _not_written(answer: Callable[..., Any], error: BaseException) -> str:
    """Who still raises NotImplementedError: the answer itself, or another function that it calls."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    own = getattr(getattr(answer, "__code__", None), "co_name", frame.name)
    if frame.name in (own, "<lambda>"):
        return "Not tried yet. Write your code where the stub raises, and run the cell."
    return f"Not tried yet: it calls `{frame.name}`, which is not written yet. Write that one first, and run its cell."


def _borrowed(answer: Callable[..., Any], given: Outcome, expected: Outcome) -> str:
    """A question, if the student's code reads a value of the notebook, or writes out a size that it returns."""
    try:
        names = inspect.getclosurevars(answer).globals.items()
        constants = answer.__code__.co_consts
    except (TypeError, ValueError, AttributeError):  # a callable that is no plain function
        return ""
    used = [f"the notebook's `{name}`" for name, value in names if not callable(value) and not inspect.ismodule(value)]
    written = {size for constant in constants for size in (constant if isinstance(constant, tuple) else (constant,))}
    wrong = set(np.shape(given.value)) - set(np.shape(expected.value))
    used += [f"the number {size}" for size in wrong if size > 2 and size in written]
    return f" Does your function use {used[0]}, where it should use what it is given?" if used else ""


def _details(answer: Callable[..., Any], given: Outcome, expected: Outcome) -> str:
    if given.error is not None:
        return _student_line(answer, given.error)
    return words.first_difference(given.value, expected.value)


def _student_line(answer: Callable[..., Any], error: BaseException) -> str:
    """The last line of the student's cell that the exception passed through, not one of a function that it calls."""
    cell = getattr(getattr(answer, "__code__", None), "co_filename", None)
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == cell]
    if not own:
        return ""
    return f"It happens in line {own[-1].lineno} of your cell: {own[-1].line}"
