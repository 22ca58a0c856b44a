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
from dataclasses import asdict, replace
from functools import partial
from itertools import product
from pathlib import Path

import torch
from torch import Tensor, nn

from lessons.digit_models import PATCH, Kind, accuracy, trained
from lessons.digit_results import MORE_SEEDS, SAVED, SEEDS, DigitRun, training_name
from lessons.digits import Images, digits, patch_orders, rearranged
from utils.data.kept import keep
from utils.models.files import load_model, note_shipped, pack_model, save_tensors
from utils.models.vit import Vit, patches
from utils.models.watching import watching

KINDS: tuple[Kind, ...] = ("ViT", "convolution net", "logistic regression")
TRIED = ("rate 0.01", "rate 0.03", "shift 1")  # of logistic regression
ORDERS = {"one order": 1, "another order": 2}  # setting -> the seed of its order
BLANKED = 4  # patches of 16
DRAWS = 300  # choices of patches by chance, of which one has about as much ink as is wanted
REPEATS = 10  # times that chance chooses
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


def blanked(x: Tensor, scores: Tensor, n: int = BLANKED) -> Tensor:
    """x (B, 1, H, H), with those n patches made paper that have the highest of the scores (B, N)."""
    off = torch.zeros_like(scores).scatter(1, scores.topk(n).indices, 1.0)  # (B, N)
    edge = round(scores.shape[1] ** 0.5)
    pixels = off.reshape(-1, 1, edge, edge).repeat_interleave(PATCH, dim=2).repeat_interleave(PATCH, dim=3)
    return x * (1 - pixels)


def patch_scores(vit: Vit, x: Tensor, seed: int = 0) -> dict[str, Tensor]:
    """Ways to choose patches of x (B, 1, H, W), each as scores (B, N): what [CLS] pays most or least, chance, most ink.

    What it pays is that of the last layer, the mean over the heads. "as much ink": of `DRAWS` choices by chance the
    one whose ink is nearest to that of the patches paid most. The seed is that of chance.
    """
    looks, ink = cls_weights(vit, x)[:, -1].mean(dim=1), patches(x, PATCH).sum(dim=2)  # (B, N), (B, N)
    random = torch.Generator().manual_seed(seed)
    by_chance = torch.rand(looks.shape, generator=random)
    draws = torch.rand(DRAWS, *looks.shape, generator=random)  # (draws, B, N)
    off = (_ink_of(ink.expand_as(draws), draws) - _ink_of(ink, looks)).abs()  # (draws, B)
    alike = draws[off.argmin(dim=0), torch.arange(len(x))]  # (B, N)
    return {"most": looks, "as much ink": alike, "least": -looks, "by chance": by_chance, "most ink": ink}


def _ink_of(ink: Tensor, scores: Tensor) -> Tensor:
    """The ink of the patches with the highest scores: (…, N), (…, N) -> (…)."""
    return ink.gather(-1, scores.topk(BLANKED).indices).sum(dim=-1)


def without_patches(vit: Vit, images: Images) -> tuple[dict[str, float], dict[str, float]]:
    """Accuracy with no patch made paper, and with those that have the highest of each of `patch_scores`.

    Then the share of all ink that is gone with them. Both are means over `REPEATS` times that chance was asked.
    """
    right, gone = {"none": _share(vit, images)}, {"none": 0.0}
    choices = [patch_scores(vit, images.x, seed) for seed in range(REPEATS)]
    for name in choices[0]:
        left = [Images(blanked(images.x, scores[name]), images.y) for scores in choices]
        right[name] = round(sum(accuracy(vit, part) for part in left) / REPEATS, 4)
        gone[name] = round(1 - sum(float(part.x.sum() / images.x.sum()) for part in left) / REPEATS, 4)
    return right, gone


def _share(model: nn.Module, images: Images) -> float:
    return round(accuracy(model, images), 4)


# --- how it was done ---


def run(kind: Kind, setting: str, seed: int) -> DigitRun:
    """Trains, and measures; see `DigitRun`."""
    parts, order = digits(), patch_orders(1, 16, seed=ORDERS.get(setting, 0))[0]

    def change(x: Tensor) -> Tensor:
        return rearranged(x, order, PATCH) if setting in ORDERS else x

    name, _, value = setting.partition(" ")
    if name in ("rate", "shift"):
        tried = {"learning_rate": float(value)} if name == "rate" else {"shift": int(value)}
        return DigitRun(_share(trained(kind, parts.train, seed, **tried), parts.validation))
    model = trained(kind, parts.train, seed, change=change)
    validation, test = (Images(change(part.x), part.y) for part in (parts.validation, parts.test))
    found = DigitRun(_share(model, validation), _share(model, test))
    if setting != "as it is" or not isinstance(model, Vit):
        return found
    if kind == "ViT" and seed == SEEDS[0]:
        save_tensors(_WEIGHTS, *pack_model(model))
        note_shipped(_WEIGHTS)
    found = replace(found, shuffled=_share(model, with_shuffled_patches(test)))
    if kind != "ViT":
        return found
    without, gone = without_patches(model, test)
    return replace(found, blanked=without, ink_gone=gone)


def _all() -> dict[str, Callable[[], DigitRun]]:
    """Every training that is kept: name -> what does it."""
    wanted = list(product(KINDS, ["as it is", "one order"], SEEDS))
    wanted += list(product(["convolution net"], ["another order"], SEEDS))
    wanted += list(product(["ViT without positions"], ["as it is"], SEEDS))
    wanted += list(product(["ViT"], ["as it is"], MORE_SEEDS))
    wanted += [("logistic regression", setting, SEEDS[0]) for setting in TRIED]
    return {training_name(*training): partial(run, *training) for training in wanted}


def _as_kept(train: Callable[[], DigitRun]) -> dict[str, object]:
    return {part: value for part, value in asdict(train()).items() if value is not None}


if __name__ == "__main__":
    torch.set_num_threads(1)
    keep(SAVED, {name: lambda train=train: _as_kept(train) for name, train in _all().items()})
