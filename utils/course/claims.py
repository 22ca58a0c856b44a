"""Claims: the proofs that stand below a lesson's sentences, left out of the notebook and run by the tests.

The solutions of its exercises are left out and run there in the same way.

A claim is a code cell of the lesson tagged `claim`. It runs where it stands, between the cells of the saved notebook,
with the names that the lesson has at that place. What it sets or draws stays its own: the cells after it find names,
random generators and threads as they were.
"""

from __future__ import annotations

import ast
import copy
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:  # a kernel that proves needs neither, and they take their time
    from nbformat import NotebookNode

    from utils.course.lessons import Lesson

CLAIM, LONG = "claim", "long"
_solutions: dict[str, Any] = {}  # what the solutions in this kernel have made: a later one may need it


def is_claim(cell: NotebookNode) -> bool:
    """Tell whether the cell is there for the tests alone."""
    return CLAIM in cell.metadata.get("tags", [])


def is_run(cell: NotebookNode) -> bool:
    """Tell whether this claim is run here; one tagged `long` needs TEST_ALL, which `make test-all` sets."""
    return LONG not in cell.metadata.get("tags", []) or bool(os.environ.get("TEST_ALL"))


def as_cell(claim: NotebookNode, lesson: Lesson) -> NotebookNode:
    """Make the cell that runs `claim` aside: a failure names the lesson's file and the line that failed."""
    from nbformat.v4 import new_code_cell

    lines = lesson.text.splitlines()
    above = lines.index(claim.source.splitlines()[0], claim.metadata["line"])
    call = f"_prove({claim.source!r}, {str(lesson.path)!r}, {above}, globals())"
    return new_code_cell(f"from utils.course.claims import prove as _prove\n{call}")


def as_solved_cell(exercise: NotebookNode) -> NotebookNode:
    """Return the cell that runs an exercise aside with its solution in place."""
    from nbformat.v4 import new_code_cell

    call = f"_solve({exercise.source!r}, globals())"
    return new_code_cell(f"from utils.course.claims import solve as _solve\n{call}")


def solve(source: str, names: Mapping[str, Any]) -> None:
    """Run the exercise `source`, solution included, on a copy of `names` and of what earlier solutions have made.

    Raises AssertionError, with the names of the exercises, unless `check` lets the solution pass.
    """
    from utils.course.progress import read_progress, scratch_progress

    before = {**names, **_solutions}
    after = dict(before)
    with scratch_progress(), _random_state_kept():
        exec(source, after)
        passed = {name: attempt.passed for name, attempt in read_progress().items()}
    assert passed and all(passed.values()), f"its own solution does not pass: {passed or 'check was not called'}"
    _solutions.update({name: value for name, value in after.items() if value is not before.get(name)})


def prove(source: str, path: str, above: int, names: Mapping[str, Any]) -> None:
    """Run the claim `source`, which begins below line `above` of the file `path`, on a copy of `names`.

    Raises what the claim raises: AssertionError where it does not hold, with the asserted text if it says nothing.
    """
    tree = ast.increment_lineno(ast.parse(source, path), above)
    for part in ast.walk(tree):
        if isinstance(part, ast.Assert) and part.msg is None:
            part.msg = ast.copy_location(ast.Constant(ast.unparse(part.test)), part)
    with _random_state_kept():
        exec(compile(ast.fix_missing_locations(tree), path, "exec"), dict(names))


@contextmanager
def _random_state_kept() -> Iterator[None]:
    torch = sys.modules.get("torch")  # a NumPy lesson has none, and a claim must not bring it in
    numpy_state = copy.deepcopy(np.random.get_state())
    torch_state = (torch.get_rng_state(), torch.get_num_threads()) if torch else None
    try:
        yield
    finally:
        np.random.set_state(numpy_state)
        if torch_state:
            torch.set_rng_state(torch_state[0])
            torch.set_num_threads(torch_state[1])
