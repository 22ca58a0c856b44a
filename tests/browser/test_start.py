"""What a student sees first."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import (
    KERNEL_IS_IDLE,
    OPEN,
    STRANGERS,
    Course,
    cell_with,
    eventually,
    open_in_place,
    run_cells,
    screenshot,
)
from tests.browser.hands import until
from utils.course.launch import HOST, NOTEBOOKS, START
from utils.course.shipped import fingerprint
from utils.course.working_copy import Version, beside, update


def test_printed_address_opens_only_the_start_page_whose_map_leads_to_a_lesson(page: Page, course: Course) -> None:
    page.goto(course.address)
    page.wait_for_function(OPEN, arg=START)
    page.wait_for_function(KERNEL_IS_IDLE)
    page.locator(".jp-DirListing-item").first.wait_for()
    page.wait_for_timeout(3000)  # news would come late
    screenshot(page, "start")

    assert page.locator("#jp-main-dock-panel .lm-TabBar-tabLabel").all_inner_texts() == [START]
    listed = page.locator(".jp-DirListing-itemName").all_inner_texts()
    assert sorted(listed) == sorted(path.name for path in course.notebooks.glob("*.ipynb"))
    assert page.locator(".Toastify__toast").count() == 0
    assert page.locator(".jp-Dialog").count() == 0
    hosts = {urlsplit(url).hostname for url in course.requests if not url.startswith(("data:", "blob:"))}
    assert hosts == {HOST}
    page.get_by_role("link", name="Self-attention by hand").first.click()
    page.wait_for_function(OPEN, arg="05_self_attention_by_hand.ipynb")


def test_strangers_notebook_runs_no_saved_script_when_opened(one_page: Page, course: Course) -> None:
    page = one_page
    open_in_place(page, course, STRANGERS)
    page.locator(".jp-Notebook .jp-OutputArea-output").first.wait_for()
    page.wait_for_timeout(1000)  # a script would run at once
    assert page.evaluate("window.ran") is None
    screenshot(page, "strangers")


LESSON = "07_multi_head.ipynb"
ALL_TRUSTED = """() => jupyterapp.shell.currentWidget.content.widgets
    .every(cell => cell.model.type !== "code" || cell.model.trusted)"""
SAVE = "() => { jupyterapp.commands.execute('docmanager:save'); }"
IS_SAVED = "() => !jupyterapp.shell.currentWidget.context.model.dirty"


@pytest.fixture
def lesson(course: Course) -> Iterator[Path]:
    """A lesson of the student's, which is afterwards as it was, with nothing beside it."""
    path = course.notebooks / LESSON
    before = path.read_bytes()
    yield path
    path.write_bytes(before)
    beside(path).unlink(missing_ok=True)
    shutil.rmtree(path.parent / "kept", ignore_errors=True)


def test_reset_button_asks_keeps_a_dated_copy_and_restores_the_lesson(
    one_page: Page, course: Course, lesson: Path
) -> None:
    page = one_page
    published = (NOTEBOOKS / LESSON).read_bytes()
    lesson.write_bytes(mine := published.replace(b"head", b"mind"))
    open_in_place(page, course, START)
    cell = cell_with(page, "ResetLesson()")
    until(lambda: page.keyboard.press("Control+Enter"), cell.get_by_text("Choose a lesson.").is_visible)
    page.wait_for_function(KERNEL_IS_IDLE)  # a second run would draw it afresh
    cell.get_by_label("Lesson").select_option("07 Multi-head attention")
    cell.get_by_role("button", name="Reset it").click()
    expect(cell.get_by_role("status")).to_contain_text("Reset lesson 07?")
    screenshot(cell, "reset")
    assert lesson.read_bytes() == mine
    cell.get_by_role("button", name="Yes, reset it").click()
    expect(cell.get_by_role("status")).to_contain_text("Lesson 07 is as published.")
    assert lesson.read_bytes() == published
    (kept,) = (lesson.parent / "kept").iterdir()
    assert kept.read_bytes() == mine

    open_in_place(page, course, LESSON)
    assert page.evaluate(ALL_TRUSTED)


def test_saving_changes_no_line_and_unsaved_lines_survive_an_update(
    one_page: Page, course: Course, lesson: Path, tmp_path: Path
) -> None:
    """The lesson is open while another window brings the course up to date."""
    page = one_page
    published = json.loads((NOTEBOOKS / LESSON).read_bytes())
    open_in_place(page, course, LESSON)
    run_cells(page, [next(at for at, cell in enumerate(published["cells"]) if cell["cell_type"] == "code")])
    page.evaluate(SAVE)
    page.wait_for_function(IS_SAVED)
    assert not Version.of(lesson.read_bytes()).edited

    page.locator(".jp-Notebook .jp-CodeCell .cm-content").first.click()  # not that of the imports, which are folded
    page.keyboard.insert_text("mine = 1\n")
    published["cells"][0]["source"] = "another text"
    published["metadata"]["course"]["sources"] = fingerprint(published)
    newer = json.dumps(published).encode()
    (tmp_path / LESSON).write_bytes(newer)
    assert update(tmp_path, course.notebooks) == ["Brought up to date: lesson 07."]
    page.evaluate(SAVE)
    page.get_by_role("dialog").get_by_role("button", name="Overwrite").click()
    eventually(lambda: b"mine = 1" in lesson.read_bytes() and lesson.read_bytes().endswith(b"}\n"))  # all of it
    mine = lesson.read_bytes()
    update(tmp_path, course.notebooks)
    assert lesson.read_bytes() == mine and beside(lesson).read_bytes() == newer
