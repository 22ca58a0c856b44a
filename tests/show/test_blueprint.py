"""The picture of the whole transformer: it shows the modules that a real model has, under their names."""

from __future__ import annotations

import re

import pytest

from utils.models.config import TransformerConfig
from utils.models.transformer import Transformer
from utils.show.blueprint import BOXES, FRAMES, blueprint

BASE = TransformerConfig(source_vocabulary=37000, target_vocabulary=37000, tied="all")
SMALL = TransformerConfig(
    source_vocabulary=50,
    target_vocabulary=71,
    d_model=64,
    n_heads=2,
    d_ff=128,
    n_encoder_layers=2,
    n_decoder_layers=3,
    max_length=16,
    norm_first=True,
)
DRAWN = {part.path for part in (*BOXES, *FRAMES)}


def _names(depth_below: tuple[str, ...]) -> set[str]:
    """The modules of a model that stand right below one of these."""
    modules = [name for name, _ in Transformer(SMALL).named_modules() if name]
    return {name for name in modules if (name.rpartition(".")[0]) in depth_below}


def test_each_box_and_frame_is_a_module():
    modules = {name for name, _ in Transformer(SMALL).named_modules()}
    assert DRAWN - modules == set()


def test_each_module_down_to_the_parts_of_a_block_is_drawn():
    parts = _names(("", "encoder", "decoder", "encoder.layers.0", "decoder.layers.0"))
    assert parts - DRAWN == {"dropout"}, "all but the dropout, which does nothing in a trained model"


def test_no_two_boxes_lie_on_each_other():
    places = [(box.column, box.row) for box in BOXES]
    for i, (column, row) in enumerate(places):
        assert all(column != other or abs(row - below) >= 1 for other, below in places[:i])


def test_sizes_are_those_of_the_configuration():
    texts = [text.get_text() for text in blueprint(BASE).axes[0].texts]
    assert "8 heads of 64" in texts
    assert "512 → 2048, relu, → 512" in texts
    assert texts.count("norm(x + F(x))") == 5
    assert texts.count("none in this model") == 2
    assert "layers × 6" in texts


def test_another_configuration_is_drawn_with_its_own_sizes():
    figure = blueprint(SMALL)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert "2 heads of 32" in texts and "2 heads of 32, look-ahead mask" in texts
    assert texts.count("x + F(norm(x))") == 5
    assert texts.count("layer norm") == 2
    assert {"layers × 2", "layers × 3", "64 → 71, the embedding's matrix", "50 × 64, times √64"} <= set(texts)
    assert "logits (B, M, 71), then softmax and argmax" in texts


@pytest.mark.parametrize("path", [box.path for box in BOXES])
def test_the_alternative_text_names_each_box(path):
    assert re.search(rf"{re.escape(path)}: \S", blueprint(SMALL).alt)


def test_names_fit_into_their_boxes():
    figure = blueprint(BASE)
    axes = figure.axes[0]
    inside = {box.name for box in BOXES} | {box.says(BASE) for box in BOXES}
    (left, _), (right, _) = axes.transData.transform([(0, 0), (4.6, 0)])
    for text in axes.texts:
        if text.get_text() in inside:
            assert text.get_window_extent().width < right - left - 8, text.get_text()
