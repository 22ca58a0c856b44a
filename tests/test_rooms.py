"""Imports run one way: each room of the course stands on the rooms that are named here, and on no other."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAY_IMPORT = {
    "utils/by_hand": set(),
    "utils/data": set(),
    "utils/show": set(),
    "utils/models": set(),
    "utils/training": {"utils.data", "utils.models"},
    "utils/course": {"utils.by_hand", "utils.data", "utils.show", "utils.seeds", "lessons"},
    "utils/site": {"utils.course", "utils.show"},
    "classroom": {"utils.course"},
    "lessons": {"utils.by_hand", "utils.data", "utils.show", "utils.models", "utils.training", "utils.seeds"},
}
# What a lesson asks of its students is written in the words of the exercises' room.
EXERCISES = {f"utils.course.exercises.{name}" for name in ("exercise", "softmaxes", "tensors")}
TASKS = {"utils.course.tasks", "utils.course.tasks.Tasks"}  # and what its control asks, in those of the tasks'


def imported(path: Path) -> set[str]:
    """The modules of the course that a file imports."""
    parts = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {alias.name for part in parts if isinstance(part, ast.Import) for alias in part.names}
    for part in parts:
        if isinstance(part, ast.ImportFrom) and part.module:
            dots = part.module.count(".")
            names |= {part.module} if dots else set()
            names |= {f"{part.module}.{alias.name}" for alias in part.names} if dots < 2 else set()
    return {name for name in names if name.split(".")[0] in ("utils", "lessons")}


def room_of(module: str) -> str:
    """The room that a module is in; `utils.seeds` is one of its own, all may use `utils.require` and `utils.files`."""
    return ".".join(module.split(".")[:2]) if module.startswith("utils") else "lessons"


FILES = [
    (room, path) for room in MAY_IMPORT for path in (ROOT / room).rglob("*.py") if not path.name.startswith("test_")
]


@pytest.mark.parametrize(("room", "path"), FILES, ids=[str(path.relative_to(ROOT)) for _, path in FILES])
def test_imports_run_one_way(room: str, path: Path) -> None:
    modules, own = imported(path), {room.replace("/", ".")}
    # Each `check` loads all of them, where a student's own folder may be `lessons`.
    if path.name in ("exercises.py", "second.py"):
        modules, own = modules - EXERCISES, set()
    if path.match("lessons/*/tasks_*.py"):
        modules -= TASKS
    if path.match("lessons/19_notes_checked/notes/*.py"):
        modules -= {module for module in modules if module.startswith("utils.course.ledger")}
    others = {room_of(module) for module in modules} - own - {"utils.require", "utils.files"}
    assert not others - MAY_IMPORT[room], f"{room} must not import these"
