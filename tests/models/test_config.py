"""Configurations: the paper's numbers by default, frozen, and nothing that can't be built."""

from __future__ import annotations

import pytest

from tests.refused import refused
from utils.models.config import BlockConfig, TransformerConfig

WORDS = {"source_vocabulary": 9, "target_vocabulary": 7}


@pytest.mark.parametrize(
    ("norm_first", "final_norm", "expected"),
    [(False, None, False), (True, None, True), (False, True, True), (True, False, False)],
)
def test_a_stack_ends_with_a_norm_when_asked_or_when_its_norms_come_first(norm_first, final_norm, expected):
    assert TransformerConfig(**WORDS, norm_first=norm_first, final_norm=final_norm).has_final_norm == expected


def test_the_defaults_are_the_papers():
    assert (BlockConfig().dropout, BlockConfig().activation, BlockConfig().norm_first) == (0.1, "relu", False)


NO_BLOCK = {
    "d_model must be divisible by n_heads: 10 / 3 leaves 1.": {"d_model": 10, "n_heads": 3},
    "d_model must be a whole number of at least 1: it is 0.": {"d_model": 0},
    "TypeError: n_heads must be a whole number of at least 1: it is 2.0.": {"n_heads": 2.0},
    "dropout must be a number from 0 up to, not including, 1: it is 1.0.": {"dropout": 1.0},
    "dropout must be a number from 0 up to, not including, 1: it is -0.1.": {"dropout": -0.1},
    "layer_norm_eps must be a number above 0: it is 0.": {"layer_norm_eps": 0},
    "activation must be one of relu, gelu, swiglu: it is 'swish'.": {"activation": "swish"},
    "norm_first must be True or False: it is 1.": {"norm_first": 1},
}


@pytest.mark.parametrize(("sentence", "changes"), NO_BLOCK.items())
def test_a_block_that_cannot_be_built_is_refused(changes, sentence):
    for kind, more in ((BlockConfig, {}), (TransformerConfig, WORDS)):
        assert refused(kind, **more, **changes) == sentence


NO_TRANSFORMER = {
    "source_vocabulary must be a whole number of at least 1: it is 0.": {"source_vocabulary": 0},
    "max_length must be a whole number of at least 1: it is -1.": {"max_length": -1},
    "positions must be one of sinusoidal, learnt, none: it is 'sine'.": {"positions": "sine"},
    "tied must be one of all, output, none: it is True.": {"tied": True},
    "sinusoidal positions come in pairs of sine and cosine, so d_model must be even: it is 9.": (
        {"d_model": 9, "n_heads": 3}
    ),
    "pad_id must be an id of both vocabularies, from 0 to 6: it is 7.": {"pad_id": 7},
    'tied="all" shares one matrix between both vocabularies, so they must be equally large: 9 and 7 words.': (
        {"tied": "all"}
    ),
    "final_norm must be one of True, False, None: it is 'yes'.": {"final_norm": "yes"},
}


@pytest.mark.parametrize(("sentence", "changes"), NO_TRANSFORMER.items())
def test_a_transformer_that_cannot_be_built_is_refused(changes, sentence):
    assert refused(TransformerConfig, **WORDS | changes) == sentence


@pytest.mark.parametrize("positions", ["sinusoidal", "learnt"])
def test_a_table_of_positions_may_take_a_gibibyte_and_no_more(positions):
    most = {"d_model": 512, "positions": positions}
    assert TransformerConfig(**WORDS, **most, max_length=2**19).max_length == 2**19
    with pytest.raises(
        ValueError, match=r"^max_length × d_model must be at most 2\*\*28 where positions are added: it"
    ):
        TransformerConfig(**WORDS, **most, max_length=2**19 + 1)
    assert TransformerConfig(**WORDS, d_model=512, positions="none", max_length=2**30).max_length == 2**30
