"""Every palette of the course is told apart by all common eyes, and in grey; text stands out from what is below it."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import matplotlib
import numpy as np
import pytest

from tests.show.colours import DEFICIENCIES, apart, contrast, lightness
from utils.models.config import TransformerConfig
from utils.show import beam_tree, blueprint, cards, drawing, figures
from utils.show.lit import lit_words
from utils.training import curves

PAGE = Path(figures.__file__).with_name("page")
PARTS = (PAGE / "parts.css").read_text("utf-8")
BLUE, ORANGE = (re.search(rf"--{name}:.*?(#\w+)", PARTS)[1] for name in ("blue", "orange"))
LOOK = (PAGE.parents[1] / "site" / "look.css").read_text("utf-8")
PAPERS, INKS = (re.search(rf"--{name}: light-dark\((#\w+), (#\w+)\)", LOOK).groups() for name in ("paper", "ink"))
ENOUGH = 10  # of ΔE, of which 2 can just be seen side by side; for lightness too
OKABE_ITO = figures.COLOURS
PALETTES = {
    "curves, groups and bars": OKABE_ITO,
    "beams": [colour for colour, _ in beam_tree._LOOKS.values()],
    "cards": list(cards._EDGES.values()),
    "loss and score": [curves._LOSS, curves._SCORE],
    "ink and accent of drawings": [drawing.INK, drawing.RED],
    "query and weights": [BLUE, ORANGE],
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


def ramp(name: str) -> np.ndarray:
    """256 colours (256, 3) of a colour map, from its low end to its high one."""
    return (figures.SIGNED if name == "signed" else matplotlib.colormaps[name])(np.arange(256))[:, :3]


def test_more_is_lighter_or_darker_all_the_way_so_that_a_grey_print_can_be_read() -> None:
    cividis, signed = ([lightness(colour) for colour in ramp(name)] for name in (figures.COLOUR_MAP, "signed"))
    assert np.diff(cividis).min() > 0
    assert np.diff(signed[:128]).min() > 0 > np.diff(signed[128:]).max()  # below 0, then above
    orange = [tuple(t * np.array(matplotlib.colors.to_rgb(ORANGE)) + (1 - t)) for t in np.linspace(0, 1, 20)]
    assert np.diff([lightness(colour) for colour in orange]).max() < 0  # the links and maps of the explorer, on paper


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_below_and_above_0_are_two_hues_to_all_eyes(deficiency: str) -> None:
    colours = ramp("signed")
    pairs = [(tuple(colours[i]), tuple(colours[255 - i])) for i in range(0, 100, 10)]
    assert min(apart(*pair, deficiency) for pair in pairs) > 2 * ENOUGH


@pytest.mark.parametrize("name", [figures.COLOUR_MAP, "signed"])
def test_numbers_can_be_read_on_every_colour_of_a_heatmap(name: str) -> None:
    assert min(contrast(figures._readable_on((*colour, 1)), tuple(colour)) for colour in ramp(name)) >= 4.5


def test_what_is_pale_in_the_blueprint_can_still_be_read() -> None:
    config = TransformerConfig(source_vocabulary=9, target_vocabulary=9)
    texts = [text for axes in blueprint.blueprint(config, lit=("encoder",)).axes for text in axes.texts]
    ground = blueprint._PALE_FRAME
    assert min(contrast(text.get_color(), ground) for text in texts if text.get_text()) >= 4.5


def test_black_can_be_read_on_what_drawings_are_filled_with() -> None:
    fills = [drawing.BLUE, drawing.ORANGE, drawing.GREEN, drawing.YELLOW, drawing.GREY, drawing.WHITE]
    assert min(contrast("black", fill) for fill in fills) > 10 and contrast(drawing.RED, "white") >= 4.5


@pytest.mark.parametrize(("paper", "ink"), [*zip(PAPERS, INKS, strict=True), ("#111111", INKS[1])])  # JupyterLab's too
def test_ink_can_be_read_on_words_that_are_lit(paper: str, ink: str) -> None:
    *light, share = re.search(r"rgba\((\d+),(\d+),(\d+),([\d.]+)\)", lit_words(["word"], [1], "t").html).groups()
    ground = float(share) * np.array(light, float) / 255 + (1 - float(share)) * np.array(
        matplotlib.colors.to_rgb(paper)
    )
    assert contrast(ink, tuple(ground)) >= 4.5
