"""Trained stacks: the kept losses are those that the training gives, and the gradients are those of the loss."""

from __future__ import annotations

import numpy as np
import pytest

from lessons.trained_stacks import CLASSES, RUNS, SEEDS, _gradients, kept_run, train
from utils.by_hand.residual import ARRANGEMENTS, random_stack


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_gradients_match_those_of_the_loss(arrangement):
    random = np.random.default_rng(0)
    X, labels = random.normal(size=(5, 4)), random.integers(CLASSES, size=5)
    learnt = [random_stack(3, 4, 1.0), random.normal(size=(4, CLASSES))]
    _, gradients, _ = _gradients(X, labels, learnt, arrangement)
    for W, gradient in zip(learnt, gradients, strict=True):
        place, h = (1,) * W.ndim, 1e-6
        losses = []
        for step in (h, -h):
            W[place] += step
            losses.append(_gradients(X, labels, learnt, arrangement)[0])
            W[place] -= step
        assert (losses[0] - losses[1]) / (2 * h) == pytest.approx(gradient[place], abs=1e-7)


@pytest.mark.parametrize("optimizer, rate", [("Adam", 0.01), ("SGD", 0.1)])
def test_training_lowers_the_loss(optimizer, rate):
    few, many = (train("residual", 1.0, optimizer, rate, 0, depth=2, steps=steps)[0] for steps in (1, 60))
    assert many < 0.7 * few


def test_every_planned_run_is_saved_with_all_its_seeds():
    for name in RUNS:
        arrangement, times, way, depth = name.split(", ")
        optimizer, rate = way.split()
        run = kept_run(arrangement, float(times.split()[0]), optimizer, float(rate), int(depth.split()[0]))
        assert len(run["losses"]) == len(run["gradients"]) == len(SEEDS)
    with pytest.raises(ValueError, match="saved"):
        kept_run("plain", 1.0, "Adam", 7.0)
