"""The control of lesson 15: the map of the head that is named, the mean, and what is left without the ends."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from lessons.looking import one_head
from utils.models.bert import Bert, BertConfig
from utils.models.watching import watching

WORDS = {word: i for i, word in enumerate(["[PAD]", "[CLS]", "[SEP]", *"abcdefgh"])}


@pytest.fixture(scope="module")
def small():
    tokenizer = Tokenizer(WordLevel(WORDS, unk_token="[PAD]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing("[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    torch.manual_seed(0)
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 8, "n_layers": 3, "max_length": 50, "dropout": 0.0}
    return Bert(BertConfig(vocabulary=len(WORDS), **sizes)).eval(), tokenizer


def maps_of(small, sentence):
    bert, tokenizer = small
    with torch.no_grad(), watching(bert) as maps:
        bert(torch.tensor([tokenizer.encode(sentence).ids]))
    return [A[0].numpy() for A in maps.encoder]


@pytest.mark.parametrize(("layer", "head"), [(1, 1), (3, 2)])
def test_layers_and_heads_are_counted_from_1(small, layer, head):
    note, heatmap = one_head(*small, "a b c d", layer, head, mean=False, without=False)
    A = maps_of(small, "a b c d")[layer - 1][head - 1]
    np.testing.assert_allclose(heatmap.values, A, atol=1e-7)
    assert heatmap.row_names == heatmap.column_names == ("[CLS]", *"abcd", "[SEP]")
    assert note.sentence == f"head {layer}.{head}: {100 * A[:, 0].mean():.0f} % of all weight goes to [CLS]"


def test_mean_is_taken_over_heads_of_the_layer(small):
    note, heatmap = one_head(*small, "a b c d", 2, 1, mean=True, without=False)
    np.testing.assert_allclose(heatmap.values, maps_of(small, "a b c d")[1].mean(axis=0), atol=1e-7)
    assert note.sentence.startswith("layer 2, mean of the heads: ")


def test_without_special_tokens_each_head_is_renormalized_before_the_mean(small):
    A = maps_of(small, "a b c d")[2][:, 1:-1, 1:-1]
    _, heatmap = one_head(*small, "a b c d", 3, 1, mean=True, without=True)
    np.testing.assert_allclose(heatmap.values, (A / A.sum(-1, keepdims=True)).mean(axis=0), atol=1e-6)
    assert heatmap.row_names == tuple("abcd")
