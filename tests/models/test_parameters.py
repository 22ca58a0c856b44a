"""Parameters counted twice: by formula and in the modules; and the numbers of the paper's base model."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from utils.models.config import BlockConfig, TransformerConfig
from utils.models.parameters import (
    TABLE_3,
    attention_parameters,
    encoder_layer_parameters,
    feed_forward_parameters,
    gated_width,
    norm_parameters,
    parameters_by_formula,
)
from utils.models.transformer import Transformer

BASE = BlockConfig()
PAPER = TransformerConfig(source_vocabulary=37_000, target_vocabulary=37_000, tied="all")
_KINDS = {"norm": "norms", "self_att": "self-attention", "cross_att": "cross-attention", "feed_forward": "feed-forward"}


def parameters_by_module(model: Transformer) -> dict[str, int]:
    """The same parts, counted: every parameter of `model` goes to the part that its name says."""
    counts = dict.fromkeys(parameters_by_formula(model.config), 0)
    for name, parameter in model.named_parameters():  # a shared matrix comes once
        counts[_part_of(name)] += parameter.numel()
    return counts


def _part_of(name: str) -> str:
    """encoder.layers.3.self_attention.project_in.weight -> encoder self-attention."""
    stack = name.split(".")[0]
    if stack in ("encoder", "decoder"):
        return f"{stack} {next(kind for word, kind in _KINDS.items() if word in name)}"
    return "positions" if stack == "positions" else "words"


@st.composite
def configs(draw):
    n_heads = draw(st.integers(1, 4))
    tied = draw(st.sampled_from(["all", "output", "none"]))
    words = draw(st.integers(1, 9))
    return TransformerConfig(
        d_model=n_heads * draw(st.sampled_from([2, 4, 6])),
        n_heads=n_heads,
        d_ff=draw(st.integers(1, 9)),
        bias=draw(st.booleans()),
        activation=draw(st.sampled_from(["relu", "swiglu"])),
        norm_first=draw(st.booleans()),
        source_vocabulary=words,
        target_vocabulary=words if tied == "all" else draw(st.integers(1, 9)),
        n_encoder_layers=draw(st.integers(1, 3)),
        n_decoder_layers=draw(st.integers(1, 3)),
        positions=draw(st.sampled_from(["sinusoidal", "learnt", "none"])),
        max_length=draw(st.integers(1, 9)),
        tied=tied,
        final_norm=draw(st.sampled_from([None, True, False])),
    )


@settings(max_examples=60)
@given(configs())
def test_formulas_match_parameters_of_the_modules(config):
    model = Transformer(config, device="meta")
    by_module = parameters_by_module(model)
    assert parameters_by_formula(config) == by_module
    assert sum(by_module.values()) == sum(p.numel() for p in model.parameters())


def test_base_model_matches_worked_example():
    assert attention_parameters(BASE) == 4 * (512 * 512 + 512) == 1_050_624
    assert feed_forward_parameters(BASE) == 512 * 2048 + 2048 + 2048 * 512 + 512 == 2_099_712
    assert feed_forward_parameters(replace(BASE, activation="swiglu", d_ff=gated_width(2048), bias=False)) == 2_096_640
    assert gated_width(2048) == 1365  # 3 · 512 · 1365 is 512 less than 2 · 512 · 2048
    assert norm_parameters(BASE) == 1024
    assert encoder_layer_parameters(BASE) == 3_152_384
    parts = parameters_by_formula(PAPER)
    assert parts["words"] == 37_000 * 512 == 18_944_000
    assert sum(parts.values()) == 6 * 3_152_384 + 6 * 4_204_032 + 18_944_000 == 63_082_496


@pytest.mark.parametrize("model", TABLE_3, ids=lambda model: model.row)
def test_row_of_table_3_matches_our_model_without_attention_biases(model):
    config = TransformerConfig(
        d_model=model.d_model,
        d_ff=model.d_ff,
        n_heads=model.n_heads,
        n_encoder_layers=model.n_layers,
        n_decoder_layers=model.n_layers,
        source_vocabulary=7,
        target_vocabulary=7,
        tied="all",
    )
    ours = sum(parameters_by_formula(config).values()) - 3 * model.n_layers * 4 * model.d_model
    narrower = (config.d_k - model.d_k) + (config.d_k - model.d_v)  # columns that a head lacks, of W_Q and W_V
    assert model.total(7) == ours - 3 * model.n_layers * model.n_heads * 2 * model.d_model * narrower
