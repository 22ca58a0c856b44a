"""`make slides`: lessons as slides for a class of 50 minutes, a page each, with the speaker's notes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from utils.course.deck import Slide, code_of, slides_of
from utils.course.lessons import NOTEBOOKS, Lesson
from utils.course.teaching import CLASSES, read_plan
from utils.site.pages import SavedControl, in_line, lesson_page, prose


def deck(lesson: Lesson) -> tuple[str, dict[str, SavedControl]]:
    """The slides of a lesson as HTML, and their controls by their ids."""
    notebook = nbformat.read(NOTEBOOKS / lesson.notebook_name, as_version=4)
    controls: dict[str, SavedControl] = {}
    html = []
    for slide in slides_of(notebook, read_plan(lesson)):
        page = lesson_page(NotebookNode({**notebook, "cells": [*_cells(slide), new_markdown_cell("")]}), folded=False)
        controls |= page.controls
        body = page.body if slide.kind != "title" else f'<p class="lead-in">{escape(lesson.question)}</p>'
        level = 1 if slide.kind == "title" else 2
        html.append(
            f'<section class="deck-slide {slide.kind}" data-heading="{escape(slide.heading)}">'
            f"<h{level}>{in_line(slide.heading)}</h{level}>\n"
            f'<div class="deck-fit">{body}</div></section>'
        )
    return "\n".join(html), controls


def _cells(slide: Slide) -> Iterator[NotebookNode]:
    if slide.said:
        yield new_markdown_cell("\n\n".join(slide.said))
    if slide.cell is None:
        return
    shows_code = slide.kind == "code" and "folded(" not in slide.cell.source and "note_check(" not in slide.cell.source
    if slide.kind == "control":
        yield slide.cell  # all of its code: the table is computed by it
    else:
        yield new_code_cell(code_of(slide.cell) if shows_code else "", outputs=slide.cell.outputs)


def notes(lesson: Lesson) -> dict[str, Any]:
    """The speaker's notes as HTML: all of the plan for the first slide, and those of each part with its heading."""
    plan = read_plan(lesson)
    parts = []
    for part in plan.parts:
        short, long = (f"{minutes} min" if minutes else "left out" for minutes in part.minutes)
        parts.append((part.heading, prose(f"{part.how}\n\nIn {CLASSES[0]}: {short}. In {CLASSES[1]}: {long}.")))
    return {"all": prose(plan.text), "parts": parts}


@contextmanager
def replaced(folder: Path, names: Sequence[str]) -> Iterator[Path]:
    """A folder to write into, which takes the place of `folder` when all is written; a failure leaves the old one.

    names: of the pages that are written anew. The other pages, and what they load, stay.
    """
    fresh = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    if folder.is_dir():
        shutil.copytree(folder, fresh)
    (fresh / "assets").mkdir(parents=True, exist_ok=True)
    for name in names:
        (fresh / f"{name}.html").unlink(missing_ok=True)
    try:
        yield fresh
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    _drop_unused(fresh)
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


def _drop_unused(folder: Path) -> None:
    """Takes away what no page loads any more."""
    texts = [page.read_text(encoding="utf-8") for page in folder.glob("*.html")]
    for path in (folder / "assets").iterdir():
        if not any(f"assets/{path.name}" in text for text in texts):
            path.unlink()
