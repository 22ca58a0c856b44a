"""Run the claims: checks below a lesson's sentences that the notebook leaves out and the tests run.

The solutions of the exercises are left out and run in the same way.

A claim is a code cell of the lesson tagged `claim`. The tests run it at its position between the cells of the saved
notebook, with the names that the lesson has defined by then. A claim changes nothing for the cells after it: names,
random generators and threads are restored.
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

if TYPE_CHECKING:  # a kernel that runs claims needs neither, and both are slow to import
    from nbformat import NotebookNode

    from utils.course.lessons import Block, Lesson

CLAIM, LONG = "claim", "long"
_solutions: dict[str, Any] = {}  # names that earlier solutions in this kernel have defined, for later solutions


def is_run(claim: Block) -> bool:
    """Return whether to run a claim; one tagged `long` needs TEST_ALL, which `make test-all` sets."""
    return LONG not in claim.tags or bool(os.environ.get("TEST_ALL"))


def as_cell(claim: Block, lesson: Lesson) -> NotebookNode:
    """Return a cell that runs `claim` on a copy of the names; a failure names the file and line of the lesson."""
    from nbformat.v4 import new_code_cell

    lines = lesson.text.splitlines()
    above = lines.index(claim.text.splitlines()[0], claim.line)
    call = f"_prove({claim.text!r}, {str(lesson.path)!r}, {above}, globals())"
    return new_code_cell(f"from utils.course.claims import prove as _prove\n{call}")


def as_solved_cell(exercise: Block) -> NotebookNode:
    """Return a cell that runs an exercise, with its solution, on a copy of the names."""
    from nbformat.v4 import new_code_cell

    call = f"_solve({exercise.text!r}, globals())"
    return new_code_cell(f"from utils.course.claims import solve as _solve\n{call}")


def solve(source: str, names: Mapping[str, Any]) -> None:
    """Run the exercise `source`, solution included, on a copy of `names` and of the names of earlier solutions.

    Raise AssertionError, with the names of the exercises, unless the solution passes `check`.
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
    """Run the claim `source`, which begins after line `above` of the file `path`, on a copy of `names`.

    Raise AssertionError if the claim does not hold, with the asserted expression if the claim has no message. Let any
    other error of the claim pass.
    """
    tree = ast.increment_lineno(ast.parse(source, path), above)
    for part in ast.walk(tree):
        if isinstance(part, ast.Assert) and part.msg is None:
            part.msg = ast.copy_location(ast.Constant(ast.unparse(part.test)), part)
    with _random_state_kept():
        exec(compile(ast.fix_missing_locations(tree), path, "exec"), dict(names))


@contextmanager
def _random_state_kept() -> Iterator[None]:
    torch = sys.modules.get("torch")  # a NumPy lesson has not imported torch, and a claim must not do so
    numpy_state = copy.deepcopy(np.random.get_state())
    torch_state = (torch.get_rng_state(), torch.get_num_threads()) if torch else None
    try:
        yield
    finally:
        np.random.set_state(numpy_state)
        if torch_state:
            torch.set_rng_state(torch_state[0])
            torch.set_num_threads(torch_state[1])
