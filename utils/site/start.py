"""Make the start page's view of the lessons: the model as a ribbon of stations, and the first figure of each lesson."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import pairwise
from typing import Any

import numpy as np
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell
from PIL import Image

from utils.course.build import WALK
from utils.course.lessons import Lesson
from utils.show.walk import is_in

_FIRST = 3  # the number of a station's numbers to write out
_ABOVE, _BELOW = (230, 159, 0), (43, 140, 196)  # amber above 0, blue below, as in all of the course's pictures
_PICTURE = re.compile(
    r'(?:<picture><source media="[^"]*" srcset="data:image/svg\+xml;base64,([^"]+)">)?'
    r'<img\b[^>]*?src="data:image/(png|svg\+xml);base64,([^"]+)"[^>]*>'
)
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

    The caption is the first paragraph below the figure.
    """
    for cell, below in pairwise([*notebook.cells, new_markdown_cell()]):
        for output in cell.get("outputs", []):
            if found := _PICTURE.search(output.get("data", {}).get("text/html", "")):
                alt = _ALT.search(found[0])
                kind = "svg" if found[2].startswith("svg") else "png"
                caption = below.source.partition("\n\n")[0] if below.cell_type == "markdown" else ""
                data, narrow = (base64.b64decode(text or "") for text in (found[3], found[1]))
                return Picture(kind, data, unescape(alt[1]) if alt else "", caption, narrow)
    return None


def _are_ids(page: Mapping[str, Any]) -> bool:
    return 1 in page["shape"]


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
