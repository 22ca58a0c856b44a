"""Numbers, tables, cards and figures as the lessons show them."""

from __future__ import annotations

import base64
import re
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

from tests.show.colours import contrast
from utils.show.cards import card, folded
from utils.show.colours import dark, written_on
from utils.show.drawing import NARROW
from utils.show.figures import heatmap, heatmaps, picture_html, points, with_alt
from utils.show.tables import matrices, table


def test_matrices_show_name_shape_and_the_lit_row():
    shown = matrices(W_Q=[[1, 2], [3, 4]], v=[5, 6], row_names=["a", "b"], lit={"W_Q": 1})
    assert "W<sub>Q</sub></em> <small>(2 × 2)</small>" in shown.html and "<sub></sub>" not in shown.html
    assert shown.html.count("font-weight:700;outline:") == 2
    assert repr(shown) == "W_Q (2 × 2): 1 2; 3 4\nv (1 × 2): 5 6"


def test_text_is_escaped_everywhere():
    bad = "<script>alert(1)</script>"
    for shown in (card("good", bad, [bad]), table([bad], [[bad]], bad), folded(bad)):
        assert "<script>" not in shown.html


def test_folded_answer_is_closed_and_holds_text_and_tables():
    shown = folded("first", np.array([1, 2]), matrices(A=[[1]]))
    assert shown.html.startswith("<details") and " open" not in shown.html.split(">")[0]
    assert "array([1, 2])" in shown.html and "<table" in shown.html
    figure = heatmap([[0.25, 0.75]], ["q₁"], ["k₁", "k₂"], "Weights")
    assert picture_html(figure) in folded(figure).html and folded(figure).text.endswith(figure.alt)


def test_alternative_text_gives_the_numbers_of_a_heatmap():
    figure = heatmap([[0.25, 0.75], [1, 0]], ["q₁", "q₂"], ["k₁", "k₂"], "Weights")
    assert figure.alt == "Heatmap, Weights. q₁: k₁ 0.250, k₂ 0.750; q₂: k₁ 1.000, k₂ 0.000."
    html = picture_html(figure)
    assert 'alt="Heatmap, Weights. q₁: k₁ 0.250, k₂ 0.750; q₂' in html
    assert '<th scope="col">k₁</th><th scope="col">k₂</th>' in html
    assert '<th scope="row">q₁</th><td>0.250</td><td>0.750</td>' in html


def test_table_of_a_single_row_is_a_column():
    html = picture_html(heatmap([[0.25, 0.75]], ["q₁"], ["k₁", "k₂"], "Weights"))
    assert '<th scope="col">q₁</th>' in html and '<th scope="row">k₂</th><td>0.750</td>' in html


def test_broad_heatmaps_have_a_second_form_that_fits_a_phone():
    wide = heatmap(np.full((4, 12), 0.25), list("abcd"), [str(i) for i in range(12)], "Weights")
    assert not hasattr(heatmap(np.eye(4), list("abcd"), list("efgh"), "Weights"), "narrow")
    assert wide.narrow.get_figwidth() <= NARROW < wide.get_figwidth() and "srcset" in picture_html(wide)
    assert "0.250" in [text.get_text() for text in wide.axes[0].texts] and not wide.narrow.axes[0].texts


def test_side_by_side_heatmaps_give_their_numbers_and_share_their_colours():
    figure = heatmaps(
        {"head 1": [[0, 1]], "head 2": [[0.5, 0.5]]},
        ["q"],
        ["a", "b"],
        decimals=1,
        row_axis="asks",
        column_axis="is asked",
    )
    assert figure.alt == "Heatmaps. Rows: asks; columns: is asked. head 1: q: a 0, b 1. head 2: q: a 0.5, b 0.5."
    assert heatmaps({"h": [[0.5]]}, ["q"], ["a"]).alt == "Heatmaps. h: q: a 0.50."
    assert [axes.collections[0].get_clim() for axes in figure.axes] == [(0, 1), (0, 1)]
    assert picture_html(figure).count("<caption>head ") == 2
    with pytest.raises(ValueError, match="head 2 has shape"):
        heatmaps({"head 1": [[0, 1]], "head 2": [[0]]}, ["q"], ["a", "b"])
    with pytest.raises(ValueError, match="at least one matrix"):
        heatmaps({}, ["q"], ["a"])


def test_figure_without_an_alternative_text_is_refused():
    with pytest.raises(ValueError, match="no alternative text"):
        picture_html(Figure())
    with pytest.raises(ValueError, match="needs an alternative text"):
        with_alt(Figure(), " ")


def test_picture_is_the_same_at_each_drawing():
    first, second = (picture_html(heatmap(np.eye(2), ["a", "b"], ["c", "d"], "t")) for _ in range(2))
    assert first == second


def test_show_imports_no_other_layer_and_numpy_layers_do_not_import_torch():
    program = (
        "import sys, utils.show.figures, utils.show.tables, utils.show.attention_control\n"
        "assert not [m for m in sys.modules if m.startswith(('utils.course', 'utils.by_hand'))]\n"
        "import utils.by_hand.attention\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_alternative_text_gives_the_points_of_a_map():
    figure = points([[1.04, -0.01], [2, 3]], ["king", "pear"], ["people", "fruit"], "two words")
    assert figure.alt == "Map, two words. people: king (1.0, 0.0); fruit: pear (2.0, 3.0)."
    assert "<img alt=" in picture_html(figure)


@pytest.mark.parametrize("of_page", [str, dark], ids=["light", "dark"])
@pytest.mark.parametrize("colour", ["#ff0000", "#00ff00", "#0000ff", "#757575", "#777777", "#060606", "#b00000"])
def test_written_on_chooses_the_greater_contrast(colour, of_page):
    best = max(contrast(ink, of_page(colour)) for ink in ("black", "white"))
    assert contrast(of_page(written_on(colour)), of_page(colour)) == pytest.approx(best, rel=0.02)


def test_picture_has_no_background_and_its_colours_follow_the_page():
    drawn = re.search(r"base64,([^\"]+)", picture_html(heatmap([[-1, 3]], ["a"], ["b", "c"], "t")))[1]
    svg = base64.b64decode(drawn).decode()
    style, body = svg[: svg.index("</style>")], svg[svg.index("</style>") :]
    light, other = (dict(re.findall(r"(--c\d+):(#\w+)", part)) for part in style.split("@media"))
    assert not re.search("#[0-9a-f]{6}", body) and set(re.findall(r"var\((--c\d+)\)", body)) <= set(light)
    assert {name: dark(colour) for name, colour in light.items()} == other
    grounds = [name for name, colour in light.items() if colour == "#ffffff"]
    assert f"background:var({grounds[0]})" in style and f"fill: var({grounds[0]})" not in body
