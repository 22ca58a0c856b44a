"""The live control on a page of its own: looks that stay, words that are lit, a long text in its field."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.plain_page import shown_alone
from utils.by_hand.attention import attention_steps
from utils.data.example import W_K, W_Q, W_V, X
from utils.show.attention_control import AttentionControl
from utils.show.live import (
    Drawing,
    Entries,
    Heatmap,
    LiveControl,
    Matrix,
    Note,
    Panel,
    Row,
    Slider,
)
from utils.show.shapes import bars, spot

ALT = "What is to be seen."


def test_row_is_chosen_by_name_row_and_keys_even_without_python(blank: Page, tmp_path: Path) -> None:
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


def test_pointing_at_a_spot_of_a_drawing_chooses_its_row_even_without_python(blank: Page, tmp_path: Path) -> None:
    spots = "".join(spot(row, bars("q", [(150 * row, 0, 100, 40)])) for row in (0, 1))
    panels = [Drawing([spots, spots], (360, 40), ["one", "two"]), Note(["the first asks", "the second asks"])]
    control = LiveControl(lambda: panels, [Row("who", ["a", "b"], value=1)], alt=ALT)
    root = shown_alone(blank, control, tmp_path, python=False)
    expect(root.get_by_role("img", name="two")).to_be_visible()
    for row, name, sentence in ((0, "one", "the first asks"), (1, "two", "the second asks")):
        root.locator(f"[data-row='{row}'] rect").hover()
        expect(root.get_by_role("img", name=name)).to_be_visible()
        expect(root.locator(".sentence")).to_have_text(sentence)
        expect(root.get_by_role("radio").nth(row)).to_be_checked()


def test_large_heatmap_has_a_table_and_hatches_negative_entries(blank: Page, tmp_path: Path) -> None:
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


def test_changed_number_leaves_the_panels_alone_until_the_answer(blank: Page, tmp_path: Path) -> None:
    start = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    root = shown_alone(blank, AttentionControl(attention_steps, {"ours": start}), tmp_path, python=False)
    entry = root.get_by_label("X row 1 column 1", exact=True)
    before = entry.input_value()
    entry.focus()
    expect(root.locator(".sheet .frame").first).to_be_attached()  # what follows from the number
    root.evaluate("""root => {
        window.touched = [];
        const watcher = new MutationObserver((all) => touched.push(...all.map(({ type }) => type)));
        const all = { subtree: true, childList: true, characterData: true, attributes: true };
        for (const sheet of root.querySelectorAll(".sheet")) watcher.observe(sheet, all);
    }""")
    entry.press("ArrowUp")
    assert entry.input_value() != before
    assert blank.evaluate("touched") == []


def heads(x: object) -> list[Panel]:
    weights = Heatmap([[0.25, 0.75], [0.9, 0.1]], ["a", "b"], ["a", "b"], shares=True, name="weights")
    return [weights, Matrix([[1, 2, 3, 4], [5, 6, 7, 8]], "C", made="weights[i,:]", heads=(1, 2)), Note("one head")]


def framed(root: Locator) -> set[tuple[str, str]]:
    """Each frame's kind, and the matrix that it is in."""
    found = root.locator(".frame").evaluate_all(
        "all => all.map(one => [one.classList[1], one.parentElement.dataset.name])"
    )
    return set(map(tuple, found))


@pytest.mark.parametrize(
    ("control", "cell", "frames", "said"),
    [
        (
            lambda: AttentionControl(attention_steps, {"ours": {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V}}),
            ("scores", 0, 1),
            {("here", "scores"), ("from", "Q"), ("from", "K"), ("to", "weights")},
            "0 · 4 + 0 · 2 + 1 · 4 = 4",
        ),
        (
            lambda: LiveControl(heads, [Entries("x", [[1]])], alt=ALT),
            ("weights", 0, 1),
            {("here", "weights"), ("to", "C")},
            "“a” gives 75 % to “b”",
        ),
        (
            lambda: LiveControl(heads, [Entries("x", [[1]])], alt=ALT),
            ("C", 1, 3),
            {("here", "C"), ("from", "C")},
            "Column 4 belongs to head 2 of 2.",
        ),
    ],
    ids=["score", "weight", "head"],
)
def test_pointing_at_a_number_frames_what_makes_it_and_what_it_makes(
    blank: Page, tmp_path: Path, control: object, cell: tuple[str, int, int], frames: set, said: str
) -> None:
    root = shown_alone(blank, control(), tmp_path, python=False)
    name, row, column = cell
    rows = root.locator(f'[data-name="{name}"] tbody tr')
    height = root.evaluate("node => node.offsetHeight")
    rows.nth(row).locator("td").nth(column).hover()
    assert framed(root) == frames
    expect(root.locator(".readout")).to_contain_text(said)
    assert root.evaluate("node => node.offsetHeight") == height
    if ("from", "K") in frames:
        frame, second = root.locator('[data-name="K"] :is(.frame, tr:nth-child(2) td)').evaluate_all(
            "nodes => [nodes.find(n => n.matches('.frame')), nodes[0]].map(n => n.getBoundingClientRect().top)"
        )
        assert abs(frame - second) < 1
    blank.mouse.move(0, 0)
    assert framed(root) == set()
    root.locator(f'[data-name="{name}"] table').focus()
    blank.keyboard.press("ArrowRight")
    blank.keyboard.press("End")
    assert ("here", name) in framed(root)
