"""The trainings that lesson 16 keeps: all are there and whole, and what is kept can be done again."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from lessons import block_runs
from lessons.block_runs import (
    BLOCKS,
    COPIER_EVERY,
    COPIERS,
    DIFFERENCES,
    TODAY,
    copying_run,
    gpt_config,
    train_copier,
)
from utils.data.kept import read_kept


def test_every_planned_run_is_saved_and_no_other():
    assert list(read_kept(block_runs._FILE)) == list(block_runs._all())


def test_copier_run_can_be_reproduced(monkeypatch):
    found = train_copier(COPIERS[0], steps=2 * COPIER_EVERY)
    assert found["losses"] == pytest.approx(copying_run(COPIERS[0]).losses[:2], abs=0.03)


def test_each_block_changes_one_thing_and_the_modern_one_all():
    paper = asdict(gpt_config("2017"))
    changed = {name: {f for f, value in asdict(gpt_config(name)).items() if value != paper[f]} for name in BLOCKS}
    assert changed["2017"] == set() and all(changed[name] == set(DIFFERENCES[name]) for name in DIFFERENCES)
    assert changed["today"] == set().union(*DIFFERENCES.values()) == set(TODAY)
