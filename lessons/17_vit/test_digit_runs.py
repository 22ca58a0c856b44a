"""The trainings that lesson 17 keeps: all are there, what is kept can be done again, and what is measured is right."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from lessons import digit_models, digit_runs
from lessons.digit_results import SAVED, digit_run
from lessons.digit_runs import cls_weights, shipped_vit
from lessons.digits import Digits, digits
from utils.data.kept import read_kept


def test_every_planned_run_is_saved_and_no_other():
    assert list(digit_runs._all()) == list(read_kept(SAVED))


def test_shipped_vit_reproduces_saved_measurements():
    vit, test, kept = shipped_vit(), digits().test, digit_run("ViT")
    shuffled = digit_models.accuracy(vit, digit_runs.with_shuffled_patches(test))
    assert shuffled == pytest.approx(kept.shuffled, abs=0.006)


@pytest.fixture
def quick(monkeypatch, tmp_path):
    """Trainings of a few steps, on a part of the digits."""
    small = Digits(*(part.first(30) for part in (digits().train, digits().validation, digits().test)))
    monkeypatch.setattr(digit_runs, "digits", lambda: small)
    monkeypatch.setattr(digit_models, "RECIPE", replace(digit_models.RECIPE, steps=3, warmup=1))
    monkeypatch.setattr(digit_runs, "_WEIGHTS", tmp_path / "vit.safetensors")
    return small


def test_digit_runs_can_be_reproduced(quick, tmp_path):
    found = digit_runs.run("ViT", "as it is", 0)
    assert 0 <= found["shuffled"] <= 1
    assert digit_models.accuracy(shipped_vit(), quick.test) == pytest.approx(found["test"], abs=1e-4)
    (tmp_path / "vit.safetensors").unlink()
    bag = digit_runs.run("ViT without positions", "as it is", 0)
    assert bag["shuffled"] == bag["test"]
    digit_runs.run("ViT", "as it is", 1)
    assert not (tmp_path / "vit.safetensors").exists(), "only the first seed's is shipped"


def test_cls_weights_are_its_row_without_itself():
    vit, x = shipped_vit(), digits().test.x[:5]
    weights = cls_weights(vit, x)
    assert weights.shape == (5, 2, 4, 16)
    assert (weights.sum(dim=-1) < 1).all() and (weights >= 0).all()
    with torch.no_grad(), digit_runs.watching(vit) as maps:
        vit(x)
    assert torch.equal(weights[:, 1], maps.encoder[1][:, :, 0, 1:])
