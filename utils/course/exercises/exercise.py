"""An exercise: a reference, fresh inputs, and the known wrong answers with the sentence each deserves."""

from __future__ import annotations

import functools
import inspect
import itertools
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from utils.course.exercises.asking import Inputs


@dataclass(frozen=True)
class WrongAnswer:
    """A mistake that students make: the function that makes it, and what a good tutor would say."""

    function: Callable[..., Any]
    sentence: str


# What a good tutor would say, and the function that makes the mistake it is said of, or several that do.
Mistakes = Mapping[str, Callable[..., Any] | Sequence[Callable[..., Any]]]


def known(mistakes: Mistakes) -> tuple[WrongAnswer, ...]:
    """Each function of `mistakes` with its sentence."""
    return tuple(
        WrongAnswer(function, sentence)
        for sentence, some in mistakes.items()
        for function in (some if isinstance(some, Sequence) else [some])
    )


def carried(mistakes: Mistakes, into: Callable[..., Callable[..., Any]], said: str = "") -> Mistakes:
    """The same mistakes in the answers that `into` makes of the functions; `said` stands before each sentence."""
    made: dict[str, list[Callable[..., Any]]] = {}
    for wrong in known(mistakes):
        answer = into(wrong.function)
        if hasattr(wrong.function, "built") and not (said or hasattr(answer, "built")):
            of, steps, build = wrong.function.built
            answer.built = of, steps, lambda build=build, **steps: into(build(**steps))
        made.setdefault(said + wrong.sentence, []).append(answer)
    return made


def in_steps(build: Callable[..., Callable[..., Any]]) -> Callable[..., Callable[..., Any]]:
    """Mark each answer that `build` makes with the steps that are not the default, so that two can be combined."""

    @functools.wraps(build)
    def marked(*args: Any, **steps: Any) -> Callable[..., Any]:
        answer, signature = build(*args, **steps), inspect.signature(build)
        given = signature.bind_partial(*args).arguments | steps
        usual = {name: parameter.default for name, parameter in signature.parameters.items()}
        answer.built = build, {name: way for name, way in given.items() if way is not usual.get(name)}, build
        return answer

    return marked


class Adapter:
    """A student's answer as the function that is compared; `written` is what the student has written, if any."""

    written: types.FunctionType | None = None


@dataclass(frozen=True)
class Flaw:
    """Another way to take one step of a reference that is built of steps, and what a good tutor would say of it."""

    step: str
    way: Callable[..., Any]
    sentence: str


def flawed(build: Callable[..., Callable[..., Any]], flaws: Sequence[Flaw]) -> Mistakes:
    """The answers with one of `flaws`; `build` makes an answer of its steps, which have the right way as default."""
    return {flaw.sentence: build(**{flaw.step: flaw.way}) for flaw in flaws}


@dataclass(frozen=True, eq=False)  # each is itself, so that what it leads to can be kept
class Exercise:
    """What `check` needs to know.

    `inputs` are the argument tuples that every answer meets, the ordinary ones first; `extremes` are
    tried after them and are there for mistakes that show only at large numbers. `is_id` says that the result chooses
    a row of a table, which no float can. `used` makes of what a student hands over, a class say, the function that is
    compared. `parts` are what the feedback calls the values that are compared, where these are not what an answer
    returns: the weights after a training run, say. `because` is what a choice says of its correct letter.
    """

    name: str
    title: str
    reference: Callable[..., Any]
    inputs: Sequence[Inputs]
    mistakes: Mistakes
    extremes: Sequence[Inputs] = ()
    is_id: bool = False
    used: Callable[[Any], Any] | None = None
    parts: tuple[str, ...] = ()
    because: str = ""

    @functools.cached_property
    def wrong_answers(self) -> tuple[WrongAnswer, ...]:
        """The mistakes that are known, one by one."""
        return known(self.mistakes)

    def pairs(self) -> Iterator[WrongAnswer]:
        """Make the answers with two of the known mistakes, in different steps of one build."""
        built = [(wrong, *wrong.function.built) for wrong in self.wrong_answers if hasattr(wrong.function, "built")]
        for (one, of, some, build), (other, of_another, more, _) in itertools.combinations(built, 2):
            if of is of_another and not some.keys() & more.keys() and "orrect" not in one.sentence + other.sentence:
                yield WrongAnswer(build(**some, **more), f"You have two mistakes. {one.sentence} {other.sentence}")

    @property
    def lesson(self) -> str:
        """The two digits of the lesson that asks it."""
        return self.name.split(".")[0]

    @property
    def cases(self) -> list[Inputs]:
        """All inputs, the ordinary ones first."""
        return [*self.inputs, *self.extremes]

    @property
    def names(self) -> list[str]:
        """What its arguments are called."""
        return list(inspect.signature(self.reference).parameters)

    def named(self, inputs: Inputs) -> dict[str, Any]:
        """`inputs` by the names of the arguments."""
        return dict(zip(self.names, inputs, strict=True))


def choice(name: str, right: str, because: str, wrong: dict[str, str]) -> Exercise:
    """Make an exercise that is answered by a letter; `wrong` says of each other letter why it is not the one."""
    return Exercise(
        name,
        "which principle is at work",
        lambda: right,
        [()],
        {sentence: lambda letter=letter: letter for letter, sentence in wrong.items()},
        used=lambda answer: answer if callable(answer) else lambda: answer,
        because=because,
    )
