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
def test_stack_ends_with_a_norm_on_request_or_with_pre_norm(norm_first, final_norm, expected):
    assert TransformerConfig(**WORDS, norm_first=norm_first, final_norm=final_norm).has_final_norm == expected


def test_config_defaults_match_the_paper():
    assert (BlockConfig().dropout, BlockConfig().activation, BlockConfig().norm_first) == (0.1, "relu", False)


NO_BLOCK = [
    ("d_model must be divisible by n_heads", {"d_model": 10, "n_heads": 3}),
    ("dropout must be a number from 0 up to", {"dropout": 1.0}),
]


@pytest.mark.parametrize(("sentence", "changes"), NO_BLOCK)
def test_invalid_block_is_refused(changes, sentence):
    for kind, more in ((BlockConfig, {}), (TransformerConfig, WORDS)):
        assert sentence in refused(kind, **more, **changes)


NO_TRANSFORMER = [
    ("sinusoidal positions come in pairs of sine", {"d_model": 9, "n_heads": 3}),
    ('tied="all" shares one matrix between both', {"tied": "all"}),
]


@pytest.mark.parametrize(("sentence", "changes"), NO_TRANSFORMER)
def test_invalid_transformer_is_refused(changes, sentence):
    assert sentence in refused(TransformerConfig, **WORDS | changes)


def test_position_table_is_limited_to_a_gibibyte():
    most = {"d_model": 512}
    assert TransformerConfig(**WORDS, **most, max_length=2**19).max_length == 2**19
    with pytest.raises(ValueError, match=r"max_length × d_model must be at most 2\*\*28"):
        TransformerConfig(**WORDS, **most, max_length=2**19 + 1)
    assert TransformerConfig(**WORDS, d_model=512, positions="none", max_length=2**30).max_length == 2**30
