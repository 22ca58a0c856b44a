"""Whether the site that `make site` has built says what Python says: `make check-site`, or `make check-site ONLY=05`.

Of each control 30 settings of its table are asked of the page's own scripts, and as many that the table has not; then
it is driven in a browser, by keyboard: every slider to both ends, every preset, with the network cut off. The suite
does the same with a few controls.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chrome import MISSING, find_browser
from tests.browser.conftest import FLAGS, offline
from tests.browser.site_controls import drive
from tests.site.asking import controls_with_tables, wrong_answers
from utils.course.lessons import Lesson, two_digits
from utils.show.control import Control
from utils.site.build import SITE, built_lessons

SETTINGS = 30


def main(arguments: Sequence[str] | None = None) -> int:
    """Checks the lessons named, or all, and says what is not so; 0 when all is."""
    parser = argparse.ArgumentParser(prog="make check-site", description="Compares the pages with Python.")
    parser.add_argument("numbers", nargs="*", help="the lessons to check, such as 05; without any: all")
    parser.add_argument("--out", type=Path, default=SITE, help="the folder that `make site` has written")
    options = parser.parse_args(arguments)
    browser = find_browser()
    if browser is None:
        sys.exit(MISSING)
    wanted = [two_digits(number) for number in options.numbers]
    wrong = []
    with sync_playwright() as playwright:
        window = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        for lesson in built_lessons():
            if not wanted or lesson.number in wanted:
                found = wrong_on(options.out, lesson, window)
                print("\n".join(found) or f"{lesson.number}: as Python says", flush=True)
                wrong += found
        window.close()
    return 1 if wrong else 0


def wrong_on(site: Path, lesson: Lesson, window: Browser) -> list[str]:
    """What a lesson's page says otherwise than Python, as sentences."""
    controls = controls_with_tables(site, lesson)
    if not controls:
        return []
    return [*wrong_answers(site, lesson, controls, SETTINGS), *wrong_in_browser(site, lesson, controls, window)]


def wrong_in_browser(site: Path, lesson: Lesson, controls: Sequence[Control | None], window: Browser) -> list[str]:
    """The same of what is seen, when its controls are turned by keyboard."""
    with offline(window) as (page, wrong):
        open_all(page, site, lesson)
        for at, control in enumerate(controls):
            try:
                drive(page, at, control)
            except AssertionError as difference:
                wrong.append(f"{lesson.number}, control {at + 1}, in the browser: {str(difference)[:1000]}")
    return wrong


def open_all(page: Page, site: Path, lesson: Lesson) -> None:
    """Opens a lesson's page with what is folded on it."""
    page.goto(f"{site.resolve().as_uri()}/{lesson.name}.html")
    page.evaluate("for (const folded of document.querySelectorAll('.deeper')) folded.open = true")


if __name__ == "__main__":
    sys.exit(main())
