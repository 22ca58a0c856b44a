"""Make the start page's view of the lessons: the model as a ribbon of stations, and a picture of each lesson."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from itertools import pairwise
from typing import Any

import numpy as np
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell
from PIL import Image

from utils.course.build import WALK
from utils.course.lessons import Lesson
from utils.course.saving import widget_states
from utils.show.walk import is_in

_TABLES = ('<div style="display:flex', "<table")
_FAINT = 0.05  # only larger weights get an arc
_FIRST = 3  # the number of a station's numbers to write out
_ABOVE, _BELOW = (230, 159, 0), (43, 140, 196)  # amber above 0, blue below, as in all of the course's pictures
_PICTURE = re.compile(
    r'(?:<picture><source media="[^"]*" srcset="data:image/svg\+xml;base64,([^"]+)">)?'
    r'<img\b[^>]*?src="data:image/(png|svg\+xml);base64,([^"]+)"[^>]*>'
)
_SENTENCES = re.compile(r"(?<=[.?!:])(?:\*\*|\*)?\s+(?=[A-Z“*$`\[])")
_ALT = re.compile(r'\balt="([^"]*)"')


@dataclass(frozen=True)
class Station:
    """A station of the model, with its numbers for one sentence and the lessons that teach it, the main one first."""

    title: str
    shape: str
    picture: str  # an image of the numbers, as a data URL; "" for ids, which are no amounts
    said: str  # the words that the station stands for, or ""
    numbers: list[tuple[str, str]]  # words, each with its numbers
    lessons: list[Lesson]


@dataclass(frozen=True)
class Picture:
    """The first figure of a lesson."""

    kind: str  # the file's ending, svg or png
    data: bytes
    alt: str
    caption: str  # in Markdown
    narrow: bytes = b""  # its form for small screens, as SVG, if it has one

    @property
    def address(self) -> str:
        """The picture as a data URL, as in its notebook."""
        kind = self.kind.replace("svg", "svg+xml")
        return f"data:image/{kind};base64,{base64.b64encode(self.data).decode('ascii')}"


def stations(walk: Mapping[str, Any], lessons: Sequence[Lesson]) -> list[Station]:
    """Return the stations of the walkthrough from the pages saved in its notebook.

    A station without a lesson of its own links to the walkthrough itself.
    """
    found = []
    for small in walk[""]["inside"]:
        path = small["path"]
        placed = [lesson for lesson in lessons if lesson.place and is_in(lesson.place.box, path)]
        own = [lesson for lesson in placed[:-1] if lesson.place.box == path]  # the last lesson is only a supplement
        placed.sort(key=lambda lesson: lesson not in own[:1])
        found.append(
            Station(
                small["title"],
                " × ".join(map(str, small["shape"])),
                "" if _are_ids(walk[path]) else _image(small["picture"]),
                small["said"],
                _numbers(path, walk[path]),
                placed or [lesson for lesson in lessons if lesson.name == WALK],
            )
        )
    return found


def picture_of(notebook: NotebookNode) -> Picture | None:
    """Return the first figure among the outputs of a built notebook, or None.

    The caption is the first sentence of the text below the figure.
    """
    for cell, below in pairwise([*notebook.cells, new_markdown_cell()]):
        for output in cell.get("outputs", []):
            if found := _PICTURE.search(output.get("data", {}).get("text/html", "")):
                alt = _ALT.search(found[0])
                kind = "svg" if found[2].startswith("svg") else "png"
                caption = _first_sentence(below.source.partition("\n\n")[0]) if below.cell_type == "markdown" else ""
                data, narrow = (base64.b64decode(text or "") for text in (found[3], found[1]))
                return Picture(kind, data, unescape(alt[1]) if alt else "", caption, narrow)
    return None


def _first_sentence(text: str) -> str:
    first = _SENTENCES.split(text)[0]
    return first.replace("**", "") if first.count("**") % 2 else first


def _are_ids(page: Mapping[str, Any]) -> bool:
    return 1 in page["shape"]


def tile_of(notebook: NotebookNode) -> str:
    """Return the HTML for a lesson without a figure in place of its picture: its first tables or translation, or ""."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            html = output.get("data", {}).get("text/html", "")
            if html.startswith(_TABLES):
                return html
    sentences = [
        state["state"]["languages"][0]["sentences"]
        for state in widget_states(notebook).values()
        if "languages" in state["state"]
    ]
    return _arcs(sentences[0][0]) if sentences else ""


def _arcs(sentence: Mapping[str, Any]) -> str:
    """Return a sentence and its right-to-left translation as SVG, with arcs for the attention between their words."""
    read, written = sentence["words"], sentence["steps"][:-1]  # without the end token
    above = [(i + 0.5) * 300 / len(read) for i in range(len(read))]
    below = [300 - (i + 0.5) * 300 / len(written) for i in range(len(written))]
    lines = [
        f'<path d="M{x:.0f} 30C{x:.0f} 75 {u:.0f} 65 {u:.0f} 108" stroke-width="{1 + 8 * weight:.1f}"/>'
        for u, step in zip(below, written, strict=True)
        for x, weight in zip(above, step["weights"], strict=True)
        if weight > _FAINT
    ]
    words = [f'<text x="{x:.0f}" y="22">{escape(word)}</text>' for x, word in zip(above, read, strict=True)]
    words += [
        f'<text x="{u:.0f}" y="130">{escape(step["word"])}</text>' for u, step in zip(below, written, strict=True)
    ]
    return f'<svg class="arcs" viewBox="0 0 300 140">{"".join(lines + words)}</svg>'


def _numbers(path: str, page: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return a few numbers of a station: ids, the first of a column, the largest probabilities, or those of a row."""
    rows, columns, values = page["rows"], page["columns"], page["values"]
    if page["said"]:
        return [("ids" if len(values) > 1 else "id", " ".join(f"{value:.0f}" for (value,) in values))]
    if len(columns) == 1:
        return [(row, f"{value[0]:.0f}") for row, value in zip(rows[:_FIRST], values, strict=False)]
    if path == "probabilities":
        best = sorted(zip(values[-1], columns, strict=True), reverse=True)[:_FIRST]
        return [(word, f"{value:.3f}") for value, word in best]
    if len(rows) == 1:
        return [(column, f"{value:.0f}") for column, value in zip(columns[:_FIRST], values[0], strict=False)]
    return [(rows[0], " ".join(f"{value:.2f}".replace("-", "−") for value in values[0][:_FIRST]) + " …")]


def _image(picture: Sequence[Sequence[int]]) -> str:
    """Return numbers from −9 to 9 as a transparent PNG in a data URL, with more opaque pixels for larger numbers."""
    shades = np.array(picture)
    pixels = np.empty((*shades.shape, 4), dtype=np.uint8)
    pixels[..., :3] = np.where(shades[..., None] >= 0, _ABOVE, _BELOW)
    pixels[..., 3] = np.rint(np.abs(shades) / 9 * 255)
    written = io.BytesIO()
    Image.fromarray(pixels).save(written, "png", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(written.getvalue()).decode('ascii')}"
