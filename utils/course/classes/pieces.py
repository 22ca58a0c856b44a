"""The pieces of a notebook, taken by their names: what somebody has handed in is read here, and not run.

Cells may have been deleted, copied or put in another order, and some may not be Python. What an answer needs is cut out
of the rest: its function, the functions and values that this one names, and so on.
"""

from __future__ import annotations

import ast
import collections
import re
import symtable
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

COURSE = ("utils", "lessons")
NOT_ALLOWED = "not_allowed"  # what a function of the course becomes that an answer may not use
_MAGIC = re.compile(r"^\s*[%!?].*$|^.*\?\s*$", re.MULTILINE)

Import = tuple[str, str]  # a module and a name in it


@dataclass(frozen=True)
class Statement:
    """One statement at the top of a cell."""

    node: ast.stmt
    source: str

    @property
    def imports(self) -> list[tuple[str, Import]]:
        """What it imports: the name here, the module, and the name there."""
        if isinstance(self.node, ast.ImportFrom):
            return [(one.asname or one.name, (self.node.module or "", one.name)) for one in self.node.names]
        if isinstance(self.node, ast.Import):
            return [((one.asname or one.name).split(".")[0], (one.name, "")) for one in self.node.names]
        return []

    @property
    def is_definition(self) -> bool:
        """Whether it is a function or a class."""
        return isinstance(self.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)

    @property
    def is_stub(self) -> bool:
        """Whether nothing has been written into it yet."""
        return self.is_definition and "raise NotImplementedError" in self.source

    @property
    def binds(self) -> set[str]:
        """The names that it gives a value."""
        if self.is_definition:
            return {self.node.name}
        parts = [part for part in ast.walk(self.node) if isinstance(part, ast.Name)]
        return {name for name, _ in self.imports} | {part.id for part in parts if isinstance(part.ctx, ast.Store)}

    @property
    def needs(self) -> set[str]:
        """The names that it takes from elsewhere."""
        return _free(self.source)


def _free(source: str) -> set[str]:
    """Return the names in `source` that are not its own: those read at its top, and what its functions find outside."""
    top = symtable.symtable(source, "answer", "exec")
    found = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()}
    tables = collections.deque(top.get_children())
    while tables:
        table = tables.popleft()
        tables.extend(table.get_children())
        found |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() and symbol.is_referenced()}
    return found


class Pieces:
    """What stands in the code cells of a notebook."""

    def __init__(self, cells: Iterable[str]) -> None:
        self.broken: list[str] = []  # cells that are not Python
        self.statements: list[Statement] = []
        for cell in cells:
            self.statements += self._read(cell)
        self.answers = dict(self._answers())

    def _read(self, cell: str) -> list[Statement]:
        for text in (cell, _MAGIC.sub("pass", cell)):
            try:
                nodes = ast.parse(text).body
                statements = [Statement(node, _source(text, node)) for node in nodes]
                for statement in statements:
                    _free(statement.source)  # a `return` outside a function shows only here
                return statements
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
        self.broken.append(cell)
        return []

    def _answers(self) -> Iterator[tuple[str, str]]:
        """Return what is handed to `check` or `require`, by the name of the exercise."""
        for statement in self.statements:
            for part in ast.walk(statement.node):
                if isinstance(part, ast.Call) and getattr(part.func, "id", "") in ("check", "require"):
                    match part.args:
                        case [ast.Constant(value=str(name)), answer]:
                            yield name, ast.unparse(answer)

    def of(self, name: str) -> Statement | None:
        """Find the statement that makes `name`: a function written before a stub, the last before the others."""
        binding = [statement for statement in self.statements if name in statement.binds]
        written = [one for one in binding if one.is_definition and not one.is_stub]
        stubs = [one for one in binding if one.is_stub]
        values = [one for one in binding if not one.is_definition and not one.imports and name not in one.needs]
        imports = [one for one in binding if one.imports]
        return next((some[-1] for some in (written, stubs, values, imports) if some), None)

    def needed(self, answer: str, allowed: Collection[Import] = (), instead: Pieces | None = None) -> str:
        """Return the code that `answer`, an expression, needs, in the order of the notebook.

        Of the course's own functions it gets those that are `allowed`; for the others a stand-in that says so. A name
        that `instead` has is taken from there.
        """
        chosen: dict[str, Statement] = {}
        todo = sorted(_free(answer))
        while todo:
            name = todo.pop()
            statement = (instead and instead.of(name)) or self.of(name)
            if name not in chosen and statement is not None:
                chosen[name] = statement
                todo += sorted(statement.needs)
        places = {id(statement): at for at, statement in enumerate([*(instead or self).statements, *self.statements])}
        lines: dict[str, None] = {}
        imported = {name: dict(one.imports)[name] for name, one in chosen.items() if one.imports}
        for name, (module, there) in imported.items():
            if module.split(".")[0] in COURSE and (module, there) not in allowed:
                lines[f"{name} = {NOT_ALLOWED}({name!r})"] = None
            elif there:
                lines[f"from {module} import {there} as {name}"] = None
            else:
                lines[chosen[name].source] = None
        others = {id(one): one for one in chosen.values() if not one.imports}
        for statement in sorted(others.values(), key=lambda one: (not one.is_definition, places[id(one)])):
            lines[statement.source] = None
        return "\n".join(lines)


def _source(text: str, node: ast.stmt) -> str:
    """Return the lines of a statement, with its decorators."""
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
    whole = text.splitlines()[first - 1 : node.end_lineno]
    if first == node.lineno and (node.col_offset or len(whole) == 1):  # behind a semicolon, or before one
        return ast.get_source_segment(text, node) or ""
    return "\n".join(whole)


def imports_of(pieces: Pieces) -> set[Import]:
    """Return what the answers of a notebook use of the course: in a solved one, what a student's may use."""
    found = set()
    for answer in pieces.answers.values():
        seen, todo = set(), sorted(_free(answer))
        while todo:
            name = todo.pop()
            statement = pieces.of(name)
            if name in seen or statement is None:
                continue
            seen.add(name)
            todo += sorted(statement.needs)
            found |= {there for here, there in statement.imports if here == name and there[0].split(".")[0] in COURSE}
    return found
