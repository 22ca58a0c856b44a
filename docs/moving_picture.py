"""Make docs/translator.webp, the moving picture of the README, and docs/link.png, the image that a link shows.

    .venv/bin/python -m docs.moving_picture

Both are taken from the start page as `make site` builds it, by a real browser.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser.chrome import MISSING, find_browser
from utils.site.build import build_site, built_lessons

FOLDER = Path(__file__).parent
TYPED = "My friend cleaned the big window on Friday."
FRAME = 150  # ms
SIZE = (900, 420)  # of the moving picture, CSS pixels
LINK = (1200, 630)  # as the large card of a link wants it


def main() -> None:
    """Type a sentence into the start page, let it be translated twice, and write what was seen."""
    browser = find_browser()
    if browser is None:
        raise SystemExit(MISSING)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        build_site(Path(folder), [lesson for lesson in built_lessons() if lesson.number in ("00", "20")], tables=False)
        opened = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = opened.new_page(viewport={"width": SIZE[0], "height": 1000}, color_scheme="light")
        page.clock.install()
        page.goto(f"file://{folder}/index.html")
        page.locator(".writer .target .word").first.wait_for()
        page.evaluate("document.querySelector('header').remove()")
        frames = [*typed(page), *written(page, "fa")]
        page.get_by_role("button", name="German", exact=True).click()
        frames += written(page, "de")
        frames[0].save(
            FOLDER / "translator.webp", save_all=True, append_images=frames[1:], duration=FRAME, loop=0, quality=55
        )
        page.set_viewport_size({"width": LINK[0], "height": LINK[1]})
        page.evaluate("window.scrollTo(0, 0)")
        page.clock.run_for(60_000)
        page.screenshot(path=FOLDER / "link.png")
        opened.close()


def frame(page: Page) -> Image.Image:
    """Return what the translator shows now."""
    top = page.locator(".writer").bounding_box()["y"] + page.evaluate("window.scrollY")
    clip = {"x": 0, "y": top - 12, "width": SIZE[0], "height": SIZE[1]}
    return Image.open(io.BytesIO(page.screenshot(clip=clip, full_page=True))).convert("RGB")


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


if __name__ == "__main__":
    main()
