"""Check the teaching plans, `teaching.md` beside each lesson, and collect them in `docs/teaching.md`.

A plan is not part of the notebook. It has a table with a row for each part of the lesson to teach: a heading, its
minutes in a class of 50 and of 90 minutes, and what to do. Five minutes of each class are slack. Below the table the
plan says what to skip, what is homework, what to ask, and where students stumble.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from utils.course.lessons import ROOT, Lesson, LessonError

PAGE = ROOT / "docs" / "teaching.md"
CLASSES = (50, 90)  # minutes of a class
SLACK = 5  # minutes of a class that belong to no part
_ROW = re.compile(r"^\| (?!part \|)(.+?) \| (\d+|–) \| (\d+|–) \| .+ \|$")
_QUESTION = re.compile(r"^\d\. \*.+?\?\* .+$", re.MULTILINE)  # *What of *this* word?* An answer.
_HEAD = """# For teachers

<!-- Made by `make lessons` from lessons/*/teaching.md: change it there. -->

For each lesson a way through it in 50 and in 90 minutes. Minutes are estimates: nobody has timed a class for them. \
A dash says that the part is left out. Five minutes of each class are slack, for what takes longer. \
The column “how” says what you do there.

- **Solutions.** `make lessons SOLVED=1` builds copies with all solutions into `solved/`. Open them \
with `python3 etc/environment.py lab --notebooks solved`. They are not in `my-notebooks/`, where students work.
- **Only the interactive figure.** Its cell runs by itself, with its imports. \
Run it before class, and go to it by the link at the top of the lesson.
- **Guess first.** A result that is folded is worth a show of hands before it is opened.
- **On paper.** `pencil("05", seed=3)`, in 04, 05, 08 and 09, gives each student numbers of their own and names the \
mistake. A lesson's page (`make site`) prints with its questions.
- **Slides.** *Present* shows an interactive figure on the whole screen. If you want slides of the text, \
`.venv/bin/jupyter nbconvert --to slides notebooks/05_self_attention_by_hand.ipynb` makes them.
- **The network fails.** Once `make lab` has run, only BERT's weights in lesson 15 need it (`make weights`, before \
class). Take `build/site` with you as well (`make site`): its pages and figures open from the folder, without Python. \
“Try it here” on them does need the network.
"""


class Part(NamedTuple):
    """A part of a lesson in class."""

    heading: str  # as in the lesson
    minutes: tuple[int, int]  # in a class of 50 and of 90 minutes; 0 if the part is left out


class Plan(NamedTuple):
    """The teaching plan of one lesson."""

    parts: list[Part]
    text: str  # the whole plan with its slack, in Markdown


def read_plan(lesson: Lesson) -> Plan:
    """Return the plan beside a lesson.

    Raise LessonError if there is no plan, if its parts are not headings of the lesson in their order, if the minutes do
    not add up to a class without its slack, or if there are not two or three questions.
    """
    path = lesson.path.with_name("teaching.md")
    if not path.is_file():
        raise LessonError(path, 1, "the lesson has no plan for those who teach it.")
    text, last = path.read_text(encoding="utf-8"), ""
    parts, headings = [], lesson.headings
    for number, line in enumerate(text.splitlines(), 1):
        if not (row := _ROW.match(line)):
            continue
        if row[1] not in headings:
            raise LessonError(path, number, f"“{row[1]}” is no heading of the lesson, or stands before the one above.")
        headings = headings[headings.index(row[1]) + 1 :]
        last = line
        parts.append(Part(row[1], tuple(0 if part == "–" else int(part) for part in (row[2], row[3]))))
    for at, whole in enumerate(CLASSES):
        if (found := sum(part.minutes[at] for part in parts)) != whole - SLACK:
            raise LessonError(path, 1, f"the parts for {whole} minutes add up to {found}, and not to {whole - SLACK}.")
    if (asked := len(_QUESTION.findall(text))) not in (2, 3):
        raise LessonError(path, 1, f"a plan must have two or three questions with their answers, but has {asked}.")
    slack = f"{last}\n\n**Slack.** {SLACK} minutes in both, for what takes longer."
    return Plan(parts, text.replace(last, slack, 1))


def teaching_page(lessons: Sequence[Lesson]) -> str:
    """Return all plans as one page of Markdown, with links relative to `docs/`."""
    sections = [
        f"## [{lesson.number} {lesson.title}](../notebooks/{lesson.notebook_name})\n\n{lesson.question}\n\n"
        f"{read_plan(lesson).text.strip()}\n"
        for lesson in lessons
    ]
    return "\n".join([_HEAD, *sections])
