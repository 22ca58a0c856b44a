"""The reader of reviews: its heads share out 1 over real words, and padding plays no part."""

from __future__ import annotations

import pytest
import torch

from tests.refused import refused
from utils.models.reviews import ReviewReader


@pytest.fixture
def reader():
    torch.manual_seed(0)
    return ReviewReader(20).double().eval()


def test_review_model_returns_expected_shapes_and_shares(reader):
    logits, weights = reader(torch.randint(1, 20, (5, 7)))
    assert logits.shape == (5, 3, 3) and weights.shape == (5, 3, 7)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(5, 3, dtype=torch.double))
    assert "ids must be a tensor of whole numbers" in refused(reader, [[1, 2]])


def test_padding_does_not_affect_the_review(reader):
    ids = torch.randint(1, 20, (3, 5))
    logits, weights = reader(ids)
    padded_logits, padded_weights = reader(torch.cat([ids, torch.zeros(3, 4, dtype=torch.long)], dim=1))
    torch.testing.assert_close(padded_logits, logits, rtol=0, atol=1e-12)
    torch.testing.assert_close(padded_weights[..., :5], weights, rtol=0, atol=1e-12)
    assert (padded_weights[..., 5:] == 0).all()


def test_head_attends_only_where_it_is_allowed(reader):
    allowed = torch.tensor([[True, False, True, False]])
    _, weights = reader(torch.randint(1, 20, (1, 4)), allowed)
    assert (weights[..., [1, 3]] == 0).all() and (weights[..., [0, 2]] > 0).all()


def test_state_depends_only_on_its_neighbours(reader):
    ids = torch.randint(1, 20, (1, 11))
    other = ids.clone()
    other[0, 5] = ids[0, 5] % 19 + 1
    moved = (reader.states(other) - reader.states(ids)).abs().amax(dim=-1)[0] > 0
    assert moved.tolist() == [False] * 2 + [True] * 7 + [False] * 2
