"""What the race of lesson 01 has found, to be read without PyTorch. `python -m lessons.race` writes it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

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
    curve: Sequence[Sequence[float]]  # (seconds, exact match at `Race.watched` letters) while it trained
    exact: Sequence[float]  # at each of `Race.lengths`, after the training
    d_summary: int | None = None  # for the GRU without attention: numbers in the summary, None for the whole state

    def reaches(self, score: float) -> float:
        """Seconds of training until the curve is first at `score` or above; infinity when it never is."""
        return next((seconds for seconds, exact in self.curve if exact >= score), math.inf)


@dataclass(frozen=True)
class Race:
    """Several models on the same task, with the same time for each."""

    seconds: float  # of training that each was given
    trained: Sequence[int]  # the shortest and the longest row of letters in training
    lengths: Sequence[int]  # at which all were tested
    watched: int  # the length at which the curves were measured
    runs: Sequence[Run]  # the three models, with several seeds
    summaries: Sequence[Run]  # the GRU without attention, with summaries of several lengths

    def of(self, model: str) -> list[Run]:
        """Return the runs of `model`, one for each seed."""
        return [run for run in self.runs if run.model == model]

    def exact(self, model: str, length: int) -> list[float]:
        """Return the exact match of `model` at one of `lengths`, one number for each seed."""
        return [run.exact[self.lengths.index(length)] for run in self.of(model)]


def saved_longer() -> list[Any]:
    """Return the saved runs of `race_longer`: `model`, `seed`, `steps` (`times` those in the race) and `exact`."""
    return [SimpleNamespace(**run) for run in read_kept(SAVED_LONGER).values()]


def saved_race() -> Race:
    """Return the saved race."""
    race = read_kept(SAVED)
    return Race(**{**race, **{name: [Run(**run) for run in race[name]] for name in ("runs", "summaries")}})


def by_what_the_decoder_gets() -> dict[str, tuple[Sequence[Any], int | None]]:
    """The saved runs by what their decoder may look at, and how many bits there are for it.

    A summary's numbers have 32 bits each; None where there are more states, the longer the row.
    """
    race, longer = saved_race(), saved_longer()
    runs = {f"summary of {run.d_summary}": ([run], 32 * run.d_summary) for run in race.summaries}
    runs["whole state"] = race.of(MODELS[0]), 32 * STATE
    runs[f"whole state, {longer[0].times} times the training"] = longer, 32 * STATE
    return runs | {"attention": (race.of(MODELS[1]), None), "transformer": (race.of(MODELS[2]), None)}
