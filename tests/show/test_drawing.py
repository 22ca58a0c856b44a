"""The parts that drawings are made of stand where they are put."""

from __future__ import annotations

import pytest

from utils.show.drawing import in_words, shares, thickness


@pytest.mark.parametrize(
    ("weights", "reason"),
    [([1.0], "2 words"), ([1.5, -0.5], "sum to 1"), ([0.5, 0.5 + 2e-6], "sum to 1"), ([0.5, 0.5 - 2e-6], "sum to 1")],
)
def test_shares_refuse_other_sums(weights, reason):
    assert shares(["a", "b"], [0.0, 1 + 1e-7]).tolist() == [0, 1 + 1e-7] and shares(["a"], [1]).dtype == float
    with pytest.raises(ValueError, match=reason):
        shares(["a", "b"], weights)


def test_weights_are_shown_by_arrow_width_and_named_in_words():
    weights = shares(["a", "b"], [0.25, 0.75])
    assert in_words(["a", "b"], weights) == "a 0.25, b 0.75"
    assert [thickness(weight) for weight in (0, 0.5, 1)] == pytest.approx([0.8, 4.9, 9.0])
