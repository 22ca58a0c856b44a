"""The trainings that lesson 16 keeps: all are there and whole, and what is kept can be done again."""

from __future__ import annotations

from dataclasses import asdict, fields

import pytest

from lessons import block_runs
from lessons.block_runs import (
    ADDITIONS,
    BLOCKS,
    COPIER_EVERY,
    COPIERS,
    DIFFERENCES,
    SEEDS,
    TODAY,
    AdditionRun,
    CopyingRun,
    adder,
    block_run,
    copying_run,
    gpt_config,
    train_adder,
    train_copier,
)
from utils.data.kept import read_kept
from utils.models.gpt import Gpt


def test_every_planned_run_is_saved_and_no_other():
    assert list(read_kept(block_runs._FILE)) == list(block_runs._all())


@pytest.mark.parametrize("name", BLOCKS)
def test_every_block_has_its_runs(name):
    runs = [block_run(name, seed) for seed in SEEDS]
    assert all(run.steps > 100 and 1.5 < run.bits_per_byte < 3.2 for run in runs)


def test_copier_run_can_be_reproduced(monkeypatch):
    found = CopyingRun(**train_copier(COPIERS[0], steps=2 * COPIER_EVERY))
    assert found.losses == pytest.approx(copying_run(COPIERS[0]).losses[:2], abs=0.03)


def test_each_block_changes_one_thing_and_the_modern_one_all():
    paper = asdict(gpt_config("2017"))
    changed = {name: {f for f, value in asdict(gpt_config(name)).items() if value != paper[f]} for name in BLOCKS}
    assert changed["2017"] == set() and all(changed[name] == set(DIFFERENCES[name]) for name in DIFFERENCES)
    assert changed["today"] == set().union(*DIFFERENCES.values()) == set(TODAY)


def test_swiglu_has_as_many_weights_as_relu():
    def feed_forward(name):
        return sum(p.numel() for p in Gpt(gpt_config(name)).layers[0].feed_forward.parameters() if p.ndim == 2)

    assert feed_forward("SwiGLU") == pytest.approx(feed_forward("2017"), rel=0.01)


@pytest.mark.parametrize("kind", ADDITIONS)
def test_sum_run_can_be_reproduced(kind, monkeypatch):
    monkeypatch.setattr(block_runs, "TESTED", 20)
    monkeypatch.setattr(block_runs, "TRIED", 20)
    monkeypatch.setattr(block_runs, "ADDITION_ROWS", 8)
    monkeypatch.setattr(block_runs, "adder", lambda seed, kind: adder(seed, kind, steps=60))
    assert set(train_adder(kind, 0)) == {field.name for field in fields(AdditionRun)}
