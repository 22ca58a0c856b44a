"""Handwritten digits: 1797 images of 8 × 8 pixels, divided into what is learnt from, chosen on and tested on.

`digits.safetensors` holds them as they are published, numbers from 0 to 16, under CC BY 4.0. Source: Alpaydin and
Kaynak 1998, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, doi.org/10.24432/C50P49: its
test set, which is also what scikit-learn's `load_digits` gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from utils.models.files import load_tensors

SIZES = {"train": 1157, "validation": 258, "test": 382}
LEVEL = 6.0  # of the 17 levels of grey, about their standard deviation: numbers around 1 are easy to learn from
DARKEST = 16 / LEVEL

_FILE = Path(__file__).with_name("digits.safetensors")


@dataclass(frozen=True)
class Images:
    """Images (n, 1, 8, 8), from 0 (paper) to `DARKEST` (ink), and the digits (n,) that they show."""

    x: Tensor
    y: Tensor

    def __len__(self) -> int:
        return len(self.y)

    def first(self, n: int) -> Images:
        """The first n of them."""
        return Images(self.x[:n], self.y[:n])


@dataclass(frozen=True)
class Digits:
    """What is learnt from, what choices are made on, and what is kept for the end."""

    train: Images
    validation: Images
    test: Images


def digits() -> Digits:
    """All 1797 images, mixed and divided as `SIZES` says."""
    tensors, _ = load_tensors(_FILE)
    at = np.random.default_rng(0).permutation(len(tensors["labels"]))
    x, y = tensors["images"][at, None].float() / LEVEL, tensors["labels"][at].long()
    return Digits(*map(Images, x.split([*SIZES.values()]), y.split([*SIZES.values()])))


# --- what is done to images ---


def shifted(x: Tensor, random: torch.Generator, most: int = 1) -> Tensor:
    """Each of x (B, 1, H, W) moved by up to `most` pixels, up or down and left or right by chance; paper moves in."""
    height, width = x.shape[2:]
    padded = torch.nn.functional.pad(x, (most,) * 4)  # (B, 1, H + 2 · most, W + 2 · most)
    down, right = torch.randint(0, 2 * most + 1, (2, len(x), 1), generator=random)
    rows, columns = down + torch.arange(height), right + torch.arange(width)  # (B, H), (B, W)
    images = torch.arange(len(x))[:, None, None]
    return padded[images, 0, rows[:, :, None], columns[:, None, :]][:, None]


def rearranged(x: Tensor, places: Tensor, patch_size: int) -> Tensor:
    """x (B, C, H, W) with its patches in other places: place i gets the patch that stood at places[i].

    places (N,) for all images alike, or (B, N) for each its own; patches are counted row by row.
    """
    P = patch_size
    squares = x.unflatten(3, (-1, P)).unflatten(2, (-1, P)).permute(0, 2, 4, 1, 3, 5)  # (B, H/P, W/P, C, P, P)
    rows, columns = squares.shape[1:3]
    flat = squares.flatten(1, 2)  # (B, N, C, P, P)
    moved = flat[torch.arange(len(x))[:, None], places.expand(len(x), -1)]
    return moved.unflatten(1, (rows, columns)).permute(0, 3, 1, 4, 2, 5).flatten(4).flatten(2, 3)


def patch_orders(n_images: int, n_patches: int, seed: int) -> Tensor:
    """A random order of the patches for each image, (n_images, n_patches)."""
    random = torch.Generator().manual_seed(seed)
    return torch.rand(n_images, n_patches, generator=random).argsort(dim=1)
