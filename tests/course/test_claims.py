"""Claims: left out of the notebook, run between its cells, and without a trace for the cells after them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict

import numpy as np
import pytest
from nbformat.v4 import new_code_cell

from tests.course.test_build import HEAD
from utils.course.build import build, execute, read_notebook, save
from utils.course.claims import prove
from utils.course.lessons import ROOT, read_lesson

TEXT = """
A number times itself.

```{code-cell} ipython3
x = 3
x * x
```

Squares of odd numbers are odd.

```{code-cell} ipython3
:tags: [claim]
x = 4
for odd in range(1, 9, 2):
    assert odd * odd % 2 == 1
```

And three is still there.

```{code-cell} ipython3
x
```

No square is negative.

```{code-cell} ipython3
:tags: [claim, long]

assert x * x < 0, "a square"
```
"""
LESSON = HEAD + TEXT
EXERCISE = """
```{code-cell} ipython3
from utils.course.exercises import check
def scores(Q, K):
    ### BEGIN SOLUTION
    return Q @ K.T
    ### END SOLUTION

check("05.scores", scores)
```

+++ {"tags": ["hints"]}

1. a
2. b
3. c
+++
"""
# What pytest loads first: the course's folders are elsewhere. One that is called as our package may be, hides nothing.
ELSEWHERE = """
from pathlib import Path
from utils.course import lessons
lessons.LESSONS, lessons.NOTEBOOKS = Path(__file__).parent / "lessons", Path(__file__).parent / "notebooks"
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Return a course of two built lessons and three like them: a false claim, a false solution, questions."""
    root = tmp_path_factory.mktemp("course")
    (root / "elsewhere.py").write_text(ELSEWHERE)
    (root / "notebooks").mkdir()
    for name, text in {"01_squares": LESSON, "03_exercise": HEAD + EXERCISE}.items():
        lesson = read_lesson(write(root, name, text))
        save(execute(build(lesson, [lesson]), lesson), root / "notebooks" / f"{name}.ipynb")
    write(root, "05_false", LESSON.replace("== 1", "== 0"), "01_squares")
    write(root, "06_not_solved", (HEAD + EXERCISE).replace("Q @ K.T", "K @ Q.T"), "03_exercise")
    write(root, "07_asked", LESSON.replace("x = 4", "x += 1"), "01_squares")
    asked = read_notebook(root / "notebooks" / "07_asked.ipynb")
    asked.cells.insert(1, new_code_cell("", metadata={"tags": ["questions"]}))
    save(asked, root / "notebooks" / "07_asked.ipynb")
    return root


def write(root, name, text, like=None):
    """A lesson of that course, where `like` is given with the notebook of that one."""
    path = root / "lessons" / name / "lesson.md"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    if like:
        shutil.copy(root / "notebooks" / f"{like}.ipynb", root / "notebooks" / f"{name}.ipynb")
    return path


def run(course):
    """What pytest says of that course's notebooks: their outcomes by the names of cells, and all it prints."""
    notebooks = [str(path) for path in (course / "notebooks").iterdir()]
    settings = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={course}", "-p", "elsewhere", "-p", "conftest"]
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *settings, *notebooks]
    there = {name: value for name, value in os.environ.items() if name not in ("CI", "TEST_ALL", "COURSE_SEED")}
    there |= {"PYTHONPATH": str(course)}
    said = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=there).stdout
    said = re.sub(r"\x1b\[[0-9;]*m", "", said)
    outcomes = defaultdict(dict)
    for outcome, notebook, cell in re.findall(
        r"^(PASSED|FAILED) \S*?(\w+)\.ipynb::([\w ,]+?)(?: - .*)?$", said, flags=re.MULTILINE
    ):
        outcomes[notebook][cell] = outcome
    return outcomes, said


@pytest.fixture(scope="module")
def as_usual(course):
    return run(course)


def test_claim_runs_after_its_cell_and_leaves_its_names(as_usual):
    outcomes, said = as_usual
    assert list(outcomes["07_asked"]) == ["Cell 0", "Cell 1", "Claim, line 16", "Cell 2"], said
    assert set(outcomes["07_asked"].values()) == {"PASSED"}, said


def test_failing_claim_fails_the_run(as_usual):
    outcomes, said = as_usual
    assert outcomes["05_false"] == {"Cell 0": "PASSED", "Claim, line 16": "FAILED", "Cell 1": "PASSED"}, said
    assert "odd * odd % 2 == 0" in said  # an assert without a text says what it asserted


def test_solution_of_an_exercise_must_pass(as_usual):
    outcomes, said = as_usual
    assert outcomes["03_exercise"] == {"Cell 0": "PASSED", "Solution, line 7": "PASSED"}, said
    assert outcomes["06_not_solved"] == {"Cell 0": "PASSED", "Solution, line 7": "FAILED"}, said


def test_prove_leaves_random_numbers_alone():
    torch = pytest.importorskip("torch")
    np.random.seed(1)
    torch.manual_seed(1)
    expected = np.random.rand(), torch.rand(1).item()
    np.random.seed(1)
    torch.manual_seed(1)
    threads = torch.get_num_threads()
    names = {"np": np, "torch": torch, "list": [1]}
    prove("np.random.seed(7); torch.manual_seed(7); torch.set_num_threads(1); new = list", "x.md", 3, names)
    assert (np.random.rand(), torch.rand(1).item()) == expected
    assert torch.get_num_threads() == threads
    assert set(names) == {"np", "torch", "list"}
