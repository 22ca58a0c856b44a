"""Trainings that lesson 17 speaks of and does not do, done once and kept: `python -m lessons.digit_runs`.

Each is `digit_models.trained` with one of the seeds below, in one of these settings:

- "as it is": all training images;
- "one order": the patches of all images, training and test alike, in one and the same other order;
- "twice the steps": as it is, and twice as long;
- "rate 0.01", "shift 1": with another learning rate or shift, judged on validation images alone.

The numbers stand in digit_runs.json beside this file, where `digit_results` reads them, and the ViT of the first seed,
as it is, in vit.safetensors.
`--only "ViT, one order"` does again what begins so, and keeps the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from itertools import product
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lessons.digit_models import PATCH, RECIPE, Kind, accuracy, trained
from lessons.digit_results import SAVED, SEEDS, DigitRun, training_name
from lessons.digits import Images, digits, patch_orders, rearranged
from utils.data.kept import keep
from utils.models.files import load_tensors, pack_model, save_tensors, unpack_model
from utils.models.vit import Vit, patches
from utils.models.watching import watching

KINDS: tuple[Kind, ...] = ("ViT", "convolution net", "logistic regression")
TRIED = ("rate 0.01", "rate 0.03", "shift 1")  # of logistic regression
BLANKED = 4  # patches of 16
_WEIGHTS = Path(__file__).with_name("vit.safetensors")


def shipped_vit() -> Vit:
    """The ViT of the first seed, as it is, ready to use."""
    return unpack_model(*load_tensors(_WEIGHTS))


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


def patch_scores(vit: Vit, x: Tensor) -> dict[str, Tensor]:
    """Ways to choose patches of x (B, 1, H, W), each as scores (B, N): what [CLS] pays most or least, chance, most ink.

    What it pays is that of the last layer, the mean over the heads.
    """
    looks = cls_weights(vit, x)[:, -1].mean(dim=1)  # (B, N)
    return {
        "most": looks,
        "least": -looks,
        "by chance": torch.rand(looks.shape, generator=torch.Generator().manual_seed(0)),
        "most ink": patches(x, PATCH).sum(dim=2),
    }


def accuracy_without(vit: Vit, images: Images) -> dict[str, float]:
    """Accuracy with no patch made paper, and with those that have the highest of each of `patch_scores`."""
    scores = patch_scores(vit, images.x)
    without = {name: Images(blanked(images.x, score), images.y) for name, score in scores.items()}
    return {name: _share(vit, changed) for name, changed in {"none": images, **without}.items()}


def cosines_by_distance(table: Tensor) -> dict[str, float]:
    """The mean cosine of two patches' positions, by the square of how far apart they are on the grid.

    table (1 + N, d_model): that of [CLS] comes first, and is left out. The mean of the others is taken off.
    """
    places = F.normalize(table[1:] - table[1:].mean(dim=0), dim=1)  # (N, d_model)
    edge = round(len(places) ** 0.5)
    at = torch.cartesian_prod(torch.arange(edge), torch.arange(edge))  # (N, 2)
    squares = (at[:, None] - at).square().sum(dim=2)  # (N, N)
    cosines = places @ places.T
    return {f"{d}": round(float(cosines[squares == d].mean()), 3) for d in squares.unique().tolist() if d}


def _share(model: nn.Module, images: Images) -> float:
    return round(accuracy(model, images), 4)


# --- how it was done ---


def run(kind: Kind, setting: str, seed: int) -> DigitRun:
    """Trains, and measures; see `DigitRun`."""
    parts, order = digits(), patch_orders(1, 16, seed=1)[0]

    def change(x: Tensor) -> Tensor:
        return rearranged(x, order, PATCH) if setting == "one order" else x

    name, _, value = setting.partition(" ")
    if name in ("rate", "shift"):
        tried = {"learning_rate": float(value)} if name == "rate" else {"shift": int(value)}
        return DigitRun(_share(trained(kind, parts.train, seed, **tried), parts.validation))
    longer = {"steps": 2 * RECIPE.steps} if setting == "twice the steps" else {}
    model = trained(kind, parts.train, seed, change=change, **longer)
    validation, test = (Images(change(part.x), part.y) for part in (parts.validation, parts.test))
    found = DigitRun(_share(model, validation), _share(model, test))
    if setting != "as it is" or not isinstance(model, Vit):
        return found
    if kind == "ViT" and seed == SEEDS[0]:
        save_tensors(_WEIGHTS, *pack_model(model))
    whole = kind == "ViT"
    return DigitRun(
        found.validation,
        found.test,
        _share(model, with_shuffled_patches(test)),
        accuracy_without(model, test) if whole else None,
        cosines_by_distance(model.positions.table.detach()) if whole else None,
    )


def _all() -> dict[str, Callable[[], DigitRun]]:
    """Every training that is kept: name -> what does it."""
    wanted = list(product(KINDS, ["as it is", "one order"], SEEDS))
    wanted += list(product(["ViT without positions"], ["as it is"], SEEDS))
    wanted += list(product(["ViT"], ["twice the steps"], SEEDS))
    wanted += [("logistic regression", setting, SEEDS[0]) for setting in TRIED]
    return {training_name(*training): partial(run, *training) for training in wanted}


def _as_kept(train: Callable[[], DigitRun]) -> dict[str, object]:
    return {part: value for part, value in asdict(train()).items() if value is not None}


if __name__ == "__main__":
    torch.set_num_threads(1)
    keep(SAVED, {name: lambda train=train: _as_kept(train) for name, train in _all().items()})
