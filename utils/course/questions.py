"""Ask questions that come back: three at a lesson's start, three at its end, and five a day on the start page.

`questions.md` beside a lesson has six questions, of which the first three are asked at its end. The line `before:`
names the questions of earlier lessons to ask at its start. A question answered correctly comes back after 1, 3, 7 and
21 days, and a question answered wrongly on the next day. Nothing is graded, and nothing leaves the computer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import traitlets

from utils.course.lessons import LESSONS, Lesson, LessonError, all_lessons
from utils.course.progress import Attempt, read_progress, update
from utils.show.cards import Card, card
from utils.show.control import Control, one_line
from utils.show.page import script

FILE = "questions.md"
SPACES = (1, 3, 7, 21)  # days until a question comes back
AT_THE_END = 3  # questions at a lesson's end
A_DAY = 5  # questions a day on the start page
_KEPT = "asked."  # in the progress file, the start of a question's name
_DONE = "done."  # there, the start of a lesson's name once its questions at the end have been answered
_QUESTION = re.compile(r"^## (\w+)\n(.+?)\n\n((?:- \[[ x]\] .+\n?)+)", re.MULTILINE)
_CHOICE = re.compile(r"^- \[([ x])\] (.+?) \| (.+)$", re.MULTILINE)
_WHOLE = (
    "a question has one word behind ##, below it what is asked, an empty line, and one right choice among others, "
    "each with a sentence behind “ | ”."
)
_BEFORE = re.compile(r"\Abefore: (.*)\n")


@dataclass(frozen=True)
class Choice:
    """One answer to choose, and the sentence to show after the choice."""

    text: str
    sentence: str
    right: bool = False


@dataclass(frozen=True)
class Question:
    """A question about one lesson, and its choices, of which one is right."""

    name: str  # the lesson's number and a word, such as "05.shape"
    text: str
    choices: tuple[Choice, ...]

    @property
    def lesson(self) -> str:
        """The number of the question's lesson."""
        return self.name.partition(".")[0]


@cache
def all_questions() -> dict[str, list[Question]]:
    """Return lesson number -> questions, for each lesson with questions."""
    found = {path.parent.name.partition("_")[0]: read_questions(path) for path in sorted(LESSONS.glob(f"*/{FILE}"))}
    return {number: questions for number, questions in found.items() if questions}


def read_questions(path: Path) -> list[Question]:
    """Return the questions in a `questions.md`. Raise LessonError if a question is incomplete."""
    number, text = path.parent.name.partition("_")[0], path.read_text(encoding="utf-8")
    found = []
    for heading in re.finditer(r"^## ", text, re.MULTILINE):
        one = _QUESTION.match(text, heading.start())
        name, asked, choices = one.groups() if one else ("", "", "")
        of = tuple(Choice(said, why, mark == "x") for mark, said, why in _CHOICE.findall(choices))
        if sum(choice.right for choice in of) != 1 or len(of) != choices.count("- ["):
            raise LessonError(path, text.count("\n", 0, heading.start()) + 1, _WHOLE)
        found.append(Question(f"{number}.{name}", " ".join(asked.split()), of))
    return found


def questions_before(lesson: Lesson) -> list[Question]:
    """Return the questions at the start of a lesson, or []. Raise LessonError unless it names three that exist."""
    path = lesson.path.with_name(FILE)
    line = _BEFORE.match(path.read_text(encoding="utf-8")) if path.is_file() else None
    by_name = {question.name: question for of in all_questions().values() for question in of}
    names = line[1].split(", ") if line else []
    if unknown := [name for name in names if name not in by_name]:
        known = [name for name in by_name if name.startswith(unknown[0].partition(".")[0] + ".")]
        raise LessonError(path, 1, f"there is no question {unknown[0]}, but {', '.join(known) or 'of other lessons'}.")
    if line and len(set(names)) != 3:
        raise LessonError(path, 1, f"a lesson asks three questions before, and here are {len(set(names))}.")
    return [by_name[name] for name in names]


def questions_after(number: str) -> list[Question]:
    """Return the questions at the end of the lesson with this number."""
    return all_questions().get(number, [])[:AT_THE_END]


def learnt_on(progress: Mapping[str, Attempt]) -> dict[str, str]:
    """Return number -> day for each lesson that has been done; the day is "" if unknown.

    A lesson is done if one of its exercises has been passed, its stop on a route is ticked, or the questions at its end
    have been answered.
    """
    days: dict[str, list[str]] = {}
    for name, attempt in progress.items():
        if attempt.passed and not name.startswith(_KEPT):
            number = name.rpartition(".")[2] if name.startswith(("road.", _DONE)) else name.partition(".")[0]
            days.setdefault(number, []).append(attempt.day)
    return {number: min(found) for number, found in days.items()}


def due(progress: Mapping[str, Attempt], today: date) -> list[Question]:
    """Return the questions for today, at most five: first those asked before, then new ones from the lessons done."""
    learnt, waiting = learnt_on(progress), []
    asked = [attempt for name, attempt in progress.items() if name.startswith(_KEPT)]
    done = sum(attempt.day == today.isoformat() and (attempt.step > 0 or attempt.tries > 1) for attempt in asked)
    for number, questions in all_questions().items():
        for place, question in enumerate(questions if number in learnt else []):
            attempt = _standing(progress, question.name, learnt)
            when = _comes_back(attempt, today)
            if when <= today:
                waiting.append(((attempt.tries == 0, when, place), question))
    waiting.sort(key=lambda one: one[0])
    return [question for _, question in waiting[: max(0, A_DAY - done)]]


def answered(before: Attempt, right: bool, today: date) -> Attempt:
    """Return the state of a question after an answer. Only the first answer of a day counts."""
    day, step = today.isoformat(), 0
    if before.tries and before.day == day:
        return before
    if right and _comes_back(before, today) <= today:
        step = min(before.step + 1, len(SPACES) - 1)
    elif right and before.tries:  # too early to tell whether the student remembers it
        day, step = before.day, before.step
    return Attempt(before.tries + 1, before.passed or right, day, step)


def _standing(progress: Mapping[str, Attempt], name: str, learnt: Mapping[str, str]) -> Attempt:
    """Return the state of a question. If it was never answered, take the day when its lesson was done."""
    number = name.partition(".")[0]
    day = learnt[number] or date.min.isoformat() if number in learnt else ""
    return progress.get(_KEPT + name) or Attempt(day=day)


def _comes_back(attempt: Attempt, today: date) -> date:
    """Return the day on which to ask a question again; today if its saved day is in the future, from a wrong clock."""
    if not attempt.day:
        return date.max
    day = date.fromisoformat(attempt.day)
    return today if day > today else day + timedelta(days=SPACES[attempt.step])


def answer(name: str, right: bool, today: date | None = None) -> str | None:
    """Save an answer in the progress file. Return None, or a sentence that the student has to read."""

    def change(progress: dict[str, Attempt]) -> None:
        day, learnt, number = today or date.today(), learnt_on(progress), name.partition(".")[0]
        progress[_KEPT + name] = answered(_standing(progress, name, learnt), right, day)
        if number not in learnt and all(_KEPT + end.name in progress for end in questions_after(number)):
            progress[_DONE + number] = Attempt(0, True, day.isoformat())

    return update(change, "You have read the answer")


class Asked(Control):
    """A list of questions. The first choice that the student opens in each is saved in the progress file.

    In a saved notebook the questions are plain HTML, in which every choice opens without Python.
    """

    _esm = script("questions.js")

    html = traitlets.Unicode().tag(sync=True)
    said = traitlets.Unicode().tag(sync=True)  # the message if an answer could not be saved

    def __init__(self, headline: str, offer: str, questions: Sequence[Question]) -> None:
        self.questions = list(questions)
        top = f'<p style="font-size:1.1em;max-width:60em"><strong>{escape(headline)}</strong> {escape(offer)}</p>'
        super().__init__(html=top + "".join(map(question_html, questions)))

    def serve(self, request: Mapping[str, Any]) -> None:
        self.said = answer(request["name"], request["right"]) or ""

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        data, metadata = super()._repr_mimebundle_(**kwargs)
        return {**data, "text/html": self.html}, metadata

    def __repr__(self) -> str:
        return one_line(f"{type(self).__name__}({', '.join(question.name for question in self.questions)})")


def ask_before(number: str) -> Asked:
    """Return the control with the questions at the start of a lesson."""
    return Asked("From before.", _OFFER, questions_before(_lessons()[number]))


def ask_after(number: str) -> Asked:
    """Return the control with the questions at the end of a lesson."""
    return Asked("Three questions.", _OFFER, questions_after(number))


def ask_today(today: date | None = None) -> Asked | Card:
    """Return a control with the questions due today, at most five, or a card if there are none to show."""
    try:
        questions = due(read_progress(), today or date.today())
    except OSError as error:
        return card("bad", "Which questions are due is not known", [str(error.strerror or error)])
    if not questions:
        return card("note", "No question is due today", ["They come from lessons that you have done, a day later."])
    return Asked("For today.", f"{_OFFER} What you know comes back later, what you don't tomorrow.", questions)


def ask_mixed(seed: int) -> Asked:
    """Return a control with one random question from each of twenty lessons, in the order of the lessons."""
    rng = np.random.default_rng(seed)
    numbers = [number for number in all_questions() if "00" < number < "20" and number not in ("12a", "18b")]
    drawn = [all_questions()[number][rng.integers(len(all_questions()[number]))] for number in numbers]
    return Asked(f"Draw {seed}.", "Choose an answer: it opens, and says why it is right or not.", drawn)


_OFFER = "Two minutes, if you like. Choose an answer: it opens, and says why it is right or not."


@cache
def _lessons() -> dict[str, Lesson]:
    return {lesson.number: lesson for lesson in all_lessons()}


def _said(choice: Choice) -> str:
    return f"{'✓ Right' if choice.right else '✗ No'}. {choice.sentence}"


def question_html(question: Question) -> str:
    """Return a question as HTML, with folded choices, of which only one at a time is open."""
    choices = "".join(
        f'<details name="question-{question.name}"{" data-right" * choice.right} style="margin:.25em 0 .25em 1em">'
        f'<summary style="cursor:pointer">{escape(choice.text)}</summary>'
        f'<div style="margin:.2em 0 .4em 1.2em">{escape(_said(choice))}</div></details>'
        for choice in question.choices
    )
    lesson = _lessons()[question.lesson]
    title = f"{lesson.number} {escape(lesson.title)}"
    read = f'<a href="{lesson.notebook_name}" style="text-decoration:underline">{title}</a>'
    return (
        f'<section data-question="{question.name}" '
        f'style="font-size:1.1em;line-height:1.45;max-width:60em;margin:1.1em 0">'
        f"<div><strong>{escape(question.text)}</strong></div>{choices}"
        f'<div style="font-size:.85em;margin-left:1em">from lesson {read}</div></section>'
    )
