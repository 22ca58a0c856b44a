"""The tasks of two controls, done by mouse and by keyboard, in JupyterLab and on the site, and in front of a class."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Course, cell_with, open_notebook, run_cells, screenshot
from tests.browser.hands import do_tasks, ticked
from tests.needed_cells import needed_cells
from tests.ways import WAYS
from utils.course.build import build
from utils.course.lessons import all_lessons
from utils.site.build import build_site

LESSONS = {lesson.number: lesson for lesson in all_lessons() if lesson.number in ("03", "05")}


def do_those_of_03(root: Locator, _: str) -> None:
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


def do_those_of_05(root: Locator, hand: str) -> None:
    """The first two, by one hand."""
    do_tasks(root, hand, WAYS["05"][0][:2], [{"name": name, "kind": "entries"} for name in ("X", "W_K")])


DONE = {"05": (do_those_of_05, (1, 2)), "03": (do_those_of_03, (1, 2))}


def test_on_the_site_they_are_ticked_and_stay_so(reader: Page, tmp_path: Path) -> None:
    build_site(tmp_path, list(LESSONS.values()))
    for number, (do, numbers) in DONE.items():
        reader.goto(f"file://{tmp_path}/{LESSONS[number].name}.html")
        root = reader.locator(".live-control").first
        do(root, "mouse")
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
    do(root, "keyboard")
    run_cells(page, cells[-1:])  # a control that is made anew knows what has been done
    ticked(cell_with(page, "tasks=tasks").locator(".live-control"), *numbers)
