"""How fast the site is, which `make site` has built, opened from its folder: `python -m bench.site`.

First the start page, in a new window each time, until something of it is painted. Then 50 steps in each of some
controls by keyboard: from the event of the key to the frame in which a computed number has changed, and on until that
frame is painted. A step that changes no number is not counted, nor is a sentence that has rested (aria-busy). Beside
them stands what the same control takes in JupyterLab, where Python computes: edits of lesson 05's. It fails where a
limit is missed.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright
from playwright.sync_api import TimeoutError as NotShown

from bench.control_latency import CELLS, FLAGS, STOPWATCH, open_notebook, percentile, show, time_edits
from tests.browser.chrome import MISSING, find_browser
from utils.site.build import SITE, built_lessons

OPENINGS = 7
STEPS = 50
PAUSE_MS = 100  # between a change that is shown and the next, as of a hand that looks
FIRST_PAINT_MS, MEDIAN_MS, P95_MS = 1000, 16, 50
CONTROLS = {  # lesson -> the field in which an arrow key is pressed, and that key
    "04": ("[data-name=position] input", "ArrowRight"),
    "05": ("[data-name=X] input", "ArrowUp"),
    "06": ("[data-name=d_k] input", "ArrowRight"),
    "08": ("[data-name=loud] input", "ArrowRight"),
    "09": ("[data-name=x] input", "ArrowUp"),
    "11": ("input[type=range]", "ArrowRight"),
}
BACK = {"ArrowRight": "ArrowLeft", "ArrowUp": "ArrowDown"}
WATCH = """
(root) => {
  const watch = (window.watch = { start: null, frames: [], paints: [] });
  document.addEventListener("keydown", (event) => (watch.start = event.timeStamp), true);
  new MutationObserver((mutations) => {
    const computed = ({ target, attributeName }) =>
      attributeName !== "aria-busy" && (target.closest ? target : target.parentElement)?.closest(".sheet");
    if (watch.start === null || !mutations.some(computed)) return;
    const start = watch.start;
    watch.start = null;
    requestAnimationFrame(() => {
      watch.frames.push(performance.now() - start);
      const painted = new MessageChannel(); // its message comes behind the frame that is being made
      painted.port1.onmessage = () => watch.paints.push(performance.now() - start);
      painted.port2.postMessage(null);
    });
  }).observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
}
"""


def main() -> None:
    """Measures, and prints what came out."""
    browser = find_browser()
    if browser is None:
        sys.exit(MISSING)
    if not (SITE / "index.html").is_file():
        sys.exit("There is no site to measure: `make site` builds it.")
    missed = []
    with sync_playwright() as playwright:
        window = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        first = sorted(first_paint(window) for _ in range(OPENINGS))
        print(f"start page, until something is painted: p50 {statistics.median(first):.0f} ms, max {first[-1]:.0f} ms")
        missed += [f"the first page in {FIRST_PAINT_MS} ms"] if statistics.median(first) > FIRST_PAINT_MS else []
        for lesson in built_lessons():
            if lesson.number in CONTROLS:
                with opened(window, lesson.name) as page:
                    frames, paints = time_steps(page, *CONTROLS[lesson.number])
                print(f"{lesson.number}, from key to frame: {told(frames)}; until it is painted: {told(paints)}")
                p50, p95 = statistics.median(frames), percentile(frames, 95)
                if p50 > MEDIAN_MS or p95 > P95_MS:
                    missed.append(f"{lesson.number} in {MEDIAN_MS} ms at the median and {P95_MS} ms at p95")
        window.close()
    with open_notebook(CELLS[:1]) as page:
        show(page, 0, ".attention-control").evaluate(STOPWATCH, [["Enter"], "tbody"])
        times, _ = time_edits(page)
    print(f"05 in JupyterLab, from key to frame: {told(times)}")
    if missed:
        sys.exit(f"Missed: {'; '.join(missed)}.")


def told(times: list[float]) -> str:
    """Times in ms, in a few words."""
    return f"p50 {statistics.median(times):.1f} ms, p95 {percentile(times, 95):.1f} ms ({len(times)} steps)"


@contextmanager
def opened(window: Browser, name: str) -> Iterator[Page]:
    """One of the pages, in a window of its own."""
    context = window.new_context(viewport={"width": 1300, "height": 1000})
    page = context.new_page()
    page.goto(f"{SITE.as_uri()}/{name}.html")
    yield page
    context.close()


def first_paint(window: Browser) -> float:
    """When the start page shows something, in ms from the moment at which it is asked for."""
    with opened(window, "index") as page:
        page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
        return page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")


def time_steps(page: Page, field: str, key: str) -> tuple[list[float], list[float]]:
    """The times of the steps that changed a number, until the frame and until it is painted, in ms."""
    root = page.locator("#control-1 .course-control")
    root.evaluate(WATCH)
    root.locator(field).first.focus()
    page.wait_for_timeout(1_000)
    for step in range(STEPS):
        done = page.evaluate("() => { watch.start = null; return watch.paints.length; }")
        page.wait_for_timeout(PAUSE_MS)
        page.keyboard.press(key if step % 20 < 10 else BACK[key])
        try:
            page.wait_for_function(f"watch.paints.length > {done}", timeout=2_000, polling=20)
        except NotShown:
            continue
    return page.evaluate("[watch.frames, watch.paints]")


if __name__ == "__main__":
    main()
