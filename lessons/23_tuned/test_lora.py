"""LoRA: at first it changes nothing, merged it is the same, and only A and B learn."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from lessons.lora import Lora, add_lora, merge_lora, trained_numbers, turned


@pytest.fixture
def model():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 3, bias=False))
    add_lora(model, ("0", "2"), rank=2, seed=1)
    return model


@pytest.fixture
def moved(model):
    """The same after a training that has moved every B."""
    for part in (model[0], model[2]):
        nn.init.normal_(part.B)
    return model


X = torch.randn(7, 5, generator=torch.Generator().manual_seed(2))


def test_lora_matches_worked_example():
    linear = nn.Linear(2, 2)
    linear.weight.data, linear.bias.data = torch.tensor([[1.0, 2.0], [0.0, 1.0]]), torch.tensor([0.0, 5.0])
    lora = Lora(linear, rank=1)
    assert trained_numbers(lora) == 2 + 2
    lora.A.data, lora.B.data = torch.tensor([[1.0, -1.0]]), torch.tensor([[2.0], [3.0]])
    assert lora(torch.tensor([3.0, 1.0])).tolist() == [5 + 2 * 2, 6 + 3 * 2]


def test_new_lora_changes_nothing_and_trains_only_narrow_matrices(model):
    before = nn.Sequential(model[0].linear, model[1], model[2].linear)
    assert torch.equal(model(X), before(X))
    assert trained_numbers(model) == 2 * (5 + 4) + 2 * (4 + 3)
    model(X).sum().backward()
    assert model[0].linear.weight.grad is None and model[0].B.grad.abs().sum() > 0


def test_merged_model_gives_same_output_without_lora(moved):
    before = moved(X)
    merge_lora(moved)
    assert not any(isinstance(part, Lora) for part in moved.modules())
    torch.testing.assert_close(moved(X), before, atol=1e-5, rtol=1e-5)


def test_lora_scale_can_be_set_to_zero_and_back(moved):
    whole, frozen = moved(X), nn.Sequential(moved[0].linear, moved[1], moved[2].linear)(X)
    torch.testing.assert_close(turned(moved, 1.0, parts=2)(X), whole)
    torch.testing.assert_close(turned(moved, 0.0, parts=2)(X), frozen)
    change = turned(moved, 1.0, parts=1)[0].weight - moved[0].linear.weight
    assert torch.linalg.matrix_rank(change, atol=1e-5) == 1
    largest = torch.linalg.svdvals(moved[0].B @ moved[0].A)[0]
    torch.testing.assert_close(torch.linalg.matrix_norm(change), largest)
    torch.testing.assert_close(moved(X), whole)  # it is a copy that was turned
