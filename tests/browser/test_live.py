"""The live control on a page of its own: looks that stay, words that are lit, a long text in its field."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import screenshot
from tests.browser.plain_page import plain_page, put_python_behind, shown_alone
from utils.show.explorer import AttentionExplorer
from utils.show.live import (
    Entries,
    Heatmap,
    Lines,
    LiveControl,
    Matrix,
    Note,
    Panel,
    Points,
    Row,
    Slider,
    Text,
    Toggle,
    Tokens,
)
from utils.show.walk import WalkExplorer
from utils.show.writer import Writer

ALT = "What is to be seen."


def turned(root: Locator) -> None:
    """Turns the only switch and waits until Python's note says so."""
    root.get_by_role("checkbox").check()
    expect(root.get_by_text("turned: True")).to_be_visible()


def toggled(*panels: tuple[Panel, Panel]) -> LiveControl:
    """A control that shows the first of each pair, and the second once its switch is on."""
    return LiveControl(
        lambda on: [*(pair[on] for pair in panels), Note(f"turned: {on}")], [Toggle("on", label="on")], alt=ALT
    )


LOOKS = {"best": ("vermilion", "diamond"), "kept": ("blue", "circle"), "dropped": ("grey", "cross")}


def tree(groups: list[str]) -> Points:
    xy = [[i, -i] for i in range(len(groups))]
    return Points(xy, groups, groups=groups, lit=[0], lines=[(0, 1)], looks=LOOKS, y_label="rank", y_ticks=False)


def looks_of(points: Locator) -> dict[str, tuple[str, str, str]]:
    """name -> colour and path of each point, which must be those of its key."""
    look = "nodes => nodes.map(node => [node.getAttribute('d'), getComputedStyle(node).fill])"
    names = points.locator(".key .name").all_inner_texts()
    keys = dict(zip(names, map(tuple, points.locator(".key path").evaluate_all(look)), strict=True))
    drawn = map(tuple, points.locator(".chart > g path.point").evaluate_all(look))
    labels = points.locator(".point-name").all_text_contents()
    assert [keys[label] for label in [*labels, labels[0]]] == list(drawn)  # the first one is lit: drawn once more
    return keys


LOOK_OF_ALL = """(roots) => roots.flatMap((root) => [...root.querySelectorAll("*")]).map((node) => {
    const look = getComputedStyle(node);
    return [...look].map((name) => look.getPropertyValue(name)).join();
})"""


def test_a_control_keeps_its_looks_beside_those_of_other_kinds(blank: Page, tmp_path: Path) -> None:
    values = [[0.5, -1.0]]
    panels = [Matrix(values, "M"), Heatmap(values), Lines([0, 1], {"y": [1.0, 2.0]}, title="t"), Note("a sentence")]
    control = LiveControl(
        lambda x, on: panels, [Slider("x", 0, 2, 1, 1), Toggle("on")], presets={"a": {"x": 2}}, alt=ALT
    )
    roots = shown_alone(blank, control, tmp_path).locator("xpath=.")
    before = roots.evaluate_all(LOOK_OF_ALL)
    for other in (AttentionExplorer, WalkExplorer, Writer):
        blank.add_style_tag(content=other._css)
        assert before and roots.evaluate_all(LOOK_OF_ALL) == before, other


def test_groups_look_the_same_whichever_are_there_and_an_order_has_no_numbers(blank: Page, tmp_path: Path) -> None:
    root = shown_alone(blank, toggled((tree(["dropped", "kept", "best"]), tree(["best", "dropped"]))), tmp_path)
    points = root.locator(".points")
    three = looks_of(points)
    assert list(three) == list(LOOKS) and len(set(three.values())) == 3
    turned(root)
    two = looks_of(points)
    assert two == {name: three[name] for name in ("best", "dropped")}
    expect(points.locator(".ticks.y text")).to_have_count(0)
    assert points.locator(".ticks.x text").count() > 1
    points.locator("svg.chart").press("ArrowRight")
    expect(points.locator(".readout")).to_have_text("best (best): x 0")
    screenshot(root, "live_tree")


def test_no_line_runs_through_a_name(blank: Page, tmp_path: Path) -> None:
    root = shown_alone(blank, toggled((tree(["best", "kept"]), tree(["best"] * 2))), tmp_path)
    style = root.locator(".point-name").first.evaluate("node => ({...getComputedStyle(node)})")
    paper = root.evaluate("node => getComputedStyle(node).backgroundColor")
    assert style["paintOrder"].startswith("stroke") and style["stroke"] == paper
    assert float(style["strokeWidth"].removesuffix("px")) >= 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_steps_are_lit_more_and_more_and_the_key_stands_apart(blank: Page, tmp_path: Path, scheme: str) -> None:
    def lit(groups: list[int]) -> Tokens:
        return Tokens(["a", "good", "room"], [1, 41, 7], groups, key=["below 5", "from 5", "from 20"], ordered=True)

    blank.emulate_media(color_scheme=scheme)
    root = shown_alone(blank, toggled((lit([0, 2, 1]), lit([2, 0, 0]))), tmp_path)
    root.evaluate("(node, scheme) => (document.documentElement.style.colorScheme = scheme)", scheme)
    words = root.get_by_role("list").get_by_role("listitem")
    assert words.locator(".piece").all_inner_texts() == ["a", "good", "room"]
    expect(words.nth(1)).to_have_attribute("aria-label", "“good”, id 41, from 20")
    assert root.locator(".key").all_inner_texts() == ["below 5", "from 5", "from 20"]
    paint = "nodes => nodes.map(node => getComputedStyle(node).backgroundColor)"
    steps = root.locator(".key .chip").evaluate_all(paint)
    assert steps[0] == "rgba(0, 0, 0, 0)" and len(set(steps)) == 3
    assert words.evaluate_all(paint) == [steps[0], steps[2], steps[1]]
    expect(words.first).to_have_css("border-top-color", "rgba(0, 0, 0, 0)")
    screenshot(root, f"live_lit_{scheme}")
    turned(root)
    assert words.evaluate_all(paint) == [steps[2], steps[0], steps[0]]


def test_kinds_of_pieces_keep_their_colours(blank: Page, tmp_path: Path) -> None:
    kinds = Tokens(["a", "b"], groups=[0, 1]), Tokens(["b", "a"], groups=[1, 0])
    root = shown_alone(blank, toggled(kinds), tmp_path)
    marks = "all => Object.fromEntries(all.map(li => [li.innerText.trim(), getComputedStyle(li).borderBottom]))"
    first = root.locator(".strip li").evaluate_all(marks)
    turned(root)
    assert root.locator(".strip li").evaluate_all(marks) == first
    assert first["a"] != first["b"]


def test_a_long_text_wraps_in_its_field_and_stays_one_paragraph(blank: Page, tmp_path: Path) -> None:
    def said(review: str) -> Note:
        if "dragon" in review:
            raise ValueError("there are no dragons.")
        return Note(f"“{review}”")

    start = "the room was clean " * 20
    root = shown_alone(blank, LiveControl(said, [Text("review", start, max_length=500, lines=4)], alt=ALT), tmp_path)
    field, sentence = root.get_by_label("review"), root.locator(".sentence")
    line = float(field.evaluate("node => parseFloat(getComputedStyle(node).lineHeight)"))
    assert 4 * line <= field.bounding_box()["height"] < 5 * line
    assert field.evaluate("node => node.scrollHeight > 1.5 * parseFloat(getComputedStyle(node).lineHeight)")
    screenshot(root, "live_long_text")
    field.fill("good")
    for key in ("Enter", "Shift+Enter"):
        field.press(key)
        expect(field).to_have_value("good")
    field.press_sequentially(" food")
    expect(sentence).to_have_text("“good food”")
    field.fill("two\n\nparagraphs")
    expect(sentence).to_have_text("“two paragraphs”")
    expect(field).to_have_value("two paragraphs")
    field.fill("a dragon")
    expect(root.get_by_role("alert")).to_have_text("there are no dragons.")
    expect(field).to_have_attribute("aria-invalid", "true")
    root.get_by_role("button", name="Reset").click()
    expect(field).to_have_value(start)


def test_a_row_is_chosen_by_its_name_its_row_and_the_keys_even_where_no_python_is(blank: Page, tmp_path: Path) -> None:
    weights = [[0.25, 0.75], [1, 0]]

    def picture(x: object) -> list[Panel]:
        matrix = Matrix(weights, "A", ["q₁", "q₂"], shares=True, chosen=True)
        return [matrix, Matrix([[1], [2]], "V", tints=weights), Note(["the first asks", "the second asks"])]

    entries = Entries("x", [[1], [2]], counted=False, chosen=True)
    control = LiveControl(picture, [entries, Row("who", ["x₁", "x₂"], "Who asks?")], alt=ALT)
    root = shown_alone(blank, control, tmp_path, python=False)

    def shows(row: int) -> None:
        expect(root.locator(".sentence")).to_have_text(["the first asks", "the second asks"][row])
        expect(root.get_by_role("radio").nth(row)).to_be_checked()
        for name in ("x", "A"):
            lit = root.locator(f'[data-name="{name}"] tbody tr').evaluate_all("rows => rows.map(r => r.ariaCurrent)")
            assert [one == "true" for one in lit] == [row == 0, row == 1]
        tints = '[data-name="V"] tbody tr'
        shares = root.locator(tints).evaluate_all("rows => rows.map(r => Number(r.style.getPropertyValue('--weight')))")
        assert shares == weights[row]

    shows(0)
    assert root.locator(".choice label").all_inner_texts() == ["x1", "x2"]
    root.locator('[data-name="A"] tbody tr').nth(1).locator("td").first.click()
    shows(1)
    root.get_by_role("radio").first.check(force=True)
    shows(0)
    blank.keyboard.press("ArrowRight")
    shows(1)
    root.locator('[data-name="V"] tbody tr').first.locator("td").first.click()
    shows(1)  # that matrix has none to choose
    expect(root.locator(".notice")).not_to_have_class("on")


def test_what_lies_under_the_notice_can_be_clicked_and_asks_python_again(blank: Page, tmp_path: Path) -> None:
    """An answer that is lost on a busy computer leaves the notice there until something is asked again."""
    presets = {"low, and so wide that the notice lies above it": {"a": 1}, "high": {"a": 3}}
    control = LiveControl(lambda a: [Note(f"a is {a}")], [Slider("a", 1, 3, 2)], presets=presets, alt=ALT)
    shown_alone(blank, control, tmp_path, python=False)
    blank.locator("input[type=range]").press("End")
    expect(blank.locator(".notice.on")).to_contain_text("These are saved numbers.")
    put_python_behind(blank, control)
    preset, notice = blank.locator("button.preset").first, blank.locator(".notice")
    assert preset.bounding_box()["y"] < notice.bounding_box()["y"] + notice.bounding_box()["height"]
    preset.click()
    expect(blank.get_by_text("a is 1")).to_be_visible()
    expect(notice).not_to_have_class("notice on")


def test_numbers_and_sentences_are_there_before_the_page_is_laid_out(blank: Page, tmp_path: Path) -> None:
    panels = [Matrix([[1, 2.5]], "A"), Heatmap([[3, 4]]), Lines([1, 2], {"y": [1, 2]}), Note("said")]
    control = LiveControl(lambda on: panels, [Toggle("on")], alt=ALT)
    hidden = plain_page(control).replace('<div id="place">', '<div id="place" hidden>')
    (tmp_path / "page.html").write_text(hidden, encoding="utf-8")
    blank.goto(f"file://{tmp_path}/page.html")
    blank.locator(".note").wait_for(state="attached")
    texts = blank.locator("table.matrix tbody td, table.cells tbody td, .sentence").all_text_contents()
    assert texts == ["1.000", "2.500", "3", "4", "said"]
    assert blank.locator(".curve").count() == 0
    blank.evaluate("document.getElementById('place').hidden = false")
    expect(blank.locator(".curve")).to_have_count(1)


def test_a_large_heatmap_is_a_table_too_and_what_is_below_0_is_hatched(blank: Page, tmp_path: Path) -> None:
    def waves(rows: int) -> list[Panel]:
        values = [[-1.0 - row] * 10 + [1.0 + row] * 10 for row in range(rows)]
        return [Heatmap(values, [f"r{i}" for i in range(rows)], title="t"), Note(f"{rows} rows")]

    root = shown_alone(blank, LiveControl(waves, [Slider("rows", 17, 40)], alt=ALT), tmp_path)
    colours = """(canvas, left) => {
        const { data } = canvas.getContext("2d").getImageData(left * canvas.width, 0, canvas.width / 2, 9);
        return new Set(new Uint32Array(data.buffer)).size;
    }"""
    picture = root.locator(".field canvas")
    assert picture.evaluate(colours, 0) == 3 and picture.evaluate(colours, 0.5) == 1
    expect(root.locator(".readout")).to_contain_text("hatched is below 0")
    root.locator("summary").press("Enter")
    expect(root.locator("table.numbers tbody tr")).to_have_count(17)
    table = root.get_by_role("region", name="all numbers").get_by_role("table", name="t")
    assert table.get_by_role("rowheader").nth(2).inner_text() == "r2"
    assert table.get_by_role("row").nth(3).get_by_role("cell").all_inner_texts() == ["−3"] * 10 + ["3"] * 10
    # Each of many quick steps is seen; a screen reader is told that it is not over yet, and says the last one.
    said = root.locator(".sentence[aria-live=polite]")
    blank.evaluate("""() => {
        const later = window.setTimeout;
        window.setTimeout = (call, ms, ...given) =>
            ms === 500 ? ((window.rest = () => call(...given)), 0) : later(call, ms, ...given);
    }""")
    for _ in range(5):
        root.get_by_role("slider").press("ArrowRight")
    expect(said).to_have_text("22 rows")
    expect(said).to_have_attribute("aria-busy", "true")
    blank.evaluate("() => rest()")
    expect(said).not_to_have_attribute("aria-busy", "true")


def test_an_axis_that_is_given_stays_while_the_curve_grows(blank: Page, tmp_path: Path) -> None:
    def curve(points: int) -> list[Panel]:
        return [Lines(range(points), {"loss": range(points)}, x_range=(0, 90)), Note(f"{points} points")]

    root = shown_alone(blank, LiveControl(curve, [Slider("points", 2, 91)], alt=ALT), tmp_path)
    ticks = root.locator(".ticks.x text")
    first = [(tick.inner_html(), tick.get_attribute("x")) for tick in ticks.all()]
    assert first[-1][0] == "80"
    root.get_by_role("slider").press("End")
    expect(root.get_by_text("91 points")).to_be_visible()
    assert [(tick.inner_html(), tick.get_attribute("x")) for tick in ticks.all()] == first
