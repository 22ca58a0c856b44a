"""How much the tests see: the course with one small change in its code each time, which some test should notice.

    python -m tests.mutants [--since REVISION] [--number 300] [--seed 0] [FILE OR FOLDER ...]

What is changed, mutmut knows (https://mutmut.readthedocs.io). Its own runner begins with all tests in one process; here
a mutant meets the tests of its file alone, in a copy of the course.
"""

from __future__ import annotations

import argparse
import difflib
import functools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import libcst as cst
from mutmut.mutation import mutators

from tests.test_rooms import imported

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ["utils", "lessons", "etc"]
GOAL = 0.9
AT_ONCE = 2
NOT_COPIED = shutil.ignore_patterns(".git", ".venv", ".hypothesis", ".*_cache")
# Texts are no logic, and None in place of what was computed crashes whatever the tests are.
LEFT_OUT = (mutators.operator_string, mutators.operator_assignment, mutators.operator_lambda)
OPERATORS = [(kind, change) for kind, change in mutators.mutation_operators if change not in LEFT_OUT]
# Arguments that show on other machines only, or to none: without a GPU every device is the same one.
UNSEEN = {"description", "device", "encoding", "flush", "help", "mininterval", "strict"}
# What only says where chance begins: any number is as good.
SEEDED = {"default_rng", "manual_seed"}
# In the entries, what a note says of all matrices is tried on one: any size and any draw is as good.
NOTES = Path("lessons/19_notes_checked/notes")
EXAMPLES = {"normal", "permutation", "random_encoder_weights", "random_stack"}


class Mutant(NamedTuple):
    """A file's code with one change: the line where it is, and the change as a diff."""

    path: Path
    code: str
    line: int
    change: str


class _Changes(cst.CSTVisitor):
    """What may change in functions: no annotations, no texts, not what errors say, and no tables of a module."""

    def __init__(self, as_good: AbstractSet[str]) -> None:
        self.functions, self.found, self.as_good = 0, [], as_good

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Annotation | cst.Decorator | cst.Raise | cst.BaseString) or _unseen(node, self.as_good):
            return False
        self.functions += isinstance(node, cst.FunctionDef)
        for kind, change in OPERATORS if self.functions else []:
            if isinstance(node, kind):
                self.found += [(node, changed) for changed in change(node) if _may_show(node, changed)]
        return True

    def on_leave(self, node: cst.CSTNode) -> None:
        self.functions -= isinstance(node, cst.FunctionDef)


def _unseen(node: cst.CSTNode, as_good: AbstractSet[str] = frozenset()) -> bool:
    """Whether any other argument would do as well; `as_good` are the functions that take such ones."""
    if isinstance(node, cst.Param):
        return node.name.value == "seed"
    if isinstance(node, cst.Call):
        called = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
        return isinstance(called, cst.Name) and called.value in as_good
    return isinstance(node, cst.Arg) and node.keyword is not None and node.keyword.value in UNSEEN


def _may_show(node: cst.CSTNode, changed: cst.CSTNode) -> bool:
    """Of a call's arguments only named ones may go, and none become None: it would crash whatever the tests are."""
    if not isinstance(node, cst.Call):
        return True
    needed = {argument for argument in node.args if argument.keyword is None or _unseen(argument)}
    return needed <= set(changed.args) <= set(node.args)


def mutants(root: Path, paths: list[Path], number: int, seed: int) -> list[Mutant]:
    """`number` mutants of the files at `paths` below `root`, fewer where there are not so many."""
    changes = []
    for path in paths:
        module = cst.parse_module((root / path).read_text(encoding="utf-8"))
        visitor = _Changes(SEEDED | EXAMPLES if path.is_relative_to(NOTES) else SEEDED)
        module.visit(visitor)
        changes += [(path, module, *found) for found in visitor.found]
    random.Random(seed).shuffle(changes)
    chosen: dict[tuple[Path, str], Mutant] = {}
    for path, module, node, changed in changes:
        if len(chosen) == number:
            break
        code = module.deep_replace(node, changed).code
        _, _, place, *lines = difflib.unified_diff(module.code.splitlines(), code.splitlines(), n=0, lineterm="")
        chosen[path, code] = Mutant(path, code, int(re.search(r"\d+", place)[0]), "\n".join(lines))
    return list(chosen.values())


@functools.cache
def _imports(root: Path) -> dict[Path, set[str]]:
    """What each of the course's files imports, by its path; its tests in a browser are left out."""
    files = [path for room in (*ROOMS, "tests") for path in root.glob(f"{room}/**/*.py")]
    return {path.relative_to(root): imported(path) for path in sorted(files) if "browser" not in path.parts}


def _name_of(path: Path) -> str:
    """What a file is called where it is imported."""
    *package, module = [part for part in path.with_suffix("").parts if part != "__init__"]
    return ".".join([*(package[:1] + package[2:] if "lessons" in package else package), module])


def _mirror(path: Path) -> Path:
    """Where the tests of a file lie, if they have its name."""
    if path.parts[0] == "lessons":
        return path.with_name(f"test_{path.name}")
    *package, module = [part for part in path.with_suffix("").parts if part != "__init__"]
    return Path("tests", *package[1:], f"test_{module}.py")


def protecting(root: Path, path: Path) -> list[str]:
    """The tests that protect a file: its mirror and those that import it, or a package in a room that it belongs to;
    of a file without a mirror the mirrors of those that import it, too. Or else its lesson's, or its room's.

    As arguments for pytest: files, and for exercises the lesson's own.
    """
    if path.name == "exercises.py":
        number = path.parent.name.split("_")[0]
        return ["tests/course/test_exercises.py", "-k", f"[{number}."]  # all exercises take minutes
    imports, name, mirror = _imports(root), _name_of(path), _mirror(path)
    tests = [file for file in imports if file.name.startswith("test_")]
    users = [file for file in imports if name in imports[file]]
    mirrors = [] if mirror in tests else [_mirror(file) for file in users if file not in tests]
    package = name.rpartition(".")[0]
    of_package = [file for file in tests if package in imports[file]] if package.count(".") > 1 else []
    own = [file for file in dict.fromkeys([mirror, *users, *mirrors, *of_package]) if file in tests]
    near = [file for file in tests if file.parent == path.parent]
    of_room = [file for file in tests if file.parent == Path("tests", *path.parent.parts[1:2])]
    return [str(file) for file in own or near or of_room]


def failure(root: Path, path: Path, code: str, seconds: float | None = None) -> str | None:
    """What the tests of a file say where they fail with other code in it, in a copy and within a time; else None."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        copy = Path(shutil.copytree(root, Path(folder) / "course", ignore=NOT_COPIED))
        (copy / path).write_text(code, encoding="utf-8")
        search = os.pathsep.join(filter(None, [str(copy), os.environ.get("PYTHONPATH")]))
        variables = os.environ | {"PYTHONPATH": search, "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", *protecting(root, path)]
        with (Path(folder) / "said").open("w+", encoding="utf-8") as said:
            process = subprocess.Popen(
                command, cwd=copy, env=variables, start_new_session=True, stdout=said, stderr=said
            )
            try:
                failed = process.wait(seconds) != 0
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # with all that a test has started
                failed = process.wait() != 0
            said.seek(0)
            return said.read() if failed else None


def survivals(root: Path, chosen: list[Mutant]) -> Iterator[bool]:
    """Of each mutant, whether the tests of its file pass on it as they must on the file itself."""

    def seconds_unchanged(path: Path) -> float:
        start = time.monotonic()
        said = failure(root, path, (root / path).read_text(encoding="utf-8"))
        if said is not None:
            tests = " ".join(protecting(root, path)) or "none"
            raise SystemExit(f"{said}\n{path} is as it was, and its tests fail: {tests}")
        return time.monotonic() - start

    def survives(mutant: Mutant, unchanged: Future[float]) -> bool:
        return failure(root, mutant.path, mutant.code, 30 + 3 * unchanged.result()) is None

    # A file as it is has its turn before its first mutant, so none waits for what has not begun.
    pool = ThreadPoolExecutor(AT_ONCE)
    unchanged: dict[Path, Future[float]] = {}
    asked = []
    for mutant in chosen:
        if mutant.path not in unchanged:
            unchanged[mutant.path] = pool.submit(seconds_unchanged, mutant.path)
        asked.append(pool.submit(survives, mutant, unchanged[mutant.path]))
    try:
        for answer in asked:
            yield answer.result()
    finally:
        pool.shutdown(cancel_futures=True)


def sources(within: list[str], since: str | None) -> list[Path]:
    """The course's own code in the files and folders named, all of it or what has changed since a revision."""
    command = ["git", "diff", "--name-only", since] if since else ["git", "ls-files"]
    names = subprocess.run([*command, "--", *within], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = [Path(name) for name in names.splitlines() if name.endswith(".py") and (ROOT / name).exists()]
    return [path for path in paths if path.parts[0] in ROOMS and not path.name.startswith("test_")]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make mutants")
    parser.add_argument("within", nargs="*", default=ROOMS, metavar="FILE OR FOLDER")
    parser.add_argument("--since", metavar="REVISION")
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    chosen = mutants(ROOT, sources(asked.within, asked.since), asked.number, asked.seed)
    killed = 0
    for mutant, survived in zip(chosen, survivals(ROOT, chosen), strict=True):
        killed += not survived
        print(f"{'survived' if survived else 'killed'} {mutant.path}:{mutant.line}\n{mutant.change}", flush=True)
    share = killed / len(chosen) if chosen else 1
    print(f"{killed} of {len(chosen)} killed: {share:.1%}, and {GOAL:.0%} is the least.")
    return int(share < GOAL)


if __name__ == "__main__":
    sys.exit(main())
