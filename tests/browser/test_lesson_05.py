"""Lesson 05 as a student meets it: read before it is run, run, turned by hand and by keys."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.conftest import (
    KERNEL_IS_IDLE,
    Course,
    cell_with,
    open_notebook,
    run_all,
    screenshot,
)
from tests.browser.hands import until

LESSON = "05_self_attention_by_hand.ipynb"
CONTROL = ".attention-control"


@pytest.fixture(scope="module")
def lesson(one_page: Page, course: Course) -> Page:
    """The lesson, opened, for the tests that stand above those for which it is run."""
    open_notebook(one_page, course, LESSON)
    return one_page


@pytest.fixture(scope="module")
def running(lesson: Page) -> Page:
    run_all(lesson)
    return lesson


@pytest.fixture
def control(running: Page) -> Locator:
    """Its control, as it is when its cell has just been run."""
    cell_with(running, "AttentionControl(")
    running.evaluate("jupyterapp.commands.execute('notebook:run-cell')")
    running.wait_for_function(KERNEL_IS_IDLE)
    return control_of(running)


def control_of(page: Page) -> Locator:
    control = cell_with(page, "AttentionControl(").locator(CONTROL)
    control.wait_for()
    return control


def entry(control: Locator, table: str, row: int, column: int) -> Locator:
    """The field of an entry, counted from 1 as on the page."""
    return control.get_by_label(f"{table} row {row} column {column}", exact=True)


def of(control: Locator, name: str) -> Locator:
    """The places of the numbers of a computed table."""
    return control.locator(f'[data-name="{name}"] td.number')


def numbers(control: Locator, name: str) -> list[str]:
    """The numbers of a computed table, row by row; a cell that has moved out of sight is not laid out, but has them."""
    return of(control, name).all_text_contents()


def test_lesson_shows_pictures_and_numbers_before_any_cell_is_run(lesson: Page) -> None:
    control = control_of(lesson)
    assert numbers(control, "scores")[:3] == ["2", "4", "4"]
    assert entry(control, "X", 2, 4).input_value() == "2"
    screenshot(lesson, "lesson_05_saved_control")

    picture = cell_with(lesson, "A = e / e.sum").locator("img")
    assert picture.get_attribute("alt").startswith(
        "Heatmap, Weights. Rows: who asks; columns: who is asked. q₁: k₁ 0.063"
    )
    assert picture.evaluate("image => image.naturalWidth") > 200
    screenshot(lesson, "lesson_05_saved_heatmap")

    for text in ("Error displaying widget", "model not found", "Click to show javascript error"):
        assert lesson.get_by_text(text).count() == 0


def test_edit_changes_keys_scores_weights_and_output(running: Page, control: Locator) -> None:
    field = entry(control, "W_K", 2, 3)
    # k₂ = 2·(row 2 + row 4 of W_K), k₃ = k₁ + ½k₂; query 1 is [0, 0, 1]
    score = of(control, "scores").nth(1)
    until(lambda: (field.fill("-2"), field.press("Enter")), lambda: score.inner_text() == "−2")
    assert numbers(control, "K") == ["0", "1", "2", "4", "2", "−2", "2", "2", "1"]
    assert numbers(control, "scores")[:3] == ["2", "−2", "1"]
    assert numbers(control, "weights")[:3] == ["0.721", "0.013", "0.265"]
    screenshot(control, "lesson_05_edited")

    reset = control.get_by_role("button", name="Reset")
    until(reset.click, lambda: score.inner_text() == "4")


def test_invalid_entry_is_refused_beside_it_and_changes_nothing(running: Page, control: Locator) -> None:
    before = [numbers(control, name) for name in ("K", "scores", "weights", "output")]
    field = entry(control, "W_K", 1, 1)
    for nonsense, words in (
        ("", "is empty"),
        ("two", "is not a number"),
        ("1e400", "too large"),
        ("1e308", "overflows"),
    ):
        said = control.get_by_role("alert").filter(has_text=words)
        until(lambda text=nonsense: (field.fill(text), field.press("Enter")), said.is_visible)
        assert field.input_value() == nonsense
        assert [numbers(control, name) for name in ("K", "scores", "weights", "output")] == before
    screenshot(running, "lesson_05_refused")
    until(lambda: (field.fill("0"), field.press("Enter")), lambda: said.count() == 0)


def test_keyboard_changes_an_entry_and_the_query(running: Page, control: Locator) -> None:
    count, sentence = "jupyterapp.shell.currentWidget.content.widgets.length", control.locator(".sentence")
    cells = running.evaluate(count)
    field = entry(control, "X", 1, 1)
    for before, key, after in (("1", "ArrowUp", "2"), ("2", "ArrowDown", "1")):
        act = lambda before=before, key=key: (field.fill(before), field.press(key))  # noqa: E731
        until(act, lambda after=after: field.input_value() == after)
    label = "document.activeElement.getAttribute('aria-label')"
    until(lambda: field.press("Tab"), lambda: running.evaluate(label).startswith("W_Q row 1"))
    said = "x₂ asks: it takes <0.1 % of v₁, 98.2 % of v₂, 1.8 % of v₃."
    until(lambda: control.get_by_role("radio").nth(1).press("Space"), lambda: sentence.inner_text() == said)
    assert running.evaluate(count) == cells, "a key reached JupyterLab"
