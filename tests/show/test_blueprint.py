"""The picture of the whole transformer: it shows the modules that a real model has, under their names."""

from __future__ import annotations

from utils.models.config import TransformerConfig
from utils.models.transformer import Transformer
from utils.show.blueprint import BOXES, FRAMES

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


def test_each_box_is_a_module_and_each_module_is_drawn():
    modules = {name for name, _ in Transformer(SMALL).named_modules() if name}
    assert DRAWN - modules == set()
    around = ("", "encoder", "decoder", "encoder.layers.0", "decoder.layers.0")
    parts = {name for name in modules if name.rpartition(".")[0] in around}
    assert parts - DRAWN == {"dropout"}, "all but the dropout, which does nothing in a trained model"
