"""The part of a notebook that some of its cells need: what is trained or drawn beside them need not be run for them."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Callable, Iterator
from typing import NamedTuple

from nbformat import NotebookNode


class Names(NamedTuple):
    """What a cell has to do with the names of its notebook."""

    reads: set[str]  # as the cells before it have left them
    sets: set[str]
    changes: set[str]  # what they stand for: a list is appended to, an entry set, a module put into eval mode


def needed_cells(notebook: NotebookNode, wanted: Callable[[str], bool]) -> list[int]:
    """The places of the code cells whose source is `wanted`, and of those that they need, directly or through others.

    A cell needs the last one before it that sets a name which it reads, and those between them that change what it
    stands for in its own methods and entries; not those that hand it to a function.
    """
    needed, names = [], set()
    for at in range(len(notebook.cells) - 1, -1, -1):
        cell = notebook.cells[at]
        if cell.cell_type != "code":
            continue
        its = names_of(cell.source)
        if wanted(cell.source) or names & (its.sets | its.changes):
            needed.append(at)
            names = names - its.sets | its.reads
    return needed[::-1]


def names_of(source: str) -> Names:
    """What a cell reads before it has set it itself, what it sets, and what it changes."""
    its = Names(set(), set(), set())
    for statement in ast.parse(source).body:
        symbols = symtable.symtable(ast.unparse(statement), "cell", "exec")
        sets = {symbol.get_name() for symbol in symbols.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
        # A loop sets its names before its body reads them.
        before = its.sets | (sets if isinstance(statement, ast.For | ast.With) else set())
        its.reads.update((_globals_read(symbols) | set(_counted_on(statement))) - before)
        its.sets.update(sets)
        its.changes.update(_changed(statement))
    return its


def _globals_read(symbols: symtable.SymbolTable) -> set[str]:
    """The names that a piece of code, or a function in it, takes from the notebook."""
    here = symbols.get_type() == "module"
    read = {s.get_name() for s in symbols.get_symbols() if s.is_referenced() and (here or s.is_global())}
    return read.union(*map(_globals_read, symbols.get_children()))


def _counted_on(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id


def _changed(statement: ast.AST) -> Iterator[str]:
    for node in ast.walk(statement):
        # x.append(1) as a statement of its own; x[0] = 1 and x.y = 1, and += of these.
        owner = node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else node
        if isinstance(owner, ast.Attribute | ast.Subscript) and (owner is not node or isinstance(node.ctx, ast.Store)):
            while isinstance(owner, ast.Attribute | ast.Subscript):
                owner = owner.value
            if isinstance(owner, ast.Name):
                yield owner.id
