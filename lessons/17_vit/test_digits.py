"""The digits are all there and divided once, and moving them moves nothing else."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from lessons import digits as module
from lessons.digits import DARKEST, SIZES, digits, patch_orders, rearranged, shifted
from utils.models.vit import patches


def parts():
    return digits().train, digits().validation, digits().test


def test_three_parts_hold_every_image_once():
    x, y = (torch.cat([getattr(part, name) for part in parts()]) for name in "xy")
    assert [len(part) for part in parts()] == [*SIZES.values()]
    assert x.shape == (1797, 1, 8, 8) and x.min() == 0 and x.max() == pytest.approx(DARKEST)
    assert torch.bincount(y).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    published = load_file(module._FILE)
    assert _as_rows(x * module.LEVEL, y) == _as_rows(published["images"], published["labels"])


def _as_rows(x, y):
    return sorted((*image.round().int().flatten().tolist(), label) for image, label in zip(x, y.tolist(), strict=True))


def test_each_image_shifts_by_up_to_a_pixel_and_paper_fills_the_edge():
    x = torch.arange(1.0, 17.0).reshape(1, 1, 4, 4).expand(300, -1, -1, -1)
    padded = np.pad(x[0, 0].numpy(), 1)
    possible = {padded[i : i + 4, j : j + 4].tobytes() for i in range(3) for j in range(3)}
    found = {image[0].numpy().tobytes() for image in shifted(x, torch.Generator().manual_seed(0))}
    assert found == possible


def test_patches_move_to_given_positions():
    x = torch.rand(3, 2, 4, 6)
    order = torch.tensor([5, 0, 3, 1, 2, 4])
    assert torch.equal(patches(rearranged(x, order, 2), 2), patches(x, 2)[:, order])
    orders = patch_orders(3, 6, seed=0)
    found = patches(rearranged(x, orders, 2), 2)
    for image, given, wanted in zip(found, patches(x, 2), orders, strict=True):
        assert torch.equal(image, given[wanted])


def test_each_image_gets_its_own_order():
    orders = patch_orders(50, 16, seed=0)
    assert (orders.sort(dim=1).values == torch.arange(16)).all() and len(orders.unique(dim=0)) == 50
    assert torch.equal(orders, patch_orders(50, 16, seed=0)) and not torch.equal(orders, patch_orders(50, 16, seed=1))
