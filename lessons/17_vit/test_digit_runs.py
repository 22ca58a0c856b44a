"""The trainings that lesson 17 keeps: all are there, what is kept can be done again, and what is measured is right."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from lessons import digit_models, digit_runs
from lessons.digit_results import SAVED, SEEDS, digit_run, shares_right
from lessons.digit_runs import (
    answer_shares,
    arranged,
    blanked,
    cls_weights,
    cosines_by_distance,
    patch_scores,
    shipped_vit,
    without_patches,
)
from lessons.digits import Digits, digits
from utils.data.kept import read_kept
from utils.models.vit import patches


def test_every_training_of_the_plan_is_kept_and_no_other():
    assert list(digit_runs._all()) == list(read_kept(SAVED))


def test_a_training_that_was_not_kept():
    with pytest.raises(ValueError, match=r"^no training was kept under the name 'ViT, as it is, seed 7'\.$"):
        digit_run("ViT", seed=7)


def test_logistic_regression_has_the_best_of_what_was_tried_on_the_validation_images():
    ours = digit_run("logistic regression").validation
    assert all(digit_run("logistic regression", setting).validation <= ours for setting in digit_runs.TRIED)


def test_what_the_lesson_says_of_three_seeds():
    assert len(SEEDS) == 3
    vit, net = shares_right("ViT"), shares_right("convolution net")
    assert min(vit) > 0.97 and sum(vit) / 3 >= 0.98 and min(net) > max(vit)
    assert all(max(shares_right("convolution net", order)) < min(net) for order in digit_runs.ORDERS)


def test_the_shipped_vit_is_the_one_of_the_first_seed():
    vit = shipped_vit()
    assert not vit.training
    assert digit_models.accuracy(vit, digits().test) == pytest.approx(shares_right("ViT")[0], abs=0.003)


def test_what_was_kept_of_the_shipped_vit_can_be_measured_of_it():
    vit, test, kept = shipped_vit(), digits().test, digit_run("ViT")
    before = torch.random.get_rng_state()
    right, gone = without_patches(vit, test)
    assert torch.equal(before, torch.random.get_rng_state()), "chance has numbers of its own"
    assert right == pytest.approx(kept.blanked, abs=0.006) and gone == pytest.approx(kept.ink_gone, abs=2e-3)
    assert cosines_by_distance(vit.positions.table.detach()) == pytest.approx(kept.cosines, abs=2e-3)
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


def test_what_is_kept_can_be_done_again(quick, tmp_path):
    found = digit_runs.run("ViT", "as it is", 0)
    assert (
        set(found.blanked) == {"none", "most", "as much ink", "least", "by chance", "most ink"} == set(found.ink_gone)
    )
    assert found.blanked["none"] == found.test
    assert [int(d) for d in found.cosines] == [1, 2, 4, 5, 8, 9, 10, 13, 18] and 0 <= found.shuffled <= 1
    assert digit_models.accuracy(shipped_vit(), quick.test) == pytest.approx(found.test, abs=1e-4)
    (tmp_path / "vit.safetensors").unlink()
    bag = digit_runs.run("ViT without positions", "as it is", 0)
    assert bag.shuffled == bag.test and bag.blanked is None and bag.cosines is None and bag.ink_gone is None
    digit_runs.run("ViT", "as it is", 1)
    assert not (tmp_path / "vit.safetensors").exists(), "only the first seed's is shipped"


def test_each_setting_changes_what_it_names(quick, monkeypatch):
    trained_on, tested_on = [], []

    def trained(kind, images, seed, change=lambda x: x, **recipe):
        trained_on.append((len(images), bool((change(images.x) != images.x).any()), recipe))
        return digit_models.new_model(kind, seed)

    monkeypatch.setattr(digit_runs, "trained", trained)
    monkeypatch.setattr(digit_runs, "_share", lambda model, images: tested_on.append(images.x) or 0.5)
    for setting in ("as it is", "another order", "rate 0.5", "shift 2"):
        found = digit_runs.run("logistic regression", setting, 0)
        assert (found.test is None) == setting.startswith(("rate", "shift"))
    recipes = [(False, {}), (True, {}), (False, {"learning_rate": 0.5}), (False, {"shift": 2})]
    assert trained_on == [(30, *recipe) for recipe in recipes]
    validation, test = quick.validation.x, quick.test.x
    assert torch.equal(tested_on[0], validation) and torch.equal(tested_on[1], test)
    assert not torch.equal(tested_on[2], validation) and not torch.equal(tested_on[3], test), "rearranged, too"
    assert len(tested_on) == 6 and all(torch.equal(x, validation) for x in tested_on[4:]), "chosen without the test"


def test_what_cls_pays_is_its_row_without_itself():
    vit, x = shipped_vit(), digits().test.x[:5]
    weights = cls_weights(vit, x)
    assert weights.shape == (5, 2, 4, 16)
    assert (weights.sum(dim=-1) < 1).all() and (weights >= 0).all()
    with torch.no_grad(), digit_runs.watching(vit) as maps:
        vit(x)
    assert torch.equal(weights[:, 1], maps.encoder[1][:, :, 0, 1:])


def test_the_patches_with_the_highest_scores_become_paper():
    x = torch.ones(2, 1, 8, 8)
    scores = torch.arange(16.0).repeat(2, 1)
    scores[1] = scores[1].flip(0)
    found = patches(blanked(x, scores, 3), 2)
    assert (
        found[0].sum(dim=1).tolist() == [4.0] * 13 + [0.0] * 3
        and found[1].sum(dim=1).tolist() == [0.0] * 3 + [4.0] * 13
    )


def test_it_is_asked_without_the_patches_that_are_named():
    vit, images = shipped_vit(), digits().test.first(60)
    looks = cls_weights(vit, images.x)[:, 1].mean(dim=1)
    without = {"most": looks, "least": -looks, "most ink": patches(images.x, 2).sum(dim=2)}
    found, gone = without_patches(vit, images)
    for name, score in without.items():
        left = blanked(images.x, score)
        right = (digit_models.answers(vit, left) == images.y).float().mean()
        assert found[name] == pytest.approx(float(right), abs=1e-4)
        assert gone[name] == pytest.approx(float(1 - left.sum() / images.x.sum()), abs=1e-4)
    assert gone["none"] == 0 and found["none"] == pytest.approx(digit_models.accuracy(vit, images), abs=1e-4)


def test_what_chance_is_asked_for_is_the_mean_of_several_times(monkeypatch):
    vit, images = shipped_vit(), digits().test.first(60)
    once = []
    for seed in range(3):
        left = blanked(images.x, patch_scores(vit, images.x, seed)["by chance"])
        once.append(float((digit_models.answers(vit, left) == images.y).float().mean()))
    monkeypatch.setattr(digit_runs, "REPEATS", 3)
    assert len(set(once)) > 1
    assert without_patches(vit, images)[0]["by chance"] == pytest.approx(sum(once) / 3, abs=1e-4)


def test_chance_takes_as_much_ink_from_each_image_as_is_asked_for():
    vit, x = shipped_vit(), digits().test.x[:40]
    scores = patch_scores(vit, x)
    left = {name: blanked(x, scores[name]).sum(dim=(1, 2, 3)) for name in ("most", "as much ink", "by chance")}
    off = {name: (left[name] - left["most"]).abs().mean() for name in ("as much ink", "by chance")}
    assert off["as much ink"] < 0.3 < off["by chance"]
    assert (scores["as much ink"].topk(4).indices.sort().values != scores["most"].topk(4).indices.sort().values).any()


def test_the_cosine_of_positions_that_are_their_place():
    at = torch.cartesian_prod(torch.arange(4.0), torch.arange(4.0))  # (16, 2)
    table = torch.cat([torch.tensor([[100.0, -3.0]]), at + 7])
    found = cosines_by_distance(table)
    assert found["1"] > 0.3 and found["18"] == -1.0, "opposite corners point away from each other"
    assert found == cosines_by_distance(torch.cat([torch.zeros(1, 2), at])), "[CLS] and the mean have no part in it"


def test_an_image_arranged_for_the_control_and_what_the_model_makes_of_it():
    x, vit = digits().test.x[:2], shipped_vit()
    assert torch.equal(arranged(x, "in order"), x)
    assert not arranged(x, "blank").any()
    shuffled = arranged(x, "shuffled")
    assert not torch.equal(shuffled, x) and torch.equal(shuffled.flatten().sort()[0], x.flatten().sort()[0])
    assert torch.allclose(answer_shares(vit, x), vit(x).softmax(dim=1)) and not answer_shares(vit, x).requires_grad
