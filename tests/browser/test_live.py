"""The live control on a page of its own: looks that stay, words that are lit, a long text in its field."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.plain_page import shown_alone
from utils.show.live import (
    Entries,
    Heatmap,
    LiveControl,
    Matrix,
    Note,
    Panel,
    Row,
    Slider,
)

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
