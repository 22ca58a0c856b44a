"""Judge an answer. `diagnose` takes these steps in order and returns the result of the first that finds something.

1. Run the answer in the notebook's state, on a copy of each input (`asking.py`). Everything else is done in the judge's
   own state (`own_state.py`). If the two states differ and the answer fails, run it once more in the judge's.
2. Compare it with the reference: not written yet, changes its inputs, returns two results, passed.
3. Look for a known mistake (`exercise.py`).
4. Say where the answer raises an error, or how its result is related to the correct one (`relations.py`) or to its
   arguments (`responses.py`), or which part of the result is correct.
5. Otherwise say only that the answer is wrong, with the smallest input on which it differs.

All sentences are in `findings.py`. `diagnose` calls only the student's own function, never a changed version. It never
raises an error, and it always ends, whatever the function returns.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from utils.course.exercises import students_code, words
from utils.course.exercises.asking import SEARCH_SECONDS, Outcome, TriedAnswer, agree, all_agree, run, same_error
from utils.course.exercises.exercise import Exercise
from utils.course.exercises.findings import Case, Finding, Kind, say
from utils.course.exercises.own_state import fixed_state
from utils.course.exercises.relations import partly, relation
from utils.course.exercises.responses import mistaken_argument, unused_argument
from utils.course.exercises.results import plain
from utils.course.exercises.values import as_array

_LONGEST = 2_000  # the most letters to show of a result
_TOO_WEAK = {  # to be the second of two mistakes
    Kind.CUT, Kind.ROUNDED, Kind.TRANSPOSED, Kind.AXES, Kind.REORDERED, Kind.SHARPNESS, Kind.OFF_BY_SOME,
    Kind.OFF_BY_LINE, Kind.ENDS_EARLY, Kind.UP_TO, Kind.PLUS_ARGUMENT, Kind.YET_TO_DO,
}  # fmt: skip


class Verdict(Enum):
    """The verdict on an answer."""

    NOT_TRIED = "not tried yet"
    PASSED = "passed"
    MISTAKE = "not yet"
    FAULT = "can't be checked"  # the course's fault


@dataclass(frozen=True)
class Diagnosis:
    """The result of `check`: the verdict, one sentence, and the details if there are any."""

    verdict: Verdict
    sentence: str
    details: str = ""
    finding: Finding | None = None  # the mistake, if `diagnose` has found it
    input_shown: str = ""  # an input on which the answer differs, with both results, as text
    printed: str = ""  # the output that the function printed on the first input


def judged(exercise: Exercise, answer: Any) -> Diagnosis:
    """Diagnose a student's answer, first wrapped in the exercise's `used` if there is one."""
    return diagnose(exercise, exercise.used(answer) if exercise.used else answer)


def diagnose(exercise: Exercise, answer: Any) -> Diagnosis:
    """Run `answer` on the exercise's inputs and name the mistake, if there is one."""
    if not callable(answer):
        return _said(Verdict.MISTAKE, Kind.NO_FUNCTION, what=words.kind(plain(answer)))
    with fixed_state() as unusual:
        expected = _expected(exercise)
        if error := next((outcome.error for outcome in expected if outcome.error), None):
            return _said(Verdict.FAULT, Kind.FAULT, error=f"{type(error).__name__}: {words.message(error)}")
        tried = TriedAnswer(answer, exercise.cases)
        if exercise.because:
            return _of_a_choice(exercise, tried.outcomes[0])
        found = _compared(exercise, tried, expected)
        if unusual and (found is None or found.verdict is Verdict.MISTAKE):
            first, tried = tried, TriedAnswer(answer, exercise.cases, contextlib.nullcontext)
            found = _compared(exercise, tried, expected)
            if found and found.verdict is Verdict.PASSED:
                found = _correct_as_usual(unusual, first)
        return replace(found or _explained(exercise, tried, expected), printed=tried.outcomes[0].printed)


@functools.lru_cache(maxsize=2)  # a student checks the same exercise again and again
@fixed_state()
def _expected(exercise: Exercise) -> list[Outcome]:
    """Return the reference's outcomes."""
    return [run(exercise.reference, case) for case in exercise.cases]


def _said(verdict: Verdict, kind: Kind, /, **parts: Any) -> Diagnosis:
    return Diagnosis(verdict, say(kind, **parts).sentence)


# --- 2: compared with the reference ----------------------------------------------------------------------------------


def _compared(exercise: Exercise, tried: TriedAnswer, expected: Sequence[Outcome]) -> Diagnosis | None:
    """Return the diagnosis of an answer that passes, is not written, changes inputs or returns two results, or None."""
    if found := _not_written(tried):
        return found
    if changed := [outcome.changed for outcome in tried.outcomes if outcome.changed is not None]:
        is_array = isinstance(exercise.cases[0][changed[0]], np.ndarray)
        kind = "tensor" if exercise.used else "array" if is_array else "list"
        return _said(Verdict.MISTAKE, Kind.CHANGES_INPUT, name=exercise.names[changed[0]], kind=kind)
    agreeing = all_agree(tried.outcomes, expected)
    if tried.kept and not agreeing:
        return _said(Verdict.MISTAKE, Kind.KEEPS, name=tried.kept)
    if tried.gives_two_results():
        return _said(Verdict.MISTAKE, Kind.TWO_RESULTS)
    if not agreeing:
        return None
    if exercise.is_id and any(as_array(outcome.value).dtype.kind == "f" for outcome in tried.outcomes):
        return _said(Verdict.MISTAKE, Kind.ID_IS_FLOAT)
    return _said(Verdict.PASSED, Kind.PASSED)


def _not_written(tried: TriedAnswer) -> Diagnosis | None:
    """Return the diagnosis if a stub raises NotImplementedError, in the answer or in a function that it calls."""
    errors = [outcome.error for outcome in tried.outcomes]
    error = next((error for error in errors if isinstance(error, NotImplementedError)), None)
    found = error and students_code.stub(tried.function, error)
    if not found:
        return None
    code, line = found
    written = students_code.written(tried.function)
    if code and written and code.co_name not in (written.__name__, "<lambda>"):
        return _said(Verdict.NOT_TRIED, Kind.CALLS_STUB, name=code.co_name)
    if not all(isinstance(error, NotImplementedError) for error in errors):
        return None
    if code and students_code.has_code_after(code, line):
        return _said(Verdict.NOT_TRIED, Kind.STUB_ABOVE, line=line)  # the code after it may be the lesson's own
    return _said(Verdict.NOT_TRIED, Kind.NOT_TRIED)


def _correct_as_usual(unusual: Sequence[str], tried: TriedAnswer) -> Diagnosis:
    """Return the diagnosis of an answer that is correct, but not with the settings that the student has changed."""
    stops = next((type(outcome.error).__name__ for outcome in tried.outcomes if outcome.error), "")
    does = f"stops with {stops}" if stops and stops != "FindingError" else "returns something else"
    named = " and ".join(f"`{line}`" for line in unusual)
    return _said(Verdict.PASSED, Kind.PASSED_AS_USUAL, unusual=named, does=does)


def _of_a_choice(exercise: Exercise, given: Outcome) -> Diagnosis:
    """Return the diagnosis of a chosen letter, with the reason. Never name the correct letter."""
    if isinstance(given.error, NotImplementedError):
        return _said(Verdict.NOT_TRIED, Kind.NO_LETTER)
    letter, right = str(given.value).strip().lower(), exercise.reference()
    if letter == right:
        return _said(Verdict.PASSED, Kind.CHOSEN, because=exercise.because)
    why_not = {wrong.function(): wrong.sentence for wrong in exercise.wrong_answers}
    if letter in why_not:
        return Diagnosis(Verdict.MISTAKE, why_not[letter], finding=say(Kind.KNOWN, sentence=why_not[letter]))
    letters = ", ".join(f'"{one}"' for one in sorted([right, *why_not]))
    return _said(Verdict.MISTAKE, Kind.CHOICES, letters=letters)


# --- 3 to 5: a wrong answer ------------------------------------------------------------------------------------------


def _explained(exercise: Exercise, tried: TriedAnswer, expected: Sequence[Outcome]) -> Diagnosis:
    """Return the diagnosis of a wrong answer. All its statements on an input are about the one input that it shows."""
    at = _shown(exercise, tried.outcomes, expected)
    case, given, right = exercise.cases[at], tried.outcomes[at], expected[at]
    found = _known_mistake(exercise, tried.outcomes, expected)
    shown = words.written(exercise.names, case)
    if given.error is not None:
        names, line, text = students_code.own_line(tried.function, given.error)
        said = found or students_code.seen_in_line(names, text) or words.of_an_error(given.error)
        stops = f"It stops in line {line} of your cell: {text}" if line else ""
        return Diagnosis(
            Verdict.MISTAKE, said.sentence, (stops + students_code.borrowed(tried.function)).strip(), found, shown
        )
    found = found or _related(exercise, tried, expected, at)
    said = found or _in_general(exercise, tried.outcomes, expected, at)
    details = words.difference(given.value, right.value, parts=exercise.parts)
    if words.has_another_shape(given.value, right.value):
        details = f"On the input below, {words.shapes(exercise.names, case)}."
        sizes = {*np.shape(given.value)} - {*np.shape(right.value)}
        details += students_code.borrowed(tried.function, sizes) if said.kind is not Kind.BORROWED else ""
    if said.kind is Kind.IS:  # the sentence shows both results
        details = ""
    own = words.written(["your result"], [given.value])[:_LONGEST]
    shown += f"\n\n{own}\n{words.written(['correct result'], [right.value])}"
    return Diagnosis(Verdict.MISTAKE, said.sentence, details, found, shown)


def _shown(exercise: Exercise, given: Sequence[Outcome], expected: Sequence[Outcome]) -> int:
    """Return the index of the input to show: one with an error, no numbers or a wrong shape, or else the shortest."""
    wrong = [i for i, (a, b) in enumerate(zip(given, expected, strict=True)) if not agree(a, b)]
    ordinary = [i for i in wrong if i < len(exercise.inputs)]
    stops = [i for i in ordinary if given[i].error]
    no_numbers = [i for i in ordinary if as_array(given[i].value) is None and as_array(expected[i].value) is not None]
    misshapen = [i for i in wrong if words.has_another_shape(given[i].value, expected[i].value)]
    if first := stops or no_numbers or misshapen:
        return first[0]
    return min(ordinary or wrong, key=lambda i: len(words.written(exercise.names, exercise.cases[i])))


def _known_mistake(exercise: Exercise, given: Sequence[Outcome], expected: Sequence[Outcome]) -> Finding | None:
    """Return the known mistake that gives the student's outcomes on all inputs, or at least on the ordinary ones.

    The weaker match finds one of two mistakes if the other shows only at large numbers. Both functions may raise errors
    on some inputs, but errors are no evidence, so both must return the same value on at least one ordinary input.
    """
    n = len(exercise.inputs)
    if all(outcome.error for outcome in given[:n]):
        return None

    def does_the_same(wrong: Any, places: range) -> bool:
        both = ((run(wrong.function, exercise.cases[i]), given[i]) for i in places)
        return all(agree(own, other) or same_error(own, other) for other, own in both)

    alike = [wrong for wrong in exercise.wrong_answers if does_the_same(wrong, range(n))]
    everywhere = [wrong for wrong in alike if does_the_same(wrong, range(n, len(exercise.cases)))]
    only_extremes = all_agree(given[:n], expected[:n])  # then the outcomes on the extreme inputs must be the same, too
    if not alike and not only_extremes:
        until = time.process_time() + SEARCH_SECONDS
        pairs = itertools.takewhile(lambda _: time.process_time() < until, exercise.pairs())
        alike = [*itertools.islice((pair for pair in pairs if does_the_same(pair, range(n))), 1)]
    found = next(iter(everywhere or ([] if only_extremes else alike)), None)
    return found and say(Kind.KNOWN, sentence=found.sentence)


def _related(exercise: Exercise, tried: TriedAnswer, expected: Sequence[Outcome], at: int) -> Finding | None:
    """Return how the result is related to the correct one or to the arguments, or which part is correct, or None."""
    order = [at, *(i for i in range(len(exercise.inputs)) if i != at)]
    cases = [Case(exercise.named(exercise.cases[i]), tried.outcomes[i].value, expected[i].value) for i in order]
    if at >= len(exercise.inputs):  # the answer is wrong only on extreme inputs
        return say(Kind.EXTREMES, inner=words.of_a_value(cases[0].given, cases[0].right))
    if not all(words.comparable(case.given, case.right) for case in cases):
        return None
    if found := relation(cases, exercise.parts):
        return found
    if borrowed := students_code.of_the_notebook(tried.function):
        return say(Kind.BORROWED, name=borrowed[0])
    if exercise.used:  # weights and sizes are among its arguments
        return _and_a_known_mistake(exercise, cases, order)
    of_arguments = mistaken_argument(exercise, tried) or unused_argument(exercise, tried)
    return of_arguments or _and_a_known_mistake(exercise, cases, order) or partly(cases)


def _and_a_known_mistake(exercise: Exercise, cases: Sequence[Case], order: Sequence[int]) -> Finding | None:
    """Return the known mistake whose result has a relation to the student's, as two mistakes, or None."""
    until = time.process_time() + SEARCH_SECONDS
    known = (wrong for wrong in exercise.wrong_answers if wrong.may_be_one_of_two)
    for wrong in itertools.takewhile(lambda _: time.process_time() < until, known):
        outcomes = [run(wrong.function, exercise.cases[i]) for i in order]
        if any(outcome.error for outcome in outcomes):
            continue
        beside = [replace(case, right=outcome.value) for case, outcome in zip(cases, outcomes, strict=True)]
        inner = all(words.comparable(case.given, case.right) for case in beside) and relation(beside, exercise.parts)
        if not inner or inner.kind in _TOO_WEAK:
            continue
        step = inner.parts.get("step", "")
        # The norm of each row hides a wrong shift and scale, and a step that the first sentence asks for is there.
        if step.startswith("norm") or (step and step.split()[0] in wrong.sentence):
            continue
        # If a mistake is itself a factor, as any mistake is for a single number, another factor says nothing about it.
        if inner.kind is Kind.OFF_BY and any(
            _is_a_factor(outcome, case.right, inner.parts["how"] == "times")
            for outcome, case in zip(outcomes, cases, strict=False)
        ):
            continue
        if inner.kind is Kind.OFF_BY and inner.parts["how"] != "times" and any(map(_goes_back, beside, cases)):
            continue
        return say(Kind.KNOWN_AND, sentence=wrong.sentence, inner=inner)
    return None


def _goes_back(beside: Case, case: Case) -> bool:
    """Return whether one number is on the way from a known mistake, `beside.right`, back to the correct number.

    Such a number is more likely one smaller mistake than the known one and another that undoes a part of it.
    """
    given, mistake, right = (as_array(value) for value in (case.given, beside.right, case.right))
    return right.size == 1 and bool(((given - mistake) * (right - mistake) > 0).all())


def _is_a_factor(wrong: Outcome, right: Any, is_any_number: bool) -> bool:
    """Return whether a wrong result is everywhere the same multiple of the correct one.

    is_any_number: whether a single number counts as a multiple of any other, and not only of itself.
    """
    given, expected = as_array(wrong.value), as_array(right)
    with np.errstate(all="ignore"):
        ratios = (given / expected)[expected != 0] if given.shape == expected.shape else np.zeros(0)
    if ratios.size == 1:
        return is_any_number or bool(ratios[0] == 1)
    return ratios.size > 0 and bool(np.ptp(ratios) <= 1e-6 * abs(ratios[0]))


def _in_general(exercise: Exercise, given: Sequence[Outcome], expected: Sequence[Outcome], at: int) -> Finding:
    """Return a finding that says only whether the type, the shape or the numbers are wrong."""
    if all(words.is_close(a.value, b.value) for a, b in zip(given, expected, strict=True)):
        return say(Kind.CLOSE)
    may_be_none = any(outcome.value is None for outcome in expected)
    never = all(outcome.value is None for outcome in given)
    if given[at].value is None and not may_be_none and not never:
        return say(Kind.NOTHING_HERE)
    said = words.of_a_value(given[at].value, expected[at].value, may_be_none and not never)
    right = sum(map(agree, given, expected))
    if right and said.kind in (Kind.NUMBER, Kind.NUMBERS):
        return say(Kind.SOME_INPUTS, right=right, all=len(expected))
    return said
