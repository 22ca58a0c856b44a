"""What the notes say of all matrices is tried on these: any others, and of any other size, would do as well."""

from __future__ import annotations

import numpy as np

from utils.by_hand.encoder import EncoderSteps, encoder_block, random_encoder_weights
from utils.by_hand.residual import random_stack

_random = np.random.default_rng(5)

Q, K, V = (_random.normal(size=shape) for shape in ((5, 3), (5, 3), (5, 2)))
X = _random.normal(size=(4, 6))  # four tokens
OTHER_LAST = np.vstack([X[:-1], X[-1:] + 1.0])  # the same tokens but for the last
OTHER_FIRST = np.vstack([X[:1] + 1.0, X[1:]])  # and but for the first
GAIN, BIAS = _random.normal(size=(2, 6))
WEIGHTS, OTHER_WEIGHTS = (random_encoder_weights(6, 9, seed=seed) for seed in (0, 1))
N_HEADS = 2
STACK = random_stack(3, 6)  # three layers


def block(X: np.ndarray) -> EncoderSteps:
    """The paper's encoder block on these tokens, with the weights above."""
    return encoder_block(X, WEIGHTS, N_HEADS)
