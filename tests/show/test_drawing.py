"""The parts that drawings are made of stand where they are put."""

from __future__ import annotations

import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyBboxPatch

from utils.show.drawing import FONT, GREY, arrow, box, in_words, label, shares, sheet, thickness

PLAIN = ("black", "center", "center")


def test_a_sheet_is_measured_in_inches():
    figure, axes = sheet(8, 3)
    assert tuple(figure.get_size_inches()) == (8, 3)
    assert (axes.get_xlim(), axes.get_ylim()) == ((0, 8), (0, 3))
    assert not axes.axison and axes.get_position().bounds == (0, 0, 1, 1)


def test_a_box_is_around_its_middle_with_its_text_in_it():
    _, axes = sheet(8, 3)
    box(axes, (4, 1), "query", width=2, height=1)
    (patch,) = (p for p in axes.patches if isinstance(p, FancyBboxPatch))
    assert (patch.get_x(), patch.get_y(), patch.get_width(), patch.get_height()) == (3, 0.5, 2, 1)
    (text,) = axes.texts
    assert (text.get_text(), text.get_position(), text.get_fontsize()) == ("query", (4, 1), FONT)
    assert (text.get_fontweight(), text.get_color(), text.get_ha(), text.get_va()) == ("normal", *PLAIN)


def test_what_is_not_said_of_a_box_a_label_and_an_arrow_is_plain():
    _, axes = sheet(8, 3)
    box(axes, (4, 1), "query")
    label(axes, (1, 1), "so")
    arrow(axes, (1, 1), (3, 2))
    (patch,) = axes.patches
    assert (patch.get_width(), patch.get_height(), to_hex(patch.get_facecolor()).upper()) == (1.2, 0.55, GREY)
    assert [(text.get_fontweight(), text.get_fontsize()) for text in axes.texts[:2]] == [("normal", FONT)] * 2
    assert (axes.texts[1].get_color(), axes.texts[1].get_ha(), axes.texts[1].get_va()) == PLAIN
    line = axes.texts[2].arrow_patch
    assert (line.get_linewidth(), line.get_linestyle(), line.get_connectionstyle().rad) == (1.4, "-", 0)
    assert axes.texts[2].get_zorder() < patch.get_zorder() < axes.texts[0].get_zorder()  # arrows below, words on top


@pytest.mark.parametrize(
    ("weights", "reason"),
    [([1.0], "2 words"), ([1.5, -0.5], "sum to 1"), ([0.5, 0.5 + 2e-6], "sum to 1"), ([0.5, 0.5 - 2e-6], "sum to 1")],
)
def test_what_are_no_shares_of_1_is_refused(weights, reason):
    assert shares(["a", "b"], [0.0, 1 + 1e-7]).tolist() == [0, 1 + 1e-7] and shares(["a"], [1]).dtype == float
    with pytest.raises(ValueError, match=reason):
        shares(["a", "b"], weights)


def test_weights_are_thick_in_arrows_and_named_in_words():
    weights = shares(["a", "b"], [0.25, 0.75])
    assert in_words(["a", "b"], weights) == "a 0.25, b 0.75"
    assert [thickness(weight) for weight in (0, 0.5, 1)] == pytest.approx([0.8, 4.9, 9.0])


def test_an_arrow_goes_from_start_to_end():
    _, axes = sheet(8, 3)
    arrow(axes, (1, 1), (3, 2), dashed=True)
    (note,) = axes.texts
    assert (note.xy, note.xyann) == ((3, 2), (1, 1))
    assert note.arrow_patch.get_linestyle() == "--"


@pytest.mark.parametrize("ha", ["left", "center", "right"])
def test_a_label_is_set_from_its_side(ha):
    _, axes = sheet(8, 3)
    label(axes, (1, 1), "so", ha=ha, bold=True)
    assert (axes.texts[0].get_ha(), axes.texts[0].get_fontweight()) == (ha, "bold")
