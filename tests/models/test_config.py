"""Configurations: the paper's numbers by default, frozen, and nothing that can't be built."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from utils.models.config import BlockConfig, TransformerConfig

WORDS = {"source_vocabulary": 9, "target_vocabulary": 7}


def test_the_defaults_are_the_papers_base_model():
    config = TransformerConfig(source_vocabulary=37_000, target_vocabulary=37_000)
    assert (config.d_model, config.n_heads, config.d_k, config.d_ff, config.dropout) == (512, 8, 64, 2048, 0.1)
    assert (config.n_encoder_layers, config.n_decoder_layers) == (6, 6)
    assert (config.norm_first, config.activation, config.positions) == (False, "relu", "sinusoidal")


@pytest.mark.parametrize(
    ("norm_first", "final_norm", "expected"),
    [(False, None, False), (True, None, True), (False, True, True), (True, False, False)],
)
def test_a_stack_ends_with_a_norm_when_asked_or_when_its_norms_come_first(norm_first, final_norm, expected):
    assert TransformerConfig(**WORDS, norm_first=norm_first, final_norm=final_norm).has_final_norm == expected


def test_a_configuration_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        BlockConfig().d_model = 3


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"d_model": 10, "n_heads": 3}, "d_model must be divisible by n_heads: 10 / 3 leaves 1."),
        ({"d_model": 0}, "d_model must be a whole number of at least 1: it is 0."),
        ({"n_heads": 2.0}, "n_heads must be a whole number of at least 1: it is 2.0."),
        ({"dropout": 1.0}, "dropout must be a number from 0 up to, not including, 1: it is 1.0."),
        ({"dropout": -0.1}, "dropout must be a number from 0 up to, not including, 1: it is -0.1."),
        ({"layer_norm_eps": 0}, "layer_norm_eps must be a number above 0: it is 0."),
        ({"activation": "swish"}, "activation must be one of relu, gelu, swiglu: it is 'swish'."),
        ({"norm_first": 1}, "norm_first must be True or False: it is 1."),
    ],
)
def test_a_block_that_cannot_be_built_is_refused(changes, sentence):
    for kind, more in ((BlockConfig, {}), (TransformerConfig, WORDS)):
        with pytest.raises((TypeError, ValueError)) as caught:
            kind(**more, **changes)
        assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"source_vocabulary": 0}, "source_vocabulary must be a whole number of at least 1: it is 0."),
        ({"max_length": -1}, "max_length must be a whole number of at least 1: it is -1."),
        ({"positions": "sine"}, "positions must be one of sinusoidal, learnt, none: it is 'sine'."),
        ({"tied": True}, "tied must be one of all, output, none: it is True."),
        (
            {"d_model": 9, "n_heads": 3},
            "sinusoidal positions come in pairs of sine and cosine, so d_model must be even: it is 9.",
        ),
        ({"pad_id": 7}, "pad_id must be an id of both vocabularies, from 0 to 6: it is 7."),
        (
            {"tied": "all"},
            'tied="all" shares one matrix between both vocabularies, so they must be equally large: 9 and 7 words.',
        ),
        ({"final_norm": "yes"}, "final_norm must be one of True, False, None: it is 'yes'."),
    ],
)
def test_a_transformer_that_cannot_be_built_is_refused(changes, sentence):
    with pytest.raises((TypeError, ValueError)) as caught:
        TransformerConfig(**(WORDS | changes))
    assert str(caught.value) == sentence


@pytest.mark.parametrize("positions", ["sinusoidal", "learnt"])
def test_a_table_of_positions_may_take_a_gibibyte_and_no_more(positions):
    most = {"d_model": 512, "positions": positions}
    assert TransformerConfig(**WORDS, **most, max_length=2**19).max_length == 2**19
    with pytest.raises(
        ValueError, match=r"^max_length × d_model must be at most 2\*\*28 where positions are added: it"
    ):
        TransformerConfig(**WORDS, **most, max_length=2**19 + 1)
    assert TransformerConfig(**WORDS, d_model=512, positions="none", max_length=2**30).max_length == 2**30
