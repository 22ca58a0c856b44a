"""`make test-class`: nbgrader, in an environment of its own, takes a class's copy as it is.

Solved notebooks must get full marks, those with stubs none, and one with a known mistake what is left.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

from tests.course.classes.handed_in import LESSON, answered, solutions, text
from utils.course.classes.copies import make_class
from utils.course.classes.marked import marked, second
from utils.course.lessons import ROOT, all_lessons

TOOLS = ["nbgrader==0.9.6"]
ENVIRONMENT = ROOT / "build" / "tools"
SENTENCE = "You computed KQᵀ"


def three(stubs: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What three students hand in."""
    right = stubs
    for function, code in solutions().items():
        right = answered(right, function, code)
    mistaken = answered(right, "my_scores", "def my_scores(Q, K):\n    return K @ Q.T")
    return {"solved": right, "stubs": stubs, "mistaken": mistaken}


def deserved() -> dict[str, float]:
    """The points that each deserves."""
    points = {one.name: float(one.points) for one in marked(LESSON)}
    return {"solved": sum(points.values()), "stubs": 0.0, "mistaken": sum(points.values()) - points["05.scores"]}


def install() -> None:
    """Make its environment, which finds the course's packages behind its own, and put it on the PATH."""
    if not ENVIRONMENT.exists():
        venv.create(ENVIRONMENT, with_pip=True)
    packages = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    (ENVIRONMENT / packages / "course.pth").write_text(f"{Path(sys.prefix) / packages}\n{ROOT}\n")
    subprocess.run([ENVIRONMENT / "bin" / "python", "-m", "pip", "install", "--quiet", *TOOLS], check=True)
    os.environ["PATH"] = f"{ENVIRONMENT / 'bin'}{os.pathsep}{os.environ['PATH']}"


def with_nbgrader(of: Path) -> dict[str, float]:
    """Let nbgrader make the assignments of a class, take in three notebooks of one, and mark them."""
    where, name = of / "teacher" / "nbgrader", LESSON.name

    def nbgrader(*arguments: str) -> None:
        subprocess.run(["nbgrader", *arguments], cwd=where, check=True, capture_output=True)

    for lesson in (where / "source").iterdir():
        nbgrader("generate_assignment", lesson.name)
    stubs = json.loads((where / "release" / name / LESSON.notebook_name).read_text(encoding="utf-8"))
    assert not [cell for cell in stubs["cells"] if "my_scores" in text(cell) and "Q @ K.T" in text(cell)]
    for student, notebook in three(stubs).items():
        to = where / "submitted" / student / name
        to.mkdir(parents=True)
        (to / LESSON.notebook_name).write_text(json.dumps(notebook), encoding="utf-8")
    nbgrader("autograde", name)
    nbgrader("export")
    marked_one = (where / "autograded" / "mistaken" / name / LESSON.notebook_name).read_text(encoding="utf-8")
    assert SENTENCE in json.dumps(json.loads(marked_one), ensure_ascii=False)
    with (where / "grades.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["assignment"] == name]
    return {row["student_id"]: float(row["score"]) for row in rows}


def main() -> int:
    """0 where it gives the points that each student deserves."""
    with tempfile.TemporaryDirectory() as folder:
        to = Path(folder, "class")
        make_class([lesson.number for lesson in all_lessons() if second(lesson)], to)
        install()
        points = with_nbgrader(to)
        print(f"nbgrader: {points}")
        return int(points != deserved())


if __name__ == "__main__":
    sys.exit(main())
