"""Where a lesson runs in the browser: from a folder, no page offers it."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from utils.course.lessons import all_lessons
from utils.site.build import build_site

FIVE = next(lesson for lesson in all_lessons() if lesson.number == "05")


def test_site_opened_from_a_folder_has_no_link_to_lite(reader: Page, tmp_path: Path) -> None:
    build_site(tmp_path, [FIVE], tables=False, here=[FIVE])
    reader.goto(f"file://{tmp_path}/{FIVE.name}.html")
    expect(reader.locator(".tried")).to_be_hidden()
    expect(reader.locator(".tried a")).to_have_count(0)
