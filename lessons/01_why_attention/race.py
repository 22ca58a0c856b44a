"""The race of lesson 01: three models write letters backwards, after the same time of training.

    python -m lessons.race            # three models, three seeds, 40 s of one core each: race.json

Time is processor time on one core, so that other programs on the machine take little from anybody. The transformer's
size was set first: 64 numbers wide, two layers on each side. The GRUs were then made as wide as gives about equally
many parameters. Batch size and learning rate are for each model the best of nine pairs (16, 32 or 64 rows, a rate of
0.002, 0.004 or 0.008), tried with a seed that doesn't race.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from lessons.race_results import MODELS, SAVED, STATE, Race, Run
from lessons.reversal import LETTERS, exact_match, reversal_batches
from utils.data.kept import write_kept
from utils.models.config import TransformerConfig
from utils.models.seq2seq import Seq2Seq, Seq2SeqConfig
from utils.models.transformer import Transformer
from utils.training.loop import Trainer, TrainingConfig

TRAINED = (5, 20)  # letters in the shortest and the longest row of the training
LENGTHS = (5, 10, 15, 20, 25, 30, 40)
WATCHED = 10  # letters in the rows by which the curves are measured
SUMMARIES = (4, 16, 64)
_PACE = 30  # steps that are timed before the training
_STOPS = 20  # points on a curve


@dataclass(frozen=True)
class Contestant:
    """A model and how it trains."""

    build: Callable[[], nn.Module]
    batch_size: int
    learning_rate: float

    def trainer(self, model: nn.Module, steps: int, seed: int, **options: Any) -> Trainer:
        """What trains `model`, as one builds it or changed, on the race's rows. options: those of `Trainer`."""
        batches = reversal_batches(range(TRAINED[0], TRAINED[1] + 1), self.batch_size, seed)
        config = TrainingConfig(
            steps=steps, learning_rate=self.learning_rate, warmup=min(50, steps), optimizer="adam", seed=seed
        )
        return Trainer(model, batches, config, show=False, **options)


_SIZES = {"source_vocabulary": len(LETTERS), "target_vocabulary": len(LETTERS), "d_model": 64}


def gru(attention: str, d_hidden: int, d_summary: int | None = None) -> Callable[[], nn.Module]:
    """What builds a GRU encoder and decoder for the race's letters."""
    config = Seq2SeqConfig(**_SIZES, d_hidden=d_hidden, attention=attention, d_summary=d_summary)
    return lambda: Seq2Seq(config)


def _transformer() -> nn.Module:
    layers = {"n_encoder_layers": 2, "n_decoder_layers": 2, "n_heads": 4, "d_ff": 128}
    return Transformer(TransformerConfig(**_SIZES, **layers, dropout=0.0, norm_first=True))


CONTESTANTS = {
    MODELS[0]: Contestant(gru("none", STATE), batch_size=32, learning_rate=4e-3),
    MODELS[1]: Contestant(gru("additive", 104), batch_size=32, learning_rate=4e-3),
    MODELS[2]: Contestant(_transformer, batch_size=32, learning_rate=4e-3),
}


class Training:
    """One contestant on its way: `advance` trains it further, `run` says how far it has come."""

    def __init__(self, model: str, seed: int, seconds: float, d_summary: int | None = None) -> None:
        """Builds it and measures its pace, from which follows in how many steps its learning rate has to come down.

        d_summary: for the GRU without attention, another summary.
        """
        contestant = CONTESTANTS[model]
        if d_summary is not None:
            contestant = replace(contestant, build=gru("none", STATE, d_summary))
        torch.manual_seed(seed)
        self.model_name, self.seed, self.seconds, self.d_summary = model, seed, seconds, d_summary
        self.model = contestant.build()
        self._contestant = contestant
        steps = max(1, round(seconds / self._pace()))
        self._trainer = self._trainer_of(self.model, steps)
        self.curve: list[tuple[float, float]] = []  # (seconds, exact match at `WATCHED` letters) after each `advance`

    @property
    def trained(self) -> float:
        """Seconds of training so far."""
        return self._trainer.history.seconds[-1] if self._trainer.history.seconds else 0.0

    @property
    def done(self) -> bool:
        return self.trained >= self.seconds

    def advance(self, seconds: float) -> None:
        """Trains for so many more seconds, at most to the end, and adds a point to the curve."""
        self._trainer.train(max_seconds=min(seconds, self.seconds - self.trained))
        self._plan_anew()
        self.curve.append((round(self.trained, 2), round(exact_match(self.model, WATCHED, count=100), 2)))

    def run(self) -> Run:
        """What it can do by now, tested at the race's lengths."""
        return Run(
            self.model_name,
            self.seed,
            sum(p.numel() for p in self.model.parameters()),
            self._trainer.step,
            round(self.trained, 2),
            self.curve,
            [round(exact_match(self.model, length), 3) for length in LENGTHS],
            self.d_summary,
        )

    def _plan_anew(self) -> None:
        """The learning rate is to be down when the time is over, whatever the pace has become since it was measured."""
        step = self._trainer.step
        steps = max(step + 1, round(step * self.seconds / self.trained))
        warmup = min(self._trainer.config.warmup, steps)
        self._trainer.config = replace(self._trainer.config, steps=steps, warmup=warmup)

    def _pace(self) -> float:
        """Seconds for one step, measured on a copy that is thrown away."""
        trainer = self._trainer_of(deepcopy(self.model), 2 * _PACE)
        trainer.train(_PACE)
        return float(torch.tensor(trainer.history.seconds).diff().mean())

    def _trainer_of(self, model: nn.Module, steps: int) -> Trainer:
        return self._contestant.trainer(model, steps, self.seed, clock=time.process_time)


def run_race(seconds: float, seeds: Sequence[int], say: Callable[[str], None] = print) -> Race:
    """Everything that the lesson shows: each model with each seed, then the GRU with short summaries."""
    runs = [_alone(model, seed, seconds, None, say) for seed in seeds for model in MODELS]
    summaries = [_alone(MODELS[0], seeds[0], seconds, d_summary, say) for d_summary in SUMMARIES]
    return Race(seconds, TRAINED, LENGTHS, WATCHED, runs, summaries)


def _alone(model: str, seed: int, seconds: float, d_summary: int | None, say: Callable[[str], None]) -> Run:
    training = Training(model, seed, seconds, d_summary)
    while not training.done:
        training.advance(seconds / _STOPS)
    run = training.run()
    say(f"{run.model}, seed {run.seed}, summary {run.d_summary or 'whole'}: {run.steps} steps, exact {run.exact}")
    return run


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the race of lesson 01 and save what comes out.")
    parser.add_argument("--seconds", type=float, default=40.0, help="training time for each model")
    parser.add_argument("--seeds", type=int, default=3, help="how often each model is trained")
    parser.add_argument("--to", type=Path, default=SAVED, help=f"the file to write instead of {SAVED.name}")
    arguments = parser.parse_args()
    if not (arguments.seconds > 0 and math.isfinite(arguments.seconds) and arguments.seeds > 0):
        parser.error("--seconds and --seeds must be above 0")
    torch.set_num_threads(1)
    write_kept(arguments.to, asdict(run_race(arguments.seconds, range(arguments.seeds))))


if __name__ == "__main__":
    main()
