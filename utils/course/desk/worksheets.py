"""A worksheet, a board sheet and a quiz for each lesson, with their keys: `desk.md` beside the lesson, filled.

It begins with a cell of Python. `{{…}}` in the text behind it stands for what the expression gives with the names of
that cell, so that no number is typed. Its parts are `# Worksheet`, `# Board` and `# Key`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any

import numpy as np

from utils.course.desk.paper import GAP, Paper, Sheet, lines, matrix, number, numbers, table
from utils.course.lessons import Lesson, LessonError
from utils.course.questions import Question, questions_after
from utils.course.teaching import read_plan

PARTS = ("Worksheet", "Board", "Key")
_CELL = re.compile(r"\A```python\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_FILLED = re.compile(r"\{\{(.+?)\}\}")
_PART = re.compile(r"^# (.+)$", re.MULTILINE)
_WORDS = {"np": np, "gap": GAP, "lines": lines, "matrix": matrix, "n": number, "row": numbers, "table": table}


def has_worksheet(lesson: Lesson) -> bool:
    """Tell whether there is a `desk.md` beside the lesson."""
    return lesson.path.with_name("desk.md").is_file()


def worksheets(lesson: Lesson) -> Paper:
    """Return what is handed out and written on the board in a lesson, and the keys to it.

    Raises LessonError, naming file, line and reason, where `desk.md` lacks a part or an expression can't be computed.
    """
    path = lesson.path.with_name("desk.md")
    text = path.read_text(encoding="utf-8")
    cell = _CELL.match(text)
    names: dict[str, Any] = dict(_WORDS)
    if cell:
        exec(compile(cell[1], str(path), "exec"), names)

    def filled(found: re.Match[str]) -> str:
        try:
            return str(eval(found[1], names))
        except Exception as error:
            line = text.count("\n", 0, found.start()) + 1
            raise LessonError(path, line, f"“{found[1]}” can't be computed: {error}") from error

    _, *parts = _PART.split(_FILLED.sub(filled, text))
    if tuple(parts[::2]) != PARTS:
        raise LessonError(path, 1, f"its parts are {', '.join(parts[::2])}, and should be {', '.join(PARTS)}.")
    worksheet, board, key = (part.strip() for part in parts[1::2])
    asked, answered = quiz(lesson)
    title = f"{lesson.number} {lesson.title}"
    return Paper(
        f"desk_{lesson.name}",
        (
            Sheet("worksheet", title, worksheet),
            Sheet("board", f"{title}: the board", board),
            Sheet("quiz", f"{title}: quiz", asked),
            Sheet("key", f"{title}: key", f"{key}\n\n**Quiz**\n\n{answered}"),
        ),
    )


def quiz(lesson: Lesson) -> tuple[str, str]:
    """Return the questions that the lesson asks at its end, then those that its plan asks, and the key to both."""
    choices = questions_after(lesson.number)
    asked = [_asked(question) for question in choices]
    answered = [_answered(question) for question in choices]
    for question, answer in read_plan(lesson).questions:
        asked.append(f"{question.strip('*')}\n\n{lines(3)}")
        answered.append(answer)
    return _counted(asked), _counted(answered)


def _asked(question: Question) -> str:
    return "\n\n".join([question.text, *(f"☐ {letter} {one.text}" for letter, one in _lettered(question))])


def _answered(question: Question) -> str:
    said = "; ".join(f"{letter}: {one.sentence}" for letter, one in _lettered(question) if not one.right)
    letter, right = next((letter, one) for letter, one in _lettered(question) if one.right)
    return f"**{letter}.** {right.sentence} ({said})"


def _lettered(question: Question) -> Sequence[tuple[str, Any]]:
    return list(zip(ascii_uppercase, question.choices, strict=False))


def _counted(texts: Sequence[str]) -> str:
    return "\n\n".join(f"**{at}.** {text}" for at, text in enumerate(texts, 1))
