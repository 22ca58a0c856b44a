"""The first screen of each lesson has its opening figure, whole, on a small laptop."""

from __future__ import annotations

import re

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import Page

from utils.course.build import NOTEBOOKS
from utils.course.lessons import Lesson, all_lessons

# What JupyterLab leaves for a notebook in a window of 1366 × 768, with its file browser open.
WIDTH, HEIGHT = 1036, 647
OF_EACH_KIND = ("05", "09")  # a picture that a lesson had, and one that was made for its first screen
LESSONS = [
    pytest.param(lesson, id=lesson.number, marks=[] if lesson.number in OF_EACH_KIND else pytest.mark.long)
    for lesson in all_lessons()[1:]  # the start page begins with a control, not a picture
]
PICTURE = "img, .course-control, svg.drawn"
BOX = f"""() => {{
  const shown = document.querySelector(`.jp-OutputArea-output :is({PICTURE})`)?.getBoundingClientRect();
  return shown && [shown.top, shown.bottom, shown.width];
}}"""
# As in JupyterLab: folded code is one line high, and nothing is above the first cell.
STYLE = "<style>.jp-mod-noop .jp-InputArea-editor { height: 28px; overflow: hidden; } body { padding: 0 !important; }</style>"


def beginning_of(lesson: Lesson) -> str:
    """The HTML of the first cells of a lesson's notebook in JupyterLab's own styles, without scripts."""
    notebook = nbformat.read(NOTEBOOKS / lesson.notebook_name, as_version=4)
    notebook.cells = notebook.cells[:8]
    for cell in notebook.cells:
        if cell.metadata.get("jupyter", {}).get("source_hidden"):
            cell.source = cell.source.split("\n")[0]
    exporter = HTMLExporter(template_name="lab")
    return re.sub(r"<script.*?</script>", "", exporter.from_notebook_node(notebook)[0], flags=re.DOTALL)


@pytest.mark.parametrize("lesson", LESSONS)
def test_first_screen_has_whole_opening_figure(lesson: Lesson, blank: Page) -> None:
    blank.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    blank.set_content(beginning_of(lesson))
    blank.wait_for_function("[...document.images].every(image => image.complete)")
    place = blank.evaluate(BOX)
    print(lesson.number, place)
    assert place, "no picture is among the first cells"
    assert place[1] <= HEIGHT
