"""The site from a folder, with the network cut off: read, searched, in light and dark, printed, its controls turned."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import eventually, reload_and_see, screenshot
from tests.browser.site_controls import drive, root_of
from tests.site.asking import python_controls
from utils.course.lessons import all_lessons
from utils.show.live import LiveControl
from utils.site.build import build_site

BUILT = ("03", "05", "06", "09")
COUNT_MOTION = """
const { animate } = Element.prototype;
window.moved = [];
window.way = []; // whose numbers have lit up, and after how many ms
Element.prototype.animate = function (...how) {
  moved.push(this.tagName);
  way.push([how[1].delay, this.closest("[data-name]").dataset.name]);
  return animate.apply(this, how);
};
const count = ({ target }) => moved.push(target.tagName);
for (const kind of ["transitionrun", "animationstart"]) addEventListener(kind, count, true);
"""
# What has moved since the page was opened, and what a style sheet would make move when it changes.
MOTION = """() => [...moved, ...[...document.querySelectorAll("*")].filter((node) => {
  const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(node);
  return animationName !== "none" || /[1-9]/.test(transitionDuration) || scrollBehavior === "smooth";
}).map((node) => `${node.tagName}.${node.className}`)]"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("browsed") / "site"
    build_site(folder, [lesson for lesson in all_lessons() if lesson.number in BUILT])
    return f"file://{folder}"


def paper(page: Page) -> str:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_keyboard_skips_to_text_searches_all_lessons_and_opens_a_result(reader: Page, site: str) -> None:
    reader.goto(f"{site}/03_word2vec_and_prot2vec.html")
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
    reader.get_by_role("searchbox").fill("softmax nosuchword")
    expect(found.get_by_role("status")).to_have_text("Nothing was found.")
    reader.get_by_role("searchbox").fill("eight steps")
    reader.keyboard.press("Tab")
    expect(link).to_be_focused()
    target = link.get_attribute("href")
    assert "#" in target
    reader.keyboard.press("Enter")
    expect(reader).to_have_url(re.compile(re.escape(target.split("#")[0]) + "#."))


def test_dark_mode_follows_the_system_until_the_button_is_pressed(reader: Page, site: str) -> None:
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


def test_printed_page_shows_only_the_lesson_on_white(reader: Page, site: str) -> None:
    reader.emulate_media(media="print", color_scheme="dark")
    reader.goto(f"{site}/05_self_attention_by_hand.html")
    for part in ("banner", "contentinfo"):
        expect(reader.get_by_role(part)).to_be_hidden()
    assert paper(reader) == "rgb(255, 255, 255)"
    expect(reader.locator("math").first).to_be_visible()
    screenshot(reader, "site_print")


def test_gallery_has_each_control_with_its_lesson_and_loads_what_is_near(reader: Page, site: str) -> None:
    reader.add_init_script(COUNT_MOTION)
    reader.emulate_media(reduced_motion="reduce")
    reader.goto(f"{site}/gallery.html")
    sections = reader.locator(".of-lesson")
    expect(sections.first.locator(".live-control")).to_be_visible()
    assert reader.evaluate("[...course.controls.keys()].length") < sections.count() == len(BUILT)
    for section, number in zip(sections.all(), BUILT, strict=True):
        lesson = next(lesson for lesson in all_lessons() if lesson.number == number)
        section.scroll_into_view_if_needed()
        expect(section.locator(".course-control").first).to_be_visible()
        expect(section).to_contain_text(lesson.question)
        assert section.get_by_role("link").first.get_attribute("href") == f"{lesson.name}.html#control-1"
    control = sections.first.locator(".live-control")
    before = control.locator(".note .sentence").first.inner_text()
    control.get_by_role("button", name="k = 1", exact=True).click()
    expect(control.locator(".note .sentence").first).not_to_have_text(before)
    assert reader.evaluate(MOTION) == []
    screenshot(reader, "site_gallery")


def opened(page: Page, site: str, number: str) -> LiveControl:
    """Opens a lesson's page; returns Python's own of its first control."""
    lesson = next(lesson for lesson in all_lessons() if lesson.number == number)
    page.goto(f"{site}/{lesson.name}.html#control-1")
    return python_controls(lesson)[0]


@pytest.mark.parametrize("number", BUILT)
def test_control_answers_as_python_does_at_both_ends_in_every_preset_and_after_reset(
    reader: Page, site: str, number: str
) -> None:
    drive(reader, 0, opened(reader, site, number))
    screenshot(root_of(reader, 0), f"site_{number}")


@pytest.mark.parametrize(("number", "key"), [("05", "Home"), ("09", "End")])
def test_opening_under_the_title_answers_a_turned_knob(reader: Page, site: str, number: str, key: str) -> None:
    lesson = next(lesson for lesson in all_lessons() if lesson.number == number)
    reader.goto(f"{site}/{lesson.name}.html")
    opening = reader.locator(".opening .live-control")
    expect(opening).to_be_in_viewport(ratio=1)
    drawing, sentence = opening.locator("svg"), opening.locator(".sentence")
    told, drawn = sentence.inner_text(), drawing.inner_html()
    expect(drawing).to_have_attribute("aria-label", told)
    opening.get_by_role("slider").press(key)
    expect(sentence).not_to_have_text(told)
    assert drawing.inner_html() != drawn
    expect(drawing).to_have_attribute("aria-label", sentence.inner_text())
    opening.get_by_role("button", name="Reset").press("Enter")
    expect(sentence).to_have_text(told)
    assert drawing.inner_html() == drawn


KEPT = "name => course.recall(`progress: ${name}`) !== null"


def test_questions_answered_in_two_windows_come_back_next_day(reader: Page, site: str) -> None:
    reader.clock.set_fixed_time("2026-11-25T23:30:00")
    windows = [reader, reader.context.new_page()]
    for window in windows:
        window.goto(f"{site}/06_scaled_dot_product.html")
    for at, window in enumerate([*windows, reader]):
        last = window.locator("[data-question^='06.']").nth(at)
        last.locator("summary").nth(at).press("Enter")
        expect(last.locator("details[open]")).to_contain_text(re.compile("✓ Right|✗ No"))
        # It is kept a moment after it is shown; the other window may hear of it late.
        window.wait_for_function(KEPT, arg=f"asked.{last.get_attribute('data-question')}")
    windows[1].close()
    reader.goto(f"{site}/index.html")
    # A page that begins on a busy machine may not have what others have just kept, till it begins anew.
    eventually(lambda: reader.evaluate(KEPT, "done.06") or (reader.reload() and False))
    expect(reader.locator("#for-today")).to_be_hidden()
    reader.clock.set_fixed_time("2026-11-26T00:30:00")
    asked = reader.locator("#for-today [data-question]")
    reload_and_see(reader, asked, 5)
    right = asked.first.locator("details[data-right] summary")
    answered = f"asked.{asked.first.get_attribute('data-question')}"
    right.press("Enter")
    reader.wait_for_function(KEPT, arg=answered)
    reload_and_see(reader, asked, 4)  # of the five one is done
    assert asked.first.get_attribute("data-question") == "06.shift"
    screenshot(reader, "site_for_today")
