"""The tasks of two controls, done by mouse and by keyboard, in JupyterLab and on the site, and in front of a class."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Course, cell_with, open_notebook, run_cells, screenshot
from tests.needed_cells import needed_cells
from utils.course.build import build
from utils.course.lessons import all_lessons
from utils.site.build import build_site

LESSONS = {lesson.number: lesson for lesson in all_lessons() if lesson.number in ("03", "05")}


def ticked(root: Locator, *numbers: int) -> None:
    done = root.locator(":scope > .tasks li.done")  # not those that are shown to a class
    expect(done).to_have_text([re.compile(rf"✓\s*{number}\. ") for number in numbers])


def do_those_of_05(root: Locator) -> None:
    """The first by keyboard, the third by mouse."""
    ticked(root)
    entry = root.get_by_label("W_K row 2 column 3", exact=True)
    entry.fill("−2")
    entry.press("Enter")
    ticked(root, 1)
    root.get_by_role("combobox").select_option(label="N3's example")
    for column in (1, 3):
        box = root.locator(".entry", has=root.page.get_by_label(f"X row 1 column {column}", exact=True))
        box.hover()
        box.get_by_text("−", exact=True).click()
    ticked(root, 1, 3)


def do_those_of_03(root: Locator) -> None:
    """The first by mouse, the second by keyboard, in front of a class."""
    ticked(root)
    root.get_by_role("button", name="k = 1", exact=True).click()
    ticked(root)
    root.locator("[data-name=negatives]").get_by_role("radio", name="0", exact=True).click()
    ticked(root, 1)
    root.get_by_role("button", name="Reset", exact=True).press("Enter")
    root.get_by_role("button", name="Present", exact=True).press("Enter")
    root.page.keyboard.press("q")
    asked = root.get_by_role("complementary", name="what is asked").locator("li.done")
    expect(asked).to_have_count(1)
    root.locator("[data-name=window] input:checked").press("ArrowLeft")
    expect(asked).to_have_count(2)
    screenshot(root.page, "tasks_in_front_of_a_class")
    root.page.keyboard.press("Escape")
    ticked(root, 1, 2)


DONE = {"05": (do_those_of_05, (1, 3)), "03": (do_those_of_03, (1, 2))}


def test_on_the_site_they_are_ticked_and_stay_so(reader: Page, tmp_path: Path) -> None:
    build_site(tmp_path, list(LESSONS.values()))
    for number, (do, numbers) in DONE.items():
        reader.goto(f"file://{tmp_path}/{LESSONS[number].name}.html")
        root = reader.locator(".live-control").first
        do(root)
        screenshot(root, f"tasks_of_{number}")
        reader.reload()
        ticked(root, *numbers)


@pytest.mark.parametrize("number", DONE)
def test_in_jupyterlab_they_are_ticked_and_kept_with_the_progress(number: str, page: Page, course: Course) -> None:
    (course.notebooks.parent / "progress.json").unlink(missing_ok=True)  # other tests have turned the same controls
    do, numbers = DONE[number]
    open_notebook(page, course, LESSONS[number].notebook_name)
    cells = needed_cells(build(LESSONS[number], all_lessons()), lambda source: "tasks=tasks" in source)
    run_cells(page, cells)
    root = cell_with(page, "tasks=tasks").locator(".live-control")
    do(root)
    run_cells(page, cells[-1:])  # a control that is made anew knows what has been done
    ticked(cell_with(page, "tasks=tasks").locator(".live-control"), *numbers)
