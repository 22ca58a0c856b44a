"""The idea of attention on the start page: its pictures come with the scroll, and are complete without motion."""

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import screenshot
from utils.site.build import build_site, built_lessons

COME = """() => [...document.querySelectorAll(".idea g[style]")].map(node => Number(getComputedStyle(node).opacity))"""
HOW_FAR = """() => [...document.querySelectorAll(".idea figure")]
    .map(node => Number(getComputedStyle(node).getPropertyValue("--t")))"""
TO_PICTURE = "node => window.scrollTo(0, node.getBoundingClientRect().bottom + scrollY - innerHeight)"
SIZES = [(1366, 768), (360, 740)]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("idea") / "site"
    build_site(folder, [lesson for lesson in built_lessons() if lesson.number in ("00", "05")], tables=False)
    return f"file://{folder}/index.html"


@pytest.mark.parametrize("size", SIZES)
def test_pictures_come_one_after_another_while_they_are_scrolled_into_sight(
    reader: Page, start: str, size: tuple[int, int]
) -> None:
    reader.set_viewport_size({"width": size[0], "height": size[1]})
    reader.goto(start)
    figures = reader.locator(".idea figure")
    for at in range(3):
        figures.nth(at).evaluate(TO_PICTURE)
        reader.wait_for_function(f"({HOW_FAR})()[{at}] > 0")
        far = reader.evaluate(HOW_FAR)
        assert 0 < far[at] < 1 and all(other > far[at] for other in far[:at]) and not any(far[at + 1 :])
        assert min(reader.evaluate(COME)) < 0.5
    reader.locator(".idea > p").last.evaluate("node => node.scrollIntoView({ block: 'start' })")
    reader.wait_for_function(f"({HOW_FAR})().every(far => far === 1)")
    assert min(reader.evaluate(COME)) == 1


@pytest.mark.parametrize("size", SIZES)
def test_pictures_without_motion_are_complete_and_inside_the_window(
    reader: Page, start: str, size: tuple[int, int]
) -> None:
    reader.emulate_media(reduced_motion="reduce")
    reader.set_viewport_size({"width": size[0], "height": size[1]})
    reader.goto(start)
    reader.locator(".idea").scroll_into_view_if_needed()
    assert reader.evaluate(HOW_FAR) == [1, 1, 1] and min(reader.evaluate(COME)) == 1
    screenshot(reader.locator(".idea"), f"idea-{size[0]}")
    assert reader.evaluate("document.documentElement.scrollWidth") <= size[0]
    small = reader.locator(".idea text").evaluate_all(
        "all => Math.min(...all.map(one => one.getScreenCTM().a * parseFloat(getComputedStyle(one).fontSize)))"
    )
    assert small >= 11
