"""Read the student's code, which is not run here: its names, its numbers, and the line that raised an error."""

from __future__ import annotations

import ast
import contextlib
import dis
import inspect
import itertools
import linecache
import re
import textwrap
import traceback
import types
from collections.abc import Collection
from typing import Any

from utils.course.exercises.findings import Finding, Kind, say


class Adapter:
    """A function that uses a student's answer for the comparison; `written` is the student's function, if any."""

    written: types.FunctionType | None = None


def written(answer: Any) -> types.FunctionType | None:
    """Return the function that was written with `def` or `lambda`, unwrapped from an Adapter, or None."""
    if issubclass(type(answer), Adapter):
        return answer.written
    return answer if type(answer) is types.FunctionType else None


def stub(answer: Any, error: BaseException) -> tuple[types.CodeType | None, int] | None:
    """Return the code and line that raised NotImplementedError, or None if a library has raised it.

    The code is None if the function ran in another process.
    """
    function, (*_, (frame, line)) = written(answer), ((None, 0), *traceback.walk_tb(error.__traceback__))
    if frame is None:
        return None, 0
    return None if function and frame.f_globals is not function.__globals__ else (frame.f_code, line)


def has_code_after(code: types.CodeType, line: int) -> bool:
    """Return whether unreachable code follows the statement in this line of a function."""
    try:
        tree = ast.parse(textwrap.dedent("".join(inspect.getsourcelines(code)[0])))
    except (OSError, SyntaxError):
        return False
    above = tree.body[0].body[:-1] if isinstance(tree.body[0], ast.FunctionDef) else []
    return any(statement.lineno + code.co_firstlineno - 1 == line for statement in above)


def borrowed(answer: Any, sizes: Collection[int] = ()) -> str:
    """Return a question if the student's code reads a value of the notebook or contains one of the wrong `sizes`."""
    function = written(answer)
    several = (c if isinstance(c, tuple) else (c,) for c in (function.__code__.co_consts if function else ()))
    used = [f"the notebook's `{name}`" for name in of_the_notebook(answer, sizes)]
    used += [f"the number {size}" for size in itertools.chain.from_iterable(several) if size in sizes and size > 2]
    return f" Does your function use {used[0]}, where it should use what it is given?" if used else ""


def of_the_notebook(answer: Any, sizes: Collection[int] = ()) -> list[str]:
    """Return the names of the notebook's data that the student's code reads; integer CONSTANTS only if in `sizes`."""
    function = written(answer)
    codes = [function.__code__] if function else []
    for code in codes:
        codes += filter(inspect.iscode, code.co_consts)
    read = {step.argval: None for code in codes for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    values = {name: function.__globals__.get(name) for name in read}
    no_data = lambda value: value is None or callable(value) or inspect.ismodule(value)  # noqa: E731
    usual = lambda name, value: name.isupper() and type(value) is int and value not in sizes  # noqa: E731
    return [name for name, value in values.items() if not (no_data(value) or usual(name, value))]


def own_line(answer: Any, error: BaseException) -> tuple[dict[str, Any], int, str]:
    """Return the local names, number and text of the line in the student's cell from which an exception came."""
    function = written(answer)
    passed = traceback.walk_tb(error.__traceback__) if function else ()
    own = [(frame, line) for frame, line in passed if frame.f_code.co_filename == function.__code__.co_filename]
    if not own:
        return {}, 0, ""
    frame, line = own[-1]
    return frame.f_locals, line, linecache.getline(frame.f_code.co_filename, line).strip()


def seen_in_line(names: dict[str, Any], text: str) -> Finding | None:
    """Return a finding if the failing line uses a submodule without `self.`, or `.T` of more than two axes."""
    with contextlib.suppress(Exception):  # the names may have values of any type
        for name in re.findall(r"(?<![\w.])(\w+)\(", text):
            if name in getattr(names.get("self"), "_modules", ()):
                return say(Kind.WITHOUT_SELF, name=name)
        for name in re.findall(r"(?<![\w.])(\w+)\.T\b", text):
            if (n := getattr(names.get(name), "ndim", 0)) > 2:
                return say(Kind.ALL_AXES, name=name, n=n)
    return None
