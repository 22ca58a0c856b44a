"""A class's hand-ins are marked in one command, with the right marks, whatever is among them."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.course.classes.handed_in import HOSTILE, LESSON, code, text, with_scores, write_all
from utils.course.build import read_notebook
from utils.course.classes import grade, sandbox
from utils.course.classes.copies import for_students, hidden
from utils.course.classes.marked import Class, marked, solved_pieces
from utils.course.classes.marking import Paper, marks_of
from utils.course.lessons import NOTEBOOKS, ROOT, all_lessons

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="marking needs limits that Windows hasn't")


@pytest.fixture
def a_class(tmp_path: Path) -> Path:
    """The teacher's folder of a class whose lesson 05 counts."""
    teacher = tmp_path / "class" / "teacher"
    teacher.mkdir(parents=True)
    Class(("05",), seed=7).write(teacher)
    return tmp_path / "class"


@pytest.fixture
def stubs() -> dict:
    """Lesson 05 as students get it."""
    notebook = read_notebook(NOTEBOOKS / LESSON.notebook_name)
    return json.loads(json.dumps(hidden(for_students(notebook, LESSON, marked(LESSON)))))


def command(submissions: Path, of: Path, to: Path) -> list[str]:
    """The command that `make grade` gives."""
    start = [sys.executable, "-m", "utils.course.classes.grade", str(submissions), "--of", str(of), "--to", str(to)]
    return [*start, "--seconds", "1.5", "--together", "4"]


def rows_of(marks: Path) -> dict[str, dict[str, str]]:
    """The rows of marks.csv by the student's name."""
    with (marks / "marks.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def tree(*folders: Path) -> dict[str, str]:
    """Every file, with its content and who may read it."""
    return {
        str(path): f"{path.stat().st_mode} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_thirty_hand_in_and_a_third_is_hostile_or_broken(tmp_path: Path, a_class: Path, stubs: dict) -> None:
    if sandbox.way_in() is not sandbox._namespaces:
        pytest.skip("no namespaces here, and some of these delete what they reach")
    (tmp_path / "diary.txt").write_text("nobody's business")
    with socket.create_server(("127.0.0.1", 0)) as server:
        deserved = write_all(tmp_path / "in", stubs, ROOT, server.getsockname()[1])
        before, course = tree(tmp_path), tree(ROOT / "utils", ROOT / "lessons")
        line = command(tmp_path / "in", a_class, tmp_path / "marks")
        done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()
    rows = rows_of(tmp_path / "marks")
    assert len(rows) == 30 and len(HOSTILE) == 10
    assert {name: float(row["points"]) for name, row in rows.items()} == deserved
    after = tree(tmp_path)
    assert {name: at for name, at in after.items() if not name.startswith(str(tmp_path / "marks"))} == before
    assert course.items() <= tree(ROOT / "utils", ROOT / "lessons").items()  # other tests may add to it meanwhile
    assert "Your softmax" not in rows["right"]["why"] and "You computed KQᵀ" in rows["transposed"]["why"]
    for_teacher = (tmp_path / "marks" / "class.html").read_text(encoding="utf-8")
    assert "You computed KQᵀ" in for_teacher and "Step 4: scores" in for_teacher
    seed = str(Class.read(a_class / "teacher").seed)
    assert not [row for row in rows.values() if f'"seed": {seed}' in row["why"]]


def test_killed_and_started_again_it_goes_on(tmp_path: Path, a_class: Path, stubs: dict) -> None:
    endless = with_scores("while True: pass")(stubs, stubs)  # so that it is killed before it has come to the end
    for name, notebook in {"anna": stubs, "ben": endless, "cem": stubs}.items():
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / LESSON.notebook_name).write_text(json.dumps(notebook))
    to, kept = tmp_path / "marks", tmp_path / "marks" / "kept"
    slowly = [*command(tmp_path / "in", a_class, to), "--together", "1", "--seconds", "600"]
    run = subprocess.Popen(slowly, cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True)
    while not [*kept.glob("*.json")]:
        time.sleep(0.02)
        assert run.poll() is None
    os.killpg(run.pid, signal.SIGKILL)  # with the process that marks ben
    run.wait()
    first = {path.name: path.stat().st_mtime_ns for path in kept.glob("*.json")}
    assert [*first] == ["anna.json"]
    subprocess.run(command(tmp_path / "in", a_class, to), cwd=ROOT, check=True, capture_output=True)
    second = {path.name: path.stat().st_mtime_ns for path in kept.glob("*.json")}
    assert len(rows_of(to)) == len(second) == 3 and first.items() <= second.items()


def test_what_is_no_notebook_is_told_and_ends_nobody_elses_marks(tmp_path: Path, a_class: Path, stubs: dict) -> None:
    handed = {"broken": "{", "list": "[]", "deep": "[" * 100_000, "empty": "", "old": json.dumps({"worksheets": []})}
    for name, content in handed.items():
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "05_x.ipynb").write_text(content)
    (tmp_path / "in" / "nothing").mkdir()
    nested = {"cell_type": "code", "source": f"{'(' * 50_000}{')' * 50_000}"}
    (tmp_path / "in" / "=1+1.ipynb").write_text(
        json.dumps({"cells": [nested, *[c for c in stubs["cells"] if "def my_scores" in text(c)]]})
    )
    subprocess.run(command(tmp_path / "in", a_class, tmp_path / "marks"), cwd=ROOT, check=True, capture_output=True)
    rows = rows_of(tmp_path / "marks")
    assert len(rows) == 7 and all(float(row["points"]) == 0 for row in rows.values())
    assert "can't be read" in rows["broken"]["why"] and "no notebook" in rows["nothing"]["why"]
    assert "not Python" in rows["'=1+1"]["why"] and "Not tried yet" in rows["'=1+1"]["why"]


def test_a_hurried_teacher_is_told_what_is_not_marked_and_why(tmp_path: Path, a_class: Path, stubs: dict) -> None:
    def refusal(place: Path) -> str:
        with pytest.raises(SystemExit) as ended:
            grade.main(command(place, a_class, tmp_path / "marks")[3:])
        return ended.value.code

    assert refusal(Path("")).startswith("Say where the hand-ins are")
    assert "is the course itself" in refusal(ROOT) and "neither notebooks" in refusal(ROOT / "lessons")
    assert not (tmp_path / "marks").exists()
    unclosed = with_scores("S = Q @ K.T\nreturn (S")(stubs, stubs)
    for name, notebook in {"a/05.ipynb": stubs, "a/05 (1).ipynb": stubs, "b/05.ipynb": unclosed}.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(json.dumps(notebook))
    for name in ("b/more.zip", "Cem.ZIP"):
        (tmp_path / "in" / name).write_bytes(b"")
    line = command(tmp_path / "in", a_class, tmp_path / "marks")
    said = subprocess.run(line, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert "Not marked: Cem.ZIP has to be unpacked first." in said
    rows = rows_of(tmp_path / "marks")
    assert "Lesson 05 is in 05 (1).ipynb, 05.ipynb" in rows["a"]["why"] and "more.zip has to be" in rows["b"]["why"]
    assert "The cell with `my_scores` is not Python: line 3, '(' was never closed." in rows["b"]["why"]
    page = (tmp_path / "marks" / "students" / "b.html").read_text(encoding="utf-8")
    assert "Exercise 1: scores (05.scores)" in page


def test_without_namespaces_limits_still_end_a_loop() -> None:
    with tempfile.TemporaryDirectory() as folder:
        library = sandbox.make_library(Path(folder), ())
        with sandbox.Sandbox(library, sandbox.Limits(seconds=1), way=sandbox._limits_alone) as own:
            assert own.load("def f(x): return [x, x + 1]", "f") is None
            assert own.outcome((1,)).value == [1, 2]
            own.load("def f(x):\n    while True: pass", "f")
            assert "Does a loop" in str(own.outcome((1,)).error)
            if sys.platform == "linux":  # macOS heeds no limit of memory
                own.load("def f(x): return bytearray(10**11)", "f")
                assert type(own.outcome((1,)).error).__name__ == "MemoryError"


def test_without_namespaces_the_end_of_one_students_process_leaves_the_others() -> None:
    with tempfile.TemporaryDirectory() as folder:
        library = sandbox.make_library(Path(folder), ())

        def mark_another() -> None:
            with sandbox.Sandbox(library, sandbox.Limits(), way=sandbox._limits_alone) as other:
                assert other.load("def f(x): return x", "f") is None

        with sandbox.Sandbox(library, sandbox.Limits(), way=sandbox._limits_alone) as own:
            own.load("def f(x): return x", "f")
            process = multiprocessing.get_context("fork").Process(target=mark_another)
            process.start()
            process.join()
            assert process.exitcode == 0 and own.outcome((1,)).value == 1


def test_a_later_answer_is_not_marked_down_for_an_earlier_one(tmp_path: Path) -> None:
    lesson = next(lesson for lesson in all_lessons() if lesson.number == "12a")
    chosen = Class(("12a",), seed=7)
    paper = Paper.of(lesson, chosen, tmp_path / "paper")
    right = [statement.source for statement in solved_pieces(lesson).statements]
    wrong = [source.replace(" / query.shape[-1] ** 0.5", "") for source in right]
    assert wrong != right
    (tmp_path / "12a_mine.ipynb").write_text(json.dumps({"cells": [code(source) for source in wrong]}))
    marks, trouble = marks_of(tmp_path / "12a_mine.ipynb", [paper], chosen, sandbox.Limits())
    assert not trouble and {mark.name for mark in marks if mark.verdict != "passed"} == {"12a.attention"}
    (attention,) = [mark for mark in marks if mark.name == "12a.attention"]
    assert attention.points == attention.of / 2 and "The scale is missing" in attention.sentence


def test_what_leaves_its_session_ends_with_the_others(tmp_path: Path) -> None:
    if sandbox.way_in() is not sandbox._namespaces:
        pytest.skip("no namespaces here")
    library = sandbox.make_library(tmp_path, ())
    with sandbox.Sandbox(library, sandbox.Limits(seconds=1)) as own:
        own.load("import os, time\ndef f(x):\n    os.fork()\n    os.setsid()\n    time.sleep(100)", "f")
        assert "was stopped" in str(own.outcome((1,)).error)
    until = time.monotonic() + 60
    while _running(library):
        assert time.monotonic() < until, "it still runs"
        time.sleep(0.05)


def _running(library: Path) -> bool:
    """Whether some process was started with this library."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it may be ending
            if str(library).encode() in path.read_bytes():
                return True
    return False
