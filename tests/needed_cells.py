"""The part of a notebook that some of its cells need: what is trained or drawn beside them need not be run for them."""

from __future__ import annotations

import ast
from collections.abc import Callable

from nbformat import NotebookNode


def needed_cells(notebook: NotebookNode, wanted: Callable[[str], bool]) -> list[int]:
    """The places of the code cells whose source is `wanted`, and of those that they need, directly or through others.

    A cell needs another when it reads a name that the other sets.
    """
    needed, names = [], set()
    for at in range(len(notebook.cells) - 1, -1, -1):
        cell = notebook.cells[at]
        if cell.cell_type != "code":
            continue
        tree = ast.parse(cell.source)
        if wanted(cell.source) or names & _made(tree):
            needed.append(at)
            names |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return needed[::-1]


def _made(tree: ast.AST) -> set[str]:
    """The names that a cell gives to the cells after it."""
    made = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            made.add(node.name)
        if isinstance(node, ast.Import | ast.ImportFrom):
            made |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return made
