"""Which cells of a notebook some of its cells need."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.needed_cells import Names, names_of, needed_cells


def needed(*sources: str) -> list[int]:
    """What the last one needs."""
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    return needed_cells(notebook, lambda source: source == sources[-1])


@pytest.mark.parametrize(
    ("source", "reads", "sets", "changes"),
    [
        ("y = x", "x", "y", ""),
        ("x = 1\ny = x", "", "x y", ""),
        ("x += 1", "x", "x", ""),
        ("import numpy as np\nfrom a.b import c", "", "np c", ""),
        ("def f(x, k=K):\n    z = x + w\n    return z", "K w", "f", ""),
        ("for i, (a, b) in rows:\n    seen.append(a + c)", "rows seen c", "i a b", "seen"),
        ("model.heads[0].off = True", "model", "", "model"),
        ("table[i] = 1", "table i", "", "table"),
        ("if (n := len(rows)) > 2:\n    m = n", "len rows n", "n m", ""),
    ],
)
def test_what_a_cell_reads_sets_and_changes(source: str, reads: str, sets: str, changes: str) -> None:
    assert names_of(source) == Names(set(reads.split()), set(sets.split()), set(changes.split()))


def test_a_cell_needs_what_sets_its_names_last_what_changes_them_since_and_what_these_need() -> None:
    assert needed("a = 1", "b = 2", "c = a", "print(c)") == [0, 2, 3]
    assert needed("x = 1", "x = 2", "print(x)") == [1, 2]
    assert needed("x = 1", "x = x + 1", "print(x)") == [0, 1, 2]
    assert needed("i = 1", "for i in range(3):\n    print(i)") == [1]
    assert needed("rows = []", "rows.append(1)", "len(rows)", "print(rows)") == [0, 1, 3]
