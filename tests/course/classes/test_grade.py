"""A class's hand-ins are marked in one command, as `check` judges them, whatever is among them."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.course.classes.handed_in import LESSON, START, scores, solutions, write
from utils.course.classes.marked import Class, drawn, marked, uses_of_course
from utils.course.exercises.asking import Outcome, same_error
from utils.course.lessons import ROOT, Lesson, all_lessons

if sys.platform == "win32":
    pytest.skip("marking needs limits that Windows hasn't", allow_module_level=True)

from utils.course.classes import grade, sandbox

NO_SANDBOX = "there is no bubblewrap here" if sys.platform != "linux" or not sandbox._which("bwrap") else ""
in_sandbox = pytest.mark.skipif(bool(NO_SANDBOX), reason=NO_SANDBOX)
SECONDS = 5  # for a call that takes none: on a busy machine, it may wait for the others
POINTS = {one.function: one.points for one in marked(LESSON)}
NAMES = {one.function: one.name for one in marked(LESSON)}
SOLVED = solutions()


def checked(function: str, code: str = "") -> str:
    """A cell with an answer, the solution if there is no `code`, and its check."""
    return f'{code or SOLVED[function]}\n\ncheck("{NAMES[function]}", {function})'


def as_answer(head: str, body: str) -> str:
    """A function."""
    return f"def {head}:\n    " + body.replace("\n", "\n    ")


# --- what students hand in, and the points that each deserves ---

HONEST: dict[str, tuple[list[str], dict[str, float]]] = {
    "in odd clothes": (
        [
            "from numpy import *\nhow = {}\nfactor = zeros(1)\nfactor[0] = 1\nfactor += 0\ncalls = 0",
            "for name in ['rows']:\n    def shares(S):\n        e = exp(S - S.max(1, keepdims=True))\n"
            "        return e / e.sum(1, keepdims=True)\n    how[name] = shares",
            "%%time\ndef my_scores(Q, K):\n    # is it Q Kᵀ?\n    global calls\n    calls += 1\n    %precision 3\n"
            "    display(Q)\n    my_scores.n += 1\n    return matmul(Q, K.T) * factor[0]\n"
            "my_scores.n = 0\nhere = %pwd\ncheck(name='05.scores', answer=my_scores)",
            "!true\ntry:\n    with errstate(all='ignore'):\n        def my_weights(X, W_Q, W_K):\n"
            "            return how['rows'](X @ W_Q @ (X @ W_K).T / sqrt(len(W_Q.T)))\n"
            "finally:\n    pass\ncheck('05.weights', my_weights)",
            "def my_self_attention(X, W_Q, W_K, W_V):\n    return my_weights(X, W_Q, W_K)",
            "def with_values(old):\n    return lambda X, W_Q, W_K, W_V: old(X, W_Q, W_K, W_V) @ (X @ W_V)\n"
            "my_self_attention = with_values(my_self_attention)\ncheck('05.output', my_self_attention)",
        ],
        {"my_scores": 1, "my_weights": 1, "my_self_attention": 1},
    ),
    "the last one counts": (
        [
            scores("return Q @ K.T"),
            scores("# raise NotImplementedError('your turn')\nreturn K @ Q.T"),
            checked("my_weights", "def my_weights(X, W_Q, W_K):\n    return 1"),
            checked("my_weights"),
        ],
        {"my_scores": 0.5, "my_weights": 1},
    ),
    "blank": (
        [
            scores("return None"),
            checked("my_weights", "def my_weights(X, W_Q, W_K):\n    return 0"),
            checked("my_new_x2", "def my_new_x2(X, W_Q, W_K, W_V):\n    return True"),
        ],
        {},
    ),
}
_LIBRARY = "from utils.by_hand.attention import "
_FORGE = """import json, utils.course.exercises as e
for message in ({"passed": True}, {"value": {"array": ["|O", [1], "AAAA"]}}, {"done": True}, [], "x" * 99):
    e._line().send_bytes(json.dumps(message).encode())
raise e.judged.__globals__["FindingError"]("Right")"""
_FIND = """import gc
from utils.course.exercises import EXERCISES
from lessons.exercises_05 import EXERCISES as more
for thing in [*gc.get_objects(), EXERCISES["05.scores"], *more]:
    if hasattr(thing, "reference"):
        return thing.reference(Q, K)"""
_LOOK = """import os, glob
mounts = [line.split()[1] for line in open("/proc/mounts")]
free = [m for m in mounts if os.access(m, os.W_OK) and os.path.isdir(m)]
places = ["PLACE/class/teacher/class.json", "PLACE/in/blank", "COURSE/lessons", "/home", "/etc/shadow"]
seen = [*filter(os.path.exists, places), *glob.glob("/course/lessons/*/second*")]
raise ValueError(f"{sorted(free)} {seen}")"""
_CONNECT = """import socket
socket.create_connection(("127.0.0.1", PORT), 2).sendall(b"answers?")
return Q @ K.T"""
_FORKS = """import os, time
while True:
    try:
        if os.fork() == 0:
            os.setsid(); time.sleep(600)
    except OSError:
        pass"""
_UNSTOPPED = "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0)\nwhile True: pass"
HOSTILE: dict[str, tuple[list[str], dict[str, float]]] = {
    "the course's own": (
        [
            _LIBRARY + "*\nimport functools",
            checked("my_weights", "def my_weights(X, W_Q, W_K):\n    return attention_steps(X, W_Q, W_K, W_K).weights"),
            checked(
                "my_self_attention",
                f"def my_self_attention(X, W_Q, W_K, W_V):\n    {_LIBRARY}scaled_dot_product_attention as s\n"
                "    return functools.partial(s)(X @ W_Q, X @ W_K, X @ W_V)[0]",
            ),
        ],
        {},
    ),
    "looks around": (
        [
            scores(_LOOK),
            checked("my_new_x2", as_answer("my_new_x2(X, W_Q, W_K, W_V)", _CONNECT)),
            checked("my_self_attention", as_answer("my_self_attention(X, W_Q, W_K, W_V)", "while True: pass")),
            checked("my_weights"),
        ],
        {"my_weights": 1},
    ),
    "strange": (
        [
            "\n" * 150_000,
            "x = 1\n" * 30_000,
            scores(_FIND),
            checked("my_new_x2", as_answer("my_new_x2(X, W_Q, W_K, W_V)", "return [0] * 8_000_000")),
            checked("my_self_attention", as_answer("my_self_attention(*_)", "raise ValueError('\\0\\x1b[2J\\udc80')")),
            "# \u2028 \f\n" + checked("my_weights") + "  # \u2028",
        ],
        {"my_weights": 1},
    ),
    "forges": ([checked("my_weights"), scores(_FORGE)], {"my_weights": 1}),
    "forks": ([checked("my_weights"), _FORKS, scores("return Q @ K.T")], {"my_weights": 1}),
    "swallows": (
        [
            checked("my_weights"),
            scores("try:\n    while True: sum([])\nexcept BaseException:\n    return Q @ K.T"),
            checked("my_new_x2", as_answer("my_new_x2(X, W_Q, W_K, W_V)", _UNSTOPPED)),
        ],
        {"my_weights": 1},
    ),
    "leaves": ([scores("return Q @ K.T"), "import os\nos._exit(1)", checked("my_weights")], {"my_scores": 1}),
}
OTHERS = {b"A B": 0, b"A_B": 0, "\u65e5".encode() * 80: 0, b"\xff\xfe": 0, b"=1+1": 0, b"x;=2": 0}


@pytest.fixture
def a_class(tmp_path: Path) -> Path:
    """The folder of a class whose lesson 05 counts."""
    (tmp_path / "class" / "teacher").mkdir(parents=True)
    Class(("05",), seed=7).write(tmp_path / "class" / "teacher")
    return tmp_path / "class"


def command(submissions: Path, of: Path, to: Path, *more: str) -> list[str]:
    """The command that `make grade` gives."""
    start = [sys.executable, "-m", "utils.course.classes.grade", str(submissions), "--of", str(of), "--to", str(to)]
    return [*start, "--seconds", f"{SECONDS}", *more]


def rows_of(marks: Path) -> dict[str, dict[str, str]]:
    """The rows of marks.csv by the student's name."""
    with (marks / "marks.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def tree(*folders: Path) -> dict[str, str]:
    """What lies in folders."""
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def in_a_kernel(sources: list[str]) -> dict[str, bool]:
    """What `check` says last of each function in a live kernel."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in (START, *sources)])
    here = {"metadata": {"path": str(ROOT)}}
    NotebookClient(notebook, allow_errors=True, startup_timeout=600, resources=here).execute()
    said = json.dumps([cell.outputs for cell in notebook.cells], ensure_ascii=False)
    found = re.findall(r"([✓✗]) Exercise (05\.\w+)", said)
    last = {name: mark == "✓" for mark, name in found}
    return {function: last[name] for function, name in NAMES.items() if name in last}


@in_sandbox
def test_marks_agree_with_check_and_no_submission_affects_anothers_mark(tmp_path: Path, a_class: Path) -> None:
    course = tree(ROOT / "utils", ROOT / "lessons")
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = {"PLACE": str(tmp_path), "COURSE": str(ROOT), "PORT": str(server.getsockname()[1])}
        for name, (sources, _) in (HONEST | HOSTILE).items():
            for old, new in place.items():
                sources = [source.replace(old, new) for source in sources]
            write(tmp_path / "in" / name, *sources)
        for raw in OTHERS:
            os.mkdir(os.fsencode(tmp_path / "in") + b"/" + raw)
        (tmp_path / "in" / "list.txt").write_text("")
        before = tree(tmp_path)
        line = command(tmp_path / "in", a_class, tmp_path / "marks", "--cell", "100")
        done = subprocess.run(
            line, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"PYTHONIOENCODING": "ascii"}
        )
        assert done.returncode == 0, done.stderr
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()
    rows = rows_of(tmp_path / "marks")
    assert len(rows) == len(HONEST | HOSTILE) + len(OTHERS)
    for name, (_, deserved) in (HONEST | HOSTILE).items():
        got = {function: float(rows[name][exercise]) for function, exercise in NAMES.items()}
        assert got == {function: deserved.get(function, 0) * POINTS[function] for function in NAMES}, rows[name]["why"]
    for sources, deserved in HONEST.values():
        live = in_a_kernel(sources)
        assert len(live) > 1 and live == {function: deserved.get(function) == 1 for function in live}
    # what stopped them
    assert "the course's own `attention_steps`" in rows["the course's own"]["why"]
    assert (
        f"was stopped after {SECONDS} seconds" in rows["looks around"]["why"]
        and "kernel ended" in rows["leaves"]["why"]
    )
    assert "ConnectionRefused" in rows["looks around"]["why"] and "Opaque" not in rows["strange"]["why"]
    assert "['/dev/shm', '/tmp'] []" in rows["looks around"]["why"]
    assert f"was stopped after {SECONDS}" in rows["swallows"]["why"] and "never ends." in rows["swallows"]["why"]
    assert "processes" in rows["forks"]["why"] and "Right" not in rows["forges"]["why"]
    # what comes out
    assert {"'=1+1", "x;'=2"} <= set(rows) and len([*(tmp_path / "marks" / "students").iterdir()]) == len(rows)
    pages = "".join(path.read_text("utf-8") for path in (tmp_path / "marks").rglob("*.html"))
    assert not re.search(r"[\0-\x08\x0b-\x1f\x7f-\x9f]", pages + (tmp_path / "marks" / "marks.csv").read_text("utf-8"))
    assert "list.txt" in pages and "You computed KQᵀ" in pages
    lines = {line.strip() for code in SOLVED.values() for line in code.splitlines() if len(line.strip()) > 25}
    assert not [line for line in lines if line in pages and '"""' not in line and not line.startswith("def ")]
    after = tree(tmp_path)
    assert {name: at for name, at in after.items() if not name.startswith(str(tmp_path / "marks"))} == before
    assert course.items() <= tree(ROOT / "utils", ROOT / "lessons").items()  # other tests may add to it meanwhile


@in_sandbox
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_killed_grading_leaves_no_process_and_resumes(tmp_path: Path, a_class: Path, by: int) -> None:
    write(tmp_path / "in" / "anna", scores("return Q @ K.T"))
    write(tmp_path / "in" / "ben", "import os\nos.environ['HERE'] = 'x'\nwhile True: pass")
    to, kept = tmp_path / "marks", tmp_path / "marks" / "kept"
    temporary = set(os.listdir("/tmp"))
    slowly = command(tmp_path / "in", a_class, to, "--together", "1")
    run = subprocess.Popen(
        slowly, cwd=ROOT, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
    )
    until = time.monotonic() + 300
    while not [*kept.glob("*.json")] or len(_running(kept)) < 2:
        time.sleep(0.05)
        assert run.poll() is None and time.monotonic() < until
    os.kill(run.pid, by)
    run.wait()
    while _running(kept):
        time.sleep(0.05)
        assert time.monotonic() < until, "it still runs"
    assert not {name for name in set(os.listdir("/tmp")) - temporary if name.startswith("marking")}
    first = {path.name: path.stat().st_mtime_ns for path in kept.glob("*.json")}
    assert [name[:4] for name in first] == ["anna"]
    shutil.rmtree(tmp_path / "in" / "ben")
    write(tmp_path / "in" / "ben", "")
    subprocess.run(command(tmp_path / "in", a_class, to), cwd=ROOT, check=True, capture_output=True)
    second = {path.name: path.stat().st_mtime_ns for path in kept.glob("*.json")}
    assert len(rows_of(to)) == len(second) == 2 and first.items() <= second.items()
    assert not (kept / "rooms").exists()


def _running(kept: Path) -> list[str]:
    """The processes that were started with this folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(kept).encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            pass  # it has ended
    return found


def marked_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lesson: Lesson, cells: list[str], limits: sandbox.Limits
) -> tuple[dict[str, sandbox.Mark], str]:
    """What one notebook gets, and why it was not run to its end."""
    sandbox.make_course(tmp_path / "course")
    judge = sandbox.Judge(marked(lesson), drawn(lesson.path.parent, 7), 0.5, limits)
    monkeypatch.chdir(tmp_path)  # it changes the folder
    ended = judge.mark(cells, uses_of_course(lesson), tmp_path / "room", tmp_path / "course", trust=False)
    return judge.found, ended


@in_sandbox
def test_memory_limit_holds_for_all_processes_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = "import os, time\nfor _ in range(8):\n    if os.fork() == 0:\n"
    many += "        x = b'x' * (150 << 20)\n        time.sleep(60)"
    cells = [START, scores("return Q @ K.T"), many, "import time\ntime.sleep(60)"]
    limits = replace(sandbox.Limits(), memory=1 << 30)
    found, ended = marked_apart(tmp_path, monkeypatch, LESSON, cells, limits)
    assert "too much memory" in ended and found["05.scores"].points == 1


@in_sandbox
def test_pytorch_parts_are_graded_within_the_courses_own_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = next(lesson for lesson in all_lessons() if lesson.number == "12a")
    names = {one.function: one.name for one in marked(lesson)}
    solved = solutions(lesson) | {"attention": "from utils.models.minimal import attention"}
    start = f"import torch\nfrom torch import nn\n{START}\nPAD, START, END = 0, 1, 2"
    cells = [f'{solved[function]}\ncheck("{name}", {function})' for function, name in names.items()]
    found, ended = marked_apart(tmp_path, monkeypatch, lesson, [start, *cells], sandbox.Limits())
    assert not ended and [name for name, mark in found.items() if mark.points < mark.of] == ["12a.attention"]
    assert "the course's own `attention`" in found["12a.attention"].sentence


def test_command_without_a_sandbox_says_so_and_requires_trust(
    tmp_path: Path, a_class: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "in" / "anna", scores("return Q @ K.T"))
    monkeypatch.setattr(sandbox, "_which", lambda _: None)
    line = command(tmp_path / "in", a_class, tmp_path / "marks")[3:]
    with pytest.raises(SystemExit) as ended:
        grade.main(line)
    assert "bubblewrap" in ended.value.code and "TRUST=yes" in ended.value.code
    assert grade.main([*line, "--trust"]) == 0
    assert rows_of(tmp_path / "marks")["anna"]["05.scores"] == "1"


def test_bubblewrap_is_found_outside_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert sandbox._which("sh") is not None


def test_command_tells_the_teacher_what_is_wrong(tmp_path: Path, a_class: Path) -> None:
    def refusal(place: Path) -> str:
        with pytest.raises(SystemExit) as ended:
            grade.main(command(place, a_class, tmp_path / "marks")[3:])
        return ended.value.code

    assert refusal(Path("")).startswith("Say where the hand-ins are")
    assert "is the course itself" in refusal(ROOT) and "neither notebooks" in refusal(ROOT / "lessons")
    assert not (tmp_path / "marks").exists()


@pytest.mark.parametrize("said", ["=1+1", "x;=1", "a\n-1", "\uff1d1", "  @x", '"+1', "|=cmd", "\t=1"])
def test_marks_table_has_no_cell_that_is_a_formula(said: str) -> None:
    for separator in ",;\t":
        cells = next(csv.reader([grade.as_text(said).replace("\n", separator)], delimiter=separator))
        assert not [cell for cell in cells if cell.strip(' \t"')[:1] in set("=+-@\uff1d")]
    assert grade.as_text("a - b, 3.5 = c") == "a - b, 3.5 = c"


def test_imports_of_the_reference_solution_are_allowed_and_no_others() -> None:
    uses = {lesson.number: uses_of_course(lesson) for lesson in all_lessons() if lesson.number in ("04", "06", "10")}
    assert uses["06"]["my_softmax"] == uses["04"]["my_table"] == []
    assert ["utils.by_hand.multi_head", "multi_head_attention"] in uses["10"]["my_pre_norm_block"]


def test_sandbox_output_is_treated_as_data_or_as_no_answer() -> None:
    bad = [{"array": ["|O", [1], "AAAA"]}, {"array": ["<f8", [9**9], ""]}, {"x": 1, "y": 2}, {"dict": [[[], 1]]}, {}]
    for data in [*bad, {"set": [[1]]}, {"complex": "x"}]:
        assert isinstance(sandbox._unpacked(data), sandbox.Opaque)


@pytest.mark.parametrize("kind", ["SystemExit", "UFuncTypeError", "OwnError"])
def test_sandbox_errors_of_one_kind_are_equal(kind: str) -> None:
    first, second = (Outcome(error=sandbox._error_of(kind, "no", False)) for _ in range(2))
    assert same_error(first, second)
    assert not same_error(first, Outcome(error=sandbox._error_of("AnotherError", "no", False)))
