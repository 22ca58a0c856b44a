"""The learning rate at every step: by the definitions of its three shapes, beside PyTorch's, and nonsense refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.refused import refused
from utils.training.schedule import SHAPES, learning_rate, paper_peak


@given(st.integers(1, 5000), st.integers(1, 4000), st.sampled_from([64, 512, 1024]))
def test_inverse_square_root_matches_the_papers_equation(step, warmup, d_model):
    rate = learning_rate(step, peak=paper_peak(d_model, warmup), warmup=warmup, steps=5000, shape="inverse square root")
    assert rate == pytest.approx(d_model**-0.5 * min(step**-0.5, step * warmup**-1.5))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("warmup", [0, 1, 7])
def test_warm_up_grows_in_equal_steps_and_ends_at_the_peak(shape, warmup):
    rates = [learning_rate(step, peak=3.0, warmup=warmup, steps=20, shape=shape) for step in range(1, 21)]
    first = max(warmup, 1)  # without a warm-up the first step is at the peak
    assert rates[:first] == pytest.approx([3.0 * step / first for step in range(1, first + 1)])
    assert all(after <= before for before, after in zip(rates[first - 1 :], rates[first:], strict=False))


def test_schedules_after_warm_up_match_their_definitions():
    """Linear: in equal portions to the 0 of the step after the last. Inverse square root: √(warm-up / step)."""
    at = {shape: [learning_rate(n, peak=2.0, warmup=4, steps=12, shape=shape) for n in (5, 8, 12)] for shape in SHAPES}
    assert at["linear"] == pytest.approx([2 * 8 / 9, 2 * 5 / 9, 2 * 1 / 9])
    assert at["constant"] == [2.0, 2.0, 2.0]
    assert at["inverse square root"] == pytest.approx([2 * math.sqrt(4 / n) for n in (5, 8, 12)])


NO_SCHEDULE = [
    ("shape must be one of linear", lambda: learning_rate(1, peak=1, warmup=1, steps=5, shape="cosine")),
    ("peak must be a number above 0", lambda: learning_rate(1, peak=0, warmup=1, steps=5)),
]


@pytest.mark.parametrize(("sentence", "call"), NO_SCHEDULE)
def test_schedule_refuses_invalid_arguments(call, sentence):
    assert sentence in refused(call)
