"""The famous transformers: their printed sizes are those that their depths and widths give."""

from __future__ import annotations

import pytest
import torch

from lessons.famous import FAMOUS, famous
from utils.models.bert import Bert, BertConfig
from utils.models.vit import Vit, VitConfig


@pytest.mark.parametrize("model", FAMOUS, ids=lambda model: model.name)
def test_printed_size_follows_from_depth_and_width(model):
    # The vocabulary of 2017 is known as "about 37000" only, and GPT-2's paper prints less than its own sizes make.
    within = {"Transformer (base)": 0.031, "GPT-2": 0.011}.get(model.name, 0.005)
    assert model.numbers / 1e6 == pytest.approx(model.millions, rel=within)


def test_vit_and_bert_are_counted_as_built():
    with torch.device("meta"):
        vit, bert = Vit(VitConfig()), Bert(BertConfig())
    head, pooler = 768 * 1000 + 1000, 768 * 768 + 768
    assert famous("ViT").numbers == sum(p.numel() for p in vit.parameters()) - head
    assert famous("BERT").numbers == sum(p.numel() for p in bert.parameters()) + pooler
