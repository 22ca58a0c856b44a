"""A lesson as slides at 1920 × 1080: walked to its end with the keys, nothing cut off, its control alive, and notes.

`DECKS=all` walks the decks of all lessons, some minutes long.
"""

from __future__ import annotations

import contextlib
import os

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from tests.browser.conftest import screenshot
from utils.course.lessons import Lesson, all_lessons
from utils.course.teaching import read_plan
from utils.site.build import build_site, built_lessons

DECKS = built_lessons() if os.environ.get("DECKS") == "all" else [x for x in all_lessons() if x.number == "03"]
READY = "() => course.at !== undefined"
LEAST = 0.66  # of its size on a page, times 1.5 at 1920 × 1080: what the text of a slide is shown at
# What would make a whole slide small, or twice of one: long code, a tall picture, one whose folded table has many rows.
SVG = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='300' height='{0}'/>"
TALL = f'<img alt="{{0}} px" src="{SVG}">'
FOLDED = f"<details><summary>As a table</summary><table><tbody>{'<tr><td>1</td></tr>' * 30}</tbody></table></details>"
SHOWN = '<div class="cell code"><div class="output"><div class="shown">{}</div></div></div>'
HARD = f"""<div class="cell code"><div class="input"><div class="highlight"><pre>{"word " * 40}</pre></div></div></div>
{SHOWN.format(TALL.format(1100))}{SHOWN.format(TALL.format(800) + FOLDED)}"""
# What reaches beyond the stage or into the bar below, what is scrolled inside a box, and at which scale it is shown.
CUT_OFF = """() => {
  const {fit} = course.slides[course.at];
  const stage = document.querySelector(".deck-stage").getBoundingClientRect();
  const shown = [...fit.querySelectorAll("*")].filter((node) =>
    !node.closest("details:not([open]) > :not(summary), math, svg") &&
    !node.parentElement.closest(".course-control") && node.getBoundingClientRect().width > 1);
  const beyond = shown.filter((node) => {
    const box = node.getBoundingClientRect();
    return box.right > stage.right + 1 || box.left < stage.left - 1 || box.bottom > stage.bottom + 1;
  });
  const inside = shown.filter((node) => node.scrollWidth > node.clientWidth + 1 &&
    /auto|scroll|hidden/.test(getComputedStyle(node).overflowX) && !node.matches("select, .course-control"));
  return [...beyond, ...inside].map((node) => `${node.tagName}.${node.className}: ${node.textContent.slice(0, 60)}`);
}"""


@pytest.mark.parametrize("lesson", DECKS, ids=lambda lesson: lesson.number)
def test_a_deck_is_walked_to_its_end_and_nothing_is_cut_off(reader: Page, tmp_path, lesson: Lesson) -> None:
    build_site(tmp_path, [lesson], tables=lesson.number == "03", slides=True)
    written = tmp_path / f"{lesson.name}.html"
    written.write_text(written.read_text("utf-8").replace("</main>", f"{HARD}</main>"), "utf-8")
    reader.set_viewport_size({"width": 1920, "height": 1080})
    reader.goto(f"file://{written}")
    reader.wait_for_function(READY)
    number = reader.evaluate("course.slides.length")
    headings, controls, small = [], 0, []
    for at in range(number):
        expect(reader.locator("#count")).to_have_text(f"{at + 1} / {number}")
        with contextlib.suppress(TimeoutError):  # a control may still be growing
            reader.wait_for_function(f"() => ({CUT_OFF})().length === 0", timeout=60_000)
        assert reader.evaluate(CUT_OFF) == [], at + 1
        headings.append(reader.evaluate("course.slides[course.at].heading"))
        is_control, scale = reader.evaluate("(({control, scale}) => [control, scale])(course.slides[course.at])")
        controls += is_control
        if scale < LEAST and not is_control:
            small.append(at)
        reader.keyboard.press("PageDown")
    expect(reader.locator("#count")).to_have_text(f"{number} / {number}")
    assert {part.heading for part in read_plan(lesson).parts} <= set(headings)
    assert controls >= ("Control(" in lesson.text)
    closer = reader.evaluate("course.slides.map(({node}) => node.querySelectorAll('.deck-closer img').length)")
    assert small and all(closer[at + 1 : at + 3] == [1, 1] for at in small)  # a whole picture, and then its two parts
    assert [reader.get_by_alt_text(f"{high} px").count() for high in (1100, 800)] == [1, 1]
    if lesson.number == "03":
        lesson_03(reader)


def lesson_03(page: Page) -> None:
    """A link to a heading, the control, and the window with the notes, in the deck that is open."""
    page.evaluate("location.hash = 'Try-it-yourself'")
    expect(page.locator("#jump option:checked")).to_have_text("Try it yourself")
    with page.context.expect_page() as opened:
        page.keyboard.press("s")
    notes = opened.value
    expect(notes.locator("main")).to_contain_text("In 50: 5 min. In 90: 5 min.")
    for _ in range(page.evaluate("course.slides.length")):
        if page.evaluate("course.slides[course.at].control"):
            break
        notes.keyboard.press("ArrowRight")  # the speaker's window leads, too
    control = page.locator(".live-control:visible")
    sentence = control.locator(".note .sentence").first
    before = sentence.inner_text()
    page.bring_to_front()
    control.get_by_role("button", name="k = 1", exact=True).click()
    expect(sentence).not_to_have_text(before)
    screenshot(page, "slides_control")
    page.keyboard.press("PageDown")  # turns what is focused in a control, not the slide
    assert page.evaluate("course.slides[course.at].control")
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.activeElement === document.body")
    page.keyboard.press("Home")
    expect(page.locator("#count")).to_contain_text("1 / ")
    expect(notes.locator("main")).to_contain_text("Stumbling blocks")
