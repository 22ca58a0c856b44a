"""The saved runs of recall: all are there, the texts ask for what they gave, and the state is all that is read."""

from __future__ import annotations

import pytest
import torch

from lessons import recall_runs
from lessons.recall_runs import KINDS, PAIRS, SEEDS, SYMBOLS, TRIED, Recall, recall_run, texts, train
from utils.data.kept import read_kept


def test_every_planned_run_is_saved_and_no_other():
    assert list(read_kept(recall_runs._FILE)) == list(recall_runs._all())
    assert all(1 / SYMBOLS < recall_run(kind, n, seed) <= 1 for kind in KINDS for n in PAIRS for seed in SEEDS)
    assert all(1 / SYMBOLS < recall_run(*tried) <= 1 for tried in TRIED)


def test_text_asks_for_each_of_its_pairs_once():
    keys, values, asked, right = texts(5, 8, torch.Generator().manual_seed(0))
    for row in range(5):
        pairs = dict(zip(keys[row].tolist(), values[row].tolist(), strict=True))
        assert len(pairs) == 8, "no key comes twice"
        assert sorted(asked[row].tolist()) == sorted(pairs)
        assert [pairs[key] for key in asked[row].tolist()] == right[row].tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_order_of_the_pairs_does_not_matter(kind):
    torch.manual_seed(0)
    model = Recall(*KINDS[kind])
    keys, values, asked, _ = texts(3, 6, torch.Generator().manual_seed(0))
    assert torch.allclose(model(keys, values, asked), model(keys.flip(1), values.flip(1), asked), atol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize("kind", KINDS)
def test_value_that_all_pairs_share_is_read_whole(kind):
    torch.manual_seed(0)
    model = Recall(*KINDS[kind])
    model.keys.weight.data *= 1e-3  # so that W_V reads next to nothing but the value
    keys, _, asked, _ = texts(3, 6, torch.Generator().manual_seed(0))
    logits = model(keys, torch.full_like(keys, 5), asked[:, :3])
    assert torch.allclose(logits, model.output(model.W_V(model.values.weight[5])).expand_as(logits), atol=0.02)


def test_recall_is_learnt_in_a_few_steps():
    assert train("softmax", 4, 0, steps=300) > 0.3
