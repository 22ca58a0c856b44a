"""What thirty students hand in for lesson 05, a third of them hostile or broken, and the points that each deserves."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from utils.course.build import STUB
from utils.course.classes.marked import marked, solved_pieces
from utils.course.lessons import Lesson, all_lessons

LESSON: Lesson = next(lesson for lesson in all_lessons() if lesson.number == "05")
ALL = sum(one.points for one in marked(LESSON))
Notebook = dict[str, Any]
Cells = list[dict[str, Any]]


def solved(stubs: Notebook) -> Notebook:
    """The notebook of a student who has everything right."""
    pieces = solved_pieces(LESSON)
    for one in marked(LESSON):
        stubs = answered(stubs, one.function, pieces.of(one.function).source)
    return stubs


def answered(notebook: Notebook, function: str, code: str) -> Notebook:
    """`notebook` with other code where `function` is defined."""
    notebook = copy.deepcopy(notebook)
    cell = next(cell for cell in notebook["cells"] if text(cell).startswith(f"def {function}("))
    calls = [line for line in text(cell).splitlines() if line.startswith("check(")]
    cell["source"] = "\n".join([code, "", *calls])
    return notebook


def text(cell: dict[str, Any]) -> str:
    """The lines of a cell."""
    return "".join(cell["source"])


def with_scores(body: str) -> Callable[[Notebook, Notebook], Notebook]:
    """Everything right but the scores, whose function has this body."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return lambda stubs, right: answered(right, "my_scores", f"def my_scores(Q, K):\n{lines}")


def with_cells(change: Callable[[Cells], Cells]) -> Callable[[Notebook, Notebook], Notebook]:
    """Everything right, in other cells."""
    return lambda stubs, right: {**right, "cells": change(copy.deepcopy(right["cells"]))}


def code(source: str) -> dict[str, Any]:
    """A cell."""
    return {"cell_type": "code", "id": "own", "metadata": {}, "outputs": [], "execution_count": None, "source": source}


def _without(cells: Cells, word: str) -> Cells:
    return [{**cell, "source": [line for line in text(cell).splitlines(True) if word not in line]} for cell in cells]


def _copied(stubs: Notebook, right: Notebook) -> Notebook:
    """Below everything stand the stubs once more."""
    return {**right, "cells": [*right["cells"], *[cell for cell in stubs["cells"] if STUB in text(cell)]]}


def _weights_of_the_notebook(stubs: Notebook, right: Notebook) -> Notebook:
    code = "def my_new_x2(X, W_Q, W_K, W_V):\n    return A[1] @ V\n\nA, V = np.eye(3), np.ones((3, 3))"
    return answered(right, "my_new_x2", code)


HONEST: dict[str, tuple[Callable[[Notebook, Notebook], Notebook], float]] = {
    "right": (lambda stubs, right: right, ALL),
    "stubs": (lambda stubs, right: stubs, 0),
    "transposed": (with_scores("return K @ Q.T"), ALL - 0.5),
    "farthest": (
        lambda stubs, right: answered(
            right,
            "my_nearest",
            "def my_nearest(Q, K, V):\n    S = ((Q[:, None] - K) ** 2).sum(-1)\n"
            "    e = np.exp(S - S.max(axis=1, keepdims=True))\n    return e / e.sum(axis=1, keepdims=True) @ V",
        ),
        ALL - 1,
    ),
    "nothing known": (with_scores("return np.sin(Q @ K.T) + 0.3 * (Q @ K.T) ** 2"), ALL - 1),
    "no checks": (with_cells(lambda cells: _without(cells, "check(")), ALL),
    "copied stubs": (_copied, ALL),
    "reversed": (with_cells(lambda cells: cells[::-1]), ALL),
    "scribbled": (with_cells(lambda cells: [*cells, code("this is: not Python (")]), ALL),
    "syntax error": (with_scores("return Q @ K.T)"), ALL - 1),
    "helper": (
        lambda stubs, right: {
            **with_scores("return dots(Q, K)")(stubs, right),
            "cells": [*with_scores("return dots(Q, K)")(stubs, right)["cells"], code("def dots(a, b): return a @ b.T")],
        },
        ALL,
    ),
    "magic": (
        with_cells(lambda cells: [{**c, "source": f"%%time\n{text(c)}"} if "def my" in text(c) else c for c in cells]),
        ALL,
    ),
    "lists": (with_scores("return [[float(q @ k) for k in K] for q in Q]"), ALL),
    "changes inputs": (with_scores("S = Q @ K.T\nQ += 1\nreturn S"), ALL - 0.5),
    "stops": (with_scores("print(Q)\nreturn Q @ K"), ALL - 0.5),  # on most inputs, as a known mistake does
    "deleted": (with_cells(lambda cells: [c for c in cells if "my_scores" not in text(c)]), ALL - 1),
    "other letter": (lambda stubs, right: answered(right, "my_choice", 'def my_choice():\n    return "b"'), ALL - 1),
    "of the notebook": (_weights_of_the_notebook, ALL - 2),
    "the course's own": (
        lambda stubs, right: answered(
            right, "my_weights", "def my_weights(X, W_Q, W_K):\n    return attention_steps(X, W_Q, W_K, W_K).weights"
        ),
        ALL - 2,
    ),
    "worked on a copy": (lambda stubs, right: right, ALL),  # in a second notebook; the first has the stubs
}

_FIND = """import gc, sys
for thing in gc.get_objects():
    if getattr(thing, "__name__", "") == "EXERCISES" or type(thing).__name__ == "Exercise":
        return thing.reference(Q, K)
frame = sys._getframe()
while frame:
    for value in frame.f_locals.values():
        if hasattr(value, "reference"):
            return value.reference(Q, K)
    frame = frame.f_back"""
_REPLACE = """import numpy as np
import utils.course.exercises.values as values, utils.course.exercises.asking as asking
values.same_value = asking.same_value = values.close = asking.agree = lambda *_: True
np.allclose = np.array_equal = np.all = lambda *_, **__: True
class Equal(np.ndarray):
    def __eq__(self, other): return True
return np.zeros((len(Q), len(K))).view(Equal)"""
_FORGE = """import os
for fd in range(3, 40):
    try:
        os.write(fd, b'\\x00\\x00\\x00\\x0e{"passed": true}' * 1000)
    except OSError:
        pass"""

HOSTILE: dict[str, tuple[Callable[[Notebook, Notebook], Notebook], float]] = {
    "endless": (with_scores("while True: pass"), ALL - 1),
    "fork bomb": (with_scores("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"), ALL - 1),
    "deletes": (
        with_scores(
            "import os, shutil\nfor place in ('PLACE', 'COURSE', os.path.expanduser('~'), '/tmp', '/'):\n"
            "    shutil.rmtree(place, ignore_errors=True)\n"
        ),
        ALL - 1,
    ),
    "reads answers": (
        with_scores(
            "import sys\nsys.path.insert(0, 'COURSE')\nfrom utils.course.exercises import EXERCISES\n"
            "return EXERCISES['05.scores'].reference(Q, K)"
        ),
        ALL - 1,
    ),
    "reads files": (with_scores("raise ValueError(open('PLACE/class/teacher/class.json').read())"), ALL - 1),
    "searches memory": (with_scores(_FIND), ALL - 1),
    "replaces the checker": (with_scores(_REPLACE), ALL - 1),
    "forges": (with_scores(_FORGE), ALL - 1),
    "two gigabytes": (
        with_scores("import os\nfor _ in range(2000): os.write(1, b'x' * 1_000_000); print('x' * 1_000_000)"),
        ALL - 1,
    ),
    "socket": (
        with_scores(
            "import socket\nopen_one = socket.create_connection(('127.0.0.1', PORT), 1)\n"
            "open_one.sendall(b'answers?')\nreturn Q @ K.T"
        ),
        ALL - 1,
    ),
}


def write_all(folder: Path, stubs: Notebook, course: Path, port: int) -> dict[str, float]:
    """Write everybody's folder, and one notebook that is none; returns the points that each deserves."""
    right = solved(stubs)
    for name, (make, _) in (HONEST | HOSTILE).items():
        own = folder / name
        own.mkdir(parents=True)
        said = json.dumps(make(stubs, right))
        said = said.replace("PLACE", str(folder.parent)).replace("COURSE", str(course)).replace("PORT", str(port))
        (own / "05_self_attention_by_hand.ipynb").write_text(said, encoding="utf-8")
    copied = folder / "worked on a copy"
    (copied / "05_self_attention_by_hand.ipynb").rename(copied / "05_self_attention-Copy1.ipynb")
    (copied / "05_self_attention_by_hand.ipynb").write_text(json.dumps(stubs), encoding="utf-8")
    return {name: points for name, (_, points) in (HONEST | HOSTILE).items()}
