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
from utils.show.live import Bars, Choice, Entries, Heatmap, Lines, LiveControl, Matrix, Note, Panel, Points, Slider

ABOVE = """<a href="#Try-it-yourself">Go to the figure</a> <a href="#Before">before</a><h2 id="Before">Before</h2>
<div style="height: 3000px"></div>
<h2 id="Try-it-yourself">Try it yourself</h2><ol><li>Which row wins?</li></ol><div style="height: 900px"></div>
<div id="place">"""
TEXTS = r"""root => {
    const scale = root.getBoundingClientRect().width / root.offsetWidth;
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const sizes = [];
    while (texts.nextNode()) {
        const box = texts.currentNode.parentElement;
        if (!texts.currentNode.data.trim() || box.closest(".unseen, .away, option, sub, sup")) continue;
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
    sizes = root.evaluate(TEXTS)
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


def rows(n: int) -> list[Panel]:
    return [Matrix([[k / 8 or 1.6e-307] * n] * 11, f"M_{k}") for k in range(12)]


def maps(n: int, **_: object) -> list[Panel]:
    return [Note("What is turned stands beside."), *[Heatmap([[n / 9] * 4] * 4, title=f"M_{k}") for k in range(4)]]


def bars(**_: object) -> list[Panel]:
    return [Bars([f"a word with its gloss and another, {k}" for k in range(10)], [0.1] * 10, "words")]


def tree(**_: object) -> list[Panel]:
    places = [(step, rank) for step in range(7) for rank in range(3)]
    names = ["don't-have(I) ندارم" if step % 3 == 0 else "." for step, _ in places]
    return [Points(places, names, "the beam", y_ticks=False)]


def curve_beside(size: int) -> list[Panel]:
    return [Heatmap([[1] * size] * 2, title="cells"), Lines([0, 1, 2], {"loss": [3, 2, 1]}, "loss")]


SHEETS = ":scope > .stage > :not(.note)"
BEYOND = """root => {
    const all = [...root.querySelectorAll(":scope > .stage > *, .colours")];
    const shown = all.filter(node => !node.closest(".away"));
    const bar = root.querySelector(".present-bar").getBoundingClientRect().top;
    return Math.max(...shown.map(node => node.getBoundingClientRect().bottom)) - bar;
}"""
WHOLE = "node => [node.scrollHeight <= node.clientHeight + 1, node.scrollWidth <= node.clientWidth + 1]"
EXAMPLE = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V}
IN_WHOLE = {
    "05": lambda: AttentionControl(attention_steps, {"start": EXAMPLE, "alike": EXAMPLE | {"X": X[[0, 0, 0]]}}),
    "maps": lambda: LiveControl(
        maps,
        [Slider("n", 2, 5), *[Choice(name, ["a long one", "another one", "the last of them"]) for name in "ab"]],
        {"few": {}, "more": {"n": 5}},
        "Four heatmaps.",
    ),
    "bars": lambda: LiveControl(bars, [Slider(name, 2, 5) for name in "abcd"], {"start": {}}, "Ten bars."),
    "tree": lambda: LiveControl(tree, [Slider("width", 2, 5), Slider("alpha", 2, 5)], {"start": {}}, "A tree."),
}
TASKS = [
    f"{k + 1} is a task of some length, for which a class has to look at the figure and to turn it." for k in range(3)
]
COVERED = """root => {
    const card = root.querySelector(".question").getBoundingClientRect();
    return [...root.querySelectorAll("input, select, button, td, th, svg, .sentence")].filter(node => {
        const box = node.getBoundingClientRect();
        const across = box.left < card.right && box.right > card.left;
        return across && box.top < card.bottom && box.bottom > card.top && !node.closest(".away, .question");
    }).length;
}"""


def presented(page: Page, folder: Path, control: LiveControl) -> Locator:
    page.set_viewport_size({"width": 1280, "height": 720})
    root = shown_alone(page, control, folder)
    root.get_by_role("button", name="Present", exact=True).click()
    return root


def in_whole(root: Locator) -> None:
    """Check that nothing is cut off, too small for a projector, or without its name."""
    assert min(root.evaluate(TEXTS)) >= 20
    assert root.evaluate(WHOLE) == [True, True] and root.evaluate(BEYOND) <= 1
    assert root.locator(".crowded").count() == 0


@pytest.mark.parametrize("name", IN_WHOLE)
def test_present_shows_all_at_once_and_question_covers_nothing(blank: Page, tmp_path: Path, name: str) -> None:
    control = IN_WHOLE[name]()
    control.tasks = TASKS
    root = presented(blank, tmp_path, control)
    style = root.get_attribute("style")
    in_whole(root)
    assert root.locator(".away").count() == 0
    blank.keyboard.press("q")
    expect(root.get_by_role("complementary", name="what is asked")).to_be_visible()
    in_whole(root)
    assert root.evaluate(COVERED) == 0
    if name == "bars":
        assert root.locator(".track").first.bounding_box()["width"] >= 220
    blank.keyboard.press("q")
    assert root.get_attribute("style") == style


def test_figure_fills_a_window_that_has_grown_while_the_question_was_shown(blank: Page, tmp_path: Path) -> None:
    blank.add_init_script("Element.prototype.requestFullscreen = undefined")  # a full screen is never resized
    control = LiveControl(curve_beside, [Slider("size", 2, 10)], {"narrow": {}}, "A curve.")
    control.tasks = TASKS
    root = presented(blank, tmp_path, control)
    blank.keyboard.press("q")
    asked = root.get_attribute("style")
    blank.set_viewport_size({"width": 1920, "height": 1080})
    eventually(lambda: root.get_attribute("style") != asked)
    blank.keyboard.press("q")
    closed = root.get_attribute("style")
    blank.keyboard.press("Escape")
    root.get_by_role("button", name="Present", exact=True).click()
    assert root.get_attribute("style") == closed


def test_presented_chart_is_drawn_to_the_room_that_its_neighbour_leaves(blank: Page, tmp_path: Path) -> None:
    control = LiveControl(curve_beside, [Slider("size", 2, 10)], {"narrow": {"size": 2}}, "A curve.")
    control.set(size=10)
    root = presented(blank, tmp_path, control)
    drawn, seen = root.locator("svg.chart").evaluate("svg => [svg.viewBox.baseVal.width, svg.clientWidth]")
    assert seen == pytest.approx(drawn, rel=0.01)


@pytest.mark.parametrize("width", [600, 1000])
def test_notice_is_never_over_a_field(blank: Page, tmp_path: Path, width: int) -> None:
    blank.set_viewport_size({"width": width, "height": 720})
    control = LiveControl(maps, [Slider("n", 2, 5)], {"few": {}, "more": {"n": 5}}, "Four heatmaps.")
    root = shown_alone(blank, control, tmp_path, python=False)
    root.get_by_role("slider").press("ArrowRight")
    notice = root.locator(".notice")
    expect(notice).to_have_class("notice on")
    slider = root.locator(".parameters")

    def is_over_slider() -> bool:
        field, box = slider.bounding_box(), notice.bounding_box()
        return box["y"] < field["y"] + field["height"] and field["y"] < box["y"] + box["height"]

    assert not is_over_slider()
    root.get_by_role("button", name="Present", exact=True).click()
    assert not is_over_slider()


def test_present_shows_in_parts_what_does_not_fit(blank: Page, tmp_path: Path) -> None:
    many = LiveControl(rows, [Slider("n", 2, 5)], {"few": {}, "more": {"n": 5}}, "Many matrices.")
    root = presented(blank, tmp_path, many)
    said, sheets = root.locator(".present-bar [role=status]"), root.locator(SHEETS)
    seen, last = set(), ""
    while not last.startswith("part 1 "):
        in_whole(root)
        seen |= {i for i in range(sheets.count()) if sheets.nth(i).is_visible()}
        blank.keyboard.press("ArrowDown")
        last = said.inner_text()
        assert last, "all of it is one part"
    assert seen == set(range(sheets.count()))
    blank.keyboard.press("ArrowDown")
    blank.keyboard.press("ArrowRight")
    expect(root.locator(".chosen")).to_have_text("more")
    expect(sheets.first, "another preset leads back to the first part").to_be_hidden()
    assert root.evaluate(WHOLE) == [True, True]
    blank.keyboard.press("Escape")
    assert all(sheets.nth(i).is_visible() for i in range(sheets.count()))


def test_matrix_is_beside_what_it_is_made_of_on_a_phone(blank: Page, tmp_path: Path) -> None:
    blank.set_viewport_size({"width": 500, "height": 900})
    root = shown_alone(blank, IN_WHOLE["05"](), tmp_path)
    before, made, last = (root.locator(f'[data-name="{n}"]').bounding_box() for n in ("W_K", "K", "output"))
    assert made["y"] == pytest.approx(before["y"], abs=1) and last["width"] > 1.5 * made["width"]
