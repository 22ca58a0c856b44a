"""Define an exercise: a reference, fresh inputs, and known mistakes, each with a sentence of feedback."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from utils.course.exercises.asking import Inputs


@dataclass(frozen=True)
class WrongAnswer:
    """A mistake that students make: a function that makes it, and the sentence of a good tutor."""

    function: Callable[..., Any]
    sentence: str

    @property
    def may_be_one_of_two(self) -> bool:
        """Whether the sentence is true beside another mistake: one that calls a part correct is not."""
        return "orrect" not in self.sentence


# Sentences, each followed by the functions that make this mistake; or mistakes with their sentences, such as `carried`.
Mistakes = Iterable[str | Callable[..., Any] | WrongAnswer]


def known(mistakes: Mistakes) -> list[WrongAnswer]:
    """Return each function of `mistakes` with its sentence. Raise ValueError for anything else."""
    made, sentence = [], ""
    for part, after in itertools.pairwise([*mistakes, ""]):
        if isinstance(part, str) and not isinstance(after, str):
            sentence = part
        elif isinstance(part, WrongAnswer):
            made.append(part)
        elif sentence and callable(part):
            made.append(WrongAnswer(part, sentence))
        else:
            raise ValueError(f"A mistake must be a sentence and then a function that makes it, but is {part!r}.")
    return made


def carried(mistakes: Mistakes, into: Callable[..., Callable[..., Any]], said: str = "") -> list[WrongAnswer]:
    """Return the same mistakes, each function converted by `into`, with `said` before each sentence."""
    made, into_build = [], functools.cache(lambda build: lambda **steps: into(build(**steps)))
    for wrong in known(mistakes):
        answer = into(wrong.function)
        if hasattr(wrong.function, "built") and not (said or hasattr(answer, "built")):
            build, steps = wrong.function.built
            answer.built = into_build(build), steps
        made.append(WrongAnswer(answer, said + wrong.sentence))
    return made


def in_steps(build: Callable[..., Callable[..., Any]]) -> Callable[..., Callable[..., Any]]:
    """Return `build`, changed to record in each answer which steps are not the default, so that two can be combined."""

    @functools.wraps(build)
    def marked(*args: Any, **steps: Any) -> Callable[..., Any]:
        answer, signature = build(*args, **steps), inspect.signature(build)
        given = signature.bind_partial(*args).arguments | steps
        usual = {name: parameter.default for name, parameter in signature.parameters.items()}
        answer.built = marked, {name: way for name, way in given.items() if way is not usual.get(name)}
        return answer

    return marked


@dataclass(frozen=True, eq=False)  # compared by identity, so that results of an exercise can be cached
class Exercise:
    """An exercise, with all that `check` needs.

    inputs: the ordinary argument tuples.
    mistakes: a sentence, then each function that makes this mistake, then the next sentence, and so on.
    extremes: further argument tuples, tried last, for mistakes that show only at large numbers.
    is_id: the result is the index of a table's row, so it must not be a float.
    used: converts the student's answer, such as a class, into the function to compare.
    parts: the names of the compared values in the feedback, if these differ from the answer's results. For example,
        an exercise may compare the weights after a training run.
    because: for a choice, the explanation of its correct letter.
    """

    name: str
    title: str
    reference: Callable[..., Any]
    inputs: Sequence[Inputs]
    mistakes: Mistakes = ()
    extremes: Sequence[Inputs] = ()
    is_id: bool = False
    used: Callable[[Any], Any] | None = None
    parts: tuple[str, ...] = ()
    because: str = ""

    @functools.cached_property
    def wrong_answers(self) -> list[WrongAnswer]:
        """The known mistakes, one for each function."""
        return known(self.mistakes)

    def pairs(self) -> Iterator[WrongAnswer]:
        """Yield the answers with two of the known mistakes, in different steps of the same build."""
        alone = [wrong for wrong in self.wrong_answers if wrong.may_be_one_of_two and hasattr(wrong.function, "built")]
        built = [(wrong, *wrong.function.built) for wrong in alone]
        for (one, build, some), (other, another, more) in itertools.combinations(built, 2):
            if build is another and not some.keys() & more.keys():
                yield WrongAnswer(build(**some, **more), f"You have two mistakes. {one.sentence} {other.sentence}")

    @property
    def lesson(self) -> str:
        """The number of the exercise's lesson, such as 05."""
        return self.name.split(".")[0]

    @property
    def cases(self) -> list[Inputs]:
        """All inputs, the ordinary ones first."""
        return [*self.inputs, *self.extremes]

    @property
    def names(self) -> list[str]:
        """The names of the reference's arguments, without those that only its known mistakes set, by keyword."""
        parameters = inspect.signature(self.reference).parameters.values()
        return [parameter.name for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]

    def named(self, inputs: Inputs) -> dict[str, Any]:
        """Return argument name -> value for `inputs`."""
        return dict(zip(self.names, inputs, strict=True))


def choice(name: str, right: str, because: str, wrong: dict[str, str]) -> Exercise:
    """Return an exercise that is answered by a letter; `wrong` has, for each other letter, why it is wrong."""
    return Exercise(
        name,
        "your choice",
        lambda: right,
        [()],
        [WrongAnswer(lambda letter=letter: letter, sentence) for letter, sentence in wrong.items()],
        used=lambda answer: answer if callable(answer) else lambda: answer,
        because=because,
    )
