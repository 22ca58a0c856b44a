"""Notebooks as pages: what is on them, where their links lead, and what a search finds."""

from __future__ import annotations

import base64
import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from tests.site.asking import told_of
from utils.course.lessons import NOTEBOOKS
from utils.course.saving import STATES
from utils.site import build
from utils.site.build import build_site, built_companions, built_lessons, main
from utils.site.pages import WIDGET, lesson_page
from utils.site.tables import run_cell

LESSONS, COMPANIONS = built_lessons(), built_companions()
MEGABYTES = 18.5  # with two translators, without what figures answer; the whole site may have 40


def page_of(*cells: NotebookNode, **states: dict):
    metadata = {"widgets": {STATES: {"state": states}}} if states else {}
    return lesson_page(new_notebook(cells=[*cells, new_markdown_cell("---\n\nlinks")], metadata=metadata))


def code(source: str, **data: str) -> NotebookNode:
    kinds = {"html": "text/html", "plain": "text/plain", "widget": WIDGET}
    output = new_output("execute_result", {kinds[kind]: value for kind, value in data.items()})
    return new_code_cell(source, outputs=[output])


class Reader(HTMLParser):
    """What a page holds: its ids, links, headings, pictures, and all that it would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.neighbours: list[tuple[str, str]] = []
        self.levels: list[int] = []
        self.alts: list[str | None] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.ids += [given["id"]] if "id" in given else []
        if tag == "a":
            self.links.append(given["href"])
            self.neighbours += [(given["rel"], given["href"])] if "rel" in given else []
        if tag in ("script", "img", "iframe", "source", "video"):
            self.loaded += [given["src"]] if "src" in given else []
        if tag == "link":
            self.loaded.append(given["href"])
        if tag == "img":
            self.alts.append(given.get("alt"))
        if re.fullmatch(r"h[1-6]", tag):
            self.levels.append(int(tag[1]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages") / "site"
    build_site(folder, LESSONS, tables=False)
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Reader]:
    return {path.name: Reader(path.read_text(encoding="utf-8")) for path in site.glob("*.html")}


def test_site_has_a_page_for_each_lesson_and_note(pages: dict[str, Reader]) -> None:
    named = {f"{source.name}.html" for source in (*LESSONS, *COMPANIONS)}
    assert set(pages) == {"index.html", "gallery.html", *named}
    assert named <= set(pages["index.html"].links)


def test_each_page_leads_to_the_lessons_before_and_after_it(pages: dict[str, Reader]) -> None:
    for sources in (LESSONS, COMPANIONS):
        names = [f"{source.name}.html" for source in sources]
        for before, name, after in zip(["", *names], names, [*names[1:], ""], strict=False):
            around = [("prev", before), ("next", after)]
            assert pages[name].neighbours == 2 * [(side, link) for side, link in around if link]  # above and below
    assert pages["index.html"].neighbours == pages["gallery.html"].neighbours == []


def test_folded_section_shows_its_heading_and_summary_and_is_searchable() -> None:
    fold = {"jp-MarkdownHeadingCollapsed": True}
    heads = [new_markdown_cell(f"## {name}\n\n*Optional: {name} more.*", metadata=fold) for name in ("Cubes", "Roots")]
    cells = [new_markdown_cell("# Squares"), heads[0], new_markdown_cell("Eight."), heads[1], code("1 + 1")]
    seen = page_of(*cells[:3], new_markdown_cell("## Try it yourself")).body
    assert seen.index("</details>") < seen.index("Try it yourself")
    page = page_of(*cells)
    folds = re.findall(
        r'<details class="deeper"><summary class="cell text">(.*?)</summary>(.*?)</details>', page.body, re.S
    )
    assert [re.findall(r'id="(\w+)"', head) for head, _ in folds] == [["Cubes"], ["Roots"]]
    assert "Cubes more." in folds[0][0] and "Eight." in folds[0][1] and "highlight" in folds[1][1]
    assert page.sections == [("Squares", "Squares", ""), ("Cubes", "Cubes", "Optional: Cubes more. Eight."),
                             ("Roots", "Roots", "Optional: Roots more.")]  # fmt: skip


def test_search_knows_every_section_of_every_lesson_and_companion_page(site: Path, pages: dict[str, Reader]) -> None:
    text = (site / "assets" / "search.js").read_text("utf-8")
    index = json.loads(re.fullmatch(r"course\.index\((.*)\);\n", text, re.DOTALL)[1])
    titles = {f"{source.name}.html": f"{source.number} {source.title}" for source in (*LESSONS, *COMPANIONS)}
    assert list(dict.fromkeys(page for page, *_ in index)) == list(titles)
    for page, title, place, heading, _ in index:
        assert title == titles[page] and place in pages[page].ids and heading
    for page in titles:
        text = (site / page).read_text("utf-8")
        assert [place for name, _, place, *_ in index if name == page] == [
            unescape(place) for place in re.findall(r'<h[1-6] id="([^"]*)"', text)
        ]


TURNED = """
from utils.show.live import LiveControl, Note, Toggle
LiveControl(lambda on: Note("on" if on else "off"), [Toggle("on")], alt="on or off")
"""
LOOKED = """
import numpy as np
from utils.show.explorer import AttentionExplorer, Pass, Text
def look(text, off=()):
    return Pass({"encoder": [np.full((2, 2, 2), 0.5)]}, Text(text.split()), output=f"{len(off)} off")
AttentionExplorer({"one two": look("one two")}, translate=look)
"""


def with_tables(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *sources: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What the page of a lesson with two controls is told of them where these cells make them, and what was saved."""
    (lesson,) = [lesson for lesson in LESSONS if lesson.number == "01"]
    notebook = nbformat.read(build.NOTEBOOKS / lesson.notebook_name, as_version=4)
    controls = list(lesson_page(notebook).controls.values())
    for control, source in zip(controls, sources, strict=True):
        (cell,) = [cell for cell in notebook.cells if cell.source == control.source]
        cell.source = source
    nbformat.write(notebook, folder / lesson.notebook_name)
    monkeypatch.setattr(build, "NOTEBOOKS", folder)
    monkeypatch.setattr(build, "built_companions", list)  # it takes as long as a lesson to make one
    build_site(folder / "site", [lesson])
    return told_of(folder / "site", lesson), [control.widget["state"] for control in controls]


def test_control_has_a_table_and_the_current_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (turned, looked), _ = with_tables(tmp_path, monkeypatch, TURNED, LOOKED)
    assert turned["table"]["axes"] == [["on", [False, True]]] and turned["buffers"] == {}
    assert turned["state"]["alt"] == "on or off" and not {"layout", "_esm", "_css"} & set(turned["state"])
    data = {name: value for name, value in run_cell(LOOKED).get_state().items() if isinstance(value, bytes)}
    assert {name: base64.b64decode(text) for name, text in looked["buffers"].items()} == data != {}
    assert len(looked["table"]["answers"]) == 4 and not set(data) & set(looked["state"])


def test_every_link_leads_to_a_page_a_place_or_a_picture(site: Path, pages: dict[str, Reader]) -> None:
    texts = "".join(lesson.text for lesson in LESSONS)
    for name, page in pages.items():
        for link in page.links:
            if link.startswith("https://") and f"]({link})" in texts:  # a source that a lesson names
                continue
            target, _, place = link.partition("#")
            target = target.partition("?")[0] or name
            assert target in pages or (site / target).is_file(), f"{name} links to {link}"
            assert not place or unquote(place) in pages[target].ids, f"{name} links to {link}"


def test_ids_are_unique_headings_are_in_order_and_pictures_have_texts(pages: dict[str, Reader]) -> None:
    for name, page in pages.items():
        assert len(set(page.ids)) == len(page.ids), name
        assert page.levels[0] == 1 and page.levels.count(1) == 1, name
        assert all(next <= level + 1 for level, next in zip(page.levels, page.levels[1:], strict=False)), name
        assert all(alt and alt.strip() for alt in page.alts), name


def test_everything_loaded_is_in_the_folder_which_is_small(site: Path, pages: dict[str, Reader]) -> None:
    for page in pages.values():
        for source in page.loaded:
            assert source.startswith("data:") or (site / source).is_file(), source
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) < MEGABYTES * 1e6


def test_link_to_a_page_shows_its_title_its_question_and_a_large_image(site: Path) -> None:
    for lesson in LESSONS:
        text = (site / f"{lesson.name}.html").read_text("utf-8")
        shown = {name: unescape(said) for name, said in re.findall(r'<meta property="og:(.+?)" content="(.*?)">', text)}
        assert lesson.title in shown["title"] and shown["description"] == lesson.question
        with Image.open(site / shown["image"]) as image:
            assert image.size == (int(shown["image:width"]), int(shown["image:height"])) == (1200, 630)


def test_opening_picture_and_its_caption_are_shown_once(site: Path) -> None:
    for lesson in LESSONS:
        top = (site / f"{lesson.name}.html").read_text("utf-8").partition("<h2")[0]
        shown = re.findall(r'<img [^>]*src="([^"]+)"', top)
        assert len(set(shown)) == len(shown), lesson.name
        for caption in re.findall(r"<figcaption>(.+?)</figcaption>", top, re.DOTALL):
            assert top.count(caption) == 1, lesson.name


def test_control_after_the_imports_opens_the_page_and_is_the_last_one() -> None:
    states = {name * 32: {"model_name": "AnyModel", "state": {}} for name in "ab"}
    opening, later = (code("from x import y\n\ny()", widget={"model_id": name}, plain="made") for name in states)
    for cell in (opening, later):
        cell.metadata["jupyter"] = {"source_hidden": True}
    first, second = states
    head, caption, section = map(new_markdown_cell, ("# L", "Turn it.", "## S"))
    page = page_of(head, new_code_cell("import re"), opening, caption, section, later, **states)
    assert f'id="control-2" data-control="{first}"' in page.opening and list(page.controls) == [second, first]
    assert first not in page.body and f'id="control-1" data-control="{second}"' in page.body
    assert page.body.index("Turn it.") < page.body.index("import") < page.body.index("The code of this figure")
    page = page_of(head, new_code_cell("import re"), opening, section, **states)
    assert page.body.index("The code of this figure") < page.body.index("<h2"), "a section isn't a caption"
    for before in ([], [section], [new_markdown_cell("Type.")], [section, new_code_cell("import re")]):
        page = page_of(new_markdown_cell("# L"), *before, opening, **states)
        assert not page.opening and first in page.body, "a control elsewhere stays there"


def test_gallery_leaves_out_an_opening_figure_unless_it_is_the_only_one(site: Path) -> None:
    shown = re.findall(r'data-control="([^"]+)"', (site / "gallery.html").read_text("utf-8"))
    expected = []
    for lesson in LESSONS:
        page = lesson_page(nbformat.read(NOTEBOOKS / lesson.notebook_name, as_version=4))
        expected += [one for one in page.controls if one not in page.opening] or page.controls
    assert shown == expected


def test_folded_code_is_called_imports_or_code() -> None:
    for cell, name in ((new_code_cell("import re"), "Imports"), (code("draw()", plain="made"), "The code")):
        cell.metadata["jupyter"] = {"source_hidden": True}
        assert f"<summary>{name}" in page_of(cell).body


def test_code_is_folded_up_to_the_first_figure() -> None:
    figure, later = code("draw()", html="<img src='data:,'>"), code("x = 1", plain="1")
    body = page_of(code("first()", plain="made"), figure, later).body
    folded = re.findall(r'<details class="imports">.*?</details>', body, re.DOTALL)
    assert ["first" in one or "draw" in one for one in folded] == [True, True]
    assert body.index("<img") < body.index(folded[1])
    assert '<details class="imports">' not in page_of(later).body


def test_head_marks_what_a_phone_has_no_room_for() -> None:
    head, _ = page_of(
        new_markdown_cell(
            "# 05 · A\n\ndo first: [04 The other](04_o.ipynb) · in the whole machine: [a box](20_w.ipynb#W)"
        )
    ).parted
    assert re.sub(r'<span class="wide">.*?</span>', "", head).count("</a>") == 1
    assert '>04<span class="wide"> The other</span></a>' in head and "a box" in head


def test_page_shows_the_notebook_without_its_last_links() -> None:
    page = page_of(
        new_markdown_cell(
            '# 05 · A lesson\n\nsee [that](06_b.ipynb#Turn-it), [a box](20_w.ipynb#The-walkthrough "a.b") and $d_k$'
        ),
        code("x = 1", html="<b>seen</b> <a href='07_c.ipynb'>on</a>", plain="not this"),
        code("print()", plain="<2.5>"),
    )
    assert '<a href="06_b.html#Turn-it">that</a>' in page.body and "<a href='07_c.html'>on</a>" in page.body
    assert '<a href="20_w.html?box=a.b#The-walkthrough" title="a.b">a box</a>' in page.body
    assert '<h1 id="05-·-A-lesson">05 · A lesson</h1>' in page.body
    assert '<div class="input"><div class=" highlight hl-python">' in page.body
    assert '>x = <span class="mi">1</span>' in page.body.replace("<span></span>", "")
    assert "<math " in page.body and "<b>seen</b>" in page.body and "&lt;2.5&gt;" in page.body
    assert "not this" not in page.body and "links" not in page.body


def test_words_for_the_notebook_alone_are_not_on_the_page() -> None:
    cell = new_markdown_cell('# Lesson\n\nType a word<span class="in-notebook"> and press **Enter**</span>.')
    page = page_of(cell)
    assert "Type a word." in page.body and "Enter" not in page.sections[0][2]


def test_search_finds_prose_and_formulas_under_their_heading_and_no_solution() -> None:
    hidden = "<details><summary>Solution</summary>\n\nsecret\n\n</details>"
    page = page_of(
        new_markdown_cell("# Lesson\n\nfirst"), new_markdown_cell("## *Why* √d_k\n\nthe root $d_k$ & more\n\n" + hidden)
    )
    assert page.sections == [
        ("Lesson", "Lesson", "first"),
        ("Why-√d_k", "Why √d_k", "the root d_k & more"),
    ]


def test_saved_widget_is_static_on_its_page() -> None:
    states = {
        "a" * 32: {"model_name": "VBoxModel", "state": {"children": ["IPY_MODEL_b", "IPY_MODEL_c", "IPY_MODEL_d"]}},
        "b": {"model_name": "HTMLModel", "state": {"value": "<i>ready</i>"}},
        "c": {"model_name": "FloatProgressModel", "state": {"value": 3.0, "max": 12.0}},
        "d": {"model_name": "ButtonModel", "state": {"description": "Run <it>"}},
    }
    body = page_of(code("run", widget={"model_id": "a" * 32}), **states).body
    assert "<i>ready</i>" in body and 'value="0.2500"' in body
    assert "disabled>Run &lt;it&gt;</button>" in body and "make lab" in body


def test_command_builds_named_lessons_and_names_missing_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "SITE", tmp_path)
    monkeypatch.setattr(build, "built_companions", list)
    monkeypatch.setattr(build, "NUMBERS", ())
    monkeypatch.setattr(build, "_table", lambda *_: {})
    assert main(["5", "--out", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "05_self_attention_by_hand.html").is_file()
    assert " MB" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["77"])
    assert "There is no lesson 77." in capsys.readouterr().err
