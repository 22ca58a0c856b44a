"""The opening figure of lesson 09b computes a step that PyTorch computes too."""

from __future__ import annotations

import math

import pytest
import torch

from lessons.opening_pytorch import one_step


def test_loop_has_the_loss_slope_and_step_of_pytorch():
    w = torch.tensor(2.0, requires_grad=True)
    loss = (w * 3 - 3) ** 2
    loss.backward()
    after = w.item() - 0.05 * w.grad.item()
    figure = one_step(2, 3, 3, 0.05)
    alt, shown = figure.alt, "; ".join(text.get_text() for text in figure.axes[0].texts)
    assert f"= {loss.item():g};" in shown and f"slope; {w.grad.item():g};" in shown and f"= {after:g};" in shown
    assert f"loss is {loss.item():g}." in alt and f"at w is {w.grad.item():g}." in alt and f"becomes {after:g}." in alt


@pytest.mark.parametrize(("w", "rate"), [(math.nan, 0.1), (1.0, 0.0), (1.0, math.inf)])
def test_step_without_finite_numbers_is_refused(w, rate):
    with pytest.raises(ValueError, match="finite"):
        one_step(w, 3, 3, rate)
