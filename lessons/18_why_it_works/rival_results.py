"""What lesson 18's trainings have found, to be read without PyTorch. `python -m lessons.rivals` writes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from utils.data.kept import read_kept, read_run

LSTM = "LSTM"
DEPTHS = (1, 2, 4)  # layers in the encoder, and as many in the decoder
RIVAL = "transformer, 2 + 2"
SEEDS = (0, 1, 2)
RACE_SEEDS = (*SEEDS, 3, 4, 5, 6)  # of the two that race
STEPS = 1000  # of the two-layer transformer: the time that all get
LENGTHS = (8, 16, 32, 64)
TARGETS = (0.95, 0.99)
EVERY = 25  # steps between two points of a curve
SAVED = Path(__file__).with_name("rivals.json")


def transformer_of(depth: int) -> str:
    """The name of the transformer with so many layers on each side."""
    return f"transformer, {depth} + {depth}"


MODELS = (LSTM, *map(transformer_of, DEPTHS))


@dataclass(frozen=True)
class Training:
    """One model, trained once."""

    parameters: int
    steps: int
    scores: list[float]  # share of test sentences exactly right after each EVERY steps, and at the end
    without_block: dict[str, float] = field(default_factory=dict)  # what was done to the blocks -> the share then
    inside: dict[str, dict] = field(default_factory=dict)  # of the rival: `probing.findings`

    @property
    def right(self) -> float:
        return self.scores[-1]

    def steps_to(self, target: float) -> int | None:
        """After how many steps the score is at least `target` and stays there to the end; None if never."""
        below = [i for i, score in enumerate(self.scores) if score < target]
        first = below[-1] + 1 if below else 0
        return None if first == len(self.scores) else min(self.steps, EVERY * (first + 1))


def training(model: str, seed: int) -> Training:
    """Return the training run of a model with a seed. Raises ValueError for one that isn't saved."""
    return Training(**vars(read_run(SAVED, f"train {model} {seed}")))


def pace() -> dict[str, float]:
    """Return the milliseconds of processor time for a step of each model."""
    return read_kept(SAVED)["pace"]


def chosen(model: str) -> dict[str, float]:
    """Return, by "rate decay", the share of validation sentences exactly right with it."""
    return read_kept(SAVED)[f"choose {model}"]


def best_setting(model: str) -> tuple[float, float]:
    """The learning rate and the weight decay with the best score; every transformer has those of the rival."""
    tried = chosen(LSTM if model == LSTM else RIVAL)
    rate, decay = max(tried, key=tried.get).split()
    return float(rate), float(decay)


def time_by_length() -> dict[str, list[float]]:
    """Return by model the milliseconds of processor time for a step, one for each of LENGTHS."""
    return read_kept(SAVED)["length"]
