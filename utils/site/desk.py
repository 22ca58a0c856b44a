"""`make desk`: worksheets, boards, quizzes and keys of the lessons, the sheet of formulas and mock exams, to print.

Each is a page of its own in `build/desk`, which needs nothing beside it; what is one sheet is one page of A4.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from utils.course.desk import exam
from utils.course.desk.paper import Paper
from utils.course.desk.sheet import sheet
from utils.course.desk.worksheets import has_worksheet, worksheets
from utils.course.lessons import ROOT, UnknownLesson, all_lessons, known_numbers
from utils.files import forgive_output, write_whole
from utils.site.mathematics import math_style
from utils.site.pages import framed, prose

DESK = ROOT / "build" / "desk"
EXAMS = 3


def page_of(paper: Paper) -> str:
    """A paper as a page of HTML: each sheet on a side of its own."""
    texts = [prose(sheet.text) for sheet in paper.sheets]
    return framed("paper", paper=paper, sheets=list(zip(paper.sheets, texts, strict=True)), math=math_style(texts))


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes what the command line asks for."""
    forgive_output()
    parser = argparse.ArgumentParser(prog="make desk", description="Writes worksheets, exams and the sheet, to print.")
    parser.add_argument("numbers", nargs="*", help="lessons, such as 05; without any: all, the sheet and the exams")
    parser.add_argument("--seed", type=int, default=1, help=f"of the first of {EXAMS} exams")
    options = parser.parse_args(arguments)
    lessons = [lesson for lesson in all_lessons() if has_worksheet(lesson)]
    try:
        numbers = known_numbers(options.numbers, lessons)
    except UnknownLesson as error:
        parser.error(str(error))
    if options.seed < 0:
        parser.error("the seed must be a whole number from 0 on.")
    papers = [worksheets(lesson) for lesson in lessons if not numbers or lesson.number in numbers]
    if not numbers:
        papers += [sheet(), *(exam(options.seed + at) for at in range(EXAMS))]
    DESK.mkdir(parents=True, exist_ok=True)
    for paper in papers:
        write_whole(DESK / f"{paper.name}.html", page_of(paper).encode())
    print(f"{DESK}: {len(papers)} files to print")
    return 0


if __name__ == "__main__":
    sys.exit(main())
