"""What every test needs: progress of its own, never the student's, time, and the claims between a notebook's cells."""

from __future__ import annotations

import os
import re
import signal
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import nbval.kernel
import pytest
from hypothesis import HealthCheck, settings
from jupyter_client.manager import KernelManager
from nbval.plugin import IPyNbCell, IPyNbFile
from xdist.scheduler import LoadFileScheduling

from tests import kernels
from tests.pictures import with_words
from utils.course.build import by_socket_files
from utils.course.claims import as_cell, as_solved_cell, is_run
from utils.course.lessons import LESSONS, NOTEBOOKS, read_lesson
from utils.course.working_copy import VARIABLE
from utils.seeds import seed

# At import time, since the kernels that nbval starts inherit it.
os.environ["COURSE_PROGRESS"] = str(Path(tempfile.mkdtemp()) / "progress.json")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # tests compute side by side: more threads would only wait for each other
os.environ.pop(VARIABLE, None)  # a terminal of JupyterLab has it, and the student's lessons are no tests' business
for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):  # a hook of git has them, and tests make repositories
    os.environ.pop(name, None)

# A background job or nohup ignores Ctrl+C, and so would every program that a test starts there and then interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The usual 200 ms for a test's example, and a second to draw the first ones, would make a busy machine a failure.
settings.register_profile("course", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("course")

OUTPUT_SECONDS = 120  # nbval's 5 s for what a cell has shown are too few where the processors are busy
NO_WEIGHTS = "the real BERT's weights are not here: `make weights` fetches them"
_PRINTS_NOTHING = defaultdict(bool, check=True)
# Trainings whose result nothing compares or needs: what stands for them, in cells of these lessons, in `make test`.
SHORTER = {
    "12_training_a_translator": {
        "for n in trange(300, leave=False):": "for n, _ in zip(trange(300, leave=False), range(10)):",
        "list(range(1, 301))": "list(range(1, 11))",
        "trainer_of(blind, corpus, TrainingConfig(steps=300)": "trainer_of(blind, corpus, TrainingConfig(steps=60)",
    },
    "17_vit": {"validation=validation, show=True)": "validation=validation, show=True, steps=60)"},
    "24_rewarded": {"for step in range(300):": "for step in range(5):"},
}
ONE_SEED = "one-seed"  # on a cell whose numbers belong to one training, and are compared for that one alone


class KernelOnFiles(KernelManager):
    """How nbval starts its kernels here: another program may take a port before the kernel that it was meant for."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options, **by_socket_files(Path(tempfile.mkdtemp())))


nbval.kernel.KernelManager = KernelOnFiles


class NotebookWithClaims(IPyNbFile):
    """A saved notebook of the course: nbval's cells, and between them claims and solutions of its lesson."""

    def collect(self) -> Iterator[IPyNbCell]:
        cells = list(super().collect())
        lesson = read_lesson(LESSONS / self.path.stem / "lesson.md")
        place, aside = 0, []
        for block in lesson.blocks:
            if block.is_cell:
                place += 1
            if block.is_exercise:
                aside.append((place, f"Solution, line {block.line}", as_solved_cell(block)))
            elif block.is_claim and is_run(block):
                aside.append((place, f"Claim, line {block.line}", as_cell(block, lesson)))
        if lesson.needs_weights and not weights_are_here():
            for cell in cells:
                cell.add_marker(pytest.mark.skip(reason=NO_WEIGHTS))
            yield from cells
            return
        if not os.environ.get("TEST_ALL"):
            self._shorten(cells)
        # The build has added cells that ask questions, which the lesson's text does not have.
        own = [at for at, cell in enumerate(cells, 1) if "questions" not in cell.cell.metadata.get("tags", [])]
        if len(own) != place:
            raise self.CollectError(f"{self.path.name} is not what its lesson builds: `make lessons`")
        for place, name, cell in reversed(aside):
            proof = IPyNbCell.from_parent(self, name=name, cell_num=-1, cell=cell, options=_PRINTS_NOTHING)
            cells.insert(own[place - 1] if place else 0, proof)
        yield from cells

    def _shorten(self, cells: list[IPyNbCell]) -> None:
        for old, new in SHORTER.get(self.path.stem, {}).items():
            those = [cell.cell for cell in cells if old in cell.cell.source]
            if len(those) != 1:
                raise self.CollectError(f"{self.path.name} must have one cell with {old!r}, but has {len(those)}")
            those[0].source = those[0].source.replace(old, new)


def pytest_configure(config: pytest.Config) -> None:
    """Let all kernels be forked, also those of JupyterLab; the processes of this run find what it has offered."""
    if sys.platform != "linux":  # a fork with these libraries was tried nowhere else
        return
    if not os.environ.get("COURSE_KERNELS"):
        folder = tempfile.mkdtemp()
        serving = kernels.offer(Path(folder))
        os.environ |= {"COURSE_KERNELS": folder, "JUPYTER_PATH": folder}
        config.add_cleanup(lambda: serving.communicate())
    config.option.nbval_current_env, config.option.nbval_kernel_name = False, "python3"


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector):
    files = yield
    if file_path.parent != NOTEBOOKS or not (LESSONS / file_path.stem).is_dir():  # of a lesson that is gone
        return files
    return [NotebookWithClaims.from_parent(parent, path=file_path) if type(f) is IPyNbFile else f for f in files]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes more than half a minute of processor time: `make test-all` sets TEST_ALL."""
    if not os.environ.get("TEST_ALL"):
        left_out = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("long")]


def pytest_itemcollected(item: pytest.Item) -> None:
    """Cells of notebooks get time, and of their pictures the words are compared; see `ONE_SEED` for other seeds."""
    if isinstance(item, IPyNbCell):
        item.output_timeout = OUTPUT_SECONDS
        item.sanitize = partial(_sanitize, item.sanitize)
        if seed() and ONE_SEED in item.cell.metadata.get("tags", []):
            item.options["check"] = False


def _sanitize(rest: Callable[[object], object], output: object) -> object:
    return rest(with_words(output) if isinstance(output, str) else output)


# What starts JupyterLab: a second worker would start another server and another browser.
IN_JUPYTERLAB = re.compile(r"tests/browser/test_(every_lesson|lesson_05|saving|start|tasks)\.py")


class ByFile(LoadFileScheduling):
    """A file's tests run together, for cells need each other; with TEST_ALL the lessons in the browser one by one."""

    def _split_scope(self, nodeid: str) -> str:
        if os.environ.get("TEST_ALL"):
            return nodeid if "test_every_lesson.py" in nodeid else super()._split_scope(nodeid)
        return "JupyterLab" if IN_JUPYTERLAB.match(nodeid) else super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> ByFile:
    return ByFile(config, log)


@pytest.fixture(scope="session")
def weights() -> None:
    """The weights of the real BERT: CI fetches them, and runs what needs them; elsewhere that is left out."""
    if not weights_are_here():
        pytest.skip(NO_WEIGHTS)


@pytest.fixture
def its_weights(request: pytest.FixtureRequest) -> None:
    """What the test's parameter `lesson` needs of them."""
    if request.getfixturevalue("lesson").needs_weights:
        request.getfixturevalue("weights")


def weights_are_here() -> bool:
    """Whether the weights of the real BERT are there, after CI has fetched them."""
    from utils.models.minilm import fetch, has_minilm

    if not has_minilm() and os.environ.get("CI"):
        fetch()
    return has_minilm()
