"""Every palette of the course is told apart by all common eyes, and in grey; text stands out from what is below it."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from matplotlib.colors import Colormap, to_hex

from tests.show.colours import DEFICIENCIES, apart, contrast
from utils.show import beam_tree, cards, drawing, figures
from utils.show.colours import AMBER, ATTENTION, ROLES, SCALE, SIGNED, SIGNED_STOPS, dark, written_on
from utils.training import curves

PAGE = Path(figures.__file__).with_name("page")
ENOUGH = 10  # of ΔE, of which 2 can just be seen side by side; for lightness too
OKABE_ITO = figures.COLOURS
PALETTES = {
    "curves, groups and bars": OKABE_ITO,
    "beams": [colour for colour, _ in beam_tree._LOOKS.values()],
    "cards": list(cards._EDGES.values()),
    "loss and score": [curves._LOSS, curves._SCORE],
    "ink and accent of drawings": [drawing.INK, drawing.ACCENT],
    "query and weights": [ROLES["query"], AMBER],
}


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
@pytest.mark.parametrize("palette", PALETTES)
def test_no_two_colours_look_alike(palette: str, deficiency: str) -> None:
    alike = [pair for pair in combinations(PALETTES[palette], 2) if apart(*pair, deficiency) < ENOUGH]
    assert alike == []


def test_controls_use_the_same_six_colours() -> None:
    style = (PAGE / "live.css").read_text("utf-8")
    names = re.findall('"(.*?)"', re.search(r"SERIES = \[(.*?)\]", (PAGE / "panels.js").read_text("utf-8"))[1])
    drawn = [re.search(rf"\.{name} {{ --c: color-mix\(in srgb, (#\w+)", style)[1] for name in names]
    assert [colour.upper() for colour in drawn] == list(OKABE_ITO)


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
@pytest.mark.parametrize("of_page", [str, dark], ids=["light", "dark"])
def test_query_key_value_and_output_have_distinct_hues_for_all_viewers(
    of_page: Callable[[str], str], deficiency: str
) -> None:
    pairs = combinations(map(of_page, ROLES.values()), 2)
    assert min(apart(*pair, deficiency) for pair in pairs) > 1.7 * ENOUGH


def test_controls_have_the_scales_of_the_figures() -> None:
    script = (PAGE / "numbers.js").read_text("utf-8").replace("AMBER,", f'"{AMBER}",')
    scales, signed = (re.search(rf"const {name} = (\[.*?\]);", script, re.DOTALL)[1] for name in ("AMOUNTS", "SIGNED"))
    stops = re.compile('"(#[0-9a-f]{6})"')
    assert stops.findall(scales) == [*SCALE[0], *SCALE[1]]
    assert stops.findall(signed) == [*SIGNED_STOPS, *map(dark, SIGNED_STOPS)]


def shades(scale: Colormap, of_page: Callable[[str], str] = str) -> list[str]:
    """256 colours of a scale, from its low end to its high one, on a light page or a dark one."""
    return [of_page(to_hex(scale(i))) for i in range(256)]


@pytest.mark.parametrize("of_page", [str, dark], ids=["light", "dark"])
@pytest.mark.parametrize("scale", [ATTENTION, SIGNED], ids=["attention", "signed"])
def test_numbers_are_legible_on_every_colour_of_a_heatmap(scale: Colormap, of_page: Callable[[str], str]) -> None:
    assert min(contrast(of_page(written_on(colour)), of_page(colour)) for colour in shades(scale)) >= 4.5
