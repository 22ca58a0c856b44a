"""Rollout: the maps of all layers in one. Here, and not in the lesson, since to write it is an exercise there."""

from __future__ import annotations

import numpy as np

from utils.by_hand.arrays import Array


def rollout(layers: Array) -> Array:
    """What the last layer's rows hold of each word, (N, N), from maps (L, n_heads, N, N), the first layer first.

    Abnar and Zuidema 2020: heads averaged, mixed half and half with the identity, layers multiplied from the left.
    """
    R = np.eye(layers.shape[2])
    for A in layers:
        R = (A.mean(axis=0) + np.eye(len(R))) / 2 @ R
    return R
