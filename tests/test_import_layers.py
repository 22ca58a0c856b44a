"""Imports run one way: each layer of the course stands on the layers that are named here, and on no other."""

from __future__ import annotations

import ast
from pathlib import Path

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
# What a lesson asks of its students is written with the names of `utils.course`.
EXERCISES = {f"utils.course.exercises.{name}" for name in ("exercise", "own_state", "softmaxes", "tensors")}
TASKS = {"utils.course.tasks", "utils.course.tasks.Tasks"}


def imported(path: Path) -> set[str]:
    """Return the modules of the course that a file imports."""
    parts = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {alias.name for part in parts if isinstance(part, ast.Import) for alias in part.names}
    for part in parts:
        if isinstance(part, ast.ImportFrom) and part.module:
            dots = part.module.count(".")
            names |= {part.module} if dots else set()
            names |= {f"{part.module}.{alias.name}" for alias in part.names} if dots < 2 else set()
    return {name for name in names if name.split(".")[0] in ("utils", "lessons")}


def layer_of(module: str) -> str:
    """Return the layer of a module; `utils.seeds` is one of its own."""
    return ".".join(module.split(".")[:2]) if module.startswith("utils") else "lessons"


def too_high(layer: str, path: Path) -> set[str]:
    """Return what a file imports from layers that its own must not know; all may use `utils.require`, `utils.files`."""
    modules, own = imported(path), {layer.replace("/", ".")}
    # Each `check` loads all of them, where a student's own folder may be `lessons`.
    if path.name in ("exercises.py", "second.py"):
        modules, own = modules - EXERCISES, set()
    if path.match("lessons/*/tasks_*.py"):
        modules -= TASKS
    return {layer_of(module) for module in modules} - own - {"utils.require", "utils.files"} - MAY_IMPORT[layer]


def test_files_import_nothing_from_a_layer_above_their_own() -> None:
    paths = [(layer, path) for layer in MAY_IMPORT for path in (ROOT / layer).rglob("*.py")]
    found = {str(path): too_high(layer, path) for layer, path in paths if not path.name.startswith("test_")}
    assert len(found) > 200 and not {path: layers for path, layers in found.items() if layers}
