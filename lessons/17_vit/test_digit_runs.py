"""The trainings that lesson 17 keeps: all are there, what is kept can be done again, and what is measured is right."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from lessons import digit_models, digit_runs
from lessons.digit_results import SAVED, SEEDS, digit_run, shares_right
from lessons.digit_runs import (
    blanked,
    cls_weights,
    shipped_vit,
    without_patches,
)
from lessons.digits import Digits, digits
from utils.data.kept import read_kept
from utils.models.vit import patches


def test_every_planned_run_is_saved_and_no_other():
    assert list(digit_runs._all()) == list(read_kept(SAVED))


def test_logistic_regression_has_best_setting_on_validation_images():
    ours = digit_run("logistic regression").validation
    assert all(digit_run("logistic regression", setting).validation <= ours for setting in digit_runs.TRIED)


def test_digit_runs_show_what_lesson_17_says():
    assert len(SEEDS) == 3
    vit, net = shares_right("ViT"), shares_right("convolution net")
    assert min(vit) > 0.97 and sum(vit) / 3 >= 0.98 and min(net) > max(vit)
    assert all(max(shares_right("convolution net", order)) < min(net) for order in digit_runs.ORDERS)


def test_shipped_vit_comes_from_the_first_seed():
    vit = shipped_vit()
    assert not vit.training
    assert digit_models.accuracy(vit, digits().test) == pytest.approx(shares_right("ViT")[0], abs=0.003)


def test_shipped_vit_reproduces_saved_measurements():
    vit, test, kept = shipped_vit(), digits().test, digit_run("ViT")
    before = torch.random.get_rng_state()
    right, gone = without_patches(vit, test)
    assert torch.equal(before, torch.random.get_rng_state()), "chance has numbers of its own"
    assert right == pytest.approx(kept.blanked, abs=0.006) and gone == pytest.approx(kept.ink_gone, abs=2e-3)
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
    assert (
        set(found.blanked) == {"none", "most", "as much ink", "least", "by chance", "most ink"} == set(found.ink_gone)
    )
    assert found.blanked["none"] == found.test
    assert 0 <= found.shuffled <= 1
    assert digit_models.accuracy(shipped_vit(), quick.test) == pytest.approx(found.test, abs=1e-4)
    (tmp_path / "vit.safetensors").unlink()
    bag = digit_runs.run("ViT without positions", "as it is", 0)
    assert bag.shuffled == bag.test and bag.blanked is None and bag.ink_gone is None
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


def test_patches_with_highest_scores_are_blanked():
    x = torch.ones(2, 1, 8, 8)
    scores = torch.arange(16.0).repeat(2, 1)
    scores[1] = scores[1].flip(0)
    found = patches(blanked(x, scores, 3), 2)
    assert (
        found[0].sum(dim=1).tolist() == [4.0] * 13 + [0.0] * 3
        and found[1].sum(dim=1).tolist() == [0.0] * 3 + [4.0] * 13
    )
