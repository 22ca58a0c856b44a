"""A policy that answers with one of a few words: its draws, and how far off the slopes from these draws are."""

from __future__ import annotations

import numpy as np

from utils.by_hand.arrays import Array


def draw(p: Array, luck: Array) -> Array:
    """Return a word for each number of `luck`, between 0 and 1; word i comes with the probability p[i]."""
    return np.searchsorted(p[:-1].cumsum(), luck)


def error(p: Array, reward: Array, baseline: bool, n: int = 8, times: int = 20_000) -> float:
    """Return the root mean square distance between slopes from n draws each and the mean of these slopes.

    p, reward (V,). With the baseline, the mean reward of the n draws is subtracted.
    """
    drawn = draw(p, np.random.default_rng(1).random((times, n)))
    better = reward[drawn] - baseline * reward[drawn].mean(axis=1, keepdims=True)
    slopes = (better[:, :, None] * (np.eye(len(p))[drawn] - p)).mean(axis=1)  # (times, V)
    return float(np.sqrt(((slopes - slopes.mean(axis=0)) ** 2).sum(axis=1).mean()))
