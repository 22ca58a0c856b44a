"""What the trainings of lesson 17 have found, to be read without PyTorch. `python -m lessons.digit_runs` writes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from utils.data.kept import read_kept

SAVED = Path(__file__).with_name("digit_runs.json")
SEEDS = (0, 1, 2)
MORE_SEEDS = (3, 4, 5, 10, 11, 12)  # with which the ViT was trained as it is, too


@dataclass(frozen=True)
class DigitRun:
    """Shares of images that are read right. Where a choice was to be made, there is none of the test images."""

    validation: float
    test: float | None = None
    shuffled: float | None = None  # of the test images, each with its patches in an order of its own
    blanked: dict[str, float] | None = None  # of the test images, without the patches that `digit_runs` chooses
    ink_gone: dict[str, float] | None = None  # the share of their ink that is gone with these patches


def digit_run(kind: str, setting: str = "as it is", seed: int = 0) -> DigitRun:
    """What came out of one training; kinds and settings are those of `digit_runs`.

    Raises ValueError for one that was not kept.
    """
    runs, name = read_kept(SAVED), training_name(kind, setting, seed)
    if name not in runs:
        raise ValueError(f"no training was kept under the name {name!r}.")
    return DigitRun(**runs[name])


def shares_right(kind: str, setting: str = "as it is") -> list[float]:
    """The share of test images that are read right, for each of `SEEDS`."""
    return [digit_run(kind, setting, seed).test for seed in SEEDS]


def training_name(kind: str, setting: str, seed: int) -> str:
    """Such as "ViT, as it is, seed 0"."""
    return f"{kind}, {setting}, seed {seed}"
