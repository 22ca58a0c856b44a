"""What the race of lesson 01 has found, to be read without PyTorch. `python -m lessons.race` writes it."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from utils.data.kept import read_kept

SAVED = Path(__file__).with_name("race.json")
SAVED_LONGER = Path(__file__).with_name("race_longer.json")
MODELS = ("GRU", "GRU with attention", "transformer")
STATE = 112  # numbers in a state of the first


@dataclass(frozen=True)
class Run:
    """One model, trained once."""

    model: str
    seed: int
    parameters: int
    steps: int
    seconds: float  # of training, in processor time on one core
    curve: tuple[tuple[float, float], ...]  # (seconds, exact match at `Race.watched` letters) while it trained
    exact: tuple[float, ...]  # at each of `Race.lengths`, after the training
    d_summary: int | None = None  # for the GRU without attention: numbers in the summary, None for the whole state

    def reaches(self, score: float) -> float:
        """Seconds of training until the curve is first at `score` or above; infinity when it never is."""
        return next((seconds for seconds, exact in self.curve if exact >= score), math.inf)


@dataclass(frozen=True)
class Race:
    """Several models on the same task, with the same time for each."""

    seconds: float  # of training that each was given
    trained: tuple[int, int]  # the shortest and the longest row of letters in training
    lengths: tuple[int, ...]  # at which all were tested
    watched: int  # the length at which the curves were measured
    runs: tuple[Run, ...]  # the three models, with several seeds
    summaries: tuple[Run, ...]  # the GRU without attention, with summaries of several lengths

    def of(self, model: str) -> list[Run]:
        """The runs of `model`, one for each seed. Raises ValueError when there is none."""
        runs = [run for run in self.runs if run.model == model]
        if not runs:
            raise ValueError(f"no run of {model!r}: there are {', '.join(sorted({run.model for run in self.runs}))}.")
        return runs

    def exact(self, model: str, length: int) -> list[float]:
        """The exact match of `model` at `length`, one number for each seed. Raises ValueError for another length."""
        if length not in self.lengths:
            raise ValueError(f"the race was tested at lengths {', '.join(map(str, self.lengths))}: not at {length}.")
        return [run.exact[self.lengths.index(length)] for run in self.of(model)]


@dataclass(frozen=True)
class LongRun:
    """One model, trained once, for as many steps as it was told; `python -m lessons.race_longer`."""

    model: str
    seed: int
    times: float  # as many steps as in the race
    steps: int
    exact: tuple[float, ...]  # at each of the race's lengths, after the training


def saved_longer() -> list[LongRun]:
    """The long runs that were kept."""
    return [LongRun(**{**run, "exact": tuple(run["exact"])}) for run in read_kept(SAVED_LONGER).values()]


def saved_race(path: Path = SAVED) -> Race:
    """The race in the JSON file at `path`. Raises ValueError when it holds something else."""
    try:
        fields = read_kept(path)
        for name in ("runs", "summaries"):
            fields[name] = tuple(_run(run) for run in fields[name])
        for name in ("trained", "lengths"):
            fields[name] = tuple(fields[name])
        return Race(**fields)
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise ValueError(f"{path.name} holds no race ({type(error).__name__}: {error}).") from None


def by_what_the_decoder_gets() -> dict[str, tuple[Sequence[Run | LongRun], int | None]]:
    """The saved runs by what their decoder may look at, and how many bits there are for it.

    A summary's numbers have 32 bits each; None where there are more states, the longer the row.
    """
    race, longer = saved_race(), saved_longer()
    runs = {f"summary of {run.d_summary}": ([run], 32 * run.d_summary) for run in race.summaries}
    runs["whole state"] = race.of(MODELS[0]), 32 * STATE
    whole = [run for run in longer if run.model == MODELS[0]]
    for times in sorted({run.times for run in whole}):
        trained = [run for run in whole if run.times == times]
        runs[f"whole state, {times} times the training"] = trained, 32 * STATE
    return runs | {"attention": (race.of(MODELS[1]), None), "transformer": (race.of(MODELS[2]), None)}


def _run(fields: dict) -> Run:
    curve = tuple((seconds, exact) for seconds, exact in fields["curve"])
    return Run(**{**fields, "curve": curve, "exact": tuple(fields["exact"])})
