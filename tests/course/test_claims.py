"""Claims: left out of the notebook, run between its cells, and without a trace for the cells after them."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

from tests.course.test_build import HEAD
from utils.course.build import build, execute, save
from utils.course.claims import prove
from utils.course.lessons import ROOT, all_lessons, read_lesson
from utils.models.minilm import SHA256

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
LESSON = HEAD + TEXT  # the failing assert is on line 35
TRAINED = """
```{code-cell} ipython3
from utils.seeds import seed
seed(3)
```

```{code-cell} ipython3
:tags: [one-seed]
seed(4)
```
"""
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
    """A course of four lessons, built."""
    root = tmp_path_factory.mktemp("course")
    (root / "lessons").mkdir()
    (root / "elsewhere.py").write_text(ELSEWHERE)
    texts = {"01_squares": LESSON, "02_trained": HEAD + TRAINED, "03_exercise": HEAD + EXERCISE}
    for name, text in {**texts, "04_real": LESSON.replace("A number", "Needs read_minilm. A number")}.items():
        (root / "lessons" / name).mkdir()
        (root / "lessons" / name / "lesson.md").write_text(text)
        lesson = read_lesson(root / "lessons" / name / "lesson.md")
        save(execute(build(lesson, [lesson]), lesson), root / "notebooks" / f"{name}.ipynb")
    return root


def run(course, monkeypatch, notebook="01_squares", **variables):
    """What pytest says of that course's notebook: its outcome by the names of its cells, and all it prints."""
    monkeypatch.delenv("CI", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONPATH", str(course))
    settings = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={course}", "-p", "elsewhere", "-p", "conftest"]
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *settings]
    command.append(str(course / "notebooks" / f"{notebook}.ipynb"))
    said = subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout
    said = re.sub(r"\x1b\[[0-9;]*m", "", said)
    outcomes = re.findall(r"^(PASSED|FAILED) \S+?::([\w ,]+?)(?: - .*)?$", said, flags=re.MULTILINE)
    return {name: outcome for outcome, name in outcomes}, said


def test_the_notebook_has_no_claims(course):
    assert "odd * odd" not in (course / "notebooks" / "01_squares.ipynb").read_text()


def test_a_claim_runs_between_the_cells_and_leaves_their_names(course, monkeypatch):
    outcomes, said = run(course, monkeypatch)
    assert outcomes == {"Cell 0": "PASSED", "Claim, line 17": "PASSED", "Cell 1": "PASSED"}, said


def test_a_long_claim_runs_when_asked_for_and_its_failure_names_the_line(course, monkeypatch):
    outcomes, said = run(course, monkeypatch, LONG_CLAIMS="1")
    assert outcomes["Claim, line 32"] == "FAILED", said
    assert "01_squares/lesson.md:35" in said
    assert "AssertionError: a square" in said


def test_a_claim_that_does_not_hold_fails_the_run(course, monkeypatch):
    path = course / "lessons" / "01_squares" / "lesson.md"
    path.write_text(LESSON.replace("== 1", "== 0"))
    outcomes, said = run(course, monkeypatch)
    path.write_text(LESSON)
    assert outcomes == {"Cell 0": "PASSED", "Claim, line 17": "FAILED", "Cell 1": "PASSED"}
    assert "odd * odd % 2 == 0" in said  # an assert without a text says what it asserted


def test_with_another_seed_all_cells_are_compared_but_those_of_one_seed(course, monkeypatch):
    assert run(course, monkeypatch, "02_trained")[0] == {"Cell 0": "PASSED", "Cell 1": "PASSED"}
    outcomes, said = run(course, monkeypatch, "02_trained", COURSE_SEED="5")
    assert outcomes == {"Cell 0": "FAILED", "Cell 1": "PASSED"}, said


def test_the_solution_of_an_exercise_must_pass(course, monkeypatch):
    assert run(course, monkeypatch, "03_exercise")[0] == {"Cell 0": "PASSED", "Solution, line 8": "PASSED"}
    path = course / "lessons" / "03_exercise" / "lesson.md"
    path.write_text(path.read_text().replace("Q @ K.T", "K @ Q.T"))
    outcomes, said = run(course, monkeypatch, "03_exercise")
    assert outcomes == {"Cell 0": "PASSED", "Solution, line 8": "FAILED"}
    assert "its own solution does not pass: {'05.scores': False}" in said


def test_what_a_claim_draws_leaves_the_random_numbers_as_they_were():
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


def test_a_lesson_that_needs_the_real_weights_is_skipped_whole_where_they_are_not(course, monkeypatch, tmp_path):
    outcomes, said = run(course, monkeypatch, "04_real", COURSE_WEIGHTS=str(tmp_path))
    assert not outcomes and "2 skipped" in said, said
    assert "the real BERT's weights are not here: `make weights` fetches them" in said
    for name in SHA256:
        (tmp_path / name).write_bytes(b"there")
    outcomes, said = run(course, monkeypatch, "04_real", COURSE_WEIGHTS=str(tmp_path))
    assert set(outcomes.values()) == {"PASSED"} and len(outcomes) == 3, said


def test_the_lesson_of_the_real_bert_is_the_one_that_needs_its_weights():
    assert [lesson.number for lesson in all_lessons() if lesson.needs_weights] == ["15"]
