"""Numbers, tables, cards and figures as the lessons show them."""

from __future__ import annotations

import base64
import re
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from tests.show.colours import contrast
from utils.show import figures
from utils.show.bilingual import bilingual_table
from utils.show.cards import card, folded
from utils.show.colours import dark, written_on
from utils.show.figures import heatmap, heatmaps, picture_html, points, with_alt
from utils.show.tables import matrices, table


def test_matrices_show_name_shape_and_the_lit_row():
    shown = matrices(W_Q=[[1, 2], [3, 4]], v=[5, 6], row_names=["a", "b"], lit={"W_Q": 1})
    assert "W<sub>Q</sub></em> <small>(2 × 2)</small>" in shown.html and "<sub></sub>" not in shown.html
    assert shown.html.count("font-weight:700;outline:") == 2
    assert repr(shown) == "W_Q (2 × 2): 1 2; 3 4\nv (1 × 2): 5 6"


def test_what_is_no_matrix_is_refused():
    with pytest.raises(ValueError, match=r"T has shape \(1, 1, 1\)"):
        matrices(T=[[[1]]])
    with pytest.raises(ValueError, match="2 columns, but a row has 1 cells"):
        table(["a", "b"], [["1"]], "t")


def test_text_is_escaped_everywhere():
    bad = "<script>alert(1)</script>"
    for shown in (card("good", bad, [bad]), table([bad], [[bad]], bad), folded(bad)):
        assert "<script>" not in shown.html


def test_a_folded_answer_is_closed_and_holds_text_and_tables():
    shown = folded("first", np.array([1, 2]), matrices(A=[[1]]))
    assert shown.html.startswith("<details") and " open" not in shown.html.split(">")[0]
    assert "array([1, 2])" in shown.html and "<table" in shown.html
    figure = heatmap([[0.25, 0.75]], ["q₁"], ["k₁", "k₂"], "Weights")
    assert picture_html(figure) in folded(figure).html and folded(figure).text.endswith(figure.alt)


def test_a_heatmap_says_its_numbers():
    figure = heatmap([[0.25, 0.75]], ["q₁"], ["k₁", "k₂"], "Weights")
    assert figure.alt == "Heatmap, Weights. q₁: k₁ 0.250, k₂ 0.750."
    html = picture_html(figure)
    assert 'alt="Heatmap, Weights. q₁: k₁ 0.250, k₂ 0.750."' in html
    assert '<th scope="col">k₁</th><th scope="col">k₂</th>' in html
    assert '<th scope="row">q₁</th><td>0.250</td><td>0.750</td>' in html


@pytest.mark.parametrize(
    ("axes", "said"),
    [({"row_axis": "asks"}, "Rows: asks. "), ({"column_axis": "is asked"}, "Columns: is asked. "), ({}, "")],
)
def test_a_heatmap_names_the_axes_that_have_a_name(axes, said):
    assert heatmap([[1]], ["q"], ["k"], "t", **axes).alt == f"Heatmap, t. {said}q: k 1."


def test_a_column_without_a_name_is_refused():
    for make in (table, bilingual_table):
        with pytest.raises(ValueError, match=r"every column of a table needs a name: \['', 'b'\]"):
            make(["", "b"], [["1", "2"]], "c")


def test_the_numbers_of_a_heatmap_stand_out_from_their_squares():
    texts = {t.get_text(): t.get_color() for t in heatmap([[0.0, 1.0]], ["q"], ["light", "dark"], "t").axes[0].texts}
    assert texts == {"0": "#020202", "1": "#fdfdfd"}  # black on white, white on black; each turns with the page


@pytest.mark.parametrize(
    ("matrix", "ends", "name"),
    [([[-1, 3]], (-3, 3), "signed"), ([[-4, 3]], (-4, 4), "signed"), ([[0, 3]], (0, 3), "attention"),
     ([[1, 3]], (0, 3), "attention"), ([[2, 3]], (2, 3), "attention"), ([[-3, -1]], (-3, -1), "attention")],
)  # fmt: skip
def test_zero_is_the_paper_where_it_is_near(matrix, ends, name):
    (squares,) = heatmap(matrix, ["a"], ["b", "c"], "t").axes[0].collections
    assert (squares.get_clim(), squares.get_cmap().name) == (ends, name)


@pytest.mark.parametrize(("name", "angle"), [("weather", 0), ("haemoglobin α", 30)])
def test_long_names_below_a_heatmap_are_slanted(name, angle):
    axes = heatmap([[1, 2]], ["a"], [name, name], "t").axes[0]
    assert [label.get_rotation() for label in axes.get_xticklabels()] == [angle, angle]


def test_a_heatmap_with_names_that_do_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"shape \(1, 2\), the names are for \(1, 1\)"):
        heatmap([[1, 2]], ["a"], ["b"], "t")


def test_heatmaps_side_by_side_say_their_numbers_and_share_their_colours():
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
    with pytest.raises(ValueError, match=r"head 2 has shape \(1, 1\), the names are for \(1, 2\)"):
        heatmaps({"head 1": [[0, 1]], "head 2": [[0]]}, ["q"], ["a", "b"])
    with pytest.raises(ValueError, match="at least one matrix"):
        heatmaps({}, ["q"], ["a"])


def test_heatmaps_that_diverge_are_white_at_0_and_dark_at_the_far_end():
    def brightness(shown, value):
        return np.mean(shown.to_rgba(value)[:3])

    for far in (1.0, -1.0):
        pair = {"a": [[0, far / 2]], "b": [[far, far / 2]]}
        shown = heatmaps(pair, ["q"], ["a", "b"], diverging=True).axes[0].collections[0]
        assert shown.get_clim() == (-1, 1)
        assert brightness(shown, 0) > 0.9 > brightness(shown, far / 2) > 0.5 > brightness(shown, far)


def test_a_figure_without_an_alternative_text_is_refused():
    with pytest.raises(ValueError, match="no alternative text"):
        picture_html(Figure())
    with pytest.raises(ValueError, match="needs an alternative text"):
        with_alt(Figure(), " ")


def test_a_picture_is_the_same_at_each_drawing():
    first, second = (picture_html(heatmap(np.eye(2), ["a", "b"], ["c", "d"], "t")) for _ in range(2))
    assert first == second


def test_show_stands_on_no_other_room_and_the_numpy_rooms_do_not_import_torch():
    program = (
        "import sys, utils.show.figures, utils.show.tables, utils.show.attention_control\n"
        "assert not [m for m in sys.modules if m.startswith(('utils.course', 'utils.by_hand'))]\n"
        "import utils.by_hand.attention\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_map_of_points_says_its_points_in_words():
    figure = points([[1.04, -0.01], [2, 3]], ["king", "pear"], ["people", "fruit"], "two words")
    assert figure.alt == "Map, two words. people: king (1.0, 0.0); fruit: pear (2.0, 3.0)."
    assert "<img alt=" in picture_html(figure)


def names_on(figure, unit):
    """Where the names on a map stand, (n, 4), and their points (n, 2), in points of print."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    named = [text for text in figure.axes[0].texts if text.get_text()]
    boxes = np.array([text.get_window_extent(renderer).extents for text in named]) / unit
    return boxes, figure.axes[0].transData.transform([text.xy for text in named]) / unit


def test_a_name_on_a_map_stands_right_beside_its_point():
    figure = points([[0, 0], [9, 1]], ["king", "pear"], ["a", "b"], "t")
    boxes, at = names_on(figure, figure.dpi / 72)
    assert (boxes[:, 0] - at[:, 0] > 4).all() and (boxes[:, 0] - at[:, 0] < 14).all()  # the marker's half, and no more
    np.testing.assert_allclose(boxes[:, 1::2].mean(axis=1), at[:, 1], atol=1)
    assert all(text.get_text() for text in figure.axes[0].texts)  # no lines


def test_a_line_leads_from_a_point_to_a_name_that_stands_further_off():
    figure = points([[0, 0]] * 24 + [[1, 1]], ["a longer name"] * 24 + ["off"], ["g"] * 25, "t")
    unit = figure.dpi / 72
    boxes, at = names_on(figure, unit)
    gaps = np.hypot(*np.maximum(np.maximum(boxes[:, :2] - at, at - boxes[:, 2:]), 0).T)
    lines = [text for text in figure.axes[0].texts if not text.get_text()]
    assert 0 < len(lines) < 24 and abs(len(lines) - (gaps > 10).sum()) <= 2  # letters are measured in whole dots
    for line in lines:
        assert (line.arrow_patch.get_linewidth(), line.arrow_patch.shrinkA, line.arrow_patch.shrinkB) == (0.8, 0, 3)
        start = at[0] + line.get_position()  # from which it leads to its point
        np.testing.assert_allclose(figure.axes[0].transData.transform(line.xy) / unit, at[0], atol=0.01)
        beside = np.maximum(np.maximum(boxes[:, :2] - start, start - boxes[:, 2:]), 0).max(axis=1)
        within = np.minimum(start - boxes[:, :2], boxes[:, 2:] - start).min(axis=1)
        assert beside.min() < 4 and within.max() < 4  # at the edge of a name, and in none


def test_the_groups_of_a_map_have_their_colours_and_marks():
    axes = points(np.eye(2).repeat(3, 0), list("abcdef"), list("uvwxyz"), "six").axes[0]
    assert [to_hex(dots.get_facecolor()[0]).upper() for dots in axes.collections] == list(figures.COLOURS)
    assert len({dots.get_paths()[0].vertices.tobytes() for dots in axes.collections}) == 6
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list("uvwxyz")
    assert (axes.get_title(), axes.get_aspect()) == ("six", 1)
    assert axes.get_legend().get_window_extent().x0 > axes.get_window_extent().x1  # beside the map, not on it
    assert axes.margins() == (0.12, 0.12)  # room for the names
    assert tuple(axes.figure.get_size_inches()) == (8.5, 5.5)


@pytest.mark.parametrize("of_page", [str, dark], ids=["light", "dark"])
@pytest.mark.parametrize("colour", ["#ff0000", "#00ff00", "#0000ff", "#757575", "#777777", "#060606", "#b00000"])
def test_what_is_written_on_a_colour_has_the_greater_contrast(colour, of_page):
    best = max(contrast(ink, of_page(colour)) for ink in ("black", "white"))
    assert contrast(of_page(written_on(colour)), of_page(colour)) == pytest.approx(best, rel=0.02)


def test_a_picture_has_no_ground_and_all_its_colours_turn_with_the_page():
    drawn = re.search(r"base64,([^\"]+)", picture_html(heatmap([[-1, 3]], ["a"], ["b", "c"], "t")))[1]
    svg = base64.b64decode(drawn).decode()
    style, body = svg[: svg.index("</style>")], svg[svg.index("</style>") :]
    light, other = (dict(re.findall(r"(--c\d+):(#\w+)", part)) for part in style.split("@media"))
    assert not re.search("#[0-9a-f]{6}", body) and set(re.findall(r"var\((--c\d+)\)", body)) <= set(light)
    assert {name: dark(colour) for name, colour in light.items()} == other
    grounds = [name for name, colour in light.items() if colour == "#ffffff"]
    assert f"background:var({grounds[0]})" in style and f"fill: var({grounds[0]})" not in body


def test_numbers_are_printed_with_six_decimals():
    with np.printoptions(), matplotlib.rc_context():
        figures.use_course_style()
        assert str(np.array([1 / 3, 0.5, 2e-4, 1e6])) == "[      0.333333       0.5            0.0002   1000000.      ]"


def test_a_map_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match=r"xy has shape \(2, 2\), with 2 names and 1 groups"):
        points(np.eye(2), ["a", "b"], ["g"], "t")
    with pytest.raises(ValueError, match=r"xy has shape \(1, 2\), with 2 names and 2 groups"):
        points([[1, 2]], ["a", "b"], ["g", "g"], "t")
    with pytest.raises(ValueError, match=r"xy has shape \(2, 3\), with 2 names and 2 groups"):
        points(np.ones((2, 3)), ["a", "b"], ["g", "g"], "t")
    with pytest.raises(ValueError, match=r"xy has shape \(1, 2\), with 2 names and 1 groups"):
        points([[1, 2]], ["a", "b"], ["g"], "t")
    with pytest.raises(ValueError, match="points has colours for 6 groups: 7 are given"):
        points(np.zeros((7, 2)), list("abcdefg"), list("abcdefg"), "t")
