"""One student's marks: the functions that were handed in, asked in a process of their own, judged here."""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from utils.course.classes.marked import Class, Marked, drawn, marked, solved_pieces
from utils.course.classes.pieces import Import, Pieces, imports_of
from utils.course.classes.sandbox import Limits, Sandbox, make_library
from utils.course.exercises.asking import agree, run
from utils.course.exercises.diagnosis import Diagnosis, Verdict, diagnose
from utils.course.exercises.exercise import Exercise
from utils.course.exercises.findings import Kind
from utils.course.lessons import Lesson

LARGEST = 50_000_000  # bytes of a notebook
_ASKED = re.compile(r'(?:check|require)\(\s*["\'](\d\d[a-z]?)\.')
_NUMBER = re.compile(r"(?<!\d)(\d\d[a-z]?)_")
_PACKED = (".zip", ".7z", ".rar", ".tar", ".gz", ".tgz")


@dataclass(frozen=True)
class Mark:
    """What one exercise has given."""

    name: str
    points: float
    of: int
    verdict: str  # "passed", "not yet", "not tried yet", or "missing"
    sentence: str
    details: str = ""
    shown: str = ""


@dataclass(frozen=True)
class Paper:
    """What there is to mark a lesson with."""

    lesson: Lesson
    counts: tuple[Marked, ...]
    exercises: dict[str, Exercise]
    solved: Pieces
    allowed: frozenset[Import]
    hows: dict[str, str]  # how PyTorch's exercises use an answer, as code
    torch: bool
    library: Path  # what a student's process may import

    @classmethod
    def of(cls, lesson: Lesson, chosen: Class, folder: Path) -> Paper:
        """Make the paper of a lesson for a class; what is to be imported goes to `folder`, a new one."""
        solved, counts = solved_pieces(lesson), tuple(marked(lesson))
        allowed = frozenset(imports_of(solved))
        torch = any("torch" in solved.needed(one.function, allowed) for one in counts)
        hows, exercises = _hows(lesson), drawn(lesson.path.parent, chosen.seed)
        folder.mkdir()
        return cls(lesson, counts, exercises, solved, allowed, hows, torch, make_library(folder, allowed, bool(hows)))


def _hows(lesson: Lesson) -> dict[str, str]:
    """Return for each exercise in PyTorch, the code that makes `how` of it, which knows no answer."""
    found = {}
    for path in (lesson.path.with_name("exercises.py"), lesson.path.with_name("second.py")):
        if not path.is_file():
            continue
        pieces = Pieces([path.read_text(encoding="utf-8")])
        everything = {there for statement in pieces.statements for _, there in statement.imports}
        for statement in pieces.statements:
            match statement.node:
                case ast.Assign(
                    value=ast.Call(ast.Name("of_tensors" | "_part"), [ast.Constant(str(name)), _, how, *_])
                ):
                    code = ast.unparse(how)
                    full = name if "." in name else f"{lesson.number}.{name}"
                    found[full] = f"{pieces.needed(code, everything)}\nhow = {code}"
    return found


# --- what was handed in ---


def notebooks_of(place: Path) -> list[Path]:
    """Return the notebooks of one student: a file, or all in a folder but what Jupyter and the course put aside."""
    if place.is_file():
        return [place]
    return [
        path
        for path in sorted(place.rglob("*.ipynb"))
        if path.is_file()
        and not path.is_symlink()
        and not any(part.startswith(".") or part == "kept" for part in path.relative_to(place).parts)
    ]


def packed_in(place: Path) -> list[Path]:
    """Return the files in a folder that have to be unpacked before anybody can mark them."""
    inside = sorted(place.iterdir()) if place.is_dir() else []
    return [path for path in inside if path.suffix.lower() in _PACKED and path.is_file()]


def handed_in(place: Path) -> tuple[dict[str, list[str]], list[str]]:
    """Return the code cells of each lesson, and what could not be read, in sentences."""
    cells: dict[str, list[str]] = {}
    names: dict[str, list[str]] = {}
    trouble = [f"{path.name} has to be unpacked first." for path in packed_in(place)]
    for path in notebooks_of(place):
        try:
            if path.stat().st_size > LARGEST:
                raise ValueError("it is too large")
            found = [*_code_cells(json.loads(path.read_text(encoding="utf-8")))]
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            trouble.append(f"{path.name} can't be read as a notebook: {str(error)[:200]}")
            continue
        asked = Counter(number for cell in found for number in _ASKED.findall(cell))
        named = _NUMBER.findall(path.name)
        for number in [asked.most_common(1)[0][0]] if asked else named[:1]:
            cells.setdefault(number, []).extend(found)
            names.setdefault(number, []).append(path.name)
    for number, several in names.items():
        if len(several) > 1:
            listed = ", ".join(several)
            trouble.append(f"Lesson {number} is in {listed}: where more than one has an answer, the last one's counts.")
    if not cells and not trouble:
        trouble.append("There is no notebook of the course.")
    return cells, trouble


def _code_cells(notebook: Any) -> Iterator[str]:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            source = cell["source"]
            yield source if isinstance(source, str) else "".join(source)


def digest_of(place: Path, chosen: Class) -> str:
    """Return what the marks hang on: the notebooks, what is not unpacked yet, and the class's numbers."""
    seen = hashlib.sha256(repr((chosen, [path.name for path in packed_in(place)])).encode())
    for path in notebooks_of(place):
        with contextlib.suppress(OSError):
            seen.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return seen.hexdigest()[:20]


# --- the marks ---


def marks_of(place: Path, papers: Sequence[Paper], chosen: Class, limits: Limits) -> tuple[list[Mark], list[str]]:
    """Return the marks of one student for every exercise that counts, and what could not be read."""
    cells, trouble = handed_in(place)
    marks: list[Mark] = []
    for paper in papers:
        number = paper.lesson.number
        if number not in cells:
            marks += [Mark(one.name, 0, one.points, "missing", "Nothing was handed in.") for one in paper.counts]
            continue
        pieces = Pieces(cells[number])
        if pieces.broken:
            trouble.append(f"Lesson {number}: cells left aside because they are not Python: {len(pieces.broken)}.")
        with Sandbox(paper.library, limits, paper.torch) as sandbox:
            failed: list[str] = []
            for one in paper.counts:
                marks.append(_mark(one, paper, pieces, Pieces(failed), sandbox, chosen))
                own = paper.solved.of(one.function)
                if marks[-1].verdict != "passed" and own is not None:
                    failed.append(paper.solved.needed(one.function, paper.allowed))  # what follows is marked with it
    return marks, trouble


def _mark(one: Marked, paper: Paper, pieces: Pieces, instead: Pieces, sandbox: Sandbox, chosen: Class) -> Mark:
    exercise = paper.exercises[one.name]
    given = pieces.answers.get(one.name, one.function)
    if given.isidentifier() and pieces.of(given) is None:
        given = one.function
    if given.isidentifier() and pieces.of(given) is None:
        return Mark(one.name, 0, one.points, "missing", _why_missing(one, pieces))
    own_work = frozenset(there for there in paper.allowed if there[1] != one.name.split(".")[1])
    how = paper.hows.get(one.name, "")
    stopped = sandbox.load(pieces.needed(given, own_work, instead), given, how, tuple(exercise.names))
    diagnosis = diagnose(exercise, sandbox)
    if diagnosis.verdict is Verdict.MISTAKE and stopped is not None:
        diagnosis = Diagnosis(Verdict.MISTAKE, diagnosis.sentence.replace("Your function stops", "Your code stops"))
    share = 1.0 if diagnosis.verdict is Verdict.PASSED else 0.0
    if diagnosis.verdict is Verdict.MISTAKE and not exercise.because and _nearly(exercise, diagnosis, sandbox):
        share = chosen.half
    said = diagnosis.verdict.value, diagnosis.sentence, diagnosis.details, diagnosis.input_shown
    return Mark(one.name, round(share * one.points, 2), one.points, *said)


def _why_missing(one: Marked, pieces: Pieces) -> str:
    begins = re.compile(rf"^\s*(?:def|class)\s+{one.function}\b", re.MULTILINE)
    for cell in pieces.broken:
        if begins.search(cell):
            return f"The cell with `{one.function}` is not Python{_where(cell)}."
    return f"There is no `{one.function}` in what was handed in."


def _where(cell: str) -> str:
    try:
        ast.parse(cell)
    except SyntaxError as error:
        return f": line {error.lineno}, {error.msg}"
    except (ValueError, RecursionError, MemoryError):
        pass
    return ""


def _nearly(exercise: Exercise, diagnosis: Diagnosis, sandbox: Sandbox) -> bool:
    """Tell whether an answer makes one mistake that the course knows, or is right on half of the inputs or more."""
    if diagnosis.finding is not None and diagnosis.finding.kind is Kind.KNOWN:
        return True
    right = [agree(run(sandbox, case), _right(exercise)[i]) for i, case in enumerate(exercise.cases)]
    return 2 * sum(right) >= len(right)


@functools.lru_cache(maxsize=4)
def _right(exercise: Exercise) -> list[Any]:
    return [run(exercise.reference, case) for case in exercise.cases]
