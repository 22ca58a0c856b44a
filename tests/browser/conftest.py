"""The course as a student meets it: started as `make lab` starts it, seen in a real browser."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from urllib.parse import urlsplit

import nbformat
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Playwright, Request, expect, sync_playwright

from tests.browser.chrome import MISSING, find_browser
from tests.orphans import ending
from utils.course.launch import HOST

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "screenshots"
PATIENCE = 400  # seconds: a busy machine takes 100 to start JupyterLab
expect.set_options(timeout=PATIENCE * 1000)  # instead of 5 s
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Course:
    """A running course."""

    address: str
    notebooks: Path
    workspaces: Path  # where JupyterLab remembers which tabs were open
    requests: list[str] = field(default_factory=list)

    def page_of(self, name: str) -> str:
        """The address of one notebook; the token has become a cookie by then."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}/lab/tree/{name}?{parts.query}"


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Course]:
    """The course, for all tests of a run."""
    with started_course(tmp_path_factory.mktemp("course")) as course:
        yield course


@contextlib.contextmanager
def started_course(folder: Path) -> Iterator[Course]:
    """The course, on a copy of the notebooks in this folder: what the tests run there stays there."""
    notebooks = folder / "notebooks"
    shutil.copytree(
        ROOT / "notebooks", notebooks, ignore=lambda _, names: [n for n in names if not n.endswith(".ipynb")]
    )
    write_strangers_notebook(notebooks / STRANGERS)
    # Not with this user's theme, nor with what was open when they last left the course.
    settings, workspaces = folder / "settings", folder / "workspaces"
    apart = {
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(workspaces),
        "COURSE_PROGRESS": str(folder / "progress.json"),  # what is passed here is passed nowhere else
    }
    started = subprocess.Popen(
        [
            *[*ending(), sys.executable, "etc/environment.py", "lab", "--no-browser"],
            *["--port", str(any_port()), "--notebooks", str(notebooks)],
            "--LabApp.expose_app_in_browser=True",
        ],
        cwd=ROOT,
        env={**os.environ, **apart},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    lines: Queue[str] = Queue()
    # Read to the end, lest the course stop when nobody takes what it prints.
    reader = threading.Thread(target=lambda: [lines.put(line) for line in started.stdout], daemon=True)
    reader.start()
    try:
        yield Course(wait_for_address(started, lines), notebooks, workspaces)
    finally:
        end(started)
        reader.join()


STRANGERS = "strangers.ipynb"


def write_strangers_notebook(path: Path) -> None:
    """A notebook that was there before the course was started, and would run a script as soon as it is opened."""
    script = "<p>A stranger was here.</p><script>window.ran = 1</script><img src=x onerror='window.ran = 1'>"
    output = nbformat.v4.new_output("display_data", {"text/html": script, "application/javascript": "window.ran = 1"})
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)"}}  # else JupyterLab asks for one
    cell = nbformat.v4.new_code_cell("1", outputs=[output])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata=kernel), path)


def any_port() -> int:
    """A port that is free, another one at each call."""
    with socket.create_server((HOST, 0)) as server:
        return server.getsockname()[1]


def wait_for_address(started: subprocess.Popen[str], lines: "Queue[str]") -> str:
    """The address that the course prints for the student."""
    said = ""
    for _ in range(PATIENCE):
        try:
            said += lines.get(timeout=1)
        except Empty:
            assert started.poll() is None, f"The course ended by itself:\n{said}"
        if found := re.search(r"^\s*(http://\S+)$", said, re.MULTILINE):
            return found[1]
    raise AssertionError(f"The course did not start in {PATIENCE} s:\n{said}")


def end(started: subprocess.Popen[str]) -> None:
    """End the server and then whatever kernel is left in its process group."""
    if os.name == "nt":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(started.pid)], capture_output=True, check=False)
        return
    started.send_signal(signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        started.wait(timeout=PATIENCE)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(started.pid, signal.SIGKILL)
    started.wait()


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Playwright, driving the browser of this computer: it downloads none."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """One browser for all: to start one takes longer than many a test."""
    path = find_browser()
    if path is None:
        # In CI a test that cannot run is a test that failed.
        (pytest.fail if os.environ.get("CI") else pytest.skip)(MISSING)
    browser = playwright.chromium.launch(executable_path=path, args=FLAGS, timeout=PATIENCE * 1000)
    yield browser
    browser.close()


@contextlib.contextmanager
def offline(browser: Browser) -> Iterator[tuple[Page, list[str]]]:
    """A page that gets files alone, and a list of what it asked of any other address, and of what it complained of."""
    context = browser.new_context(viewport={"width": 1300, "height": 1000}, color_scheme="light")
    context.set_default_timeout(PATIENCE * 1000)
    wrong: list[str] = []
    context.route("**/*", lambda route: route.continue_() if route.request.url.startswith("file:") else route.abort())
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    said = ("error", "warning")
    hint = "Canvas2D: Multiple readback"  # of a test that reads the pixels
    page.on("console", lambda line: line.type in said and not line.text.startswith(hint) and wrong.append(line.text))
    # A picture that is still on its way when its page is left has not failed.
    left = "net::ERR_ABORTED"
    page.on("requestfailed", lambda one: None if one.failure == left else wrong.append(f"failed: {one.url}"))
    ours = ("file:", "data:", "blob:")
    page.on("request", lambda request: None if request.url.startswith(ours) else wrong.append(request.url))
    try:
        yield page, wrong
    finally:
        context.close()


@pytest.fixture
def reader(browser: Browser) -> Iterator[Page]:
    """A page that gets files alone; what it asks of any other address, and what it complains of, fails the test."""
    with offline(browser) as (page, wrong):
        yield page
    assert wrong == []


@pytest.fixture
def blank(reader: Page) -> Page:
    """An empty page for a control by itself."""
    reader.set_viewport_size({"width": 1200, "height": 1000})
    return reader


@contextlib.contextmanager
def new_window(browser: Browser) -> Iterator[BrowserContext]:
    """A window as of a browser that has never been used: it shares nothing with any other."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    context.set_default_timeout(PATIENCE * 1000)
    yield context
    context.close()


@pytest.fixture
def window(browser: Browser) -> Iterator[BrowserContext]:
    """A window for one test."""
    with new_window(browser) as context:
        yield context


SHUT_DOWN = "() => window.jupyterapp?.serviceManager.sessions.shutdownAll()"


@pytest.fixture
def page(window: BrowserContext, course: Course) -> Iterator[Page]:
    """A page of that browser; every request it makes is noted in `course.requests`. Its kernels end with it."""
    page = window.new_page()
    course.requests.clear()
    shutil.rmtree(course.workspaces, ignore_errors=True)  # the tabs of the test before

    def note(request: Request) -> None:
        course.requests.append(request.url)

    window.on("request", note)
    page.on("websocket", lambda socket: course.requests.append(socket.url))
    yield page
    page.evaluate(SHUT_DOWN)  # each holds half a gigabyte
    window.remove_listener("request", note)
    page.close()


@pytest.fixture(scope="module")
def one_page(browser: Browser, course: Course) -> Iterator[Page]:
    """A page for all tests of a file: to load and compile JupyterLab takes longer than many a test."""
    shutil.rmtree(course.workspaces, ignore_errors=True)
    with new_window(browser) as window:
        page = window.new_page()
        yield page
        page.evaluate(SHUT_DOWN)


# The page can be asked through `jupyterapp`, which the course exposes for these tests.
KERNEL_IS_IDLE = """async () => {
    const widget = window.jupyterapp?.shell.currentWidget;
    const context = widget?.sessionContext;
    if (!context) return false;
    await context.ready;
    const kernel = context.session?.kernel;
    return kernel?.connectionStatus === "connected" && kernel.status === "idle";
}"""
OPEN = "name => window.jupyterapp?.shell.currentWidget?.context?.path === name"


def open_notebook(page: Page, course: Course, name: str) -> None:
    """Open a notebook and wait until its kernel is ready."""
    page.goto(course.page_of(name))
    wait_for_notebook(page, name)


def wait_for_notebook(page: Page, name: str) -> None:
    page.wait_for_function(OPEN, arg=name, polling=100)
    page.wait_for_function(KERNEL_IS_IDLE, polling=100)


ANOTHER = """async path => {
    jupyterapp.shell.currentWidget.dispose(); // nobody is asked whether to save it
    await jupyterapp.serviceManager.sessions.shutdownAll(); // each kernel holds half a gigabyte
    await jupyterapp.commands.execute("docmanager:open", { path });
}"""


def open_in_place(page: Page, course: Course, name: str) -> None:
    """Open a notebook in place of the one that is open: to load JupyterLab anew takes seconds of processor time."""
    if page.url == "about:blank":
        open_notebook(page, course, name)
        return
    page.evaluate(ANOTHER, name)
    wait_for_notebook(page, name)


def open_part(page: Page, course: Course, name: str, places: Sequence[int]) -> Path:
    """Open a notebook of these cells of a lesson as it is shipped, with what is saved of them; return its file."""
    notebook = nbformat.read(course.notebooks / name, as_version=4)
    notebook.cells = [notebook.cells[at] for at in places]
    part = course.notebooks / f"part_{name}"
    nbformat.write(notebook, part)
    open_in_place(page, course, part.name)
    return part


def run_all(page: Page) -> None:
    """Run every cell and wait until the last one is done."""
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_function(KERNEL_IS_IDLE, polling=100)


RUN_CELLS = """async places => {
    const notebook = jupyterapp.shell.currentWidget.content;
    for (const at of places) {
        notebook.activeCellIndex = at;
        await jupyterapp.commands.execute("notebook:run-cell");
    }
}"""


def run_cells(page: Page, places: Sequence[int]) -> None:
    """Run some of the cells, counted from 0 with the texts between them, and wait until the last one is done."""
    page.evaluate(RUN_CELLS, list(places))
    page.wait_for_function(KERNEL_IS_IDLE, polling=100)


def eventually(true: Callable[[], bool]) -> None:
    """Wait until something holds that Playwright has no words for."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"it has not come true in {PATIENCE} s"
        time.sleep(0.05)


def reload_and_see(page: Page, seen: Locator, count: int) -> None:
    """Reload until so many are there: on a busy machine Chromium may begin a page without what was just kept."""
    for _ in range(9):
        page.reload()
        with contextlib.suppress(AssertionError):
            expect(seen).to_have_count(count, timeout=10_000)
            return
    expect(seen).to_have_count(count)


def screenshot(seen: Page | Locator, name: str) -> Path:
    """Keep a picture of the page, or of a part of it, for a person to look at."""
    path = SCREENSHOTS / f"{name}.png"
    seen.screenshot(path=path)
    return path


GO_TO_CELL = """async text => {
    const notebook = jupyterapp.shell.currentWidget.content;
    const at = notebook.widgets.findIndex(cell => cell.model.sharedModel.source.includes(text));
    notebook.activeCellIndex = at;
    await notebook.scrollToItem(at, "start");
    return at;
}"""


def cell_with(page: Page, text: str) -> Locator:
    """The cell whose source contains `text`, scrolled to."""
    assert page.evaluate(GO_TO_CELL, text) >= 0
    cell = page.locator(".jp-Notebook .jp-Cell.jp-mod-active")
    cell.wait_for()
    return cell


def submit(page: Page, marker: str, code: str) -> Locator:
    """Replace the cell that contains `marker` by `code`, typed in its editor, run it, and return the card then."""
    cell = cell_with(page, marker)
    cell.locator(".cm-content").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(code)
    page.keyboard.press("Control+Enter")
    card = cell.locator('[role="status"]')
    card.wait_for()  # an `expect` that comes too early describes the whole page, which costs more than the answer
    return card
