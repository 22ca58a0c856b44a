"""Where a lesson runs in the browser: the sentence that stands there in a folder, and the lesson itself on a host."""

from __future__ import annotations

import functools
import json
import os
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import HOST, KERNEL_IS_IDLE, OPEN, PATIENCE, cell_with, run_cells, screenshot, submit
from utils.course.lessons import all_lessons
from utils.site.build import build_site
from utils.site.lite import FOLDER, KERNEL, build_lite

FIVE = next(lesson for lesson in all_lessons() if lesson.number == "05")
PYODIDE = os.environ.get("COURSE_PYODIDE")  # a folder with pyodide.js, its lock file and the packages it names


def test_site_opened_from_a_folder_has_no_link_to_lite(reader: Page, tmp_path: Path) -> None:
    build_site(tmp_path, [FIVE], tables=False, here=[FIVE])
    reader.goto(f"file://{tmp_path}/{FIVE.name}.html")
    expect(reader.locator(".tried")).to_be_hidden()
    expect(reader.locator(".tried a")).to_have_count(0)


class _Host(SimpleHTTPRequestHandler):
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}  # noqa: RUF012

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def host(tmp_path: Path) -> Iterator[str]:
    """The site with lesson 05 alone, on a web host on this computer, and Pyodide from the folder that is named."""
    build_site(tmp_path, [FIVE], tables=False, here=[FIVE])
    build_lite(tmp_path / FOLDER, [FIVE])
    shutil.copytree(PYODIDE, tmp_path / "pyodide")
    server = ThreadingHTTPServer((HOST, 0), functools.partial(_Host, directory=str(tmp_path)))
    address = f"http://{HOST}:{server.server_port}"
    settings = tmp_path / FOLDER / "jupyter-lite.json"
    told = json.loads(settings.read_text("utf-8"))
    told["jupyter-config-data"]["exposeAppInBrowser"] = True
    told["jupyter-config-data"]["litePluginSettings"][KERNEL]["pyodideUrl"] = f"{address}/pyodide/pyodide.js"
    settings.write_text(json.dumps(told))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield address
    server.shutdown()


@pytest.mark.skipif(not PYODIDE, reason="it needs Pyodide with NumPy: COURSE_PYODIDE names the folder")
def test_lite_answers_a_control_and_an_exercise(page_of_a_window: Page, host: str) -> None:
    page = page_of_a_window
    page.goto(f"{host}/{FIVE.name}.html")
    page.get_by_role("link", name="Try it here").click()
    page.wait_for_function(OPEN, arg=FIVE.notebook_name)
    page.wait_for_function(KERNEL_IS_IDLE)
    sources = "() => jupyterapp.shell.currentWidget.content.model.sharedModel.cells.map(cell => cell.source)"
    # By itself, before any other cell.
    run_cells(page, [next(at for at, text in enumerate(page.evaluate(sources)) if "AttentionControl(" in text)])
    control = cell_with(page, "AttentionControl(").locator(".attention-control")
    field = control.get_by_label("W_K row 2 column 3", exact=True)
    field.fill("-2")
    field.press("Enter")
    expect(control.locator('[data-name="scores"] td.number').nth(1)).to_have_text("−2")
    assert control.locator('[data-name="weights"] td.number').all_text_contents()[:3] == ["0.721", "0.013", "0.265"]
    screenshot(control, "lite_control")
    body = (
        "from utils.course.exercises import check\ndef my_scores(Q, K):\n    return {}\ncheck('05.scores', my_scores)"
    )
    card = submit(page, "def my_scores", body.format("K @ Q.T"))
    expect(card).to_contain_text("You computed KQᵀ")
    screenshot(page, "lite_wrong_answer")
    card = submit(page, "def my_scores", body.format("Q @ K.T"))
    expect(card).to_contain_text("passed")
    expect(card).not_to_contain_text("could not be saved")


@pytest.fixture
def page_of_a_window(window) -> Page:
    """A page that reaches this computer alone."""
    window.set_default_timeout(PATIENCE * 1000)
    ours = (f"http://{HOST}", "data:", "blob:")
    window.route("**/*", lambda route: route.continue_() if route.request.url.startswith(ours) else route.abort())
    return window.new_page()
