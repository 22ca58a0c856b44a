"""Trainings that are too long for a lesson's control, done once and kept: `python -m utils.training.saved_runs`.

Small translators on the course's corpus, RUN_STEPS steps each, for every size and highest learning rate below; and
lesson 12's training from beginning to end, as it is, with less weight decay, and with a bolder rate. The curves stand
in saved_runs.json beside this file, three digits each.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from utils.training.corpora import english_persian
from utils.training.loop import TrainingConfig
from utils.training.train import new_translator, recipe, trainer_of

SIZES = (32, 64, 128)  # d_model
LEARNING_RATES = (1e-4, 5e-4, 2e-3, 1e-2, 5e-2)
RUN_STEPS = 300
EVERY = 30  # steps between two points of a curve
TESTED = 200  # held-out sentences for each
WHOLE = ((2e-3, 1.0), (2e-3, 0.01), (1e-2, 1.0))  # highest learning rate, weight decay: the first are the recipe's
WHOLE_EVERY = 100
_FILE = Path(__file__).with_name("saved_runs.json")


@dataclass(frozen=True)
class Run:
    """Curves: a point every EVERY steps, or every WHOLE_EVERY in a whole training."""

    losses: list[float]  # the mean of the steps since the last point
    scores: list[float]  # exact match on held-out sentences


def run_of(size: int, rate: float) -> Run:
    """The training of this size and highest learning rate, done now."""
    config = recipe(steps=RUN_STEPS, learning_rate=rate, evaluate_every=EVERY)
    return _run(config, TESTED, d_model=size, d_ff=2 * size)


def whole_run_of(rate: float, decay: float) -> Run:
    """Lesson 12's training with these two, done now, and tested on all that is held out."""
    config = recipe(learning_rate=rate, weight_decay=decay, evaluate_every=WHOLE_EVERY)
    return _run(config, len(english_persian().held_out))


def saved_run(size: int, rate: float) -> Run:
    """What `run_of` came to, as it was kept. Raises ValueError for one that was not."""
    return _saved(_name(size, rate), f"with d_model {size} and learning rate {rate:g}")


def saved_whole_run(rate: float, decay: float) -> Run:
    """What `whole_run_of` came to, as it was kept. Raises ValueError for one that was not."""
    return _saved(_whole_name(rate, decay), f"with learning rate {rate:g} and weight decay {decay:g}")


def _run(config: TrainingConfig, tested: int, **sizes: int) -> Run:
    corpus = english_persian()
    history = trainer_of(new_translator(corpus, **sizes), corpus, config, tested=tested, show=False).train()
    every = config.evaluate_every
    losses = [history.losses[start : start + every] for start in range(0, config.steps, every)]
    return Run([round(sum(part) / every, 3) for part in losses], [round(score, 3) for _, score in history.scores])


def _saved(name: str, what: str) -> Run:
    runs = json.loads(_FILE.read_text(encoding="utf-8"))
    if name not in runs:
        raise ValueError(f"no training was kept {what}.")
    return Run(**runs[name])


def main() -> None:
    """Does all trainings again and writes the file."""
    runs = {_name(size, rate): lambda s=size, r=rate: run_of(s, r) for size in SIZES for rate in LEARNING_RATES}
    runs |= {_whole_name(*rates): lambda r=rates: whole_run_of(*r) for rates in WHOLE}
    lines = []
    for name, train in runs.items():
        run = train()
        lines.append(f"{json.dumps(name)}: {json.dumps(asdict(run))}")
        print(name, run.scores[-1], flush=True)
    _FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _name(size: int, rate: float) -> str:
    return f"{size} {rate:g}"


def _whole_name(rate: float, decay: float) -> str:
    return f"whole {rate:g} {decay:g}"


if __name__ == "__main__":
    main()
