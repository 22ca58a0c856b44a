"""Models that read digits, and one training for all of them: as many steps, on the same images.

The recipe was chosen for the ViT, on the validation images; learning rate and shift are each model's own, see
`digit_runs`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lessons.digits import Images, shifted
from utils.models.vit import Vit, VitConfig
from utils.training.loop import Trainer, TrainingConfig

Kind = Literal["ViT", "ViT without positions", "convolution net", "logistic regression"]

PATCH = 2  # pixels along an edge: 16 patches of 4 numbers
BATCH = 64
VIT = VitConfig(
    image_size=8, patch_size=PATCH, channels=1, classes=10, n_layers=2, d_model=64, n_heads=4, d_ff=128, dropout=0.0
)
POSITIONS = 0.5  # the standard deviation at the start; large, so that places are told apart from the first step on
RECIPE = TrainingConfig(steps=2400, warmup=50, weight_decay=0.05, evaluate_every=200)
RATES: dict[Kind, float] = {
    "ViT": 3e-3,
    "ViT without positions": 3e-3,
    "convolution net": 3e-3,
    "logistic regression": 1e-1,
}
SHIFTS: dict[Kind, int] = {kind: 0 if kind == "logistic regression" else 1 for kind in RATES}  # pixels


def new_model(kind: Kind, seed: int) -> nn.Module:
    """An untrained model: images (B, 1, 8, 8) -> logits (B, 10). Raises ValueError for another kind.

    "convolution net": two layers of 3 × 3 convolutions, 32 and 64 channels, a maximum over 2 × 2, and two linear
    layers. "logistic regression": one linear layer over the 64 pixels.
    """
    build: dict[str, Callable[[], nn.Module]] = {
        "ViT": lambda: Vit(VIT),
        "ViT without positions": lambda: Vit(replace(VIT, positions="none")),
        "convolution net": lambda: nn.Sequential(
            nn.Conv2d(1, 32, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(32, 64, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),  # (B, 64, 4, 4)
            nn.Flatten(),
            nn.Linear(64 * 16, 48),
            nn.ReLU(),
            nn.Linear(48, 10),
        ),
        "logistic regression": lambda: nn.Sequential(nn.Flatten(), nn.Linear(64, 10)),
    }
    if kind not in build:
        raise ValueError(f"the kind must be one of {', '.join(build)}: it is {kind!r}.")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = build[kind]()
        if kind == "ViT":
            nn.init.normal_(model.positions.table, std=POSITIONS)
    return model


def trained(
    kind: Kind,
    images: Images,
    seed: int,
    *,
    shift: int | None = None,
    change: Callable[[Tensor], Tensor] = lambda x: x,
    validation: Images | None = None,
    show: bool = False,
    **recipe: float,
) -> nn.Module:
    """A model of this kind, trained on `images` from nothing; `recipe` says what is other than in `RECIPE`.

    shift: by how many pixels an image is moved at most, anew each time; None takes it from `SHIFTS`. change: what
    happens to each batch (B, 1, 8, 8) after that. validation: images whose share that is read right is shown on the
    way; nothing is learnt from them. The same seed gives the same model on the same machine.
    """
    model, most = new_model(kind, seed), SHIFTS[kind] if shift is None else shift

    def batch(number: int) -> tuple[Tensor, Tensor]:
        chance = np.random.default_rng([seed, number])
        at = torch.from_numpy(chance.integers(len(images), size=BATCH))
        random = torch.Generator().manual_seed(int(chance.integers(2**32)))
        return change(shifted(images.x[at], random, most)), images.y[at]

    config = replace(RECIPE, **{"learning_rate": RATES[kind], "seed": seed, **recipe})
    held_out = None if validation is None else lambda model: accuracy(model, validation)
    Trainer(model, batch, config, loss_of=_loss_of, validate=held_out, score_name="share right", show=show).train()
    return model


@torch.no_grad()
def answers(model: nn.Module, x: Tensor) -> Tensor:
    """The digit that `model` takes each of x (B, 1, 8, 8) for, (B,)."""
    return model(x).argmax(dim=1)


def accuracy(model: nn.Module, images: Images) -> float:
    """The share of `images` that `model` reads right."""
    return float((answers(model, images.x) == images.y).float().mean())


def _loss_of(model: nn.Module, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, int]:
    x, y = batch
    return F.cross_entropy(model(x), y, reduction="sum"), len(y)
