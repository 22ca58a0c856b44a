"""One process and two: what was kept says what lesson 18b says, and can be measured again."""

from __future__ import annotations

import importlib
import subprocess
from collections.abc import Callable

import pytest
import torch
from torch.distributed import run as torchrun
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

from lessons.two_processes import BATCHES, COUNTS, REPEATS, main, measure, measured
from utils.data.corpora import english_persian
from utils.training.train import new_translator


@pytest.fixture(scope="module")
def gradient_bytes():
    return 4 * sum(p.numel() for p in new_translator(english_persian()).model.parameters())


@pytest.mark.parametrize("processes", COUNTS)
@pytest.mark.parametrize("size", BATCHES)
def test_all_was_kept_and_a_step_exchanges_four_bytes_for_each_parameter(processes, size, gradient_bytes):
    runs = measured(processes, size)
    assert len(runs) == REPEATS
    assert all(len(run["processor"]) == processes and min(run["processor"]) > 0 for run in runs)
    assert {run["exchanged"] for run in runs} == {gradient_bytes if processes == 2 else 0}


@pytest.mark.parametrize(("processes", "size"), [(3, 32), (2, 7)])
def test_two_processes_refuses_what_was_not_measured(processes, size):
    with pytest.raises(ValueError, match=f"not {processes} with {size}"):
        measured(processes, size)


def launch_copies(config: LaunchConfig, entrypoint: str) -> Callable[..., object]:
    """Stand in for torchrun's launcher: copies of this process, since imports take far longer than the steps do.

    What has computed on a GPU cannot be copied.
    """
    importlib.import_module("torch._dynamo")  # what each would import at its first step
    config.start_method = "spawn" if torch.cuda.is_available() else "fork"
    return lambda *command: elastic_launch(config, main)([*command[command.index(main.__module__) + 1 :]])


@pytest.mark.long
def test_it_can_be_measured_again(gradient_bytes, monkeypatch):
    """In real processes, for a step each."""
    monkeypatch.setattr(torchrun, "elastic_launch", launch_copies)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: torchrun.main(command[3:]))
    runs = measure(2, warm=1, steps=1, repeats=1)
    assert [run["batch_size"] for run in runs] == list(BATCHES)
    assert all(len(run["processor"]) == 2 and run["exchanged"] == gradient_bytes for run in runs)
