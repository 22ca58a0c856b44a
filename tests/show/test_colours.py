"""Every palette of the course is told apart by all common eyes, and in grey; text stands out from what is below it."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import Colormap, to_hex

from tests.show.colours import DEFICIENCIES, apart, contrast, lightness
from utils.models.config import TransformerConfig
from utils.show import beam_tree, blueprint, cards, drawing, figures
from utils.show.colours import AMBER, ATTENTION, PAPER, ROLES, SCALE, SIGNED, SIGNED_STOPS, dark, written_on
from utils.show.lit import lit_words
from utils.training import curves

PAGE = Path(figures.__file__).with_name("page")
ROOT = PAGE.parents[2]
LOOK = (ROOT / "utils" / "site" / "look.css").read_text("utf-8")
PAPERS, INKS = (re.search(rf"--{name}: light-dark\((#\w+), (#\w+)\)", LOOK).groups() for name in ("paper", "ink"))
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


def test_the_simulation_sees_what_it_is_for() -> None:
    red_and_green = ("#c04030", "#708020")  # which look alike to those without red or green cones
    seen = {name: apart(*red_and_green, name) for name in DEFICIENCIES}
    assert seen["deuteranopia"] < ENOUGH < 50 < min(seen["none"], seen["tritanopia"])
    assert apart("#fff", "#000") == pytest.approx(100, abs=0.1) and contrast("#fff", "#000") == pytest.approx(21)


def test_in_grey_curves_differ_in_their_dashes_and_branches_in_their_marks() -> None:
    assert len(set(figures.DASHES)) == len(OKABE_ITO)
    assert len({marker for _, marker in beam_tree._LOOKS.values()}) == len(beam_tree._LOOKS)
    axes = (PAGE / "axes.js").read_text("utf-8")
    dashes = re.findall('"([^"]*)"', re.search(r"const DASHES = \[(.*?)\]", axes)[1])
    shapes = re.findall(r'"(M[^"]*)"', re.search(r"const SHAPES = {(.*?)}", axes, re.DOTALL)[1])
    assert len(set(dashes)) == len(set(shapes)) == len(OKABE_ITO)


def test_the_controls_draw_with_the_same_six_colours() -> None:
    style = (PAGE / "live.css").read_text("utf-8")
    names = re.findall('"(.*?)"', re.search(r"SERIES = \[(.*?)\]", (PAGE / "panels.js").read_text("utf-8"))[1])
    drawn = [re.search(rf"\.{name} {{ --c: color-mix\(in srgb, (#\w+)", style)[1] for name in names]
    assert [colour.upper() for colour in drawn] == list(OKABE_ITO)


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
@pytest.mark.parametrize("of_page", [str, dark], ids=["light", "dark"])
def test_query_key_value_and_output_are_four_hues_to_all_eyes(of_page: Callable[[str], str], deficiency: str) -> None:
    pairs = combinations(map(of_page, ROLES.values()), 2)
    assert min(apart(*pair, deficiency) for pair in pairs) > 1.7 * ENOUGH


@pytest.mark.parametrize("role", ROLES)
def test_a_role_can_be_read_as_text_on_paper_and_on_its_own_tint(role: str) -> None:
    ink = ROLES[role]
    assert (
        contrast(ink, PAPER[0]) >= 4.5 and min(contrast(dark(ink), ground) for ground in (PAPER[1], "#111111")) >= 4.5
    )
    assert (
        min(contrast(dark("#000000"), dark(fill)) for fill in (getattr(drawing, role.upper()), drawing.ATTENTION))
        >= 4.5
    )
    assert contrast(ink, "#111111") >= 3, "in JupyterLab's dark theme a formula has but this one colour"


def test_in_drawings_controls_and_site_a_page_has_the_same_paper() -> None:
    assert PAPERS == PAPER


def test_the_page_about_the_language_shows_the_colours_that_there_are() -> None:
    text, swatches = ((ROOT / "docs" / f"visual-language.{kind}").read_text("utf-8") for kind in ("md", "svg"))
    inks = [of_page(colour) for colour in ROLES.values() for of_page in (str, dark)]
    assert [colour for colour in inks if f"`{colour}`" not in text or colour not in swatches] == []
    assert [colour for stops in (*SCALE, SIGNED_STOPS) for colour in stops if colour not in swatches] == []


def test_the_controls_have_the_scales_of_the_figures() -> None:
    script = (PAGE / "numbers.js").read_text("utf-8").replace("AMBER,", f'"{AMBER}",')
    scales, signed = (re.search(rf"const {name} = (\[.*?\]);", script, re.DOTALL)[1] for name in ("AMOUNTS", "SIGNED"))
    stops = re.compile('"(#[0-9a-f]{6})"')
    assert stops.findall(scales) == [*SCALE[0], *SCALE[1]]
    assert stops.findall(signed) == [*SIGNED_STOPS, *map(dark, SIGNED_STOPS)]


def shades(scale: Colormap, of_page: Callable[[str], str] = str) -> list[str]:
    """256 colours of a scale, from its low end to its high one, on a light page or a dark one."""
    return [of_page(to_hex(scale(i))) for i in range(256)]


def test_much_is_dark_on_a_light_page_and_light_on_a_dark_one_so_that_a_grey_print_can_be_read() -> None:
    light, other = (np.diff([*map(lightness, shades(ATTENTION, of_page))]) for of_page in (str, dark))
    assert light.max() < 0.1 and other.min() > -0.1  # but for what rounding to a screen's 256 steps does
    signed = [*map(lightness, shades(SIGNED))]
    assert np.diff(signed[:128]).min() > 0 > np.diff(signed[128:]).max()  # below 0, then above


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_below_and_above_0_are_two_hues_to_all_eyes(deficiency: str) -> None:
    for of_page in (str, dark):
        colours = shades(SIGNED, of_page)
        assert min(apart(colours[i], colours[255 - i], deficiency) for i in range(0, 100, 10)) > 2 * ENOUGH


@pytest.mark.parametrize("of_page", [str, dark], ids=["light", "dark"])
@pytest.mark.parametrize("scale", [ATTENTION, SIGNED], ids=["attention", "signed"])
def test_numbers_can_be_read_on_every_colour_of_a_heatmap(scale: Colormap, of_page: Callable[[str], str]) -> None:
    assert min(contrast(of_page(written_on(colour)), of_page(colour)) for colour in shades(scale)) >= 4.5


def test_what_is_pale_in_the_blueprint_can_still_be_read() -> None:
    config = TransformerConfig(source_vocabulary=9, target_vocabulary=9)
    texts = [text for axes in blueprint.blueprint(config, lit=("encoder",)).axes for text in axes.texts]
    ground = blueprint._PALE_FRAME
    assert min(contrast(text.get_color(), ground) for text in texts if text.get_text()) >= 4.5


def test_black_can_be_read_on_what_drawings_are_filled_with() -> None:
    fills = [drawing.TEAL, drawing.ROSE, drawing.OLIVE, drawing.SAND, drawing.GREY, drawing.WHITE]
    fills += [drawing.QUERY, drawing.KEY, drawing.VALUE, drawing.OUTPUT, drawing.ATTENTION]
    assert min(contrast("black", fill) for fill in fills) > 10 and contrast(drawing.ACCENT, "white") >= 4.5
    assert min(contrast(dark("#000000"), dark(fill.lower())) for fill in fills) > 7


@pytest.mark.parametrize(("paper", "ink"), [*zip(PAPERS, INKS, strict=True), ("#111111", INKS[1])])  # JupyterLab's too
def test_ink_can_be_read_on_words_that_are_lit(paper: str, ink: str) -> None:
    *light, share = re.search(r"rgba\((\d+),(\d+),(\d+),([\d.]+)\)", lit_words(["word"], [1], "t").html).groups()
    ground = float(share) * np.array(light, float) / 255 + (1 - float(share)) * np.array(
        matplotlib.colors.to_rgb(paper)
    )
    assert contrast(ink, tuple(ground)) >= 4.5
