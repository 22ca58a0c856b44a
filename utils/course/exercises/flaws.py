"""Flaws of a step that exercises of several lessons have."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from utils.course.exercises.exercise import Flaw

Normalizer = Callable[[np.ndarray], np.ndarray]


def log_softmax_with(normalizer: Normalizer, logits: np.ndarray) -> np.ndarray:
    """The logarithm of the softmax of each row of `logits`, with another way to what is taken off at the end."""
    z = logits - logits.max(axis=-1, keepdims=True)
    return z - normalizer(z)


def _sum_of_powers(z: np.ndarray) -> np.ndarray:
    return np.exp(z).sum(axis=-1, keepdims=True)


def _flaw(name: str, way: Normalizer, sentence: str) -> Flaw:
    return Flaw("normalizer", name, way, f"{sentence} From each logit ln Σ e^z is taken off.")


LOG_SOFTMAX = (
    _flaw("the sum without its logarithm", _sum_of_powers, "You take the sum of the exponentials off as it is."),
    _flaw("the mean of the exponentials", lambda z: np.log(np.exp(z).mean(-1, keepdims=True)), "You take their mean."),
    _flaw("log2 of the sum", lambda z: np.log2(_sum_of_powers(z)), "Your logarithm of the sum is to base 2."),
    _flaw("log10 of the sum", lambda z: np.log10(_sum_of_powers(z)), "Your logarithm of the sum is to base 10."),
    _flaw("powers of 2", lambda z: np.log(np.exp2(z).sum(-1, keepdims=True)), "In your sum stand powers of 2."),
    _flaw("added", lambda z: -np.log(_sum_of_powers(z)), "You add the logarithm of the sum."),
    _flaw("nothing taken off but the maximum", np.zeros_like, "You stop when the maximum is off."),
)
