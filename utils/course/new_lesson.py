"""Make the folder of a new lesson, small but complete: `make new-lesson NN=21 TITLE="Rotary positions"`.

The files are copied from `skeleton/`, with the number in place of NN and the title in place of TITLE.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from utils.course.lessons import LESSONS, LessonError, all_lessons
from utils.files import forgive_output

SKELETON = Path(__file__).with_name("skeleton")


def new_lesson(number: str, title: str, lessons: Path = LESSONS) -> Path:
    """Write the files of a new lesson that builds and passes its tests, and return its folder.

    Raise LessonError if the number is wrong or taken, or if the title has no letters for the folder's name.
    """
    folder = lessons / f"{number}_{re.sub(r'[^a-z0-9]+', '_', title.lower()).strip('_')}"
    taken = {lesson.number: lesson.name for lesson in all_lessons(lessons)}
    if number in taken:
        raise LessonError(folder / "lesson.md", 1, f"{taken[number]} has the number {number}.")
    if not re.fullmatch(r"\d\d[a-z]?_[a-z0-9_]+", folder.name):
        said = "a number is two digits, and a letter between two lessons: 21, 02b; a title is words."
        raise LessonError(folder / "lesson.md", 1, said)
    folder.mkdir()
    for path in sorted(SKELETON.glob("*.*")):
        text = path.read_text(encoding="utf-8").replace("NN", number)
        text = text.replace("TITLE", json.dumps(title, ensure_ascii=False))  # in quotes, as YAML reads any text
        (folder / path.name).write_text(text, encoding="utf-8")
    return folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the lesson that the command line names and return the exit status."""
    forgive_output()
    parser = argparse.ArgumentParser(prog="make new-lesson", description="Makes the folder of a new lesson.")
    parser.add_argument("number", metavar="NN", help="its number, such as 21, or 02b between 02 and 03")
    parser.add_argument("--title", default="A new lesson", help="what it is called, such as “Rotary positions”")
    options = parser.parse_args(arguments)
    try:
        folder = new_lesson(options.number, options.title)
    except LessonError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{folder.parent.name}/{folder.name} is there. Next: make lessons ONLY={options.number}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
