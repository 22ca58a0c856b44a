"""Check that pictures, tables and prose fit their column at every width from a phone's up, with legible letters."""

from __future__ import annotations

import re
from base64 import b64decode
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Page

from utils.site.build import build_site, built_companions, built_lessons

PHONE = 360
WIDTHS = (PHONE, 736, 1366)  # a phone, the narrowest window with the wide drawings, a laptop
LEAST = 10.9  # px: 11, but for a rounded edge
# Code may slide, and so may a formula that stands by itself; the interactive figures have tests of their own.
SLIDING = """() => [...document.querySelectorAll("main, main *")].filter((node) =>
  !node.closest("pre, .input, .live, math") && node.scrollWidth > node.clientWidth + 1 &&
  /auto|scroll/.test(getComputedStyle(node).overflowX)).map((node) => node.outerHTML.slice(0, 300))"""
# A picture with two forms changes to the one for this width a while after the window has changed.
SHOWN = """() => [...document.images].every((image) => image.complete) &&
  [...document.querySelectorAll("picture:has(source)")].every((picture) => {
    const [source, image] = [picture.querySelector("source"), picture.querySelector("img")];
    const wanted = matchMedia(source.media).matches ? source.srcset : image.getAttribute("src");
    return !image.getClientRects().length || image.currentSrc === new URL(wanted, document.baseURI).href;
  })"""
PICTURES = """() => [...document.querySelectorAll("main img")].filter((image) =>
  image.getClientRects().length && !image.closest(".live")).map((image) =>
  [image.currentSrc, image.getBoundingClientRect().width, image.alt.slice(0, 80)])"""


@pytest.fixture(scope="module")
def still_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site without its scripts, which would fetch the interactive figures."""
    folder = tmp_path_factory.mktemp("phone") / "site"
    build_site(folder, built_lessons(), tables=False)
    for page in folder.glob("*.html"):
        html = re.sub(r"<script.*?</script>", "", page.read_text("utf-8"), flags=re.DOTALL)
        page.write_text(html.replace("<details", "<details open"), "utf-8")
    return folder


def letters_of(address: str) -> float:
    """Return the size of a drawing's smallest letters as a share of its width, or 1 if it has none."""
    if address.startswith("data:"):
        svg = b64decode(address.partition(",")[2]).decode()
    else:
        svg = Path(unquote(urlsplit(address).path)).read_text("utf-8")
    sizes = [float(size) for size in re.findall(r'<text style="[^"]*font-size: ([\d.]+)px', svg)]
    return min(sizes, default=1e9) / float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1])


@pytest.mark.parametrize("source", [*built_lessons(), *built_companions()], ids=lambda source: source.number)
def test_page_never_slides_and_its_pictures_have_legible_letters(source, blank: Page, still_site: Path) -> None:
    blank.goto((still_site / f"{source.name}.html").as_uri())
    for width in WIDTHS:
        blank.set_viewport_size({"width": width, "height": 800})
        blank.wait_for_function(SHOWN)
        sliding = blank.evaluate(SLIDING)
        assert sliding == [], f"at {width} px"
        assert blank.evaluate("document.documentElement.scrollWidth") <= width
        shown = [picture for picture in blank.evaluate(PICTURES) if "svg" in picture[0][:30] or ".svg" in picture[0]]
        small = {alt: round(letters_of(address) * wide, 1) for address, wide, alt in shown}
        assert {alt: size for alt, size in small.items() if size < LEAST} == {}, f"at {width} px"
