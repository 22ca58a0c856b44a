"""Trainings that are too long for a lesson's control, done once and kept: `python -m utils.training.saved_runs`.

Small translators on the course's corpus, RUN_STEPS steps each, for every size and highest learning rate below. The
curves stand in saved_runs.json beside this file, three digits each.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from utils.training.corpora import english_persian
from utils.training.loop import TrainingConfig
from utils.training.train import new_translator, trainer_of

SIZES = (32, 64, 128)  # d_model
LEARNING_RATES = (1e-4, 5e-4, 2e-3, 1e-2)
RUN_STEPS = 300
EVERY = 30  # steps between two points of a curve
TESTED = 200  # held-out sentences for each
_FILE = Path(__file__).with_name("saved_runs.json")


@dataclass(frozen=True)
class Run:
    """Curves over the steps EVERY, 2 · EVERY, …, RUN_STEPS."""

    losses: list[float]  # the mean of the last EVERY steps
    scores: list[float]  # exact match on held-out sentences


def run_of(size: int, rate: float) -> Run:
    """The training of this size and highest learning rate, done now."""
    corpus = english_persian()
    config = TrainingConfig(steps=RUN_STEPS, learning_rate=rate, evaluate_every=EVERY)
    translator = new_translator(corpus, d_model=size, d_ff=2 * size)
    history = trainer_of(translator, corpus, config, tested=TESTED, show=False).train()
    losses = [history.losses[start : start + EVERY] for start in range(0, RUN_STEPS, EVERY)]
    return Run([round(sum(part) / EVERY, 3) for part in losses], [round(score, 3) for _, score in history.scores])


def saved_run(size: int, rate: float) -> Run:
    """The same, as it was kept. Raises ValueError for one that was not."""
    runs = json.loads(_FILE.read_text(encoding="utf-8"))
    if _name(size, rate) not in runs:
        raise ValueError(f"no training was kept with d_model {size} and learning rate {rate:g}.")
    return Run(**runs[_name(size, rate)])


def main() -> None:
    """Does all trainings again and writes the file."""
    runs = {}
    for size in SIZES:
        for rate in LEARNING_RATES:
            run = run_of(size, rate)
            runs[_name(size, rate)] = {"losses": run.losses, "scores": run.scores}
            print(_name(size, rate), run.scores[-1], flush=True)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(run)}" for name, run in runs.items())
    _FILE.write_text("{\n" + lines + "\n}\n", encoding="utf-8")


def _name(size: int, rate: float) -> str:
    return f"{size} {rate:g}"


if __name__ == "__main__":
    main()
