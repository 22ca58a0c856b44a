"""The start page: its stations hold the numbers of the walk and lead to lessons, and each lesson has its glyph."""

from __future__ import annotations

import base64
import io
from xml.etree import ElementTree

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from utils.course.build import WALK
from utils.course.lessons import NOTEBOOKS, all_lessons
from utils.course.saving import widget_states
from utils.site.glyphs import HEIGHT, WIDTH, glyph
from utils.site.idea import COLUMNS, OUTPUT, ROWS, SHARES, WORDS, scenes
from utils.site.start import Picture, picture_of, stations

LESSONS = all_lessons()


@pytest.fixture(scope="module")
def walk() -> dict:
    states = widget_states(nbformat.read(NOTEBOOKS / f"{WALK}.ipynb", as_version=4))
    return next(widget["state"]["saved"] for widget in states.values() if "saved" in widget["state"])


def test_every_station_leads_to_its_lessons_and_each_placed_lesson_is_linked(walk: dict) -> None:
    made = stations(walk, LESSONS)
    led = {station.title: [lesson.number for lesson in station.lessons] for station in made}
    assert (led["Tokens and ids"][0], led["English vectors"][0], led["Encoder"][0], led["Decoder"][0]) == (
        "02",
        "03",
        "10",
        "11",
    )
    assert {number for numbers in led.values() for number in numbers} >= {
        lesson.number for lesson in LESSONS if lesson.place and lesson.place.box
    }


def test_station_shows_numbers_of_the_walkthrough_and_uncoloured_ids(walk: dict) -> None:
    made = {station.title: station for station in stations(walk, LESSONS)}
    for small in walk[""]["inside"]:
        station, page = made[small["title"]], walk[small["path"]]
        assert bool(station.picture) == (1 not in page["shape"])
        if station.title != "Probabilities":
            first = f"{page['values'][0][0]:.{2 if station.picture else 0}f}".replace("-", "−")
            assert station.numbers[0][1].split()[0] == first
        if station.picture:
            pixels = np.array(Image.open(io.BytesIO(base64.b64decode(station.picture.split(",")[1]))))
            shades = np.array(small["picture"])
            assert ((pixels[..., 3] == 0) == (shades == 0)).all() and pixels.shape[:2] == shades.shape
    best = max(zip(walk["probabilities"]["values"][-1], walk["probabilities"]["columns"], strict=True))
    assert made["Probabilities"].numbers[0] == (best[1], f"{best[0]:.3f}")
    assert made["The next word"].said == best[1]


def test_first_figure_of_a_notebook_is_its_picture() -> None:
    def shows(html: str) -> nbformat.NotebookNode:
        return new_code_cell("", outputs=[new_output("display_data", {"text/html": html})])

    data = base64.b64encode(b"pixels").decode()
    image = f'<img alt="a &amp; b" src="data:image/svg+xml;base64,{data}">'
    said = new_markdown_cell("The *first* sentence.\n\n## A heading")
    cells = [shows("<p>none</p>"), shows(image), said, shows(image.replace("svg+xml", "png"))]
    assert picture_of(new_notebook(cells=cells)) == Picture("svg", b"pixels", "a & b", "The *first* sentence.")
    assert picture_of(new_notebook(cells=cells[::3])) == Picture("png", b"pixels", "a & b", "")
    assert picture_of(new_notebook(cells=cells[:1])) is None
    assert f'src="{picture_of(new_notebook(cells=cells)).address}"' in image


def test_each_lesson_has_a_glyph_of_its_own_without_a_word() -> None:
    drawn = {lesson.number: ElementTree.fromstring(glyph(lesson.number)) for lesson in LESSONS}
    assert len({glyph(number) for number in drawn}) == len(drawn)
    for number, svg in drawn.items():
        assert len(list(svg.iter())) > 4 and not "".join(svg.itertext()).strip(), number
        assert svg.get("aria-hidden") == "true"  # its card has the title


def test_shapes_of_a_glyph_are_inside_its_frame() -> None:
    for lesson in LESSONS:
        for shape in ElementTree.fromstring(glyph(lesson.number)).iter():
            x, y = (float(shape.get(name, "0")) for name in ("cx", "cy"))
            right, low = (
                float(shape.get(one, "0")) + float(shape.get(size, "0"))
                for one, size in (("x", "width"), ("y", "height"))
            )
            assert 0 <= x <= WIDTH and 0 <= y <= HEIGHT and right <= WIDTH and low <= HEIGHT, lesson.number


def test_pictures_of_the_idea_show_the_numbers_of_lesson_05() -> None:
    notebook = nbformat.read(NOTEBOOKS / "05_self_attention_by_hand.ipynb", as_version=4)
    source = next(cell.source for cell in notebook.cells if "stand-in" in cell.source and "E = " in cell.source)
    told: dict = {"np": np}
    exec(source, told)
    assert tuple(told["words"]) == WORDS and tuple(told["columns"]) == COLUMNS and (told["E"] == ROWS).all()
    said = f"the weights of it: {dict(zip(WORDS, SHARES.round(3).tolist(), strict=True))}"
    assert said in "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", []))
    drawn = [ElementTree.fromstring(scene.svg) for scene in scenes()]
    texts = [["".join(text.itertext()) for text in svg.iter("text")] for svg in drawn]
    assert texts[0].count("0") == 3 and texts[1].count(f"{100 * SHARES[0]:.0f}\N{NO-BREAK SPACE}%") == 1
    assert texts[2][-6:] == [f"{number:.2f}" for number in OUTPUT]
