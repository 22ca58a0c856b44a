"""What is printed for the desk: each sheet is one side of A4, whole, and loads nothing."""

from __future__ import annotations

import re

from playwright.sync_api import Page

from utils.course.desk import exam
from utils.course.desk.paper import Paper
from utils.course.desk.sheet import sheet
from utils.course.desk.worksheets import worksheets
from utils.course.lessons import all_lessons
from utils.site.desk import main, page_of

# What reaches beyond the margin of its sheet.
BEYOND = """() => [...document.querySelectorAll(".sheet")].flatMap((sheet) => {
  const right = sheet.getBoundingClientRect().right - parseFloat(getComputedStyle(sheet).paddingRight);
  return [...sheet.querySelectorAll("*")].filter((node) => node.getBoundingClientRect().right > right + 1)
    .map((node) => `${sheet.firstElementChild.textContent}: ${node.textContent.slice(0, 60)}`);
})"""


def test_every_sheet_is_printed_on_one_side_of_a4(reader: Page, tmp_path) -> None:
    papers = [worksheets(lesson) for lesson in all_lessons() if lesson.number > "00"]
    papers += [sheet(), *map(exam, range(20))]
    sheets = tuple(one for paper in papers for one in paper.sheets)
    written = tmp_path / "all.html"
    written.write_text(page_of(Paper("all", sheets)), encoding="utf-8")
    asked: list[str] = []
    reader.on("request", lambda request: asked.append(request.url))
    reader.goto(f"file://{written}")
    assert reader.evaluate(BEYOND) == []
    printed = reader.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == len(sheets)
    assert set(re.findall(rb"/MediaBox \[0 0 (\d+)[\d.]* (\d+)", printed)) <= {(b"594", b"841"), (b"595", b"841")}
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def test_one_lessons_sheets_can_be_made_alone(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("utils.site.desk.DESK", tmp_path / "desk")
    assert main(["5"]) == 0
    assert [path.name for path in (tmp_path / "desk").iterdir()] == ["desk_05_self_attention_by_hand.html"]
