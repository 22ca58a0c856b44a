"""axe-core finds nothing in what is ours: pages of the site, notebooks in JupyterLab, controls of every kind, cards.

A sample of the pages in every run; `make test-all` has every lesson, and notebooks. In JupyterLab only rendered text
and outputs are looked at: its menus, bars, prompts and editors are not ours.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from tests.browser.axe import violations
from tests.browser.conftest import Course, offline, open_notebook, run_cells, submit
from tests.browser.plain_page import plain_page
from tests.needed_cells import needed_cells
from utils.course.build import build
from utils.course.lessons import BEGIN, Lesson, all_lessons, companion_pages
from utils.show import live
from utils.show.cards import card, folded
from utils.show.figures import heatmap, picture_html
from utils.show.lit import lit_words
from utils.show.tables import matrices, table
from utils.site.build import build_site
from utils.site.elsewhere import Address

ALL = bool(os.environ.get("TEST_ALL"))
LESSONS = [lesson for lesson in all_lessons() if ALL or lesson.number == "05"]
OURS = [".jp-RenderedMarkdown", ".jp-OutputArea-output"]
SHOW_ALL = """() => {
    const notebook = jupyterapp.shell.currentWidget.content;
    notebook.notebookConfig = { ...notebook.notebookConfig, windowingMode: "none" };
}"""
DARK = "() => jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Dark' })"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("axe") / "site"
    build_site(folder, LESSONS, tables=False, here=LESSONS, address=Address("somebody/course", "v1.0"))
    return folder


@pytest.mark.parametrize(
    "name", ["index", *(source.name for source in (*LESSONS, *companion_pages()[: 5 if ALL else 1]))]
)
def test_site_page_is_accessible(browser: Browser, site: Path, name: str) -> None:
    found = []
    with offline(browser) as (page, _):  # axe asks for the style sheets once more, in vain
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            page.goto(f"file://{site}/{name}.html")
            found += [f"{scheme}: {line}" for line in violations(page)]
    assert found == []


@pytest.mark.long
@pytest.mark.usefixtures("its_weights")
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.number)
def test_notebook_with_controls_and_feedback_is_accessible(lesson: Lesson, page: Page, course: Course) -> None:
    open_notebook(page, course, lesson.notebook_name)
    solved = build(lesson, all_lessons(), solved=True)
    run_cells(page, needed_cells(solved, lambda source: re.search(r"Control\(|Explorer\(|check\(", source)))
    exercises = [cell.source for cell in solved.cells if cell.cell_type == "code" and BEGIN in cell.source]
    for source, is_right in zip(exercises, (True, False), strict=False):
        called = re.search(r'\bcheck\("([^"]+)"', source)[0]
        name = called.split('"')[1]
        wrong = f'{called}, EXERCISES["{name}"].wrong_answers[0].function)'
        imports = "from utils.course.exercises import EXERCISES, check\n"
        submit(page, called, source if is_right else imports + wrong).wait_for()
    page.evaluate(SHOW_ALL)
    found = [f"light: {line}" for line in violations(page, OURS)]
    page.evaluate(DARK)
    page.wait_for_selector("body[data-jp-theme-light=false]", state="attached")
    found += [f"dark: {line}" for line in violations(page, OURS)]
    assert found == []


def everything(rows: int, **_: object) -> list:
    wave = np.sin(np.arange(rows * 20).reshape(rows, 20) / 3)
    small = [[-1.5, 0.0], [0.7, 2.1]]
    return [
        live.Note("All kinds of panels."),
        live.Heatmap(small, ["a", "b"], ["c", "d"], "small"),
        live.Heatmap(wave, title="large"),
        live.Lines([1, 2, 3], {"y": [1, 2, 1], "z": [0, 1, 2]}, "x", "y", "curves"),
        live.Bars(["a", "b"], [1, -1], "bars", lit=[0]),
        live.Points([[0, 0], [1, 1]], ["p", "q"], "points", ["one", "two"]),
        live.Tokens(["a", "b", "c"], [1, 2, 3], [0, 1, 2], key=["few", "some", "many"], ordered=True),
        live.Matrix(small, "A", lit_rows=[0], shares=False),
    ]


def all_kinds() -> live.LiveControl:
    turned = [
        live.Slider("rows", 18, 20),
        live.Choice("few", ["a", "b"]),
        live.Choice("many", list("abcdefgh")),
        live.Toggle("on"),
        live.Text("words", "a b"),
        live.Paint("mask", np.eye(2, dtype=bool)),
        live.Entries("x", [[1, 2]]),
        live.Row("who", ["x₁", "x₂"]),
    ]
    return live.LiveControl(everything, turned, {"twenty": {"rows": 20}}, "Every kind of panel and of parameter.")


OTHERS = [
    card("good", "passed", ["well done"]),
    card("bad", "not yet", ["look at the sign"], folded("a hint")),
    card("note", "said", []),
    card("neutral", "not yet tried", []),
    table(["a", "b"], [["1", "2"]], "A table"),
    matrices(Q=[[1, -2]], row_names=["the"], lit={"Q": 0}),
    lit_words(["the", "room", "was", "clean"], [0.1, 0.5, 0.15, 0.25], "cleanliness:"),
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_with_all_kinds_of_parts_is_accessible(blank: Page, tmp_path: Path, scheme: str) -> None:
    parts = "".join(part.html for part in OTHERS) + picture_html(heatmap([[-1, 2]], ["q"], ["a", "b"], "picture"))
    html = plain_page(all_kinds()).replace(
        '<div id="place">', f'<h1>Parts</h1>{parts}<h2>A control</h2><div id="place">'
    )
    html = html.replace(
        'style="margin:0"', 'style="background: Canvas; color: CanvasText"'
    )  # else axe takes it for white
    (tmp_path / "page.html").write_text(html.replace("<html", f'<html style="color-scheme: {scheme}"'), "utf-8")
    blank.emulate_media(color_scheme=scheme)
    blank.goto(f"file://{tmp_path}/page.html")
    blank.locator(".live-control .sheet").last.wait_for()
    assert violations(blank) == []
    # Where the reader's own few colours are forced: what is on is seen, and a colour that is a number stays.
    shade = blank.locator("table.cells td").first
    look = "node => ['color', 'backgroundColor', 'outlineStyle'].map(name => getComputedStyle(node)[name])"
    before = shade.evaluate(look)
    blank.emulate_media(forced_colors="active")
    on, off = (
        blank.locator(f"table.paint button[aria-pressed={is_on}]").first.evaluate(look) for is_on in ("true", "false")
    )
    assert on[0] != on[1] and on[2] == "solid" and off[0] == off[1] and off[2] != "solid"
    assert shade.evaluate(look) == before
