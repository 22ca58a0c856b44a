"""A control in front of a class: the whole window, led by keys, and back; the link to it; heights; a tree's names."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import eventually, screenshot
from tests.browser.hands import until
from tests.browser.plain_page import plain_page, put_python_behind, shown_alone
from utils.by_hand.attention import attention_steps
from utils.data.example import W_K, W_Q, W_V, X
from utils.show.attention_control import AttentionControl
from utils.show.live import Bars, Choice, Entries, Heatmap, LiveControl, Matrix, Note, Panel, Slider

ABOVE = """<a href="#Try-it-yourself">Go to the figure</a> <a href="#Before">before</a><h2 id="Before">Before</h2>
<div style="height: 3000px"></div>
<h2 id="Try-it-yourself">Try it yourself</h2><ol><li>Which row wins?</li></ol><div style="height: 900px"></div>
<div id="place">"""
NUMBERS = r"""root => {
    const scale = root.getBoundingClientRect().width / root.offsetWidth;
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const sizes = [];
    while (texts.nextNode()) {
        const box = texts.currentNode.parentElement;
        if (!/\d/.test(texts.currentNode.data) || box.closest(".unseen, option, sub, sup")) continue;
        if (!box.checkVisibility({ visibilityProperty: true })) continue;
        sizes.push(scale * parseFloat(getComputedStyle(box).fontSize));
    }
    return sizes;
}"""


PAPER = "node => getComputedStyle(node).backgroundColor"
TOP = "root => root.getBoundingClientRect().top"


def picture(size: int, x: object) -> list[Panel]:
    values = [[row - column for column in range(size)] for row in range(size)]
    return [Note(f"size {size}"), Heatmap(values), Matrix(x, "A_1", ["q₁", "q₂"])]


PRESETS = {"small": {}, "middle": {"size": 3}, "large": {"size": 6}}
TURNS = [Slider("size", 2, 6), Entries("x", [[1, 2], [3, 4]])]


def opened(page: Page, folder: Path, control: LiveControl | None = None) -> Locator:
    control = control or LiveControl(picture, TURNS, PRESETS, "A heatmap and a table.")
    shown = (
        plain_page(control)
        .replace('<div id="place">', ABOVE)
        .replace("</div>\n<script", "</div><p>below</p><div style='height: 2000px'></div>\n<script")
    )
    (folder / "page.html").write_text(shown, encoding="utf-8")
    page.goto(f"file://{folder}/page.html")
    put_python_behind(page, control)
    return page.locator(".live-control")


def shows(root: Locator, size: int) -> None:
    expect(root.get_by_text(f"size {size}", exact=True)).to_be_visible()


def test_link_followed_while_the_control_is_away_leads_to_the_next_one(blank: Page, tmp_path: Path) -> None:
    root = opened(blank, tmp_path)
    root.wait_for()
    root.evaluate("node => node.remove()")  # as when its cell runs again
    blank.get_by_role("link", name="Go to the figure").click()
    blank.evaluate("() => void widget.render({ model, el: document.getElementById('place') })")
    expect(root).to_be_focused()
    expect(root).to_be_in_viewport()


def test_presented_control_fills_the_window_takes_keys_and_returns(blank: Page, tmp_path: Path) -> None:
    page = blank
    page.set_viewport_size({"width": 1920, "height": 1080})
    root = opened(page, tmp_path)
    page.get_by_role("link", name="before").click()
    expect(page.get_by_role("heading", name="Before")).to_be_in_viewport()  # it has a section of its own
    page.get_by_role("link", name="Go to the figure").click()
    height = "document.documentElement.scrollHeight"
    eventually(lambda: abs(root.evaluate(TOP)) < 2)
    expect(root).to_be_in_viewport()
    expect(root).to_be_focused()
    before, high, paper = root.evaluate(TOP), page.evaluate(height), root.evaluate(PAPER)
    root.get_by_role("button", name="Present", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_focused()
    assert (
        dialog.get_attribute("aria-modal") == "true" and dialog.get_attribute("aria-label") == "A heatmap and a table."
    )
    box = dialog.bounding_box()
    assert [round(box[side]) for side in ("x", "y", "width", "height")] == [0, 0, 1920, 1080]
    assert page.evaluate("[...document.querySelectorAll('a')].every(node => node.closest('[inert]'))")
    assert root.evaluate(PAPER) == paper
    sizes = root.evaluate(NUMBERS)
    assert len(sizes) > 20 and min(sizes) >= 40
    style = root.get_attribute("style")
    for keys, size in (("ArrowRight", 3), ("n", 6), ("n", 2), ("p", 6), ("ArrowLeft", 3)):
        page.keyboard.press(keys)
        shows(root, size)
        assert root.evaluate(
            "node => [node.scrollHeight - node.clientHeight, node.scrollWidth - node.clientWidth]"
        ) == [0, 0]
        assert root.get_attribute("style") == style  # nothing gets smaller for a larger preset
    screenshot(page, "present")
    slider = root.get_by_role("slider")
    slider.press("ArrowRight")
    shows(root, 4)
    root.get_by_role("textbox").first.press("n")
    shows(root, 4)
    asked = root.get_by_role("complementary", name="what is asked")
    slider.press("q")
    expect(asked).to_have_text("Which row wins?")
    assert asked.locator("[inert]").count() == 0
    slider.press("q")
    expect(asked).to_be_hidden()
    cell = root.locator("table.cells td").nth(5)
    # The page knows where the pointer is, though all is larger.
    until(cell.hover, lambda: "2, " in root.locator(".readout").inner_text())
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(root.get_by_role("button", name="Present", exact=True)).to_be_focused()
    assert root.get_attribute("role") == "group" and page.locator("[inert]").count() == 0
    eventually(lambda: abs(root.evaluate(TOP) - before) < 2)
    assert page.evaluate(height) >= high


def test_question_is_beside_what_it_asks_about(blank: Page, tmp_path: Path) -> None:
    blank.set_viewport_size({"width": 1920, "height": 1080})
    bars = LiveControl(
        lambda n: [Note(f"n is {n}"), Bars(["a", "b"], [n, 1], "bars")], [Slider("n", 2, 5)], {}, "Bars."
    )
    root = opened(blank, tmp_path, bars)
    root.get_by_role("button", name="Present", exact=True).click()
    style = root.get_attribute("style")
    blank.keyboard.press("q")
    card = root.get_by_role("complementary", name="what is asked").bounding_box()
    sheets = [node.bounding_box() for node in root.locator(SHEETS).all()]
    assert sheets and all(box["x"] + box["width"] <= card["x"] for box in sheets)
    assert min(root.evaluate(NUMBERS)) >= 40 and root.evaluate(WHOLE) == [True, True]
    blank.keyboard.press("q")
    assert root.get_attribute("style") == style


def rows(n: int) -> list[Panel]:
    return [Matrix([[k / 8 or 1.6e-307] * n] * 7, f"M_{k}") for k in range(6)]


def maps(n: int, **_: object) -> list[Panel]:
    return [Note("What is turned stands beside."), *[Heatmap([[n / 9] * 4] * 4, title=f"M_{k}") for k in range(4)]]


SHEETS = ":scope > .stage > :not(.note)"
BEYOND = """root => {
    const all = [...root.querySelectorAll(":scope > .stage > *, .colours")];
    const shown = all.filter(node => !node.closest(".away"));
    const bar = root.querySelector(".present-bar").getBoundingClientRect().top;
    return Math.max(...shown.map(node => node.getBoundingClientRect().bottom)) - bar;
}"""
WHOLE = "node => [node.scrollHeight <= node.clientHeight + 1, node.scrollWidth <= node.clientWidth + 1]"
EXAMPLE = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V}
IN_PARTS = {
    "05": lambda: AttentionControl(attention_steps, {"start": EXAMPLE, "alike": EXAMPLE | {"X": X[[0, 0, 0]]}}),
    "many": lambda: LiveControl(rows, [Slider("n", 2, 5)], {"few": {}, "more": {"n": 5}}, "Six matrices."),
    "beside": lambda: LiveControl(
        maps,
        [Slider("n", 2, 5), *[Choice(name, ["a long one", "another one", "the last of them"]) for name in "ab"]],
        {"few": {}, "more": {"n": 5}},
        "Four heatmaps.",
    ),
}


def presented(page: Page, folder: Path, control: LiveControl) -> Locator:
    page.set_viewport_size({"width": 1280, "height": 720})
    root = shown_alone(page, control, folder)
    root.get_by_role("button", name="Present", exact=True).click()
    return root


@pytest.mark.parametrize("name", IN_PARTS)
def test_present_shows_in_parts_what_does_not_fit(blank: Page, tmp_path: Path, name: str) -> None:
    root = presented(blank, tmp_path, IN_PARTS[name]())
    said, sheets = root.locator(".present-bar [role=status]"), root.locator(SHEETS)
    seen, last = set(), ""
    while not last.startswith("part 1 "):
        assert min(root.evaluate(NUMBERS)) >= 28
        assert root.evaluate(WHOLE) == [True, True] and root.evaluate(BEYOND) <= 1
        seen |= {i for i in range(sheets.count()) if sheets.nth(i).is_visible()}
        blank.keyboard.press("ArrowDown")
        last = said.inner_text()
        assert last, "all of it is one part"
    assert seen == set(range(sheets.count()))
    blank.keyboard.press("ArrowRight")
    expect(root.locator(".chosen")).to_have_text("alike" if name == "05" else "more")
    assert root.evaluate(WHOLE) == [True, True]
    blank.keyboard.press("Escape")
    assert all(sheets.nth(i).is_visible() for i in range(sheets.count()))
    if name == "05":  # each matrix stands in the area of its name: on a phone beside what it is made of
        blank.set_viewport_size({"width": 500, "height": 900})
        before, made, last = (root.locator(f'[data-name="{n}"]').bounding_box() for n in ("W_K", "K", "output"))
        assert made["y"] == pytest.approx(before["y"], abs=1) and last["width"] > 1.5 * made["width"]
