"""Train the deep stacks of lesson 09 and save their losses: `python -m lessons.trained_stacks`, a few minutes.

The task is small: POINTS random points of D features, each with one of CLASSES labels. A stack of DEPTH layers
F(X) = tanh(XW) and one linear layer after it learn the labels, all points in every step, by the gradients of
`utils.by_hand.residual`. The runs vary the arrangement, the start of the weights, the optimizer, its rate and the
seed. A uniform guess has the loss ln CLASSES. trained_stacks.json has the losses.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.by_hand.residual import ARRANGEMENTS, random_stack, run_stack, stack_gradients
from utils.data.kept import keep, read_run

DEPTH, D, POINTS, CLASSES, STEPS, LAST = 64, 16, 64, 4, 200, 10
SEEDS = (0, 1, 2)
PYTORCH = 1 / np.sqrt(3)  # the gain of a linear layer that PyTorch has just made
TIMES = (1.0, 1.7, 2.0)  # the plain stack starts with weights so many times as large, the others with the first
ORTHOGONAL, GAIN = "plain (orthogonal)", 1.1  # a plain stack that starts with orthogonal matrices times GAIN
WAYS = (("Adam", 1e-3), ("SGD", 0.05))  # optimizer and rate
STACKS = (*(("plain", times) for times in TIMES), (ORTHOGONAL, GAIN), *((how, 1.0) for how in ARRANGEMENTS[1:]))
_FILE = Path(__file__).with_name("trained_stacks.json")


def kept_run(arrangement: str, times: float, optimizer: str, rate: float, depth: int = DEPTH) -> dict[str, list[float]]:
    """Return "losses", the mean of the last LAST steps, and "gradients", each with one number per seed.

    gradients: the size at the first layer before any step, as a share of that at the end of the stack.
    Raises ValueError for a run that was not kept.
    """
    return vars(read_run(_FILE, _name(arrangement, times, optimizer, rate, depth)))


def train(
    arrangement: str, times: float, optimizer: str, rate: float, seed: int, depth: int = DEPTH, steps: int = STEPS
) -> tuple[float, float]:
    """Return the loss of the last steps, and the share of the gradient that reaches the first layer at the start."""
    random = np.random.default_rng(seed)
    X, labels = random.normal(size=(POINTS, D)), random.integers(CLASSES, size=POINTS)
    stack = random_stack(depth, D, times * PYTORCH, seed)
    if arrangement == ORTHOGONAL:
        arrangement, stack = "plain", times * np.linalg.qr(stack)[0]
    learnt = [stack, random.normal(size=(D, CLASSES)) / np.sqrt(3 * D)]
    means, squares = ([np.zeros_like(W) for W in learnt] for _ in range(2))
    losses, reached = [], 0.0
    for step in range(1, steps + 1):
        loss, gradients, reached_now = _gradients(X, labels, learnt, arrangement)
        losses.append(loss)
        reached = reached_now if step == 1 else reached
        for W, g, m, v in zip(learnt, gradients, means, squares, strict=True):
            if optimizer == "SGD":
                W -= rate * g
            else:  # Adam, with the means corrected for their start at 0
                m += 0.1 * (g - m)
                v += 0.001 * (g**2 - v)
                W -= rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
    return float(np.mean(losses[-LAST:])), reached


def _gradients(X: Array, labels: Array, learnt: list[Array], arrangement: str) -> tuple[float, list[Array], float]:
    """Loss, gradients at the stack's weights and at the last layer's, and the share that reaches the first layer."""
    stack, W_out = learnt
    end = run_stack(X, stack, arrangement)[-1]  # (POINTS, D)
    p = softmax(end @ W_out, axis=-1)  # (POINTS, CLASSES)
    wrong = (p - np.eye(CLASSES)[labels]) / len(X)
    at_end = wrong @ W_out.T  # (POINTS, D)
    back = stack_gradients(X, stack, arrangement, at_end)
    share = np.sqrt((back.states[0] ** 2).mean() / (at_end**2).mean())
    return float(-np.log(p[np.arange(len(X)), labels]).mean()), [back.weights, end.T @ wrong], float(share)


def _name(arrangement: str, times: float, optimizer: str, rate: float, depth: int) -> str:
    return f"{arrangement}, {times:g} times, {optimizer} {rate:g}, {depth} layers"


def _run(arrangement: str, times: float, optimizer: str, rate: float, depth: int) -> dict[str, list[float]]:
    found = [train(arrangement, times, optimizer, rate, seed, depth) for seed in SEEDS]
    return {"losses": [float(f"{loss:.3g}") for loss, _ in found], "gradients": [float(f"{g:.2g}") for _, g in found]}


RUNS: dict[str, Callable[[], dict[str, list[float]]]] = {
    _name(*stack, *way, depth): partial(_run, *stack, *way, depth)
    for depth, way, stack in [*product((DEPTH,), WAYS, STACKS), (2, WAYS[0], STACKS[0]), (2, WAYS[1], STACKS[0])]
}

if __name__ == "__main__":
    keep(_FILE, RUNS)
