"""The catalogue on a page of its own, without Python: every card, chosen by hand and keys; and in a lesson."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Course, cell_with, open_notebook, screenshot
from tests.browser.hands import until
from tests.browser.plain_page import shown_alone
from utils.course.ledger.catalogue import LedgerExplorer


def shown(root: Locator) -> list[str]:
    return root.locator(".item:visible").evaluate_all("items => items.map(item => item.dataset.name)")


def test_every_entry_of_the_ledger_is_on_the_page_with_all_that_is_said_of_it(blank: Page, tmp_path: Path) -> None:
    catalogue = LedgerExplorer()
    root = shown_alone(blank, catalogue, tmp_path, python=False)
    assert shown(root) == catalogue.shown
    for item in catalogue.items:
        card = root.locator(f'[data-name="{item["name"]}"]')
        assert card.locator("h3").inner_text() == item["headline"]
        assert card.locator("dt").all_inner_texts() == [label for label, _ in item["lines"]]
        assert card.locator("dd").evaluate_all("all => all.map(one => one.textContent)") == [
            t for _, t in item["lines"]
        ]
        assert card.locator("a").all_inner_texts() == [words for words, _ in item["links"]]


def test_what_is_chosen_is_shown_from_the_first_option_to_the_last_and_counted(blank: Page, tmp_path: Path) -> None:
    catalogue = LedgerExplorer()
    root = shown_alone(blank, catalogue, tmp_path, python=False)
    for facet in catalogue.facets:
        for option in (*facet["options"], "all"):
            root.locator(f'fieldset:has(legend:text-is("{facet["name"]}")) input[value="{option}"]').check(force=True)
            catalogue.reset()
            catalogue.choose(**{facet["name"]: option})
            assert shown(root) == catalogue.shown
            expect(root.locator(".sentence")).to_contain_text(f"{len(catalogue.shown)} of {len(catalogue.items)}")


def test_the_keyboard_chooses_a_preset_shows_it_and_a_reset_shows_all(blank: Page, tmp_path: Path) -> None:
    catalogue = LedgerExplorer()
    root = shown_alone(blank, catalogue, tmp_path, python=False)
    first = root.locator('input[value="all"]').first
    first.focus()
    first.press("ArrowRight")
    assert set(name[:2] for name in shown(root)) == {"N1"}
    blank.keyboard.press("ArrowLeft")
    assert len(shown(root)) == len(catalogue.items)
    assert root.locator(".preset").all_inner_texts() == [preset["name"] for preset in catalogue.presets]
    for preset in catalogue.presets:
        button = root.get_by_role("button", name=preset["name"])
        button.press("Enter")
        expect(button).to_have_attribute("aria-pressed", "true")
        catalogue.reset()
        catalogue.choose(**preset["chosen"])
        assert shown(root) == catalogue.shown
    cards, reset = root.locator(".items"), root.get_by_role("button", name="Reset")
    at_end = "list => list.scrollTop > 0 && list.scrollTop + list.clientHeight > list.scrollHeight - 2"
    until(lambda: cards.press("End"), lambda: cards.evaluate(at_end))
    until(lambda: reset.press("Space"), lambda: cards.evaluate("list => list.scrollTop === 0"))
    assert len(shown(root)) == len(catalogue.items)
    assert root.get_by_role("button", pressed=True).count() == 0


def test_it_fits_a_narrow_page_and_a_wide_one(blank: Page, tmp_path: Path) -> None:
    root = shown_alone(blank, LedgerExplorer(), tmp_path, python=False)
    for width in (360, 700, 1900):
        blank.set_viewport_size({"width": width, "height": 900})
        assert blank.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        screenshot(root, f"catalogue_{width}")


def test_the_saved_lesson_shows_it_answers_without_being_run_and_leads_to_other_lessons(
    page: Page, course: Course
) -> None:
    open_notebook(page, course, "19_notes_checked.ipynb")
    root = cell_with(page, "LedgerExplorer(").locator(".catalogue-explorer")
    root.locator(".item").first.wait_for()
    root.locator('input[value="N2"]').check(force=True)
    assert set(name[:2] for name in shown(root)) == {"N2"}
    with page.context.expect_page() as other:
        root.locator(".item:visible a").first.click()
    other.value.wait_for_function(
        "() => window.jupyterapp?.shell.currentWidget?.context?.path === '05_self_attention_by_hand.ipynb'"
    )
    test = cell_with(page, "ask_mixed(19")
    first, second = (test.locator("details").nth(i) for i in (0, 1))
    wrong = first.get_attribute("data-right") is None
    first.locator("summary").click()
    expect(first).to_contain_text("✗ No." if wrong else "✓ Right.")
    assert first.evaluate("one => one.open")
    second.locator("summary").press("Enter")
    assert second.evaluate("one => one.open") and not first.evaluate("one => one.open")
