"""Pencil tasks: the student computes on paper and types the numbers in, and the task judges them."""

from __future__ import annotations

from utils.course.desk.task import judge_all
from utils.course.desk.tasks import make
from utils.show.live import LiveControl, Matrix, Note, Panel, Text

KEY = "show the key"


def pencil(lesson: str, seed: int = 0) -> LiveControl:
    """Return a task of lesson 04, 05, 08 or 09 that judges typed numbers at once and names known mistakes.

    Another `seed` gives other numbers. Raise ValueError if there is no such task, or if `seed` is not an integer ≥ 0.
    """
    task = make(lesson, seed)

    def picture(**typed: str) -> list[Panel]:
        told = judge_all(task, [typed[asked.name] for asked in task.fields])
        given = [Matrix(values, name, task.row_names.get(name, ())) for name, values in task.given.items()]
        names = [asked.name.replace("_", " ") for asked in task.fields]
        said = [Note(f"{name}: {verdict}") for name, verdict in zip(names, told, strict=True)]
        return [Note(task.text), *said, *given]

    return LiveControl(
        picture,
        [Text(asked.name, label=asked.asks) for asked in task.fields],
        {KEY: {asked.name: asked.written() for asked in task.fields}},
        alt=f"A task to compute with a pencil. {task.text}",
    )
