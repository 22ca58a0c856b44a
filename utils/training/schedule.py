"""Compute the learning rate at each step of the training: warm-up, then one of three shapes.

Sources: Vaswani et al. 2017, equation 3 (inverse square root); Devlin et al. 2019, appendix A.2 (linear).
"""

from __future__ import annotations

from collections.abc import Callable

from utils.require import require_number, require_one_of, require_whole

# What the peak is multiplied by after the warm-up, given the step, the warm-up and the number of steps.
_SHAPES: dict[str, Callable[[int, int, int], float]] = {
    # Reaches 0 one step after the last, so that the last step still counts.
    "linear": lambda step, warmup, steps: (steps + 1 - step) / (steps + 1 - max(warmup, 1)),
    "constant": lambda step, warmup, steps: 1.0,
    "inverse square root": lambda step, warmup, steps: (max(warmup, 1) / step) ** 0.5,
}
SHAPES = tuple(_SHAPES)


def learning_rate(step: int, *, peak: float, warmup: int, steps: int, shape: str = "linear") -> float:
    """Return the learning rate of step 1, 2, …, `steps`.

    It grows in equal portions to `peak` at step `warmup`. From there "linear" leads down to 0, "constant" stays,
    and "inverse square root" falls as the paper's does: it is equation 3 when peak = `paper_peak(d_model, warmup)`.
    Raises ValueError for a step outside 1 … steps, a peak that is not above 0 and an unknown shape.
    """
    require_number("peak", peak, "above 0", lambda x: x > 0)
    if not 1 <= step <= steps:
        raise ValueError(f"steps are counted from 1 to {steps}: there is no step {step}.")
    require_one_of("shape", shape, SHAPES)
    return peak * (step / warmup if step < warmup else _SHAPES[shape](step, warmup, steps))


def paper_peak(d_model: int, warmup: int = 4000) -> float:
    """Return the highest learning rate of the paper's schedule, 1/√(d_model · warmup): 0.0007 for its base model."""
    require_whole("d_model", d_model)
    require_whole("warmup", warmup)
    return (d_model * warmup) ** -0.5
