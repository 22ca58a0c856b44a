"""How an answer is judged, in this order; the first that finds something says it.

1. run the answer, in the notebook's state, on a copy of each input (`asking.py`); all else is done in the judge's own
   (`own_state.py`). Where the two differ and the answer fails, it is run once more in the judge's;
2. compare it with the reference: not written yet, changes its inputs, gives two results, passed (`_outright`);
3. look for a known mistake, then for a relation, then for one change in the course's own solution (`search.py`);
4. say it (`findings.py`, `words.py`).

The student's function is called as it is, never a changed version of it. `diagnose` never raises, and it has an end,
whatever the function returns.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import itertools
import textwrap
import traceback
import types
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np

from utils.course.exercises import words
from utils.course.exercises.asking import Outcome, TriedAnswer, agree, all_agree, run
from utils.course.exercises.exercise import Adapter, Exercise
from utils.course.exercises.findings import Finding, Kind, say
from utils.course.exercises.own_state import fixed_state
from utils.course.exercises.results import plain
from utils.course.exercises.search import RUNS, Search, found_in, known_mistake
from utils.course.exercises.values import as_array


class Verdict(Enum):
    """How an answer stands."""

    NOT_TRIED = "not tried yet"
    PASSED = "passed"
    MISTAKE = "not yet"
    FAULT = "can't be checked"  # the course's fault


@dataclass(frozen=True)
class Diagnosis:
    """What `check` says: the verdict, one sentence, and where there is more to see, the details."""

    verdict: Verdict
    sentence: str
    details: str = ""
    finding: Finding | None = None  # what has been found, where something has
    input_shown: str = ""  # an input on which it differs, for reading
    printed: str = ""  # what the function printed on the first input


def judged(exercise: Exercise, answer: Any) -> Diagnosis:
    """Diagnose what a student has handed over, used as the exercise uses it."""
    return diagnose(exercise, exercise.used(answer) if exercise.used else answer)


def diagnose(exercise: Exercise, answer: Any) -> Diagnosis:
    """Run `answer` on the exercise's inputs and name the mistake, if there is one.

    A function that still raises NotImplementedError where the stub does counts as not tried, not as wrong.
    """
    if not callable(answer):
        kind = words.kind(plain(answer))
        said = f"Hand over the function itself, without calling it: this is {kind}, not a function."
        return Diagnosis(Verdict.MISTAKE, said)
    with fixed_state() as unusual:
        try:
            expected = _expected(exercise)
        except FaultError as fault:
            return Diagnosis(Verdict.FAULT, str(fault))
        asked = TriedAnswer(answer, exercise.cases)
        if exercise.because:
            return _of_a_choice(exercise, asked.outcomes[0])
        found = _outright(exercise, asked, expected)
        if unusual and (found is None or found.verdict is Verdict.MISTAKE):
            first, asked = asked, TriedAnswer(answer, exercise.cases, contextlib.nullcontext)
            found = _outright(exercise, asked, expected)
            if found and found.verdict is Verdict.PASSED:
                found = replace(found, sentence=_right_as_usual(unusual, first))
        found = found or _mistake(exercise, asked, expected)
        return replace(found, printed=asked.outcomes[0].printed)


class FaultError(Exception):
    """The course's own solution stops on one of the course's own inputs."""


@functools.lru_cache(maxsize=2)  # a student asks about one exercise again and again
@fixed_state()
def _expected(exercise: Exercise) -> list[Outcome]:
    """Return what is right. Raises FaultError where the reference raises: what does so is the answer to nothing."""
    expected = [run(exercise.reference, case) for case in exercise.cases]
    for error in (outcome.error for outcome in expected if outcome.error):
        said = f"{type(error).__name__}: {words.message(error)}"
        raise FaultError(f"The fault is ours: the course's own solution stops here with {said}. Yours was not checked.")
    return expected


def _right_as_usual(unusual: Sequence[str], asked: TriedAnswer) -> str:
    """What is said of an answer that is right, but not with what the student has set."""
    stops = next((type(outcome.error).__name__ for outcome in asked.outcomes if outcome.error), "")
    does = f"stops with {stops}" if stops and stops != "FindingError" else "gives something else"
    return (
        f"Right with the usual settings. This notebook has set {' and '.join(f'`{line}`' for line in unusual)}, and so "
        f"your function {does} in it: set that back before you go on."
    )


def _outright(exercise: Exercise, asked: TriedAnswer, expected: Sequence[Outcome]) -> Diagnosis | None:
    """What is said without looking for a mistake: not written, changes its inputs, gives two results, passed."""
    if found := _not_written(asked):
        return found
    if any(outcome.changed_inputs for outcome in asked.outcomes):
        has_arrays = any(isinstance(value, np.ndarray) for value in exercise.cases[0])
        kind = "tensor" if exercise.used else "array" if has_arrays else "list"
        said = (
            f"Your function changes what it is given. Build a new {kind} instead, so that your caller still has theirs."
        )
        return Diagnosis(Verdict.MISTAKE, said)
    if asked.gives_two_results():
        return Diagnosis(Verdict.MISTAKE, words.TWO_RESULTS)
    if not all_agree(asked.outcomes, expected):
        return None
    if exercise.is_id and any(as_array(outcome.value).dtype.kind == "f" for outcome in asked.outcomes):
        said = "The right number, but as a float, and an id chooses a row: `table[3.0]` stops. Return an int."
        return Diagnosis(Verdict.MISTAKE, said)
    return Diagnosis(Verdict.PASSED, "Right: your function agrees with the reference on every input.")


def _of_a_choice(exercise: Exercise, given: Outcome) -> Diagnosis:
    """The card of a choice: why the letter is right, or why it is not. It never names the right one."""
    if isinstance(given.error, NotImplementedError):
        return Diagnosis(Verdict.NOT_TRIED, "Not tried yet. Return a letter where the stub raises, and run the cell.")
    letter, right = str(given.value).strip().lower(), exercise.reference()
    if letter == right:
        return Diagnosis(Verdict.PASSED, f"Right: {exercise.because}")
    why_not = {wrong.function(): wrong.sentence for wrong in exercise.wrong_answers}
    if letter in why_not:
        return Diagnosis(Verdict.MISTAKE, why_not[letter], finding=say(Kind.KNOWN, sentence=why_not[letter]))
    letters = ", ".join(f'"{one}"' for one in sorted([right, *why_not]))
    return Diagnosis(Verdict.MISTAKE, f"Return one of these letters, in quotation marks: {letters}.")


def _mistake(exercise: Exercise, asked: TriedAnswer, expected: Sequence[Outcome]) -> Diagnosis:
    """The card of a wrong answer."""
    outcomes, ordinary = asked.outcomes, len(exercise.inputs)
    at = _shown(exercise, outcomes, expected)
    case, given, right = exercise.cases[at], outcomes[at], expected[at]
    named = known_mistake(exercise, outcomes, all_agree(outcomes[:ordinary], expected[:ordinary]))
    found = named or found_in(Search(exercise, asked, expected))
    if given.error is not None and not (named and any(outcome.error is None for outcome in outcomes)):
        if found and (found.about or isinstance(given.error, words.FindingError)):
            found = None  # a card speaks of one input, and shows it
        said = [words.of_an_error(given.error)]
        if found:
            runs = any(outcome.error is None for outcome in outcomes[:ordinary])
            said += ["Where it runs:"] * (runs and ("well", RUNS) not in found.parts) + [found.sentence]
        details = _student_line(asked.function, given.error)
        return Diagnosis(Verdict.MISTAKE, " ".join(said), details, found, words.written(exercise.names, case))
    sentence = found.sentence if found else _in_general(outcomes, expected, at)
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
    return Diagnosis(Verdict.MISTAKE, sentence, details, found, words.written(exercise.names, case))


def _shown(exercise: Exercise, given: Sequence[Outcome], expected: Sequence[Outcome]) -> int:
    """Which input a card speaks of: one where it stops, or gives no numbers, or another shape; else the shortest."""
    wrong = [i for i, (a, b) in enumerate(zip(given, expected, strict=True)) if not agree(a, b)]
    ordinary = [i for i in wrong if i < len(exercise.inputs)]
    stops = [i for i in ordinary if given[i].error]
    no_numbers = [i for i in ordinary if as_array(given[i].value) is None and as_array(expected[i].value) is not None]
    misshapen = [i for i in wrong if words.has_another_shape(given[i].value, expected[i].value)]
    if first := stops or no_numbers or misshapen:
        return first[0]
    return min(ordinary or wrong, key=lambda i: len(words.written(exercise.names, exercise.cases[i])))


def _in_general(given: Sequence[Outcome], expected: Sequence[Outcome], at: int) -> str:
    """What is said where nothing is found."""
    if all(words.is_close(a.value, b.value) for a, b in zip(given, expected, strict=True)):
        return words.VERY_CLOSE
    may_be_none = any(outcome.value is None for outcome in expected)
    sentence = words.of_a_value(given[at].value, expected[at].value, may_be_none)
    never = may_be_none and all(outcome.value is None for outcome in given)
    return f"{sentence} It returns None each time: is the `return` missing?" if never else sentence


# --- the student's code, which is read and not run -------------------------------------------------------------------


def _written(function: Any) -> types.FunctionType | None:
    """The function that was written with `def` or `lambda`, or that an exercise uses; None of all else."""
    if issubclass(type(function), Adapter):
        return function.written
    return function if type(function) is types.FunctionType else None


def _not_written(asked: TriedAnswer) -> Diagnosis | None:
    """Who still raises NotImplementedError where the stub does: the answer itself, or another one that it calls."""
    errors = [outcome.error for outcome in asked.outcomes]
    error, written = next((e for e in errors if isinstance(e, NotImplementedError)), None), _written(asked.function)
    frame, line = [(None, 0), *traceback.walk_tb(error.__traceback__ if error else None)][
        -1
    ]  # none if it ran elsewhere
    if error is None or (frame and written and frame.f_globals is not written.__globals__):
        return None  # a library has raised it
    if frame and written and frame.f_code.co_name not in (written.__name__, "<lambda>"):
        name = frame.f_code.co_name
        said = f"Not tried yet: it calls `{name}`, which is not written yet. Write that one first, and run its cell."
        return Diagnosis(Verdict.NOT_TRIED, said)
    if not all(isinstance(e, NotImplementedError) for e in errors):
        return None
    if frame and _has_code_after(frame.f_code, line):
        said = (
            f"In line {line} of your cell the stub's `raise` still stands above your code, which never runs: delete it."
        )
        return Diagnosis(Verdict.MISTAKE, said)
    return Diagnosis(Verdict.NOT_TRIED, "Not tried yet. Write your code where the stub raises, and run the cell.")


def _has_code_after(code: types.CodeType, line: int) -> bool:
    """Whether something stands below the statement in this line of a function, which can't be reached."""
    try:
        tree = ast.parse(textwrap.dedent("".join(inspect.getsourcelines(code)[0])))
    except (OSError, SyntaxError):
        return False
    above = tree.body[0].body[:-1] if isinstance(tree.body[0], ast.FunctionDef) else []
    return any(statement.lineno + code.co_firstlineno - 1 == line for statement in above)


def _borrowed(answer: Any, given: Outcome, expected: Outcome) -> str:
    """A question, if the student's code reads a value of the notebook, or writes out a size that it returns."""
    if type(answer) is not types.FunctionType:
        return ""
    around = inspect.getclosurevars(answer).globals.items()
    used = [f"the notebook's `{name}`" for name, value in around if not callable(value) and not inspect.ismodule(value)]
    several = (constant if isinstance(constant, tuple) else (constant,) for constant in answer.__code__.co_consts)
    written = set(itertools.chain.from_iterable(several))
    wrong = set(np.shape(given.value)) - set(np.shape(expected.value))
    used += [f"the number {size}" for size in wrong if size > 2 and size in written]
    return f" Does your function use {used[0]}, where it should use what it is given?" if used else ""


def _student_line(answer: Any, error: BaseException) -> str:
    """The last line of the student's cell that the exception passed through, not one of a function that it calls."""
    written = _written(answer)
    frames = traceback.extract_tb(error.__traceback__) if written else []
    own = [frame for frame in frames if frame.filename == written.__code__.co_filename]
    return f"It happens in line {own[-1].lineno} of your cell: {own[-1].line}" if own else ""
