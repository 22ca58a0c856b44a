"""Make docs/translator.webp, the moving picture of the README, and docs/link.png, which a link to a page shows.

    .venv/bin/python -m docs.moving_picture

Both are taken from the start page as `make site` builds it, by a real browser.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser.chrome import MISSING, find_browser
from utils.site.build import build_site, built_lessons

FOLDER = Path(__file__).parent
TYPED = "My friend cleaned the big window on Friday."
FRAME = 150  # ms
SIZE = (900, 420)  # of the moving picture, CSS pixels
LINK = (1200, 630)  # as the large card of a link wants it
HIGH = 1000  # of the window
STEP = 36  # CSS pixels scrolled in a frame
# Only what is translated, without what is typed below it, which the image would cut.
LINKED = """() => {
    window.scrollTo(0, 0);
    document.querySelectorAll(".writer .next ~ *, .ways").forEach((node) => (node.style.display = "none"));
    Object.assign(document.querySelector(".hero .live").style, { maxWidth: "none", minHeight: 0 });
    document.querySelector(".hero").style.paddingTop = "30px";
    window.dispatchEvent(new Event("resize"));
}"""


def main() -> None:
    """Type a sentence into the start page, have it translated twice, scroll on, and save the pictures."""
    browser = find_browser()
    if browser is None:
        raise SystemExit(MISSING)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        build_site(Path(folder), [lesson for lesson in built_lessons() if lesson.number in ("00", "20")], tables=False)
        opened = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = opened.new_page(viewport={"width": SIZE[0], "height": HIGH}, color_scheme="light")
        page.clock.install()
        page.goto(f"file://{folder}/index.html")
        page.locator(".writer .target .word").first.wait_for()
        page.evaluate("document.querySelector('header').remove()")
        frames = [*typed(page), *written(page, "fa")]
        page.get_by_role("button", name="German", exact=True).click()
        frames += written(page, "de")
        page.set_viewport_size({"width": LINK[0], "height": LINK[1]})
        page.get_by_role("button", name="Persian", exact=True).click()
        written(page, "fa")
        page.evaluate(LINKED)
        page.clock.run_for(60_000)
        page.screenshot(path=FOLDER / "link.png")
        frames += scrolled(page)
        frames[0].save(
            FOLDER / "translator.webp",
            save_all=True,
            append_images=frames[1:],
            duration=FRAME,
            loop=0,
            quality=50,
            method=6,
        )
        opened.close()


def frame(page: Page) -> Image.Image:
    """Return what the translator shows now."""
    top = page.locator(".writer").bounding_box()["y"] + page.evaluate("window.scrollY")
    clip = {"x": 0, "y": top - 12, "width": SIZE[0], "height": SIZE[1]}
    return seen(page, clip=clip, full_page=True)


def seen(page: Page, **how: Any) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot(**how))).convert("RGB")


def typed(page: Page) -> list[Image.Image]:
    """Type the sentence, two letters a frame, and send it."""
    field, frames = page.get_by_label("an English sentence of your own"), []
    for end in range(0, len(TYPED) + 2, 2):
        field.fill(TYPED[:end])
        frames.append(frame(page))
    field.press("Enter")
    return frames


def written(page: Page, language: str) -> list[Image.Image]:
    """Return the frames until the last word of the translation is written, and two seconds more."""
    page.locator(".writer .how", has_text="Computed on this page").wait_for()
    page.locator(f".writer .target[lang={language}]").wait_for()
    frames = []
    while page.locator(".writer .target .word:not(.written)").count():
        page.clock.run_for(FRAME)
        frames.append(frame(page))
    page.clock.run_for(2000)
    return frames + [frame(page)] * (2000 // FRAME)


def scrolled(page: Page) -> list[Image.Image]:
    """Return the frames of the pictures of attention, each held still while the page is scrolled through it."""
    page.set_viewport_size({"width": SIZE[0], "height": HIGH})
    frames = []
    for figure in page.locator(".idea figure").all():
        middle = round(figure.evaluate("node => scrollY + node.getBoundingClientRect().top + node.offsetHeight / 2"))
        for y in range(HIGH - SIZE[1] // 2 - STEP, SIZE[1] // 2 - 1, -STEP):  # where the picture is in the window
            page.evaluate(f"window.scrollTo(0, {middle - y})")
            page.wait_for_timeout(50)
            clip = {"x": 0, "y": y - SIZE[1] // 2, "width": SIZE[0], "height": SIZE[1]}
            frames.append(seen(page, clip=clip))
        frames += [frames[-1]] * (1000 // FRAME)
    return frames


if __name__ == "__main__":
    main()
