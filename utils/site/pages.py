"""Convert a built notebook into the HTML of a page: prose, code, saved outputs, and a place for each control."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape, unescape
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from jinja2.bccache import Bucket, BytecodeCache
from nbconvert.exporters import TemplateExporter
from nbconvert.filters import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from traitlets.config import Config

from utils.course.build import COLLAPSED
from utils.course.saving import widget_states
from utils.site.mathematics import mathml, plain

HERE = Path(__file__).parent
WIDGET = "application/vnd.jupyter.widget-view+json"
_KINDS = [WIDGET, "text/html", "text/plain"]  # of outputs, the best first
_LINK = re.compile(r"""(href=["'])([\w-]+)\.ipynb(?=["'#])""")
_BOX = re.compile(r"""\.ipynb(#The-walkthrough" title="([\w.]+)")""")  # a link to a box of the walkthrough
_TAG = re.compile(r"<[^>]*>")
_NO_COLOUR = re.compile(r'<span class="(?!(?:k|kn|kc|ow|c1|sd|s1|s2|sa|si|mi|mf)")\w+">([^<]*)</span>')  # in look.css
_ASIDE = re.compile(r"<details>.*?</details>|<pre.*?</pre>", re.DOTALL)  # the search skips these
_HEAD = re.compile(r'\A\s*<div class="cell text">(.*?)</div>\n', re.DOTALL)  # the first cell, a heading and its line
_HEADING = re.compile(r"^## ", re.MULTILINE)
_NEEDED = re.compile(r'(<a href="[\w-]+\.html">\w+) ([^<]*)')  # in its line: the link to a lesson, number and title
_MACHINE = re.compile(r" · in the whole machine: .*?</a>")
_FORMULA = re.compile(r"<math .*?</math>", re.DOTALL)
_SECTION = re.compile(r'<h[1-6] id="([^"]*)">(.*?)</h[1-6]>', re.DOTALL)
_IN_NOTEBOOK = re.compile(r'<span class="in-notebook">.*?</span>', re.DOTALL)  # text only for JupyterLab
_NEEDS_PYTHON = '<p class="aside">These buttons work in the notebook: <code>make lab</code> opens it.</p>'


@dataclass
class SavedControl:
    """A control on a page: its saved state, the code of the cell that shows it, and its description."""

    widget: Mapping[str, Any]
    source: str
    said: str = ""


@dataclass
class LessonPage:
    """The parts of a lesson's page."""

    body: str  # the HTML of the cells
    headings: list[tuple[str, str]]  # of the sections: id and text
    sections: list[tuple[str, str, str]]  # for the search: id, heading and the text below it
    controls: dict[str, SavedControl] = field(default_factory=dict)  # by their ids; the one that opens it is the last
    opening: str = ""  # the HTML of the control that opens the lesson, which isn't in the body

    @property
    def parted(self) -> tuple[str, str]:
        """The first cell, with title and question, and the rest of the body. On a phone, `wide` is left out."""
        head = _HEAD.match(self.body)
        short = _NEEDED.sub(r'\1<span class="wide"> \2</span>', head[0])
        short = _MACHINE.sub(lambda place: f'<span class="wide">{place[0]}</span>', short)
        return short, self.body[head.end() :]


class _Prose(IPythonRenderer):
    """A renderer of Markdown with JupyterLab's ids of headings, and with formulas as MathML."""

    def __init__(self) -> None:
        super().__init__(escape=False)
        self.headings: list[tuple[int, str, str]] = []  # level, id, text

    def heading(self, text: str, level: int, **_: Any) -> str:
        plain = unescape(_TAG.sub("", text))
        name = plain.replace(" ", "-")
        twins = sum(name == other.split("~")[0] for _, other, _ in self.headings)
        name += f"~{twins + 1}" if twins else ""
        self.headings.append((level, name, plain))
        return f'<h{level} id="{escape(name)}">{text}</h{level}>\n'

    def block_code(self, code: str, info: str | None = None) -> str:
        return _coloured(super().block_code(code, info))

    def block_math(self, body: str) -> str:
        return mathml(body, display=True)

    def inline_math(self, body: str) -> str:
        return mathml(body)


def lesson_page(notebook: NotebookNode) -> LessonPage:
    """Return the page of a built notebook without its last cell, because the page's frame has those links."""
    states = widget_states(notebook)
    prose, controls, above = _Prose(), {}, ""
    first = _opening(notebook)
    markdown = MarkdownWithMath(renderer=prose)

    def widget(output: Mapping[str, Any], source: str) -> str:
        model_id = output["data"][WIDGET]["model_id"]
        if states[model_id]["model_name"] != "AnyModel":
            return f'<div class="still">{still(model_id, states)}</div>'
        controls[model_id] = SavedControl(states[model_id], source, "".join(output["data"]["text/plain"]))
        return "" if model_id == first else _place(len(controls) - (first in controls), model_id, controls)

    highlight = Highlight2HTML(pygments_lexer="python")
    exporter = _exporter(prose=markdown.render, widget=widget, highlighted=lambda source: _coloured(highlight(source)))
    html = ""
    cells = notebook.cells[:-1] if first is None else _with_caption_first(notebook.cells[:-1])
    for group in _between_folds(_with_folded_opening(cells)):
        # Leave out the controls' states, which would be copied twice for each part.
        part, _ = exporter.from_notebook_node(NotebookNode({**notebook, "cells": group, "metadata": {}}))
        part = linked(_IN_NOTEBOOK.sub("", part))
        html += (_folded(part) if group and COLLAPSED in group[0].metadata else part) + "\n"
    headings = [(name, text) for level, name, text in prose.headings if level == 2]
    if first in controls:
        controls[first] = controls.pop(first)
        above = _place(len(controls), first, controls)
    return LessonPage(html, headings, _sections(html), controls, above)


def _place(number: int, model_id: str, controls: Mapping[str, SavedControl]) -> str:
    """Return the place of a control on its page; until its script has loaded, it shows its description."""
    said = escape(controls[model_id].said)
    return f'<div class="live" id="control-{number}" data-control="{model_id}"><pre>{said}</pre></div>'


def _opening(notebook: NotebookNode) -> str | None:
    """Return the id of the control that the code directly after the imports shows, above the first section, or None."""
    for before, cell in pairwise(notebook.cells):
        if cell.cell_type == "markdown" and _HEADING.search(cell.source):
            return None
        shown = [output["data"][WIDGET] for output in cell.get("outputs", []) if WIDGET in output.get("data", {})]
        if shown:
            return shown[0]["model_id"] if before.cell_type == "code" else None
    return None


def _coloured(code: str) -> str:
    """Return highlighted code without the tags of words that have no colour, which are half of it."""
    return _NO_COLOUR.sub(r"\1", code)


def _with_folded_opening(cells: Sequence[NotebookNode]) -> list[NotebookNode]:
    """Return the cells, with the code folded up to the first figure, so that a page begins with its figure."""
    first = next((at for at, cell in enumerate(cells) if _has_figure(cell)), -1)
    hidden = {"source_hidden": True}
    return [
        NotebookNode({**cell, "metadata": NotebookNode({**cell.metadata, "jupyter": hidden})})
        if at <= first and cell.cell_type == "code"
        else cell
        for at, cell in enumerate(cells)
    ]


def _with_caption_first(cells: Sequence[NotebookNode]) -> list[NotebookNode]:
    """Return the cells, with the text after the first figure moved above the figure's code and the imports."""
    at = next(at for at, cell in enumerate(cells) if _has_figure(cell))
    *before, imports, figure = cells[: at + 1]
    after = cells[at + 1 : at + 2]
    caption = [cell for cell in after if cell.cell_type == "markdown" and not _HEADING.search(cell.source)]
    return [*before, *caption, imports, figure, *cells[at + 1 + len(caption) :]]


def _has_figure(cell: NotebookNode) -> bool:
    return any(
        WIDGET in output.get("data", {}) or "<img" in output.get("data", {}).get("text/html", "")
        for output in cell.get("outputs", [])
    )


def _between_folds(cells: Sequence[NotebookNode]) -> Iterator[Sequence[NotebookNode]]:
    """Yield the cells in groups: those before the first folded heading, then each section, folded or not."""
    folds = [at for at, cell in enumerate(cells) if COLLAPSED in cell.metadata]
    later = [at for at, cell in enumerate(cells) if folds and at > folds[0] and cell.source.startswith("## ")]
    for first, last in pairwise(sorted({0, *folds, *later, len(cells)})):
        yield cells[first:last]


def _folded(html: str) -> str:
    """Return a section folded below its first cell, which has the heading and the summary."""
    head = _HEAD.match(html)
    seen = re.sub(r"<(/?)p>", r"<\1span>", head[1])
    return f'<details class="deeper"><summary class="cell text">{seen}</summary>\n{html[head.end() :]}\n</details>'


def prose(text: str) -> str:
    """Return Markdown as HTML, as on a page."""
    return MarkdownWithMath(renderer=_Prose()).render(text)


def in_line(text: str) -> str:
    """Return a sentence or heading in Markdown as HTML, without a paragraph around it."""
    return prose(text).strip().removeprefix("<p>").removesuffix("</p>")


def framed(template: str, **given: Any) -> str:
    """Return the filled template of this name in the `templates` folder."""
    return _exporter(linked=linked).environment.get_template(f"{template}.html.j2").render(**given)


def linked(html: str) -> str:
    """Return HTML with links to pages in place of notebooks, and the box of a walkthrough in the link's query."""
    return _LINK.sub(r"\1\2.html", _BOX.sub(r".html?box=\2\1", html))


def still(model_id: str, states: Mapping[str, Any]) -> str:
    """Return a saved widget of ipywidgets as HTML: boxes, texts, bars, and buttons with a note that they need Python.

    Raise ValueError for a widget of any other kind.
    """
    inside = _still(model_id, states)
    return inside + (_NEEDS_PYTHON if "<button" in inside else "")


def _still(model_id: str, states: Mapping[str, Any]) -> str:
    model = states[model_id.removeprefix("IPY_MODEL_")]
    state = model["state"]
    layout = states.get(state.get("layout", "").removeprefix("IPY_MODEL_"), {"state": {}})["state"]
    if layout.get("display") == "none":
        return ""
    match model["model_name"]:
        case "VBoxModel" | "HBoxModel" as kind:
            children = "".join(_still(child, states) for child in state["children"])
            return f'<div class="{"row" if kind == "HBoxModel" else "column"}">{children}</div>'
        case "HTMLModel":
            return f"<div>{state.get('value', '')}</div>"
        case "FloatProgressModel":
            share = state["value"] / state["max"]
            return f'<progress value="{share:.4f}" aria-label="how far it was"></progress>'
        case "ButtonModel":
            return f'<button type="button" disabled>{escape(state["description"])}</button>'
        case name:
            raise ValueError(f"a widget of the kind {name} has no place on a page yet.")


class _Compiled(BytecodeCache):
    """A cache of compiled templates, because each exporter has its own environment and would compile all again."""

    known: ClassVar[dict[tuple[str, str], Any]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self.known.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.known[bucket.key, bucket.checksum] = bucket.code


def _exporter(**filters: Any) -> TemplateExporter:
    config = Config({"NbConvertBase": {"display_data_priority": _KINDS}, "Exporter": {"default_preprocessors": []}})
    exporter = TemplateExporter(
        config=config,
        template_name="templates",
        template_file="index.html.j2",
        extra_template_basedirs=[str(HERE)],
        filters=filters,
    )
    exporter.environment.bytecode_cache = _Compiled()
    return exporter


def _sections(html: str) -> list[tuple[str, str, str]]:
    cells = re.split(r'(?=<(?:div|summary) class="cell )', html)
    prose = " ".join(cell for cell in cells if ' class="cell text">' in cell[:40])
    prose = _FORMULA.sub(lambda math: f" {escape(plain(math[0]))} ", _ASIDE.sub(" ", prose))
    parts = _SECTION.split(prose)
    triples = zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    return [(unescape(name), _plain(heading), _plain(text)) for name, heading, text in triples]


def _plain(html: str) -> str:
    return " ".join(unescape(_TAG.sub(" ", html)).split())
