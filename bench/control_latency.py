"""How long the live controls take from key press to changed page: `python -m bench.control_latency`.

Starts JupyterLab on a scratch notebook, opens it in a real browser, and makes 50 changes in each control there:
edits in the attention control, key presses on a slider that drives a heatmap of 12 × 12 with its numbers, and one
of 128 × 64. The time runs in the page from the event of the committing key to the first frame in which a computed
number has changed; a change counts as shown when the page then says what Python computes for it. In the
attention control an arrow key is then held: 50 steps at the rate of a keyboard, and how many could be seen. A change
follows a tenth of a second after the one before was shown, as a hand does that looks: at once, it would wait for what
JupyterLab still does about the last one, and what comes at the rate of a held key is measured so. It fails
where a change was not shown, or where the 95th percentile of a control is above the limit.
"""

from __future__ import annotations

import os
import random
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import nbformat
from playwright.sync_api import Locator, Page, sync_playwright
from playwright.sync_api import TimeoutError as NotShown

from tests.browser.chrome import MISSING, find_browser
from utils.by_hand.attention import attention_steps
from utils.show.attention_control import AttentionControl

ROOT = Path(__file__).resolve().parents[1]
EDITS = 50
LIMIT_MS = 100  # from key press to changed page, 95 times of 100
PAUSE_MS = 100  # between a change that is shown and the next
HELD_KEY_MS = 33  # a common rate at which a held key repeats
PATIENCE_MS = 180_000
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
N3 = {
    "X": [[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]],
    "W_Q": [[0, 0, 1], [1, 0, 0], [0, 0, 0], [0, 1, 0]],
    "W_K": [[0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]],
    "W_V": [[0, 2, 0], [0, 3, 0], [1, 0, 3], [1, 1, 0]],
}
SIZES = ((12, 12), (128, 64))
LIVE = """
import numpy as np

from utils.show.live import Heatmap, LiveControl, Note, Slider


def control_of(rows, columns):
    def picture(turn):
        waves = np.sin(np.arange(rows)[:, None] * (1 + turn / 50) + np.arange(columns))
        return [Heatmap(waves, low=-1, high=1, diverging=True), Note(f"the sum is {waves.sum():.6f}")]

    return LiveControl(picture, [Slider("turn", 0, 100)], alt="Waves.")
"""
CELLS = [
    f"""
from utils.by_hand.attention import attention_steps
from utils.show.attention_control import AttentionControl

AttentionControl(attention_steps, {{"start": {N3}}})
""",
    *(f"{LIVE}\n\ncontrol_of{size}" for size in SIZES),
]
COMPUTED = ("Q", "K", "V", "scores", "weights", "output")
STOPWATCH = """
(root, [keys, changing]) => {
  const watch = (window.stopwatch = { start: null, times: [], seen: new Set() });
  document.addEventListener("keydown", (event) => {
    if (keys.includes(event.key)) watch.start = event.timeStamp;
  }, true);
  new MutationObserver((mutations) => {
    const computed = ({ target }) => (target.closest ? target : target.parentElement)?.closest(changing);
    if (watch.start === null || !mutations.some(computed)) return;
    const start = watch.start;
    watch.start = null;
    requestAnimationFrame(() => watch.times.push(performance.now() - start));
  }).observe(root, { subtree: true, childList: true, characterData: true });
  const first = root.querySelector("[data-name=V] td.number") ?? root.querySelector(".sentence");
  const look = () => { watch.seen.add(first.textContent); requestAnimationFrame(look); };
  look();
}
"""
TEXTS = """
(names) => Object.fromEntries(names.map((name) => [name,
  [...document.querySelectorAll(`.attention-control [data-name=${name}] tbody tr`)].map(
    (row) => [...row.querySelectorAll("td")].map((td) => td.textContent))]))
"""


def main() -> None:
    """Measures, and prints what came out."""
    kept = []
    with open_notebook(CELLS) as page:
        control = show(page, 0, ".attention-control")
        control.evaluate(STOPWATCH, [["Enter"], "tbody"])
        times, shown = time_edits(page)
        kept.append(report("edits of the attention control", times, shown))
        seen = hold_a_key(page)
        print(f"  {EDITS} steps of a held arrow key, one per {HELD_KEY_MS} ms: {seen} of {EDITS} seen")
        for cell, size in enumerate(SIZES, start=1):
            control = show(page, cell, ".live-control")
            control.evaluate(STOPWATCH, [["ArrowRight"], ".sentence"])
            times, shown = time_keys(page, control, size)
            kept.append(report(f"key presses on a slider, heatmap {size[0]} × {size[1]}", times, shown))
    if not all(kept):
        sys.exit(f"Missed: every change is shown, and in at most {LIMIT_MS} ms 95 times of 100.")


def report(what: str, times: list[float], shown: int) -> bool:
    """Prints the times of one control; whether every change was shown and the limit is kept."""
    p95 = percentile(times, 95) if times else float("inf")
    print(f"{len(times)} {what}, from key press to changed page:")
    print(f"  p50 {statistics.median(times or [p95]):.0f} ms, p95 {p95:.0f} ms, max {max(times, default=p95):.0f} ms")
    print(f"  shown: {shown} of {EDITS}; limit {LIMIT_MS} ms at p95: {'kept' if p95 <= LIMIT_MS else 'missed'}")
    return shown == EDITS and p95 <= LIMIT_MS


def time_keys(page: Page, control: Locator, size: tuple[int, int]) -> tuple[list[float], int]:
    """The time of every key press on the slider that changed the page, in ms, and how many were shown right."""
    made: dict = {}
    exec(LIVE, made)  # the very control of the notebook
    mirror = made["control_of"](*size)
    control.get_by_role("slider").focus()
    shown = 0
    for turn in range(1, EDITS + 1):
        mirror.set(turn=turn)
        page.wait_for_timeout(PAUSE_MS)
        done = page.evaluate("stopwatch.times.length")
        page.keyboard.press("ArrowRight")
        try:
            page.wait_for_function(f"stopwatch.times.length > {done}", timeout=5_000, polling=20)
        except NotShown:
            continue
        shown += control.locator(".sentence").inner_text() == mirror.panels[-1]["texts"][0]
    return page.evaluate("stopwatch.times"), shown


def time_edits(page: Page) -> tuple[list[float], int]:
    """The time of every edit that changed the page, in ms, and how many were shown in full."""
    chance = random.Random(0)
    mirror = AttentionControl(attention_steps, {"start": N3})
    shown = 0
    for _ in range(EDITS):
        before = computed(mirror)
        while computed(mirror) == before:
            table = chance.choice(list(N3))
            row, column = chance.randrange(len(N3[table])), chance.randrange(len(N3[table][0]))
            text = f"{chance.uniform(-3, 3):.1f}"
            mirror.edit(table, row, column, text)
        done = page.evaluate("stopwatch.times.length")
        page.get_by_label(f"{table} row {row + 1} column {column + 1}", exact=True).click()
        page.keyboard.type(text)
        page.wait_for_timeout(PAUSE_MS)
        page.keyboard.press("Enter")
        try:
            page.wait_for_function(f"stopwatch.times.length > {done}", timeout=5_000, polling=20)
        except NotShown:
            continue
        shown += page.evaluate(TEXTS, COMPUTED) == computed(mirror)
    return page.evaluate("stopwatch.times"), shown


def hold_a_key(page: Page) -> int:
    """How many of the numbers that a held arrow key goes through were on the page for at least one frame."""
    page.get_by_label("W_V row 1 column 1", exact=True).click()
    page.evaluate("stopwatch.seen.clear()")
    beginning = time.monotonic()
    for step in range(EDITS):
        time.sleep(max(0.0, beginning + step * HELD_KEY_MS / 1000 - time.monotonic()))
        page.keyboard.press("ArrowUp")
    page.wait_for_timeout(1_000)
    return page.evaluate("stopwatch.seen.size") - 1  # the number from before was seen too


def computed(control: AttentionControl) -> dict[str, list[list[str]]]:
    """The texts of the computed tables."""
    return {panel["name"]: panel["texts"] for panel in control.panels if panel["kind"] == "matrix"}


def percentile(times: list[float], per_cent: int) -> float:
    """The smallest time that so many per cent of all do not exceed."""
    return sorted(times)[max(0, -(-len(times) * per_cent // 100) - 1)]


def show(page: Page, cell: int, selector: str) -> Locator:
    """The control of one cell, scrolled to."""
    page.evaluate(
        "async at => { const notebook = jupyterapp.shell.currentWidget.content;"
        " notebook.activeCellIndex = at; await notebook.scrollToItem(at, 'start'); }",
        cell,
    )
    control = page.locator(f".jp-Cell.jp-mod-active {selector}")
    control.wait_for(timeout=PATIENCE_MS)
    page.wait_for_timeout(1_000)
    return control


@contextmanager
def open_notebook(cells: Sequence[str], shown: str = ".attention-control, .live-control") -> Iterator[Page]:
    """The page of a JupyterLab of our own, with a notebook of these cells on it, run until `shown` is there."""
    browser = find_browser()
    if browser is None:
        sys.exit(MISSING)
    # A server that is stopped leaves files of its own for a moment, in the folder too.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(notebook, Path(folder, "scratch.ipynb"))
        with serve(folder) as (address, token), sync_playwright() as playwright:
            window = playwright.chromium.launch(executable_path=browser, args=FLAGS)
            page = window.new_page(viewport={"width": 1400, "height": 900})
            page.goto(f"{address}/lab/tree/scratch.ipynb?token={token}", timeout=PATIENCE_MS)
            page.wait_for_function(
                "window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'",
                timeout=PATIENCE_MS,
            )
            page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
            page.wait_for_selector(shown, timeout=PATIENCE_MS)
            page.wait_for_timeout(2_000)  # what JupyterLab still does at the start is not the control's doing
            yield page
            window.close()


@contextmanager
def serve(folder: str) -> Iterator[tuple[str, str]]:
    """The address and token of a JupyterLab that shows `folder`; it ends with the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address, token = f"http://127.0.0.1:{port}", secrets.token_hex(16)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={port}", "--ip=127.0.0.1"]
    options = {
        "--IdentityProvider.token": token,
        "--LabApp.expose_app_in_browser": "True",
        "--LabApp.news_url": "None",
        "--ServerApp.root_dir": folder,
        "--ServerApp.allow_root": "True",
    }
    settings = {"JUPYTER_CONFIG_DIR": folder, "JUPYTER_CONFIG_PATH": str(ROOT / "etc" / "jupyter")}  # the course's
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **settings}
    server = subprocess.Popen(
        [*command, *(f"{name}={value}" for name, value in options.items())],
        env=environment,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + PATIENCE_MS / 1000
        while True:
            try:
                urllib.request.urlopen(f"{address}/api", timeout=5).close()
                break
            except OSError:
                if server.poll() is not None or time.monotonic() > deadline:
                    sys.exit("JupyterLab did not start.")
                time.sleep(0.5)
        yield address, token
    finally:
        server.terminate()
        server.wait(timeout=60)


if __name__ == "__main__":
    main()
