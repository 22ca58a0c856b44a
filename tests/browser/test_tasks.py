"""The tasks of a control, done on the site and in JupyterLab, by mouse and by keyboard, and in front of a class."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Course, cell_with, open_part, reload_and_see, run_all, run_cells, screenshot
from tests.browser.hands import ticked
from tests.needed_cells import needed_cells
from utils.course.build import build
from utils.course.lessons import all_lessons
from utils.site.build import build_site

LESSON = next(lesson for lesson in all_lessons() if lesson.number == "03")


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


def test_tasks_are_ticked_and_remembered_on_the_site(reader: Page, tmp_path: Path) -> None:
    build_site(tmp_path, [LESSON])
    reader.goto(f"file://{tmp_path}/{LESSON.name}.html")
    root = reader.locator(".live-control").first
    do_those_of_03(root)
    reload_and_see(reader, root.locator(":scope > .tasks li.done"), 2)
    ticked(root, 1, 2)


def test_tasks_are_ticked_and_remembered_in_jupyterlab(page: Page, course: Course) -> None:
    (course.notebooks.parent / "progress.json").unlink(missing_ok=True)  # other tests have turned the same control
    needed = needed_cells(build(LESSON, all_lessons()), lambda source: "tasks=tasks" in source)
    part = open_part(page, course, LESSON.notebook_name, needed)
    run_all(page)
    do_those_of_03(cell_with(page, "tasks=tasks").locator(".live-control"))
    run_cells(page, [len(needed) - 1])  # a control that is made anew knows what has been done
    ticked(cell_with(page, "tasks=tasks").locator(".live-control"), 1, 2)
    part.unlink()
