"""What a student sees first."""

from urllib.parse import urlsplit

from playwright.sync_api import Page

from tests.browser.conftest import KERNEL_IS_IDLE, OPEN, STRANGERS, Course, open_notebook, run_all, screenshot
from utils.course.launch import HOST, START


def test_the_printed_address_opens_the_start_page_and_nothing_else(page: Page, course: Course) -> None:
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


def test_nothing_of_the_teachers_tools_is_shown(page: Page, course: Course) -> None:
    open_notebook(page, course, START)
    plugins = page.evaluate("() => jupyterapp.listPlugins().filter(id => jupyterapp.isPluginActivated(id))")
    assert plugins
    assert not [name for name in plugins if "nbgrader" in name or "jupytext" in name]


def test_the_start_page_runs_from_top_to_bottom(page: Page, course: Course) -> None:
    open_notebook(page, course, START)
    run_all(page)
    cells = page.evaluate(
        """() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.cells
            .filter(cell => cell.cell_type === "code" && cell.source.trim())
            .map(cell => ({count: cell.execution_count, kinds: cell.outputs.map(output => output.output_type)}))"""
    )
    assert all(cell["count"] for cell in cells)
    assert not [cell for cell in cells if "error" in cell["kinds"]]


def test_the_map_leads_to_a_lesson(page: Page, course: Course) -> None:
    open_notebook(page, course, START)
    page.get_by_role("link", name="Self-attention by hand").click()
    page.wait_for_function(OPEN, arg="05_self_attention_by_hand.ipynb")


def test_opening_a_strangers_notebook_runs_nothing_that_was_saved_in_it(page: Page, course: Course) -> None:
    open_notebook(page, course, STRANGERS)
    page.locator(".jp-Notebook .jp-OutputArea-output").first.wait_for()
    page.wait_for_timeout(1000)  # a script would run at once
    assert page.evaluate("window.ran") is None
    screenshot(page, "strangers")
