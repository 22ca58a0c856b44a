"""What JupyterLab's saves leave of a lesson that is opened and left again, day after day, run or not."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat.sign import NotebookNotary
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import GO_TO_CELL, Course, eventually, open_notebook, run_cells
from tests.browser.hands import until
from tests.needed_cells import needed_cells
from utils.course.build import save
from utils.course.launch import jupyter_variables
from utils.course.saving import keep

LESSON = "05_self_attention_by_hand.ipynb"
CONTROL = "AttentionControl("
SAVE = "() => jupyterapp.shell.currentWidget.context.save()"
HAS_CHANGED = """async () => {
    const { sessionContext, model } = jupyterapp.shell.currentWidget.context;
    await sessionContext.session.kernel.info; // which JupyterLab writes into the notebook
    return model.dirty;
}"""
LIVE = """() => Object.values(
    jupyterapp.shell.currentWidget.context.model.getMetadata("widgets")["application/vnd.jupyter.widget-state+json"].state
).map(widget => widget.model_name).sort()"""
TWO_MINUTES = """
    const { setTimeout: wait, clearTimeout: clear } = window;
    window.later = new Map();
    window.setTimeout = (then, after, ...rest) => {
        const id = wait(then, after, ...rest);
        if (after >= 120000) later.set(id, then);
        return id;
    };
    window.clearTimeout = id => {
        later.delete(id);
        clear(id);
    };
"""
ARE_OVER = "() => [...later].forEach(([id, then]) => (clearTimeout(id), then()))"
END_THE_DAY = """async () => {
    await jupyterapp.commands.execute("application:close-all");
    await jupyterapp.serviceManager.sessions.shutdownAll();
}"""


@pytest.fixture
def page(page: Page) -> Page:
    """A page on which two minutes are over as soon as the test says so: JupyterLab saves as often as that."""
    page.add_init_script(TWO_MINUTES)
    return page


@pytest.fixture
def lesson(course: Course) -> Iterator[Path]:
    """A copy of the lesson, as it is shipped."""
    path = course.notebooks / "copy.ipynb"
    shutil.copy(course.notebooks / LESSON, path)
    yield path
    path.unlink()


@pytest.fixture
def part(lesson: Path) -> Path:
    """The same with no more than its title and the cells of its control, signed as what the course ships is."""
    notebook = nbformat.read(lesson, as_version=4)
    needed = needed_cells(notebook, lambda source: CONTROL in source)
    notebook.cells = [notebook.cells[at] for at in (0, *needed)]
    keep(notebook, {"metadata": {}})
    save(notebook, lesson)
    notary = NotebookNotary(data_dir=jupyter_variables()["JUPYTER_DATA_DIR"])
    notary.sign(notebook)
    notary.store.close()
    return lesson


def open_with_control(page: Page, course: Course, path: Path) -> None:
    """Opens the notebook and waits for its saved control."""
    open_notebook(page, course, path.name)
    control_of(page)


def saved_now(page: Page, path: Path) -> bytes:
    """The notebook's file, just saved."""
    page.evaluate(SAVE)
    return path.read_bytes()


def saved_by_itself(page: Page, path: Path) -> bytes:
    """The notebook's file when two minutes are over in which something has changed."""
    assert page.evaluate(HAS_CHANGED)
    before = path.stat().st_mtime_ns
    page.evaluate(ARE_OVER)
    eventually(lambda: path.stat().st_mtime_ns > before and not page.evaluate(HAS_CHANGED))
    return path.read_bytes()


def control_of(page: Page) -> Locator:
    assert page.evaluate(GO_TO_CELL, CONTROL) >= 0
    control = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .attention-control")
    control.wait_for()
    return control


def of_x(page: Page) -> Locator:
    return control_of(page).get_by_label("X row 1 column 1", exact=True)


def test_opened_lesson_that_is_not_run_keeps_every_byte(page: Page, course: Course, lesson: Path) -> None:
    shipped = lesson.read_bytes()
    open_with_control(page, course, lesson)
    for key in ("Shift", "Tab"):
        of_x(page).press(key)
    assert not page.evaluate(HAS_CHANGED)
    assert saved_now(page, lesson) == shipped
    page.evaluate(END_THE_DAY)
    assert lesson.read_bytes() == shipped  # so every later day is like this one


def test_control_keeps_an_edit_on_later_days(page: Page, course: Course, part: Path) -> None:
    *first, last = range(1, len(nbformat.read(part, as_version=4).cells))
    open_with_control(page, course, part)
    run_cells(page, [*first, *[last] * 8])
    saved_by_itself(page, part)
    third = control_of(page).locator('[data-name="Q"] td.number').nth(2)
    until(lambda: (of_x(page).fill("7"), of_x(page).press("Enter")), lambda: third.inner_text() == "7")
    saved = saved_by_itself(page, part)
    assert page.evaluate(LIVE) == ["AnyModel", "LayoutModel"], "the controls of the runs before must be closed"
    page.evaluate(END_THE_DAY)
    open_with_control(page, course, part)
    expect(of_x(page)).to_have_value("7")
    assert saved_now(page, part) == saved  # so every later day is like this one
