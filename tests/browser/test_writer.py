"""The start page of the site: the translator writes what is typed, and carries over the words that it does not know."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import screenshot
from utils.course.lessons import all_lessons
from utils.site.build import build_site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("door") / "site"
    build_site(folder, [lesson for lesson in all_lessons() if lesson.number in ("00", "20")], tables=False)
    return f"file://{folder}"


@pytest.fixture
def start(reader: Page, site: str) -> Iterator[Page]:
    """The start page, for a reader who wants no motion: all words are there at once."""
    reader.emulate_media(reduced_motion="reduce")
    reader.goto(f"{site}/index.html")
    expect(reader.locator(".writer .target .written")).to_have_count(6)
    yield reader


def test_typed_sentence_is_translated_and_each_word_shows_its_attention(start: Page) -> None:
    field = start.get_by_label("an English sentence of your own")
    assert start.evaluate("document.querySelector('script[src*=everyday]')") is None  # not before somebody types
    field.fill("our teacher does not buy three cheap shirts")
    field.press("Enter")
    words = start.locator(".writer .target .written")
    expect(words).to_have_count(8)
    assert " ".join(words.locator("bdi").all_inner_texts()) == "معلم ما سه پیراهن ارزان نمی‌خرد ."
    expect(start.locator(".writer .how")).to_contain_text("Computed on this page")
    words.nth(3).focus()
    lit = start.locator(".writer .source .word").evaluate_all(
        "all => all.map((word) => Number(word.style.getPropertyValue('--share')))"
    )
    assert max(lit) == lit[7] > 0.5 and sum(lit) == pytest.approx(1, abs=0.01)  # shirts
    screenshot(start, "site_start")


def test_writer_marks_unknown_words_before_and_carries_them_over(start: Page) -> None:
    field = start.get_by_label("an English sentence of your own")
    field.fill("Zorbax drnks wat")
    offers = start.locator(".writer .offers")
    assert offers.locator("mark").all_inner_texts() == ["Zorbax", "drnks"]
    offers.get_by_role("button", name="water", exact=True).click()
    offers.get_by_role("button", name="drinks", exact=True).click()
    expect(field).to_have_value("Zorbax drinks water ")
    field.press("Enter")
    expect(start.locator(".writer .target .carried bdi")).to_have_text("Zorbax")
    expect(start.get_by_role("alert")).to_have_text("")
    start.get_by_text("words that it knows").click()
    field.fill("")
    for word in ("cats", "eat", "fish"):
        start.get_by_role("button", name=word, exact=True).click()
    field.press("Enter")
    expect(start.get_by_role("alert")).to_have_text("")
    expect(start.locator(".writer .source .word").first).to_have_text("cats")
