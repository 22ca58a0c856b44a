"""Notebooks as students hand them in for lesson 05: small ones of a few cells, and the whole one, solved."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

from utils.course.build import build
from utils.course.classes.copies import for_students
from utils.course.classes.marked import marked
from utils.course.lessons import BEGIN, Lesson, all_lessons

LESSON: Lesson = next(lesson for lesson in all_lessons() if lesson.number == "05")
FILE = "05_self_attention_by_hand.ipynb"
START = "import numpy as np\nfrom utils.course.exercises import check"
Notebook = dict[str, Any]


def cells_of(*sources: str) -> Notebook:
    """A notebook of these code cells, behind what the lesson imports."""
    cells = [{"cell_type": "code", "metadata": {}, "source": source} for source in (START, *sources)]
    return {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}


def scores(body: str) -> str:
    """A cell with the first exercise's answer, and its check."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f'def my_scores(Q, K):\n{lines}\n\ncheck("05.scores", my_scores)'


def write(folder: Path, *sources: str) -> None:
    """Write a student's folder with one notebook."""
    folder.mkdir(parents=True)
    (folder / FILE).write_text(json.dumps(cells_of(*sources)), encoding="utf-8")


def text(cell: dict[str, Any]) -> str:
    """The lines of a cell."""
    return "".join(cell["source"])


def solutions(lesson: Lesson = LESSON) -> dict[str, str]:
    """The functions of a lesson that count, and what else is in their cells, each with its solution."""
    notebook = for_students(build(lesson, all_lessons(), solved=True), lesson, marked(lesson), is_solved=True)
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code" and BEGIN in cell.source]
    return {re.findall(r"check\(.*, (\w+)\)", cell)[-1]: cell.split("\ncheck(")[0] for cell in cells}


def answered(notebook: Notebook, function: str, code: str) -> Notebook:
    """`notebook` with other code where `function` is defined."""
    notebook = copy.deepcopy(notebook)
    cell = next(cell for cell in notebook["cells"] if text(cell).startswith(f"def {function}("))
    calls = [line for line in text(cell).splitlines() if line.startswith("check(")]
    cell["source"] = "\n".join([code, "", *calls])
    return notebook
