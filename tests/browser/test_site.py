"""The site from a folder, with the network cut off: read, searched, in light and dark, printed, its controls turned."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, screenshot
from utils.course.lessons import all_lessons
from utils.site.build import build_site

BUILT = ("04", "05", "06")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("browsed") / "site"
    build_site(folder, [lesson for lesson in all_lessons() if lesson.number in BUILT])
    return f"file://{folder}"


@pytest.fixture
def reader(browser: Browser) -> Iterator[Page]:
    """A page that gets files alone; what it asks of any other address, and what it complains of, fails the test."""
    context = browser.new_context(viewport={"width": 1300, "height": 1000}, color_scheme="light")
    context.set_default_timeout(PATIENCE * 1000)
    wrong: list[str] = []
    context.route("**/*", lambda route: route.continue_() if route.request.url.startswith("file:") else route.abort())
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda line: wrong.append(line.text) if line.type in ("error", "warning") else None)
    page.on("requestfailed", lambda request: wrong.append(f"failed: {request.url}"))
    page.on(
        "request",
        lambda request: None if request.url.startswith(("file:", "data:", "blob:")) else wrong.append(request.url),
    )
    yield page
    context.close()
    assert wrong == []


def paper(page: Page) -> str:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_from_the_start_page_the_first_control_is_two_clicks_away(reader: Page, site: str) -> None:
    reader.goto(f"{site}/index.html")
    reader.get_by_role("link", name="Go to the control of lesson 04").click()
    control = reader.locator(".live-control")
    expect(control).to_be_in_viewport()
    assert control.locator(".sheet").count() == 3
    screenshot(reader, "site_control")


def test_previous_next_and_contents_lead_through_the_lessons(reader: Page, site: str) -> None:
    reader.goto(f"{site}/04_positional_encoding.html")
    expect(reader.locator("[rel=prev]")).to_have_count(0)
    reader.get_by_role("banner").get_by_role("link", name="05").click()
    expect(reader.get_by_role("heading", level=1)).to_have_text("05 · Self-attention by hand")
    reader.get_by_role("contentinfo").get_by_role("link", name="06").click()
    expect(reader.locator("[rel=next]")).to_have_count(0)
    reader.get_by_role("contentinfo").get_by_role("link", name="Contents").click()
    expect(reader.get_by_role("heading", level=1)).to_have_text("Transformers, by hand")


def test_the_keyboard_skips_to_the_text_searches_all_lessons_and_goes_to_what_it_found(reader: Page, site: str) -> None:
    reader.goto(f"{site}/04_positional_encoding.html")
    reader.keyboard.press("Tab")
    skip = reader.get_by_role("link", name="Skip to the text")
    expect(skip).to_be_in_viewport()
    assert skip.evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    skip.press("Enter")
    expect(reader.locator("main")).to_be_focused()
    reader.keyboard.press("/")
    reader.keyboard.type("SOFTMAX overflow")
    found = reader.get_by_role("region", name="What was found")
    link = found.get_by_role("link").first
    expect(link).to_contain_text("06 Scaled dot product")
    assert {text.lower() for text in found.locator("mark").all_inner_texts()} >= {"softmax"}
    screenshot(reader, "site_search")
    reader.keyboard.press("Escape")
    expect(found).to_be_hidden()
    reader.keyboard.type(" nosuchword")
    expect(found.get_by_role("status")).to_have_text("Nothing was found.")
    reader.get_by_role("searchbox").fill("eight steps")
    reader.keyboard.press("Tab")
    expect(link).to_be_focused()
    reader.keyboard.press("Enter")
    expect(reader).to_have_url(lambda url: "05_self_attention_by_hand.html#" in url)


def test_it_is_dark_where_the_system_is_until_the_button_says_otherwise_and_keeps_that(reader: Page, site: str) -> None:
    reader.goto(f"{site}/05_self_attention_by_hand.html")
    light = paper(reader)
    reader.emulate_media(color_scheme="dark")
    dark = paper(reader)
    assert dark != light == "rgb(255, 255, 255)"
    control = "getComputedStyle(document.querySelector('.course-control')).backgroundColor"
    assert reader.evaluate(control) == dark
    screenshot(reader, "site_dark")
    reader.get_by_role("button", name="Light").click()
    assert paper(reader) == reader.evaluate(control) == light
    reader.goto(f"{site}/06_scaled_dot_product.html")
    assert paper(reader) == light
    expect(reader.get_by_role("button", name="Dark")).to_be_visible()


def test_printed_it_is_the_lesson_alone_on_white(reader: Page, site: str) -> None:
    reader.emulate_media(media="print", color_scheme="dark")
    reader.goto(f"{site}/05_self_attention_by_hand.html")
    for part in ("banner", "contentinfo"):
        expect(reader.get_by_role(part)).to_be_hidden()
    assert paper(reader) == "rgb(255, 255, 255)"
    expect(reader.locator("math").first).to_be_visible()
    screenshot(reader, "site_print")


def test_formulas_are_set_in_the_font_that_comes_along(reader: Page, site: str) -> None:
    reader.goto(f"{site}/06_scaled_dot_product.html")
    assert reader.evaluate("document.fonts.ready.then(() => document.fonts.check('20px \"Course Math\"', '√∑'))")
    heights = "nodes => nodes.map(node => node.getBoundingClientRect().height)"
    fraction, root = (reader.locator(part).evaluate_all(heights) for part in ("mfrac", "msqrt"))
    line = reader.locator("math mi").first.evaluate("node => node.getBoundingClientRect().height")
    assert min(fraction) > 1.2 * line and len(root) > 5
    screenshot(reader.locator("math[display=block]").first, "site_formula")


def test_what_is_folded_in_the_notebook_is_folded_here(reader: Page, site: str) -> None:
    reader.goto(f"{site}/05_self_attention_by_hand.html")
    solution = reader.locator("details", has=reader.get_by_text("Solution", exact=True)).first
    expect(solution.locator("pre")).to_be_hidden()
    solution.locator("summary").press("Enter")
    expect(solution.locator("pre")).to_be_visible()


@pytest.mark.parametrize("width", [360, 800, 1900])
def test_no_page_is_wider_than_its_window(reader: Page, site: str, width: int) -> None:
    reader.set_viewport_size({"width": width, "height": 900})
    for page in ("index", "05_self_attention_by_hand", "06_scaled_dot_product"):
        reader.goto(f"{site}/{page}.html")
        assert reader.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), page
