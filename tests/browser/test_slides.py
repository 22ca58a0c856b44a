"""A lesson as slides at 1280 × 720: text for the last row, nothing cut off, no imports, a control as large, and notes.

`DECKS=all` walks the decks of all lessons, some minutes long.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import screenshot
from utils.course.build import read_notebook
from utils.course.deck import MOST, numbers_of
from utils.course.lessons import NOTEBOOKS, Lesson, all_lessons
from utils.course.teaching import read_plan
from utils.site import build
from utils.site.build import build_slides, built_lessons

DECKS = built_lessons() if os.environ.get("DECKS") == "all" else [x for x in all_lessons() if x.number == "05"]
# The smallest text of a slide but indices, formulas, pictures, in px; what reaches beyond it; pictures cut off.
LOOK = """() => {
  const {node, scale, control} = course.slides[course.at];
  const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  let least = Infinity;
  while (texts.nextNode()) {
    const box = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || box.closest("math, svg, sub, sup, small, .unseen, .live")) continue;
    if (box.checkVisibility()) least = Math.min(least, scale * parseFloat(getComputedStyle(box).fontSize));
  }
  const cut = [...node.querySelectorAll(".deck-fit > *, img, pre")].filter((one) => {
    const box = one.getBoundingClientRect();
    if (control || !one.checkVisibility()) return false;
    return box.width > 0 && (box.right > 1281 || box.bottom > 721 || one.scrollWidth > one.clientWidth + 1);
  });
  return [least, cut.map((one) => one.outerHTML.slice(0, 80)), control];
}"""


@pytest.mark.parametrize("lesson", DECKS, ids=lambda lesson: lesson.number)
def test_the_slides_of_a_plan_can_be_read_from_the_last_row(reader: Page, tmp_path: Path, lesson: Lesson) -> None:
    build_slides(tmp_path, [lesson], tables=False)
    reader.set_viewport_size({"width": 1280, "height": 720})
    reader.goto(f"file://{tmp_path / lesson.name}.html")
    reader.wait_for_function("() => course.at !== undefined")
    number = reader.evaluate("course.slides.length")
    assert number <= MOST
    controls = 0
    for at in range(number):
        expect(reader.locator("#count")).to_have_text(f"{at + 1} / {number}")
        least, cut, control = reader.evaluate(LOOK)
        assert least >= 28 and cut == [], at + 1
        assert "import " not in reader.locator(".deck-slide:visible .input").all_inner_texts()
        if control:
            controls += 1
            expect(reader.locator(".presented")).to_be_visible()  # its sizes are those of Present
            screenshot(reader, "slides_control")
        reader.keyboard.press("PageDown")
    headings = reader.evaluate("course.slides.map(({heading}) => heading)")
    plan = read_plan(lesson)
    assert list(dict.fromkeys(headings))[1:] == [part.heading for part in plan.parts if part.minutes[0]]
    assert controls >= ("Control(" in lesson.text)
    first = numbers_of(read_notebook(NOTEBOOKS / lesson.notebook_name), plan)[headings[-1]].split("–")[0]
    assert headings[int(first) - 1] == headings[-1] != headings[int(first) - 2]
    reader.goto("about:blank")
    reader.goto(f"file://{tmp_path / lesson.name}.html#2")  # no control, which would have S for itself
    expect(reader.locator("#count")).to_have_text(f"2 / {number}")
    with reader.context.expect_page() as opened:
        reader.keyboard.press("s")
    expect(opened.value.locator("main")).to_contain_text(f"2 / {number}")
    expect(opened.value.locator("main")).to_contain_text("In 50: ")


@pytest.fixture(scope="module")
def of_ten(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Lesson]:
    ten = next(lesson for lesson in all_lessons() if lesson.number == "10")
    folder = tmp_path_factory.mktemp("decks") / "slides"
    build_slides(folder, [ten], tables=False)
    return folder, ten


def test_matrices_that_belong_together_stand_on_one_slide(reader: Page, of_ten: tuple[Path, Lesson]) -> None:
    folder, ten = of_ten
    reader.set_viewport_size({"width": 1280, "height": 720})
    reader.goto(f"file://{folder / ten.name}.html#4")
    expect(reader.locator("#count")).to_contain_text("4 / ")
    assert reader.locator("caption:visible em").all_inner_texts() == ["X", "attention", "a"]
    least, cut, _ = reader.evaluate(LOOK)
    assert least >= 28 and cut == []


def test_a_build_that_fails_leaves_the_slides_that_are_there(
    of_ten: tuple[Path, Lesson], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, ten = of_ten
    before = {path.name: path.read_bytes() for path in folder.glob("*.html")}
    monkeypatch.setattr(build, "_write_controls", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        build_slides(folder, [ten], tables=False)
    assert {path.name: path.read_bytes() for path in folder.glob("*.html")} == before
    assert [path.name for path in folder.parent.iterdir()] == ["slides"]
