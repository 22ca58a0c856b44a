"""What the trainings of lesson 17 have found, to be read without PyTorch. `python -m lessons.digit_runs` writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from utils.data.kept import read_run

SAVED = Path(__file__).with_name("digit_runs.json")
SEEDS = (0, 1, 2)


def digit_run(kind: str, setting: str = "as it is", seed: int = 0) -> Any:
    """Return the shares of images that one training run reads right, with a kind and a setting of `digit_runs`.

    `validation` and `test` are for these images, and `shuffled` is for the test images, each with its patches in an
    order of its own. Runs from which a setting was chosen have no test images. Raises ValueError for any other run.
    """
    return read_run(SAVED, training_name(kind, setting, seed))


def shares_right(kind: str, setting: str = "as it is") -> list[float]:
    """Return the share of test images that are read right, for each of `SEEDS`."""
    return [digit_run(kind, setting, seed).test for seed in SEEDS]


def training_name(kind: str, setting: str, seed: int) -> str:
    """Such as "ViT, as it is, seed 0"."""
    return f"{kind}, {setting}, seed {seed}"
