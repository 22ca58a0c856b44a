"""Notebooks as pages: what is on them, where their links lead, and what a search finds."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from utils.course.saving import STATES
from utils.site import build
from utils.site.build import build_site, built_lessons, main
from utils.site.pages import WIDGET, lesson_page, still

LESSONS = built_lessons()
MEGABYTES = 40  # that the whole site may have


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
        self.levels: list[int] = []
        self.alts: list[str | None] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.ids += [given["id"]] if "id" in given else []
        if tag == "a":
            self.links.append(given["href"])
        if tag in ("script", "img", "iframe", "source", "video"):
            self.loaded.append(given.get("src", ""))
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


def test_there_is_a_page_for_each_lesson_and_one_to_start_from(pages: dict[str, Reader]) -> None:
    assert set(pages) == {"index.html", "gallery.html", *(f"{lesson.name}.html" for lesson in LESSONS)}
    assert {f"{lesson.name}.html" for lesson in LESSONS} <= set(pages["index.html"].links)


def test_slides_have_a_page_to_start_from_and_no_file_lies_there_for_nothing(site: Path, tmp_path: Path) -> None:
    some = [lesson for lesson in LESSONS if lesson.number in ("02", "05")]  # without a control, and with one
    build_site(tmp_path, some, tables=False, slides=True)
    assert {path.stem for path in tmp_path.glob("*.html")} == {"index", *(lesson.name for lesson in some)}
    for folder in (site, tmp_path):
        pages = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.html"))
        files = {path.name for path in (folder / "assets").iterdir()} - {"search.js"}  # which the search fetches
        assert {name for name in files if name not in pages} == set()


def test_every_link_leads_to_a_page_and_a_place_on_it(pages: dict[str, Reader]) -> None:
    for name, page in pages.items():
        for link in page.links:
            target, _, place = link.partition("#")
            assert (target or name) in pages, f"{name} links to {link}"
            assert not place or unquote(place) in pages[target or name].ids, f"{name} links to {link}"


def test_ids_are_single_headings_come_in_order_and_every_picture_has_words(pages: dict[str, Reader]) -> None:
    for name, page in pages.items():
        assert len(set(page.ids)) == len(page.ids), name
        assert page.levels[0] == 1 and page.levels.count(1) == 1, name
        assert all(next <= level + 1 for level, next in zip(page.levels, page.levels[1:], strict=False)), name
        assert all(alt and alt.strip() for alt in page.alts), name


def test_the_gallery_has_the_styles_of_every_control(pages: dict[str, Reader]) -> None:
    lessons = {source for name, page in pages.items() for source in page.loaded if name != "gallery.html"}
    of_controls = {s for s in lessons if s not in pages["index.html"].loaded and s.startswith("assets/")}
    assert {s for s in of_controls if s.endswith(".css")} <= set(pages["gallery.html"].loaded)


def test_all_that_is_loaded_lies_in_the_folder_which_is_not_large(site: Path, pages: dict[str, Reader]) -> None:
    for page in pages.values():
        for source in page.loaded:
            assert source.startswith("data:") or (site / source).is_file(), source
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) < MEGABYTES * 1e6


def test_the_page_has_what_the_notebook_shows_but_for_its_last_links() -> None:
    page = page_of(
        new_markdown_cell("# 05 · A lesson\n\nsee [that](06_b.ipynb#Turn-it) and $d_k$"),
        code("x = 1", html="<b>seen</b> <a href='07_c.ipynb'>on</a>", plain="not this"),
        code("print()", plain="<2.5>"),
    )
    assert '<a href="06_b.html#Turn-it">that</a>' in page.body and "<a href='07_c.html'>on</a>" in page.body
    assert '<h1 id="05-·-A-lesson">05 · A lesson</h1>' in page.body
    assert "<math " in page.body and "<b>seen</b>" in page.body and "&lt;2.5&gt;" in page.body
    assert "not this" not in page.body and "links" not in page.body


def test_headings_with_one_name_get_places_of_their_own() -> None:
    page = page_of(new_markdown_cell("## Turn it\n\n## Turn it\n\n### Turn it"))
    assert page.headings == [("Turn-it", "Turn it"), ("Turn-it~2", "Turn it")]
    assert 'id="Turn-it~3"' in page.body


def test_a_search_finds_prose_and_formulas_under_their_heading_and_no_solution() -> None:
    hidden = "<details><summary>Solution</summary>\n\nsecret\n\n</details>"
    page = page_of(
        new_markdown_cell("# Lesson\n\nfirst"), new_markdown_cell("## *Why* √d_k\n\nthe root $d_k$ & more\n\n" + hidden)
    )
    assert page.sections == [
        ("Lesson", "Lesson", "first"),
        ("Why-√d_k", "Why √d_k", "the root d_k & more"),
    ]


def test_a_saved_widget_stands_still_on_its_page() -> None:
    states = {
        "a" * 32: {"model_name": "VBoxModel", "state": {"children": ["IPY_MODEL_b", "IPY_MODEL_c", "IPY_MODEL_d"]}},
        "b": {"model_name": "HTMLModel", "state": {"value": "<i>ready</i>"}},
        "c": {"model_name": "FloatProgressModel", "state": {"value": 3.0, "max": 12.0}},
        "d": {"model_name": "ButtonModel", "state": {"description": "Run <it>", "layout": "IPY_MODEL_e"}},
        "e": {"model_name": "LayoutModel", "state": {"display": "flex"}},
        "f": {"model_name": "ColorModel", "state": {}},
    }
    body = page_of(code("run", widget={"model_id": "a" * 32}), **states).body
    assert "<i>ready</i>" in body and 'value="0.2500"' in body
    assert "disabled>Run &lt;it&gt;</button>" in body and "make lab" in body
    assert "make lab" not in still("b", states)
    states["e"]["state"]["display"] = "none"
    assert "button" not in still("a" * 32, states)
    with pytest.raises(ValueError, match="ColorModel"):
        still("f", states)


def test_what_two_controls_share_is_written_once(tmp_path: Path) -> None:
    build_site(tmp_path / "site", [lesson for lesson in LESSONS if lesson.number in ("03", "04")], tables=False)
    names = [path.name for path in (tmp_path / "site" / "assets").iterdir()]
    assert len([name for name in names if re.fullmatch(r"[0-9a-f]{8}\.js", name)]) == 1
    assert {"03_word2vec_and_prot2vec.js", "04_positional_encoding.js"} <= set(names)


def test_the_command_builds_what_it_is_told_and_names_what_there_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "SITE", tmp_path)
    monkeypatch.setattr(build, "runs_there", lambda lesson: False)
    assert main(["5", "--out", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "05_self_attention_by_hand.html").is_file()
    assert " MB" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["77"])
    assert "There is no lesson 77." in capsys.readouterr().err


def test_it_is_made_from_the_saved_notebooks() -> None:
    notebook = nbformat.read(build.NOTEBOOKS / LESSONS[5].notebook_name, as_version=4)
    assert lesson_page(notebook).body.count('class="cell ') == len(notebook.cells) - 1
