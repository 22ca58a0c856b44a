"""Trainings that lesson 17 speaks of and does not do, done once and kept: `python -m lessons.digit_runs`.

Each is `digit_models.trained` with one of the seeds below, in one of these settings:

- "as it is": all training images;
- "one order", "another order": the patches of all images, training and test alike, in one and the same other order;
- "rate 0.01", "shift 1": with another learning rate or shift, judged on validation images alone.

The numbers stand in digit_runs.json beside this file, where `digit_results` reads them, and the ViT of the first seed,
as it is, in vit.safetensors.
`--only "ViT, one order"` does again what begins so, and keeps the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

import torch
from torch import Tensor, nn

from lessons.digit_models import PATCH, Kind, accuracy, trained
from lessons.digit_results import SAVED, SEEDS, training_name
from lessons.digits import Images, digits, patch_orders, rearranged
from utils.data.kept import keep
from utils.models.files import load_model, pack_model, save_tensors
from utils.models.vit import Vit
from utils.models.watching import watching

KINDS: tuple[Kind, ...] = ("ViT", "convolution net", "logistic regression")
TRIED = ("rate 0.01", "rate 0.03", "shift 1")  # of logistic regression
ORDERS = {"one order": 1, "another order": 2}  # setting -> the seed of its order
_WEIGHTS = Path(__file__).with_name("vit.safetensors")


def shipped_vit() -> Vit:
    """The ViT of the first seed, as it is, ready to use."""
    return load_model(_WEIGHTS)[0]


# --- what is measured ---


def with_shuffled_patches(images: Images) -> Images:
    """The same images, each with its patches in a random order of its own."""
    return Images(rearranged(images.x, patch_orders(len(images), 16, seed=0), PATCH), images.y)


def cls_weights(vit: Vit, x: Tensor) -> Tensor:
    """What [CLS] pays to each patch of x (B, 1, H, W), (B, layers, heads, N); what it pays to itself is left out."""
    with torch.no_grad(), watching(vit) as maps:
        vit(x)
    return torch.stack([weights[:, :, 0, 1:] for weights in maps.encoder], dim=1)


def answer_shares(vit: Vit, x: Tensor) -> Tensor:
    """How sure the model is of each class, for x (B, 1, H, W): (B, classes), each row adding up to 1."""
    with torch.no_grad():
        return vit(x).softmax(dim=-1)


def arranged(x: Tensor, how: str) -> Tensor:
    """x (B, 1, H, W) as it is, with its patches "shuffled", or made "blank" paper."""
    if how == "blank":
        return torch.zeros_like(x)
    return rearranged(x, patch_orders(len(x), 16, seed=3), PATCH) if how == "shuffled" else x


def _share(model: nn.Module, images: Images) -> float:
    return round(accuracy(model, images), 4)


# --- how it was done ---


def run(kind: Kind, setting: str, seed: int) -> dict[str, float]:
    """Train, and measure what `digit_run` returns."""
    parts, order = digits(), patch_orders(1, 16, seed=ORDERS.get(setting, 0))[0]

    def change(x: Tensor) -> Tensor:
        return rearranged(x, order, PATCH) if setting in ORDERS else x

    name, _, value = setting.partition(" ")
    if name in ("rate", "shift"):
        tried = {"learning_rate": float(value)} if name == "rate" else {"shift": int(value)}
        return {"validation": _share(trained(kind, parts.train, seed, **tried), parts.validation)}
    model = trained(kind, parts.train, seed, change=change)
    validation, test = (Images(change(part.x), part.y) for part in (parts.validation, parts.test))
    found = {"validation": _share(model, validation), "test": _share(model, test)}
    if setting != "as it is" or not isinstance(model, Vit):
        return found
    if kind == "ViT" and seed == SEEDS[0]:
        save_tensors(_WEIGHTS, *pack_model(model))
    return found | {"shuffled": _share(model, with_shuffled_patches(test))}


def _all() -> dict[str, Callable[[], dict[str, float]]]:
    """Every training that is kept: name -> what does it."""
    wanted = list(product(KINDS, ["as it is", "one order"], SEEDS))
    wanted += list(product(["convolution net"], ["another order"], SEEDS))
    wanted += list(product(["ViT without positions"], ["as it is"], SEEDS))
    wanted += [("logistic regression", setting, SEEDS[0]) for setting in TRIED]
    return {training_name(*training): partial(run, *training) for training in wanted}


if __name__ == "__main__":
    torch.set_num_threads(1)
    keep(SAVED, _all())
