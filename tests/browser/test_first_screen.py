"""The first screen of each lesson has its opening figure, whole, on a small laptop."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib
import nbformat
import pytest
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from playwright.sync_api import Page

from tests.browser.plain_page import plain_page
from utils.course.build import NOTEBOOKS
from utils.course.lessons import Lesson, all_lessons
from utils.site.pages import WIDGET
from utils.site.tables import run_cell

# What JupyterLab leaves for a notebook in a window of 1366 × 768, with its file browser open.
WIDTH, HEIGHT = 1036, 647
TALL = ("20",)  # the paper's Figure 1: small enough for a first screen, nobody could read it
LESSONS = all_lessons()[1:]  # the start page begins with a control, not a picture
# A machine's own fonts may be narrower or wider, so the page is set in those that come with Matplotlib.
FONTS = Path(matplotlib.get_data_path(), "fonts", "ttf")
STYLE = "".join(
    f'@font-face {{ font-family: "{family}"; src: url("{(FONTS / file).as_uri()}"); font-weight: {weight} }}'
    for family, file, weight in (
        ("text", "DejaVuSans.ttf", 400), ("text", "DejaVuSans-Bold.ttf", 700), ("code", "DejaVuSansMono.ttf", 400)
    )
)  # fmt: skip
STYLE += ":root { --jp-content-font-family: text; --jp-ui-font-family: text; --jp-code-font-family: code }"
BOX = """() => {
  const shown = document.querySelector(".jp-OutputArea-output :is(img, .course-control)")?.getBoundingClientRect();
  return shown && [shown.top, shown.bottom];
}"""


# A saved control is one without Python, as ipywidgets marks it.
PLACE = '<div id="place" class="jupyter-widgets-disconnected"></div>'


def beginning_of(notebook: NotebookNode) -> str:
    """Return the HTML of the first cells of a notebook in JupyterLab's own styles, with its first control as saved."""
    notebook = NotebookNode({**notebook, "cells": notebook.cells[:8]})
    control = ""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if WIDGET in output.get("data", {}) and not control:
                page = plain_page(run_cell(cell.source))
                control = "".join(re.findall(r"<style>.*?</style>|<script.*?</script>", page, re.DOTALL))
                output.data = {"text/html": PLACE}
        if cell.metadata.get("jupyter", {}).get("source_hidden"):
            cell.source = cell.source.split("\n")[0]
    exporter = HTMLExporter(template_name="lab")
    html = re.sub(r"<script.*?</script>", "", exporter.from_notebook_node(notebook)[0], flags=re.DOTALL)
    return html.replace("</head>", f"<style>{STYLE}</style></head>").replace("</body>", f"{control}</body>")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.number)
def test_first_screen_has_whole_opening_figure(lesson: Lesson, blank: Page, tmp_path: Path) -> None:
    blank.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    html = beginning_of(nbformat.read(NOTEBOOKS / lesson.notebook_name, as_version=4))
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    blank.goto((tmp_path / "page.html").as_uri())
    blank.wait_for_function("[...document.images].every(image => image.complete) && document.fonts.status === 'loaded'")
    if PLACE in html:
        blank.locator("#place .course-control .notice.on").wait_for()
    place = blank.evaluate(BOX)
    assert place, "no picture is among the first cells"
    top, bottom = place
    assert top < HEIGHT * 0.62 if lesson.number in TALL else bottom <= HEIGHT
