"""Every room means the same by a whole number, and says so in one sentence."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.by_hand.positional import positional_encoding
from utils.models.config import BlockConfig
from utils.models.require import require_id
from utils.require import require_number, require_whole
from utils.show.numbers import table_text
from utils.training.loop import TrainingConfig


@given(st.one_of(st.integers(-5, 5), st.floats(-5, 5), st.text(max_size=3), st.booleans()))
def test_count_must_be_a_whole_number_from_1(value):
    if not isinstance(value, int) or isinstance(value, bool):
        with pytest.raises(TypeError, match="n must be a whole number of at least 1"):
            require_whole("n", value)
    elif not 1 <= value <= 4:
        with pytest.raises(ValueError, match="n must be "):
            require_whole("n", value, most=4)
    else:
        assert require_whole("n", value, most=4) == value


ROOMS = [
    lambda n: positional_encoding(n, 4),
    lambda n: BlockConfig(d_ff=n),
    lambda n: TrainingConfig(steps=60, warmup=n),
    lambda n: require_id(n, "the vocabulary", 9),
    lambda n: table_text([[1.0]], n),
]


@pytest.mark.parametrize("room", ROOMS)
def test_layers_agree_on_what_a_whole_number_is(room):
    for value in (4, np.int64(4), np.uint8(4)):
        room(value)
    for value in (4.0, True, np.float64(4), "4"):
        with pytest.raises(TypeError, match=re.escape(f"it is {value!r}.")):
            room(value)
    with pytest.raises(ValueError, match="it is -1"):
        room(-1)


@pytest.mark.parametrize(
    ("value", "error"), [(2.0, None), (np.int64(2), None), (-1, ValueError), (float("nan"), ValueError),
                         (float("inf"), ValueError), (True, TypeError), ("2", TypeError)]
)  # fmt: skip
def test_number_must_be_finite_and_within_bounds(value, error):
    if error is None:
        require_number("x", value, "above 0", lambda x: x > 0)
        return
    with pytest.raises(error, match="x must be a number above 0"):
        require_number("x", value, "above 0", lambda x: x > 0)
